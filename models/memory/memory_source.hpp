#pragma once

#include <cstdint>
#include <optional>

namespace tasktwin {

/// Where an allocator gets its segments: cudaMalloc, or a count of what is left.
class MemorySource {
 public:
  virtual ~MemorySource() = default;
  /// The address of that many bytes; nullopt where they are not available.
  virtual std::optional<std::uint64_t> allocate(std::int64_t bytes) = 0;
  virtual void release(std::uint64_t address, std::int64_t bytes) = 0;
};

/// A device's memory as a count: segments take whole pages, at addresses that rise.
class CountedMemory final : public MemorySource {
 public:
  /// Bytes; a capacity of 0 for no limit.
  CountedMemory(std::int64_t capacity, std::int64_t page) : capacity_(capacity), page_(page > 0 ? page : 1) {}

  std::optional<std::uint64_t> allocate(std::int64_t bytes) override {
    if (!has(bytes)) return std::nullopt;
    const std::int64_t taken = in_pages(bytes);
    in_use_ += taken;
    const std::uint64_t address = next_;
    next_ += static_cast<std::uint64_t>(taken);
    return address;
  }
  void release(std::uint64_t /*address*/, std::int64_t bytes) override { in_use_ -= in_pages(bytes); }

  /// Whether that many bytes are available.
  bool has(std::int64_t bytes) const { return capacity_ == 0 || in_pages(bytes) <= capacity_ - in_use_; }
  std::int64_t in_use() const { return in_use_; }
  std::int64_t capacity() const { return capacity_; }

 private:
  std::int64_t in_pages(std::int64_t bytes) const { return (bytes + page_ - 1) / page_ * page_; }

  std::int64_t capacity_;
  std::int64_t page_;
  std::int64_t in_use_ = 0;
  std::uint64_t next_ = std::uint64_t{1} << 30;
};

}  // namespace tasktwin
