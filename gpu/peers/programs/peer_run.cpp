#include "gpu/peers/programs/peer_run.hpp"

#include <algorithm>

#include "gpu/device/device_info.hpp"
#include "gpu/peers/devices/peer_access.hpp"
#include "gpu/run/unended_run.hpp"
#include "gpu/run/watchdog.hpp"

namespace tasktwin::gpu {

PeerRun::PeerRun(const ExecutorInputs& inputs)
    : graph_(on_devices(inputs.graph, inputs.machine, inputs.design)),
      inside_{graph_.graph, inputs.machine, inputs.design, inputs.options} {
  allow_peer_access(inputs.machine.devices.count());
  kernels_ = std::make_unique<PeerKernels>(inside_);
  if (graph_.graph.has_operations()) operations_ = std::make_unique<PeerOperations>(inside_, *kernels_);
}

void PeerRun::reset(RunMode mode, std::span<const cudaStream_t> streams) {
  kernels_->reset();
  if (operations_) operations_->reset(mode, streams);
}

void PeerRun::await(std::span<const cudaStream_t> streams, std::span<const int> devices) const {
  std::uint64_t finished = 0;
  for (std::size_t i = 0; i < streams.size(); ++i) {
    const OnDevice on(devices[i]);
    if (!await_completion(streams[i], inside_.options.watchdog, [&finished] { return finished; })) {
      throw UnendedRun("stream " + std::to_string(finished) + ", of GPU " + std::to_string(devices[i]) + ", made no progress for " +
                       std::to_string(inside_.options.watchdog.count()) +
                       " ms: a task's body does not end, or the graph is longer than the watchdog allows");
    }
    ++finished;
  }
}

RunResult PeerRun::result(RunMode mode) const {
  RunResult result = kernels_->result(mode);
  if (operations_) operations_->complete(result, mode);
  return result;
}

void PeerRun::take_transfers(RunResult& result) const {
  std::vector<TaskTimes>& tasks = result.timeline.tasks;
  for (std::size_t i = graph_.tasks; i < tasks.size(); ++i) {
    const Task& copy = graph_.graph[task_id(i)];
    result.timeline.transfers.push_back({.from = copy.device,
                                         .to = copy.args[2],
                                         .of = *graph_.graph.predecessors(task_id(i)).begin(),
                                         .bytes = copy.cost.bytes.count,
                                         .began = tasks[i].started,
                                         .ended = tasks[i].ended});
  }
  tasks.resize(std::min(tasks.size(), graph_.tasks));
}

std::vector<CoreType> PeerRun::compute_cores() const {
  const auto each = static_cast<std::size_t>(device_info().multiprocessors);
  return std::vector<CoreType>(each * static_cast<std::size_t>(devices()), CoreType::kSm);
}

std::vector<std::int32_t> PeerRun::compute_core_devices() const {
  const auto each = static_cast<std::size_t>(device_info().multiprocessors);
  std::vector<std::int32_t> by_core;
  for (int device = 0; device < devices(); ++device) by_core.insert(by_core.end(), each, device);
  return by_core;
}

}  // namespace tasktwin::gpu
