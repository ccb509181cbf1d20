#include "models/cost/rerun.hpp"

#include <algorithm>

#include "models/cost/footprint.hpp"
#include "models/graph/graph_copy.hpp"

namespace tasktwin {

namespace {

constexpr std::int64_t kWarp = 32;
constexpr std::int64_t kRegisterUnit = 256;  // a warp is given its registers in such units

std::int64_t divided_up(std::int64_t value, std::int64_t by) { return (value + by - 1) / by; }

std::int64_t registers_of_block(const CapturedLaunch& launch) {
  return divided_up(launch.threads, kWarp) * divided_up(launch.registers * kWarp, kRegisterUnit) * kRegisterUnit;
}

/// Bytes with which a core holds no more blocks than its registers allowed.
std::int64_t shared_memory_of(const CapturedLaunch& launch, const CoreLimits& limits) {
  if (limits.registers <= 0) return launch.shared_memory;
  const std::int64_t share = limits.shared_memory * registers_of_block(launch) / limits.registers - limits.reserved;
  return std::max(launch.shared_memory, share);
}

Duration time_of_block(const CapturedLaunch& launch, Duration captured, const Machine& machine) {
  const std::int64_t waves = divided_up(launch.blocks, machine.core_count() * blocks_a_core(launch, machine.core_limits));
  const Duration started = machine.launched_kernels ? round_ns(machine.launched_kernels->body) : Duration{0};
  return std::max(Duration{0}, (captured - kAroundBlocks) / waves - started);
}

}  // namespace

std::int64_t blocks_a_core(const CapturedLaunch& launch, const CoreLimits& limits) {
  std::int64_t blocks = launch.blocks;
  const auto limit = [&blocks](std::int64_t has, std::int64_t needs) {
    if (has > 0 && needs > 0) blocks = std::min(blocks, has / needs);
  };
  limit(limits.blocks, 1);
  limit(limits.threads, divided_up(launch.threads, kWarp) * kWarp);
  limit(limits.registers, registers_of_block(launch));
  limit(limits.shared_memory, launch.shared_memory + limits.reserved);
  return std::max<std::int64_t>(1, blocks);
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
