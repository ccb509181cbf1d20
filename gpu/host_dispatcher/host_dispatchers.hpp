#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <span>
#include <thread>
#include <vector>

#include "gpu/host/quick_processor.hpp"
#include "gpu/host_dispatcher/host_rounds.hpp"

namespace tasktwin::gpu {

/// Threads of the host that hand a graph's tasks to workers through HostMailboxes and resolve their dependencies, each in a loop of
/// HostRounds.
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

  /// The threads have run the whole graph; it has told the workers to stop when it returns true. False if nothing was completed for
  /// the watchdog's time, or no worker came for that long from this call on: until then the workers' kernel may be compiled and loaded.
  /// Contract: start() has been called.
  bool finish();

  /// Of a run that has ended so.
  std::string explain_waits() const { return state_.explain_waits(); }

  /// By thread: what computing_ns() said before the run and after it, the longer one. Contract: finish() has returned.
  const std::vector<double>& paces() const { return paces_; }

  std::uint64_t completed() const { return state_.completed(); }
  const std::vector<HostStamps>& stamps() const { return state_.stamps(); }      ///< by TaskId, of a stamped run
  const std::vector<std::vector<HostRound>>& rounds() const { return rounds_; }  ///< by thread, unless nothing was noted

 private:
  void loop(std::uint32_t id, const std::uint64_t& opened);
  void run_graph(HostRounds::Thread& thread);
  bool wait_until_open(const std::uint64_t& opened) const;

  HostRounds state_;
  std::chrono::milliseconds patience_;
  std::uint32_t threads_;
  std::vector<std::vector<HostRound>> rounds_;
  std::vector<double> paces_;
  alignas(kHostLine) std::atomic<std::uint32_t> waiting_{0};  ///< threads that wait for the workers, or have done so
  std::atomic<bool> launched_{false};                         ///< the workers have been
  std::atomic<bool> gave_up_{false};
  std::vector<std::jthread> running_;  ///< last, so that they end before what they use
};

}  // namespace tasktwin::gpu
