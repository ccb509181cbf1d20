#include "gpu/operations/operation_support.hpp"

#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "models/program/buffers.hpp"
#include "models/program/stream_plan.hpp"
#include "models/runtimes/runtimes.hpp"

namespace tasktwin::gpu {

namespace {

std::string value(auto axis) { return "'" + std::string(to_word(axis)) + "'"; }

/// Axes that go with kernels only.
std::optional<std::string> why_no_axis(const Design& design) {
  if (design.stream_wait == StreamWait::kCallback) return "stream_wait 'callback' launches kernels only; use another stream_wait";
  if (design.programmatic_launch == ProgrammaticLaunch::kOn) return "programmatic_launch 'on' goes with kernels only; use 'off'";
  if (design.partition != 0) return "partition " + std::to_string(design.partition) + " divides the SMs among kernels only; leave it out";
  if (!design.sets.empty()) return "sets of cores ('" + design.sets.front().name + "') divide the SMs among kernels only; leave them out";
  return std::nullopt;
}

std::optional<std::string> why_no_node(Operation operation, bool pageable) {
  if (is_allocation(operation)) return "memory nodes of a graph are not run; it needs driver 'streams'";
  if (pageable) return "the launch of a graph stages no pageable memory; it needs driver 'streams', or pinned memory";
  return std::nullopt;
}

/// A cache gives a freed block to the stream it was allocated for, at once.
std::optional<std::string> why_no_cached_buffer(const TaskGraph& graph, const Design& design) {
  const std::vector<std::uint32_t> streams = assign_streams(graph, design);
  std::unordered_map<std::int32_t, std::size_t> allocated;  // by buffer: its alloc's place in the order
  const std::vector<TaskId>& order = graph.topological_order();
  for (std::size_t i = 0; i < order.size(); ++i) {
    const Task& task = graph[order[i]];
    if (task.operation == Operation::kAlloc) allocated[task.args[0]] = i;
    if (task.operation != Operation::kFree) continue;
    const std::size_t alloc = allocated.at(task.args[0]);
    if (streams[alloc] == streams[i]) continue;
    return "allocator 'caching' gives a freed block back to the stream that it was allocated in, but task '" +
           std::string(graph.name(order[alloc])) + "' is in stream " + std::to_string(streams[alloc]) + " and task '" +
           std::string(graph.name(order[i])) + "', which frees its buffer, in stream " + std::to_string(streams[i]) +
           "; use one stream for both, or allocator 'pool'";
  }
  return std::nullopt;
}

/// Allocations that a second replay would make again.
std::optional<std::string> why_no_replay(const TaskGraph& graph, const Design& design) {
  if (design.replays == 1) return std::nullopt;
  std::unordered_set<std::int32_t> freed;
  for (const Task& task : graph.tasks()) {
    if (task.operation == Operation::kFree) freed.insert(task.args[0]);
  }
  for (std::size_t i = 0; i < graph.size(); ++i) {
    const Task& task = graph[task_id(i)];
    if (task.operation == Operation::kAlloc && !freed.contains(task.args[0]))
      return "replays of 2 or more need a free of the buffer that task '" + std::string(graph.name(task_id(i))) + "' allocates";
  }
  return std::nullopt;
}

}  // namespace

std::optional<std::string> why_no_operation(const TaskGraph& graph, const Design& design) {
  if (!graph.has_operations()) return std::nullopt;
  if (const auto fault = buffer_fault(graph)) return fault->why;
  if (auto why = why_no_replay(graph, design)) return why;
  for (std::size_t i = 0; i < graph.size(); ++i) {
    const Operation operation = graph[task_id(i)].operation;
    if (operation == Operation::kKernel) continue;
    std::optional<std::string> why = why_no_axis(design);
    if (!why && (operation == Operation::kCopyP2p || is_collective(operation))) why = "it needs a second device, and the machine has one";
    if (!why && runtime_of(design).graph()) why = why_no_node(operation, graph.traits(task_id(i)).pageable);
    if (why) return "task '" + std::string(graph.name(task_id(i))) + "' is of operation " + value(operation) + ": " + *why;
  }
  return design.allocator == Allocator::kCaching ? why_no_cached_buffer(graph, design) : std::nullopt;
}

}  // namespace tasktwin::gpu
