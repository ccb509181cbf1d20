#pragma once

#include <string>
#include <utility>
#include <vector>

#include "models/base/error.hpp"
#include "models/base/ids.hpp"

namespace tasktwin {

/// Tasks that wait for each other.
struct CycleError : InputError {
  CycleError(const std::string& message, std::vector<TaskId> tasks_in_order) : InputError(message), tasks(std::move(tasks_in_order)) {}

  /// Each waits for the one before it, and the first for the last.
  std::vector<TaskId> tasks;
};

}  // namespace tasktwin
