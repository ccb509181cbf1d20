#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "models/graph/task_graph.hpp"
#include "models/machine/machine.hpp"

namespace tasktwin::sim {

/// A graph that can still be changed, and the machine it is for. Edges lead to tasks of higher numbers.
struct EffectWorld {
  struct Edge {
    std::uint32_t from;
    std::uint32_t to;
    std::int64_t bytes = 0;
  };

  std::string name;
  Machine machine;
  std::vector<Task> tasks = {};
  std::vector<TaskTraits> traits = {};  ///< by task
  std::vector<Edge> edges = {};
  std::map<std::uint32_t, std::uint32_t> spawners = {};  ///< by child

  TaskGraph graph() const;
};

/// SMs with kernels that spin, compute and read memory, of short and long bodies; clusters of two core types; streams with copies,
/// allocations and host functions; many tasks side by side, and in a chain. No task states more than it must.
std::vector<EffectWorld> plain_worlds();

/// A field of a task, as scenario files have it.
struct StatedField {
  std::string_view name;
  /// States it in some tasks, in a way that a run shows if anything reads it; false where the world has no task for it.
  bool (*state)(EffectWorld&);
};

/// All of them but those that only name something.
std::span<const StatedField> stated_fields();

/// The plain worlds, these with all hints stated, and those with each field.
std::vector<EffectWorld> rich_worlds();

}  // namespace tasktwin::sim
