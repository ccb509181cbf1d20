#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "gpu/executor.hpp"
#include "gpu/host_dispatcher/host_mailboxes.hpp"
#include "gpu/host_dispatcher/ready_tasks.hpp"

namespace tasktwin::gpu {

/// When threads of the host did something, in ns of their steady clock; 0 for never.
struct HostStamps {
  std::int64_t ready = 0;
  std::int64_t dispatched = 0;  ///< never for a task of several blocks, which several threads hand over
  std::int64_t seen = 0;        ///< all of its blocks completed
  std::uint32_t dispatcher = 0;
};

/// One round of a thread's loop in which it did something; the time stamps as above.
struct HostRound {
  std::int64_t begin = 0;
  std::int64_t swept = 0;
  std::int64_t resolved = 0;
  std::int64_t end = 0;
  int completions = 0;
  int edges = 0;
  int released = 0;
  int handed_over = 0;
};

/// Threads of the host that hand a graph's tasks to workers through HostMailboxes and resolve their dependencies, each a loop over
/// the workers it owns (worker i belongs to thread i modulo their number): it takes in the completions it sees, or one in an
/// interleaved loop, resolves them, pushes what has become ready, and hands over: to idle workers first, then to those that hold one
/// task, and so on as far as the fill rule lets it; or each task to the worker with the least expected work. It knows nothing of
/// a GPU: workers are whoever reads the mailboxes.
///
/// The simulator's twin is sim/wirings/host_dispatcher.cpp, the central dispatcher with the machine's constants host_*: host_poll
/// and host_poll_per_core of a sweep, host_complete and host_resolve of what follows, host_dispatch of each hand-over, measured by
/// verify/calibration/host_threads.cpp.
class HostDispatchers {
 public:
  /// `durations` by TaskId: expected, for task orders and loads.
  HostDispatchers(const TaskGraph& graph, const Design& design, const RunOptions& options, std::uint32_t workers, std::uint32_t threads,
                  std::span<const Duration> durations, const HostMailboxes& mailboxes);

  /// Puts everything back to where it was before a run, the mailboxes too.
  void reset();

  /// Waits until `opened` is not 0 and runs the whole graph; the workers have been told to stop when it returns true. False if nothing
  /// was completed for the watchdog's time.
  bool run(bool stamped, const std::uint64_t& opened);

  /// Of a run that has ended so: what its waits begin with, a line each behind a line break.
  std::string explain_waits() const;

  std::uint64_t completed() const { return completed_.load(); }
  const std::vector<HostStamps>& stamps() const { return stamps_; }              ///< by TaskId, of a stamped run
  const std::vector<std::vector<HostRound>>& rounds() const { return rounds_; }  ///< by thread, of a stamped run

 private:
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
    std::size_t cursor = 0;  ///< where an interleaved sweep goes on
    std::vector<std::uint32_t> done;
    std::vector<std::uint32_t> ready;
    std::vector<std::uint32_t> taken;
    HostRound round;
  };

  void loop(std::uint32_t id, bool stamped, const std::uint64_t& opened);
  bool wait_until_open(const std::uint64_t& opened) const;
  void sweep(Thread& thread);
  void see(Thread& thread, Core& core);
  void resolve(Thread& thread, bool stamped);
  void hand_over(Thread& thread, bool stamped);
  Core* next_core(Thread& thread, std::uint32_t depth) const;
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
  std::unique_ptr<std::atomic<std::uint32_t>[]> left_;         ///< by TaskId: predecessors still to come
  std::unique_ptr<std::atomic<std::uint32_t>[]> blocks_left_;  ///< by TaskId
  std::atomic<std::uint64_t> completed_{0};                    ///< blocks
  std::atomic<std::uint64_t> handed_{0};                       ///< likewise
  std::atomic<std::uint32_t> idle_cores_{0};
  std::atomic<bool> gave_up_{false};
  std::vector<HostStamps> stamps_;
  std::vector<std::vector<HostRound>> rounds_;
};

}  // namespace tasktwin::gpu
