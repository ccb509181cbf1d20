#pragma once

#include <cstdint>
#include <vector>

#include "gpu/bodies/body_context.hpp"
#include "gpu/bodies/task_descriptor.hpp"
#include "models/base/host_device.hpp"

namespace tasktwin::gpu {

/// What a worker's loader brings into one page: up to two pieces of device memory, the second right after the first. Both are multiples of
/// 16 bytes at multiples of 16.
struct alignas(32) PageCopy {
  const void* first;
  const void* second;  ///< null for none
  std::uint32_t first_bytes;
  std::uint32_t second_bytes;
  std::uint32_t number;  ///< in the worker's list, of the task that reads it
  std::uint32_t pad;
};

/// Adds the copies of the task's constant inputs (models/cost/prefetch.hpp), in the order in which its body reads pages (paged_bodies.cuh).
/// Contract: a page holds one unit of them or more.
void add_page_copies(const TaskDescriptor& task, const BodyContext& context, std::uint32_t page_bytes, std::uint32_t number,
                     std::vector<PageCopy>& copies);

/// Positions of the cache that a page holds, keys before values.
TASKTWIN_HOST_DEVICE constexpr int page_positions(std::uint32_t page_bytes, int head_dim) {
  return static_cast<int>(page_bytes) / (2 * static_cast<int>(sizeof(Bf16)) * head_dim);
}
/// Rows that it holds; gate_up has groups of two.
TASKTWIN_HOST_DEVICE constexpr int page_rows(std::uint32_t page_bytes, int columns, int group) {
  return static_cast<int>(page_bytes) / (static_cast<int>(sizeof(Bf16)) * columns * group) * group;
}

}  // namespace tasktwin::gpu
