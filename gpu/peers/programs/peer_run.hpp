#pragma once

#include <chrono>
#include <memory>
#include <span>

#include "gpu/peers/programs/peer_kernels.hpp"
#include "gpu/peers/programs/peer_operations.hpp"
#include "gpu/run/executor_interface.hpp"
#include "models/program/device_graph.hpp"

namespace tasktwin::gpu {

/// What runs over several devices share, whichever thread launches: the graph on its devices, and what is made of what was seen.
class PeerRun {
 public:
  using HostClock = std::chrono::steady_clock;

  explicit PeerRun(const ExecutorInputs& inputs);

  /// Of the graph with the copies that the design puts in.
  const ExecutorInputs& inputs() const { return inside_; }
  PeerKernels& kernels() { return *kernels_; }
  PeerOperations* operations() { return operations_.get(); }  ///< null where all tasks are kernels
  int devices() const { return kernels_->devices(); }

  /// Before a run; `streams`: one of each device.
  void reset(RunMode mode, std::span<const cudaStream_t> streams);
  /// Waits for all that was put into `streams`, `devices` of them by device. Throws UnendedRun where one makes no progress.
  void await(std::span<const cudaStream_t> streams, std::span<const int> devices) const;
  /// Contract: all has ended.
  RunResult result(RunMode mode) const;
  /// Takes from a stamped result the copies that the design has put in: they are transfers, not tasks.
  void take_transfers(RunResult& result) const;
  /// Of all devices, one after the other.
  std::vector<CoreType> compute_cores() const;
  /// By core of compute_cores().
  std::vector<std::int32_t> compute_core_devices() const;

  static TimePoint since(HostClock::time_point origin, HostClock::time_point time) {
    return TimePoint{} + std::chrono::duration_cast<Duration>(time - origin);
  }

 private:
  tasktwin::DeviceGraph graph_;
  ExecutorInputs inside_;
  std::unique_ptr<PeerKernels> kernels_;
  std::unique_ptr<PeerOperations> operations_;
};

}  // namespace tasktwin::gpu
