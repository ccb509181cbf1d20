#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "gpu/host_dispatcher/host_mailboxes.hpp"
#include "gpu/host_dispatcher/ready_tasks.hpp"
#include "gpu/run/run_options.hpp"
#include "models/machine/counter_lines.hpp"

namespace tasktwin::gpu {

/// When threads of the host did something, in ns of their steady clock; 0 for never.
struct alignas(kHostLine) HostStamps {
  std::int64_t ready = 0;
  std::int64_t dispatched = 0;  ///< never for a task of several blocks, which several threads hand over
  std::int64_t seen = 0;        ///< all of its blocks completed
  std::uint32_t dispatcher = 0;
};

/// What threads of the host write down as they run.
enum class HostNotes {
  kNone,
  kRounds,  ///< when they were where in each round
  kStamps,  ///< that, and HostStamps
};

/// One round of a thread's loop in which it did something; the time stamps as above.
struct HostRound {
  std::int64_t begin = 0;
  std::int64_t swept = 0;
  std::int64_t resolved = 0;
  std::int64_t end = 0;
  std::int64_t pushing = 0;   ///< of resolving: to the ready queue
  std::int64_t claiming = 0;  ///< of handing over: from it
  int claims = 0;
  int completions = 0;
  int edges = 0;
  int lines = 0;  ///< of counters
  int released = 0;
  int handed_over = 0;
};

/// What threads of the host that dispatch a graph to workers know together, and what one of them does in a round of its loop over the
/// workers it owns (worker i belongs to thread i modulo their number): it takes in the completions it sees, or one in an interleaved loop,
/// resolves them, pushes what has become ready, and hands over, as models/rules/ has it: to idle workers first, then to those that hold one
/// block, and so on as far as the fill rule lets it; or each task to the worker with the least expected work. It knows nothing of a GPU,
/// nor of threads and when they run: workers are any threads that read the mailboxes.
///
/// The simulator's twin is sim/wirings/host_dispatcher.cpp, the central dispatcher with the machine's constants host_*: host_poll,
/// host_poll_per_core and host_first_complete of a sweep, host_complete, host_resolve, host_resolve_line and host_enqueue of what follows,
/// host_hand_over and host_dispatch of handing over, measured by verify/calibration/mechanisms/host_control.cpp.
class HostRounds {
 public:
  /// `durations` by TaskId: expected, for task orders and loads.
  HostRounds(const TaskGraph& graph, const Design& design, const RunOptions& options, std::uint32_t workers, std::uint32_t threads,
             std::span<const Duration> durations, const HostMailboxes& mailboxes);

  struct Core {
    std::uint32_t worker = 0;
    std::uint32_t given = 0;
    std::uint32_t seen = 0;
    std::int64_t load = 0;  ///< expected ns of what it holds
    std::uint32_t tasks[kHostMailboxEntries] = {};
    std::uint32_t outstanding() const { return given - seen; }
  };
  /// What one thread has for itself.
  struct Thread {
    std::uint32_t id = 0;
    std::vector<Core> cores;
    std::size_t cursor = 0;      ///< where an interleaved sweep continues
    std::uint32_t now_idle = 0;  ///< workers of which it has seen that they have become so, and not told others
    std::vector<std::uint32_t> done;
    std::vector<std::uint32_t> ready;
    std::vector<std::uint32_t> taken;
    HostRound round;
    std::vector<HostRound> rounds;  ///< in which it did something, where they are timed
  };

  /// Puts everything back to where it was before a run, the mailboxes too.
  void reset();
  /// What the next run writes down; nothing unless it is called.
  void note(HostNotes notes);
  Thread make_thread(std::uint32_t id) const;

  /// One round. Returns whether it did anything but look.
  bool run(Thread& thread);
  /// Tells the workers that `thread` owns that no further task comes.
  void stop_workers(const Thread& thread) const;

  bool all_completed() const { return completed() == items_; }
  std::uint64_t completed() const { return completed_.load(std::memory_order_relaxed); }  ///< blocks
  const std::vector<HostStamps>& stamps() const { return stamps_; }                       ///< by TaskId, of a stamped run

  /// Of a run that does not proceed: what its waits begin with, a line each after a line break.
  std::string explain_waits() const;

 private:
  struct alignas(kHostLine) CounterLine {
    std::atomic<std::uint32_t> counters[kCountersPerLine];
  };
  /// Which of a thread's workers gets a task, as long as it takes no completions in: those that hold the fewest, in their order.
  struct NextCore {
    std::uint32_t level = 0;
    std::size_t at = 0;
  };
  /// What a thread could hand over now.
  struct Room {
    std::uint32_t blocks;  ///< to idle workers, and as many more as the fill rule lets pass to others
    std::uint32_t depth;   ///< of mailboxes, as far as they are filled
  };

  void sweep(Thread& thread) const;
  void see(Thread& thread, Core& core) const;
  void resolve(Thread& thread);
  void hand_over(Thread& thread);
  std::atomic<std::uint32_t>& counter(std::size_t task) const { return left_[task / kCountersPerLine].counters[task % kCountersPerLine]; }
  Core& next_core(Thread& thread, std::uint32_t depth, NextCore& next) const;
  void give(Thread& thread, Core& core, std::uint32_t task);
  void send(const Core& core, std::uint32_t task) const;
  Room room_of(const Thread& thread) const;
  /// Blocks to hand over.
  std::uint32_t left() const { return static_cast<std::uint32_t>(items_ - handed_.load(std::memory_order_relaxed)); }
  std::atomic_ref<std::uint32_t> completions(const Core& core) const;
  bool timed() const { return notes_ != HostNotes::kNone; }
  bool stamped() const { return notes_ == HostNotes::kStamps; }

  const TaskGraph& graph_;
  const Design& design_;
  std::uint32_t workers_;
  std::uint32_t threads_;
  HostMailboxes mailboxes_;
  std::vector<std::uint32_t> rows_;     ///< by TaskId, and one more: where its successors begin
  std::vector<std::uint32_t> targets_;  ///< successors, without edges that are to be ignored
  std::vector<std::uint32_t> awaited_;  ///< by TaskId
  std::vector<std::uint32_t> blocks_;   ///< by TaskId
  std::vector<std::int64_t> expected_;  ///< by TaskId, ns
  std::uint64_t items_ = 0;             ///< blocks of all tasks
  std::unique_ptr<ReadyTasks> ready_;
  std::vector<std::uint32_t> ranks_;
  std::unique_ptr<CounterLine[]> left_;                        ///< by TaskId: predecessors still to come
  std::unique_ptr<std::atomic<std::uint32_t>[]> blocks_left_;  ///< by TaskId
  HostNotes notes_ = HostNotes::kNone;
  std::vector<HostStamps> stamps_;
  alignas(kHostLine) std::atomic<std::uint64_t> completed_{0};   ///< blocks
  alignas(kHostLine) std::atomic<std::uint64_t> handed_{0};      ///< likewise
  alignas(kHostLine) std::atomic<std::uint32_t> idle_cores_{0};  ///< of all threads
};

}  // namespace tasktwin::gpu
