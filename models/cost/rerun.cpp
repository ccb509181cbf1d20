#include "models/cost/rerun.hpp"

#include <algorithm>

#include "models/cost/occupancy.hpp"
#include "models/graph/graph_copy.hpp"

namespace tasktwin {

namespace {

std::int64_t divided_up(std::int64_t value, std::int64_t by) { return (value + by - 1) / by; }

BlockRoom room_of(const CapturedLaunch& launch, const CoreLimits& limits) {
  return block_room(launch.threads, launch.registers, launch.shared_memory, limits);
}

/// Bytes with which a core holds no more blocks than its registers allowed.
std::int64_t shared_memory_of(const CapturedLaunch& launch, const CoreLimits& limits) {
  if (limits.registers <= 0) return launch.shared_memory;
  const std::int64_t share = limits.shared_memory * room_of(launch, limits).registers / limits.registers - limits.reserved;
  return std::max(launch.shared_memory, share);
}

Duration time_of_block(const CapturedLaunch& launch, Duration captured, const Machine& machine) {
  const CoreLimits& limits = machine.core_limits;
  const std::int64_t together = std::clamp<std::int64_t>(blocks_a_core(room_of(launch, limits), limits), 1, launch.blocks);
  const std::int64_t waves = divided_up(launch.blocks, machine.core_count() * together);
  const auto& launched = machine.launched_kernels;
  const Duration started = launched ? round_ns(launched->body) : Duration{0};
  const Duration around = around_blocks(launch.blocks) + (launched ? round_ns(launched->around) : Duration{0});
  return std::max(Duration{0}, (captured - around) / waves - started);
}

}  // namespace

Duration mean_around_blocks(const TaskGraph& graph) {
  Duration sum{0};
  std::int64_t kernels = 0;
  for (std::size_t i = 0; i < graph.size(); ++i) {
    if (graph[task_id(i)].operation != Operation::kKernel) continue;
    sum += around_blocks(graph.traits(task_id(i)).blocks);
    ++kernels;
  }
  return kernels > 0 ? sum / kernels : kAroundBlocks;
}

TaskGraph rerun_graph(const TaskGraph& graph, std::span<const CapturedLaunch> launches, const Machine& machine) {
  TaskGraphBuilder builder;
  copy_tasks(builder, graph, [&](TaskId id, Task& task, TaskTraits& traits) {
    const CapturedLaunch& launch = launches[index(id)];
    if (launch.blocks <= 0) return;
    traits.blocks = static_cast<int>(launch.blocks);
    traits.threads = launch.threads;
    traits.registers = 0;
    traits.shared_memory = shared_memory_of(launch, machine.core_limits);
    traits.carveout = 100;
    task.cost.time = time_of_block(launch, task.cost.time, machine);
  });
  copy_edges(builder, graph);
  return std::move(builder).build();
}

}  // namespace tasktwin
