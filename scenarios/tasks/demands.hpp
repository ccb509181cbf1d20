#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "models/design/design.hpp"
#include "models/graph/task_graph.hpp"
#include "models/machine/machine.hpp"

namespace tasktwin::scenarios {

/// A task that a machine cannot price or run.
struct Impossible {
  TaskId task{};
  std::string_view
      field;  ///< of the task: core_type, kernel, device, operation, bytes, flops, after, threads, registers or shared_memory_bytes
  std::string reason;  ///< the sentence without its subject: the same of every task that is at fault in the same way

  /// "task 'a' needs core type 'sm', …".
  std::string why(const TaskGraph& graph) const { return "task '" + std::string(graph.name(task)) + "' " + reason; }
};

/// The first task, from the `first`-th on, that needs a core type `machine` lacks, runs a kernel it has no cost for, moves bytes
/// without bandwidth, does arithmetic without arithmetic points or has blocks that no core can hold; nullopt if there is none.
std::optional<Impossible> impossible_task(const TaskGraph& graph, const Machine& machine, std::size_t first = 0);

/// All bodies one after another may take about three years.
inline constexpr double kMaxTotalNs = 1e17;

/// Those that `machine` has, as a message lists them: "core_type aic, aiv or mix".
std::string list_core_types(const Machine& machine);

/// Throws InputError if all bodies together might not fit into 64-bit nanoseconds. Contract: !impossible_task(graph, machine).
void check_total_time(const TaskGraph& graph, const Machine& machine);

/// Throws InputError if `design` leaves no core for tasks of some type that `graph` has, or has lists but not all workers that a task
/// names.
void check_seats(const TaskGraph& graph, const Machine& machine, const Design& design);

}  // namespace tasktwin::scenarios
