#pragma once

#include <optional>
#include <string>

#include "models/task_graph.hpp"

namespace tasktwin {

/// A task whose operation makes no sense where it stands.
struct BufferFault {
  TaskId task{};
  std::string why;  ///< a sentence that names the task
};

/// The first task, other than a kernel, with what only kernels have, or with a buffer that another one allocates or frees as well, that no
/// task before it allocates, that is too small, or that is freed before it; nullopt if there is none.
std::optional<BufferFault> buffer_fault(const TaskGraph& graph);

}  // namespace tasktwin
