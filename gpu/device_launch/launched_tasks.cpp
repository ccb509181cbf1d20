#include "gpu/device_launch/launched_tasks.hpp"

#include <algorithm>

namespace tasktwin::gpu {

namespace {

constexpr std::size_t kMostExplained = 8;

}  // namespace

LaunchedTasks::LaunchedTasks(const ExecutorInputs& inputs, int (*registers)(bool))
    : inputs_(inputs), kernels_(inputs, registers), counters_(inputs.graph.size(), "the dependency counters") {}

LaunchedRun LaunchedTasks::describe(RunMode mode) const {
  return {.tasks = kernels_.describe(mode), .successors = kernels_.device_graph().successors.data(), .counters = counters_.data()};
}

void LaunchedTasks::reset(cudaStream_t stream) {
  check(cudaMemcpyAsync(counters_.data(), kernels_.device_graph().predecessor_counts.data(), counters_.bytes(), cudaMemcpyDeviceToDevice,
                        stream),
        "resetting the dependency counters");
  kernels_.reset(stream);
}

RunResult LaunchedTasks::result(RunMode mode) const {
  if (const std::string waits = explain_waits(); !waits.empty()) throw RunError("the run has ended, but " + waits);
  RunResult result = kernels_.result(mode);
  if (mode != RunMode::kStamped) return result;
  Timeline& timeline = result.timeline;
  for (const std::uint32_t root : roots()) timeline.tasks[root].ready = TimePoint{};
  // Where bodies ran: the machine's SMs, or more where the device has more.
  std::size_t count = worker_cores(inputs_.design, inputs_.machine).size();
  for (const TaskTimes& times : timeline.tasks) count = std::max(count, index(times.core) + 1);
  for (const BlockTimes& block : timeline.blocks) count = std::max(count, index(block.core) + 1);
  timeline.cores.assign(count, CoreType::kSm);
  return result;
}

std::string LaunchedTasks::explain_waits() const {
  const std::vector<std::uint32_t> counters = counters_.to_host("the dependency counters");
  const auto waiting = static_cast<std::size_t>(std::ranges::count_if(counters, [](std::uint32_t left) { return left != 0; }));
  if (waiting == 0) return "";
  std::string text = std::to_string(waiting) + " of " + std::to_string(counters.size()) + " tasks still wait";
  std::size_t explained = 0;
  for (const TaskId task : inputs_.graph.topological_order()) {
    if (counters[index(task)] == 0 || explained == kMostExplained) continue;
    if (std::ranges::any_of(inputs_.graph.predecessors(task), [&](TaskId before) { return counters[index(before)] != 0; })) continue;
    text += "\n  task '" + std::string(inputs_.graph.name(task)) + "' waits for " + std::to_string(counters[index(task)]) +
            " more release(s), though no predecessor of it waits";
    ++explained;
  }
  return text;
}

}  // namespace tasktwin::gpu
