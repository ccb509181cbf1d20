#pragma once

#include <cstddef>
#include <type_traits>
#include <utility>

namespace tasktwin {

/// Memory of all zero bits. Much of it comes from the system page by page, as each page is first written.
class ZeroedMemory {
 public:
  explicit ZeroedMemory(std::size_t bytes);
  ~ZeroedMemory();
  ZeroedMemory(const ZeroedMemory& other);
  ZeroedMemory(ZeroedMemory&& other) noexcept : at_(std::exchange(other.at_, nullptr)), bytes_(std::exchange(other.bytes_, 0)) {}
  ZeroedMemory& operator=(ZeroedMemory other) noexcept {
    std::swap(at_, other.at_);
    std::swap(bytes_, other.bytes_);
    return *this;
  }

  void* get() const { return at_; }

 private:
  void* at_ = nullptr;
  std::size_t bytes_ = 0;
};

/// So many values, each of all zero bits at first. Pages of them that nobody has written take neither memory nor time. Contract: of all
/// zero bits a `Value` is as Value{} is.
template <class Value>
class Zeroed {
  static_assert(std::is_trivially_copyable_v<Value> && std::is_trivially_destructible_v<Value>);

 public:
  explicit Zeroed(std::size_t size = 0) : memory_(size * sizeof(Value)), size_(size) {}

  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  Value& operator[](std::size_t place) { return data()[place]; }
  const Value& operator[](std::size_t place) const { return data()[place]; }
  Value* data() { return static_cast<Value*>(memory_.get()); }
  const Value* data() const { return static_cast<const Value*>(memory_.get()); }

 private:
  ZeroedMemory memory_;
  std::size_t size_;
};

}  // namespace tasktwin
