#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <type_traits>

namespace tasktwin::sim {

/// For each core a ring of as many values as it may hold tasks. What nobody has written takes no memory.
template <class Value>
class CoreRings {
  static_assert(std::is_trivially_default_constructible_v<Value> && std::is_trivially_copyable_v<Value>);

 public:
  CoreRings(std::size_t cores, int depth)
      : depth_(static_cast<std::uint32_t>(depth)), size_(cores * depth_), values_(std::make_unique_for_overwrite<Value[]>(size_)) {}
  CoreRings(const CoreRings& other)
      : depth_(other.depth_), size_(other.size_), values_(std::make_unique_for_overwrite<Value[]>(other.size_)) {
    *this = other;
  }
  /// Contract: as many cores of the same depth. Where the values are stays as it was.
  CoreRings& operator=(const CoreRings& other) {
    std::memcpy(values_.get(), other.values_.get(), size_ * sizeof(Value));  // with what nobody has written, and nobody reads
    return *this;
  }
  ~CoreRings() = default;

  std::uint32_t depth() const { return depth_; }
  std::uint32_t after(std::uint32_t place) const { return place + 1 == depth_ ? 0 : place + 1; }
  /// Contract: what is read has been written.
  Value& at(std::size_t core, std::uint32_t place) { return values_[core * depth_ + place]; }
  const Value& at(std::size_t core, std::uint32_t place) const { return values_[core * depth_ + place]; }

 private:
  std::uint32_t depth_;
  std::size_t size_;
  std::unique_ptr<Value[]> values_;
};

}  // namespace tasktwin::sim
