#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "models/design/design.hpp"
#include "models/graph/task_graph.hpp"
#include "models/machine/machine.hpp"

namespace tasktwin {

/// A section of a machine that a run reads.
struct NeededSection {
  std::string_view name;
  std::optional<TaskId> task = {};  ///< the first that it is read for; none where the design reads it, whatever the graph
};

/// The sections of a machine that `design` reads, whatever the graph.
std::vector<std::string_view> mechanisms_of(const Design& design);

/// These, and those of task_sections() that tasks of `graph` need.
std::vector<NeededSection> mechanisms_of(const Design& design, const TaskGraph& graph);

/// A section that designs read for the sake of certain tasks only.
struct TaskSection {
  std::string_view name;
  std::string_view reader;   ///< "a task that …"
  bool (*reads)(Operation);  ///< whether a task of that operation is one
};
std::span<const TaskSection> task_sections();

constexpr bool reads_copies(Operation operation) { return is_transfer(operation) || operation == Operation::kHost; }
constexpr bool reads_links(Operation operation) { return is_copy(operation); }
constexpr bool reads_allocators(Operation operation) { return is_allocation(operation); }

/// The first task whose operation `is` so.
std::optional<TaskId> first_task(const TaskGraph& graph, bool (*is)(Operation));

/// What a machine does not have of what is read.
struct Lacking {
  std::vector<std::string> sections;
  std::vector<std::string> constants;  ///< of sections that it has, which its file does not state

  bool any() const { return !sections.empty() || !constants.empty(); }
};
Lacking lacking(const Machine& machine, std::span<const std::string_view> sections);

/// Throws InputError naming the section, or the constant, that `reader` reads, `for_task` if it is not empty, and `machine` does not have,
/// or does not state.
void check_section(const Machine& machine, std::string_view section, const std::string& reader, const std::string& for_task = "");

/// Throws InputError naming all sections and constants that `design` reads and `machine` does not have, or does not state.
void check_mechanisms(const Design& design, const Machine& machine);

/// The same for all that a run of `graph` reads; names the task where it is one that needs the section.
void check_mechanisms(const Design& design, const Machine& machine, const TaskGraph& graph);

}  // namespace tasktwin
