#pragma once

#include <cstddef>
#include <memory>

#include "gpu/cuda/device_buffer.hpp"
#include "gpu/operations/operation_contents.hpp"
#include "gpu/operations/operation_layout.hpp"

namespace tasktwin::gpu {

/// Page-locked memory of the host; not initialised.
class PinnedMemory {
 public:
  explicit PinnedMemory(std::size_t bytes) {
    if (bytes == 0) return;
    check(cudaHostAlloc(&data_, bytes, cudaHostAllocDefault), "allocating " + std::to_string(bytes) + " bytes of pinned memory for copies");
  }
  ~PinnedMemory() {
    if (data_) static_cast<void>(cudaFreeHost(data_));
  }
  PinnedMemory(const PinnedMemory&) = delete;
  PinnedMemory& operator=(const PinnedMemory&) = delete;

  std::byte* data() const { return static_cast<std::byte*>(data_); }

 private:
  void* data_ = nullptr;
};

/// The memory of a layout, and what belongs into it: every copy to the device carries words that no other task's copy does.
class OperationMemory {
 public:
  /// Throws RunError where the host or the device lacks the memory. Both must outlive this.
  OperationMemory(const TaskGraph& graph, const OperationLayout& layout);

  std::byte* host(TaskId task) const;
  /// Contract: a transfer without a buffer.
  std::byte* device(TaskId task) const { return device_.data() + layout_.places[index(task)].device; }

  /// What the task's bytes, wherever they lie, are to hold; nothing of theirs where `memory` is null.
  Contents contents(TaskId task, void* memory) const;
  static unsigned char memset_byte(TaskId task) { return static_cast<unsigned char>(0xa5 ^ index(task)); }

  /// Spoils what copies to the host left.
  void spoil_results() const;
  /// Copies to the host whose bytes should be right and are not.
  std::int64_t wrong_results() const;

 private:
  const TaskGraph& graph_;
  const OperationLayout& layout_;
  DeviceBuffer<std::byte> device_;
  PinnedMemory pinned_;
  std::unique_ptr<std::byte[]> pageable_;
};

}  // namespace tasktwin::gpu
