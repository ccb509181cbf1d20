#include "models/base/zeroed.hpp"

#include <sys/mman.h>

#include <cstdlib>
#include <cstring>
#include <new>

namespace tasktwin {

namespace {

/// From so many bytes on, memory of its own from the system costs less than clearing what was used before.
constexpr std::size_t kOwnPages = 64 * 1024;

}  // namespace

ZeroedMemory::ZeroedMemory(std::size_t bytes) : bytes_(bytes) {
  if (bytes_ == 0) return;
  if (bytes_ < kOwnPages) {
    at_ = std::calloc(bytes_, 1);
  } else {
    at_ = mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (at_ == MAP_FAILED) at_ = nullptr;
  }
  if (at_ == nullptr) throw std::bad_alloc();
}

ZeroedMemory::ZeroedMemory(const ZeroedMemory& other) : ZeroedMemory(other.bytes_) {
  if (bytes_ > 0) std::memcpy(at_, other.at_, bytes_);
}

ZeroedMemory::~ZeroedMemory() {
  if (bytes_ < kOwnPages) {
    std::free(at_);
  } else {
    munmap(at_, bytes_);
  }
}

}  // namespace tasktwin
