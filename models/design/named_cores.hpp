#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

namespace tasktwin {

/// Cores of each device that the tasks it names have to themselves: on a GPU multiprocessors of a green context. A task belongs to the
/// first that names it; those that none names have the cores that are in none.
struct NamedCores {
  std::string name;
  std::array<int, 2> cores{};                     ///< the first and the last, of those that the device has for tasks
  std::vector<int> streams = {};                  ///< whose tasks are meant; empty for all
  std::vector<std::string> kinds = {};            ///< likewise, as TaskGraph::kernel_name calls them
  std::optional<std::array<int, 2>> layers = {};  ///< likewise, the first and the last (Task::layer)

  int count() const { return cores.back() - cores.front() + 1; }
  friend bool operator==(const NamedCores&, const NamedCores&) = default;
};

}  // namespace tasktwin
