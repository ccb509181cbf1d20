#include "gpu/task_kernels/task_kernels.hpp"

#include <algorithm>

#include "gpu/cuda/footprints.hpp"
#include "gpu/cuda/time_stamp.hpp"

namespace tasktwin::gpu {

namespace {

/// By TaskId, and one more: the blocks of tasks that have several, one after the other.
std::vector<std::uint32_t> first_blocks(const TaskGraph& graph) {
  std::vector<std::uint32_t> first{0};
  for (std::size_t i = 0; i < graph.size(); ++i) {
    const int blocks = graph.traits(task_id(i)).blocks;
    first.push_back(first.back() + (blocks > 1 ? static_cast<std::uint32_t>(blocks) : 0));
  }
  return first;
}

/// The carve-out that all kernels ask for; -1 where one asks for another, or for none.
int common_carveout(const TaskGraph& graph) {
  std::optional<int> common;
  for (std::size_t i = 0; i < graph.size(); ++i) {
    const Task& task = graph[task_id(i)];
    if (task.operation != Operation::kKernel) continue;
    const int own = is_own(task.kernel) ? -1 : launched_block(graph, task_id(i)).carveout;
    if (own < 0 || (common && *common != own)) return -1;
    common = own;
  }
  return common.value_or(-1);
}

template <class T>
void clear(const DeviceBuffer<T>& buffer, cudaStream_t stream) {
  if (buffer.size() > 0) check(cudaMemsetAsync(buffer.data(), 0, buffer.bytes(), stream), "clearing GPU memory");
}

}  // namespace

TaskKernels::TaskKernels(const ExecutorInputs& inputs, int (*registers)(bool))
    : inputs_(inputs),
      carveout_(common_carveout(inputs.graph)),
      problem_(make_problem_data(inputs.graph, inputs.options)),
      device_graph_(inputs.graph, inputs.options),
      first_block_(first_blocks(inputs.graph)),
      first_block_on_device_(std::span<const std::uint32_t>(first_block_), "the tasks' blocks"),
      blocks_(first_block_.back(), "the blocks' stamps"),
      block_bodies_(std::span<const TaskDescriptor>(make_block_descriptors(inputs.graph)), "the blocks' arguments"),
      blocks_ended_(first_block_.back() > 0 ? inputs.graph.size() : 0, "the blocks' ends"),
      phases_(inputs.graph.size(), "the phase stamps"),
      done_(inputs.graph.size(), "the order marks"),
      violations_(1, "the violation count") {
  static_assert(kBodyThreads == kWholeCoreThreads && kBodySharedBytes == kWholeCoreSharedBytes);
  prepare_task_kernels(carveout_);
  check_registers(inputs.graph, registers);
}

TaskLaunch TaskKernels::launch(TaskId task) const {
  const Kernel kernel = inputs_.graph[task].kernel;
  return {.task = static_cast<std::uint32_t>(task),
          .blocks = blocks(task),
          .block = launched_block(inputs_.graph, task),
          .own = is_own(kernel) ? std::optional(own_index(kernel)) : std::nullopt};
}

TaskLaunch TaskKernels::stream_launch(TaskId task) const {
  TaskLaunch stated = launch(task);
  if (carveout_ >= 0) stated.block.carveout = -1;
  return stated;
}

StreamRun TaskKernels::describe(RunMode mode) const {
  return {.bodies = problem_->context(),
          .tasks = device_graph_.tasks.data(),
          .predecessors = device_graph_.predecessors.data(),
          .phases = phases_.data(),
          .first_block = first_block_on_device_.data(),
          .blocks = blocks_.data(),
          .block_bodies = block_bodies_.size() > 0 ? block_bodies_.data() : nullptr,
          .blocks_ended = blocks_ended_.data(),
          .stamped = mode == RunMode::kStamped,
          .programmatic = inputs_.design.programmatic_launch == ProgrammaticLaunch::kOn,
          .prologues = inputs_.graph.has_prologues(),
          .done = mode == RunMode::kCheckOrder ? done_.data() : nullptr,
          .violations = violations_.data()};
}

void TaskKernels::reset(cudaStream_t stream) {
  problem_->reset(stream);
  clear(phases_, stream);
  clear(blocks_, stream);
  clear(blocks_ended_, stream);
  clear(done_, stream);
  clear(violations_, stream);
  check(cudaDeviceSynchronize(), "preparing the run");
}

void TaskKernels::take_origin(cudaStream_t stream) {
  using Clock = std::chrono::steady_clock;
  origin_.write(0);
  launch_origin_stamp(origin_.device_address(), stream);
  check(cudaGetLastError(), "launching the first kernel");
  const auto deadline = Clock::now() + inputs_.options.watchdog;
  while (origin_.read() == 0) {
    if (Clock::now() > deadline)
      throw RunError("the GPU did not start the first kernel within " + std::to_string(inputs_.options.watchdog.count()) + " ms");
  }
}

RunResult TaskKernels::result(RunMode mode) const {
  const std::uint64_t origin = origin_.read();
  const std::vector<PhaseRecord> records = phases_.to_host("the phase stamps");
  RunResult result;
  std::uint64_t last = origin;
  for (const PhaseRecord& record : records) last = std::max(last, record.ended);
  if (mode == RunMode::kStamped) {
    result.timeline.tasks.reserve(records.size());
    for (const PhaseRecord& record : records) {
      TaskTimes& times = result.timeline.tasks.emplace_back();
      times.ready = from_stamp(record.ready, origin);
      times.dispatched = from_stamp(record.dispatched, origin);
      times.published = from_stamp(record.published, origin);
      times.started = from_stamp(record.started, origin);
      times.ended = from_stamp(record.ended, origin);
      times.core = CoreId{record.core};
    }
  }
  add_blocks(result.timeline, last, mode == RunMode::kStamped);
  result.makespan = from_stamp(last, origin).time_since_epoch();
  if (mode == RunMode::kCheckOrder) result.ordering_violations = violations_.to_host("the violation count").front();
  return result;
}

void TaskKernels::add_blocks(Timeline& timeline, std::uint64_t& last, bool stamped) const {
  const std::uint64_t origin = origin_.read();
  const std::vector<BlockRecord> records = blocks_.to_host("the blocks' stamps");
  for (const BlockRecord& record : records) last = std::max(last, record.ended);
  if (!stamped) return;
  for (std::size_t i = 0; i < timeline.tasks.size(); ++i) {
    TaskTimes& times = timeline.tasks[i];
    for (std::uint32_t block = first_block_[i]; block < first_block_[i + 1]; ++block) {
      const BlockRecord& record = records[block];
      if (record.ended == 0) continue;  // left out, by a conditional node
      const BlockTimes& added = timeline.blocks.emplace_back(
          BlockTimes{task_id(i), CoreId{record.core}, from_stamp(record.started, origin), from_stamp(record.ended, origin), kAbsent});
      if (!is_present(times.started) || added.started < times.started) {
        times.started = added.started;
        times.core = added.core;
      }
      times.ended = std::max(times.ended, added.ended);  // kAbsent is before all times
    }
  }
}

}  // namespace tasktwin::gpu
