#pragma once

#include <cstdint>

#include "models/graph/task_graph.hpp"
#include "models/machine/machine.hpp"

namespace tasktwin {

/// Shared-memory pages of a worker, into which it loads inputs of its next tasks that no task writes (Design::prefetch).
struct PageRing {
  std::int64_t page_bytes = 0;
  int pages = 0;
};

/// Of which pages hold whole ones: a row of a matrix (of both for gate_up), a position's key and value, 16 bytes.
/// 0 for a kernel that has no constant inputs.
std::int64_t constant_unit(const Problem& problem, Kernel kernel);

/// Bytes of the task's inputs that no task of its graph writes: weights, earlier positions' keys and values, what kernel
/// `stream` reads. Those of a norm are none of the bytes that it states.
std::int64_t constant_bytes(const TaskGraph& graph, TaskId task);

/// Shared memory that the graph's bodies use in addition to pages, in whole lines.
std::int64_t beside_pages(const TaskGraph& graph);

/// What the bodies of `graph` leave of a core's shared memory, in pages of 16 KiB, or of the largest constant_unit() where that is larger.
/// No pages where no task has constant inputs, or the machine states no shared memory.
PageRing page_ring(const TaskGraph& graph, const Machine& machine);

}  // namespace tasktwin
