#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "models/design/design.hpp"
#include "models/graph/task_graph.hpp"

namespace tasktwin {

/// A task whose operation is invalid at its place in the graph.
struct BufferFault {
  TaskId task{};
  std::string why;  ///< a sentence that names the task
};

/// The first task, other than a kernel, with what only kernels have, or with a buffer that another one allocates or frees as well, that no
/// task before it allocates, that is too small, or that is freed before it; nullopt if there is none.
std::optional<BufferFault> buffer_fault(const TaskGraph& graph);

/// By buffer, the tasks that read or write it, ascending: transfers of it and those that say so (TaskTraits::uses). In a graph in which no
/// task says so, a kernel is taken to use what a task right before it allocates.
std::map<std::int32_t, std::vector<TaskId>> buffer_users(const TaskGraph& graph);

/// Sentences that name the buffer and the tasks, for each use under `design` that nothing keeps away from the buffer's allocation or its
/// free: neither dependencies nor the order of streams. Empty where no memory is given out again before the device has passed the uses:
/// under allocator `malloc`, whose cudaFree waits for the device, and `caching` with record_stream, as far as frees go.
std::vector<std::string> buffer_races(const TaskGraph& graph, const Design& design);

}  // namespace tasktwin
