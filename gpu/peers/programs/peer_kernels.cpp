#include "gpu/peers/programs/peer_kernels.hpp"

#include <algorithm>

#include "gpu/device/device_info.hpp"

namespace tasktwin::gpu {

namespace {

std::uint32_t multiprocessors() { return static_cast<std::uint32_t>(device_info().multiprocessors); }

}  // namespace

PeerKernels::PeerKernels(const ExecutorInputs& inputs)
    : inputs_(inputs), multiprocessors_(multiprocessors()), clocks_(inputs.machine.devices.count()) {
  for (int device = 0; device < inputs.machine.devices.count(); ++device) {
    const OnDevice on(device);
    kernels_.push_back(std::make_unique<TaskKernels>(inputs));
    if (const auto* problem = std::get_if<DecodeProblem>(&inputs.graph.problem()))
      shards_.emplace_back(*problem, decode_shard(*problem, device, inputs.machine.devices.count()));
  }
  if (inputs.design.peer_data == PeerData::kRead && inputs.graph.has_edge_bytes())
    reads_.emplace(inputs.graph, inputs.machine.devices.count());
}

void PeerKernels::launch(const StreamRun& run, TaskId task, cudaStream_t stream) const {
  const ShardData* const split = shard(device(task));
  const TaskLaunch launch = of(device(task)).launch(task);
  if (split != nullptr && has_split_columns(inputs_.graph[task].kernel))
    return launch_shard_task(run, split->context(), launch.task, stream);
  if (reads_ && reads_->reads(task)) return launch_reading_task(run, reads_->rows(device(task)), launch, stream);
  launch_task(run, launch, stream);
}

cudaGraphNode_t PeerKernels::add_node(cudaGraph_t graph, const StreamRun& run, TaskId task, std::span<const cudaGraphNode_t> after) const {
  const TaskLaunch launch = of(device(task)).launch(task);
  if (reads_ && reads_->reads(task)) return add_reading_node(graph, run, reads_->rows(device(task)), launch, after);
  return add_task_node(graph, run, launch, after);
}

StreamRun PeerKernels::describe(int device, RunMode mode) const {
  StreamRun run = of(device).describe(mode);
  run.done = of(0).describe(mode).done;
  return run;
}

void PeerKernels::reset() {
  for (int device = 0; device < devices(); ++device) {
    const OnDevice on(device);
    kernels_[static_cast<std::size_t>(device)]->reset(nullptr);
  }
  clocks_.compare();
}

void PeerKernels::take_origin(cudaStream_t stream) {
  const OnDevice on(0);
  kernels_.front()->take_origin(stream);
  for (int device = 1; device < devices(); ++device)
    kernels_[static_cast<std::size_t>(device)]->set_origin(clocks_.on(device, kernels_.front()->origin()));
}

RunResult PeerKernels::result(RunMode mode) const {
  RunResult all;
  for (int device = 0; device < devices(); ++device) {
    RunResult one = of(device).result(mode);
    all.makespan = std::max(all.makespan, one.makespan);
    all.ordering_violations += one.ordering_violations;
    const std::uint32_t first_core = static_cast<std::uint32_t>(device) * multiprocessors_;
    all.timeline.tasks.resize(one.timeline.tasks.size());
    for (std::size_t i = 0; i < one.timeline.tasks.size(); ++i) {
      if (this->device(task_id(i)) != device) continue;
      all.timeline.tasks[i] = one.timeline.tasks[i];
      if (all.timeline.tasks[i].core != kNoCore) all.timeline.tasks[i].core = core_id(index(one.timeline.tasks[i].core) + first_core);
    }
    for (BlockTimes block : one.timeline.blocks) {
      block.core = core_id(index(block.core) + first_core);
      all.timeline.blocks.push_back(block);
    }
  }
  std::ranges::stable_sort(all.timeline.blocks, {}, &BlockTimes::task);
  return all;
}

/// Of a decode step each device has computed some of the logits: the first one gets the others'.
std::optional<Residual> PeerKernels::check_result() const {
  for (std::size_t i = 0; i < inputs_.graph.size() && !shards_.empty(); ++i) {
    const Task& task = inputs_.graph[task_id(i)];
    if (task.operation != Operation::kKernel || task.kernel != Kernel::kHead || task.device == 0) continue;
    const auto logits = [&](int device) { return describe(device, RunMode::kPlain).bodies.decode.logits + task.args[1]; };
    check(cudaMemcpyPeer(logits(0), 0, logits(task.device), task.device, static_cast<std::size_t>(task.args[2]) * sizeof(float)),
          "gathering the logits");
  }
  const OnDevice on(0);
  return of(0).check_result();
}

}  // namespace tasktwin::gpu
