#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include <nlohmann/json.hpp>

#include "models/graph/task_graph.hpp"
#include "scenarios/document/document.hpp"

namespace tasktwin::scenarios {

/// Threads of a block that CUDA launches (CUDA C++ Programming Guide, technical specifications).
inline constexpr std::int64_t kMostBlockThreads = 1024;

/// One field of a task in `graph.tasks`. The one table that loader, schema and checks share.
struct TaskField {
  std::string_view name;
  nlohmann::json schema;                                                      ///< its meaning, type and range
  void (*read)(const Node& value, Task& task, TaskTraits& traits) = nullptr;  ///< none where the value names tasks or buffers
  bool of_kernels_only = false;                                               ///< goes with operation `kernel` alone
};

std::span<const TaskField> task_fields();

}  // namespace tasktwin::scenarios
