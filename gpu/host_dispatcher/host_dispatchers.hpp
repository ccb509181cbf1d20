#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "gpu/executor.hpp"
#include "gpu/host_dispatcher/host_mailboxes.hpp"
#include "gpu/host_dispatcher/ready_tasks.hpp"
#include "gpu/quick_processor.hpp"
#include "models/counter_lines.hpp"

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

/// Threads of the host that hand a graph's tasks to workers through HostMailboxes and resolve their dependencies, each a loop over
/// the workers it owns (worker i belongs to thread i modulo their number): it takes in the completions it sees, or one in an
/// interleaved loop, resolves them, pushes what has become ready, and hands over: to idle workers first, then to those that hold one
/// task, and so on as far as the fill rule lets it; or each task to the worker with the least expected work. It knows nothing of
/// a GPU: workers are whoever reads the mailboxes.
///
/// The simulator's twin is sim/wirings/host_dispatcher.cpp, the central dispatcher with the machine's constants host_*: host_poll,
/// host_poll_per_core and host_first_complete of a sweep, host_complete, host_resolve, host_resolve_line and host_enqueue of what follows,
/// host_hand_over and host_dispatch of handing over, measured by verify/calibration/host_threads.cpp.
class HostDispatchers {
 public:
  /// `durations` by TaskId: expected, for task orders and loads.
  HostDispatchers(const TaskGraph& graph, const Design& design, const RunOptions& options, std::uint32_t workers, std::uint32_t threads,
                  std::span<const Duration> durations, const HostMailboxes& mailboxes);
  ~HostDispatchers() { gave_up_ = true; }
  HostDispatchers(const HostDispatchers&) = delete;
  HostDispatchers& operator=(const HostDispatchers&) = delete;

  /// Puts everything back to where it was before a run, the mailboxes too.
  void reset();

  /// Starts the threads, each on one of `processors` (take_own_processor), and returns when all of them are there and wait
  /// until `opened` is not 0: making a thread takes longer than many a graph. Contract: reset() has been called, and `opened` is 0 or will
  /// be followed by no other run.
  void start(HostNotes notes, const std::uint64_t& opened, std::span<const QuickProcessor> processors = {});

  /// The threads have run the whole graph; the workers have been told to stop when it returns true. False if nothing was completed for
  /// the watchdog's time. Contract: start() has been called.
  bool finish();

  /// Of a run that has ended so: what its waits begin with, a line each behind a line break.
  std::string explain_waits() const;

  /// By thread: what computing_ns() said before the run and behind it, the longer one. Contract: finish() has returned.
  const std::vector<double>& paces() const { return paces_; }

  std::uint64_t completed() const { return completed_.load(); }
  const std::vector<HostStamps>& stamps() const { return stamps_; }              ///< by TaskId, of a stamped run
  const std::vector<std::vector<HostRound>>& rounds() const { return rounds_; }  ///< by thread, unless nothing was noted

 private:
  struct alignas(kHostLine) CounterLine {
    std::atomic<std::uint32_t> counters[kCountersPerLine];
  };
  struct Core {
    std::uint32_t worker = 0;
    std::uint32_t given = 0;
    std::uint32_t seen = 0;
    std::int64_t load = 0;  ///< expected ns of what it holds
    std::uint32_t tasks[kHostMailboxEntries] = {};
    std::uint32_t outstanding() const { return given - seen; }
  };
  struct Thread {
    std::uint32_t id = 0;
    std::vector<Core> cores;
    std::size_t cursor = 0;      ///< where an interleaved sweep goes on
    std::uint32_t now_idle = 0;  ///< workers of which it has seen that they have become so, and not told others
    std::vector<std::uint32_t> done;
    std::vector<std::uint32_t> ready;
    std::vector<std::uint32_t> taken;
    bool timed = false;
    HostRound round;
    std::vector<HostRound> rounds;
  };
  /// Which of a thread's workers gets a task, as long as it takes no completions in: those that hold the fewest, in their order.
  struct NextCore {
    std::uint32_t level = 0;
    std::size_t at = 0;
  };

  void loop(std::uint32_t id, HostNotes notes, const std::uint64_t& opened);
  void run_graph(Thread& thread, HostNotes notes);
  bool wait_until_open(const std::uint64_t& opened) const;
  void sweep(Thread& thread);
  void see(Thread& thread, Core& core);
  void resolve(Thread& thread, bool stamped);
  void hand_over(Thread& thread, bool stamped);
  std::atomic<std::uint32_t>& counter(std::size_t task) const { return left_[task / kCountersPerLine].counters[task % kCountersPerLine]; }
  Core& next_core(Thread& thread, std::uint32_t depth, NextCore& next) const;
  void give(Thread& thread, Core& core, std::uint32_t task, bool stamped);
  void send(const Core& core, std::uint32_t task) const;
  std::size_t claim_limit() const;
  bool fills_ahead() const;
  std::atomic_ref<std::uint32_t> completions(const Core& core) const;

  const TaskGraph& graph_;
  const Design& design_;
  std::chrono::milliseconds patience_;
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
  std::vector<HostStamps> stamps_;
  std::vector<std::vector<HostRound>> rounds_;
  std::vector<double> paces_;
  alignas(kHostLine) std::atomic<std::uint64_t> completed_{0};   ///< blocks
  alignas(kHostLine) std::atomic<std::uint64_t> handed_{0};      ///< likewise
  alignas(kHostLine) std::atomic<std::uint32_t> idle_cores_{0};  ///< of all threads
  alignas(kHostLine) std::atomic<std::uint32_t> waiting_{0};     ///< threads that wait for the workers, or have done so
  std::atomic<bool> gave_up_{false};
  std::vector<std::jthread> running_;  ///< last, so that they end before what they use
};

}  // namespace tasktwin::gpu
