#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "models/graph/task_graph.hpp"

namespace tasktwin::gpu {

/// Where one task's bytes lie.
struct OperationPlace {
  std::size_t device = 0;  ///< offset in the run's own device memory; for transfers without a buffer
  std::size_t host = 0;    ///< offset in the host's pinned, or pageable, memory; for copies that touch it
  bool checked = false;    ///< whether its bytes may be looked at: no other code touches them from just before it to just after it
};

/// Memory for the operations of a graph: every copy has bytes of the host to itself, every transfer without a buffer bytes of the
/// device. Bytes in a buffer are looked at only where all that use it are in one stream, those of an alloc only where no transfer
/// has its buffer.
struct OperationLayout {
  /// `streams` by TaskId; empty where there are none.
  OperationLayout(const TaskGraph& graph, std::span<const std::uint32_t> streams);

  std::vector<OperationPlace> places;  ///< by TaskId
  std::size_t device_bytes = 0;
  std::size_t pinned_bytes = 0;
  std::size_t pageable_bytes = 0;
};

}  // namespace tasktwin::gpu
