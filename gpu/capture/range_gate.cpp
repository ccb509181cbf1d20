#include "gpu/capture/range_gate.hpp"

namespace tasktwin::gpu::capture {

void RangeGate::open(std::uint64_t id) {
  const std::lock_guard lock(mutex_);
  started_.push_back(id);
  open();
}

void RangeGate::close(std::uint64_t id) {
  const std::lock_guard lock(mutex_);
  if (std::erase(started_, id) > 0) close();
}

bool RangeGate::lets_call(std::uint32_t correlation) {
  if (name_.empty()) return true;
  if (open_.load(std::memory_order_relaxed) > 0) {
    if (correlation < first_.load(std::memory_order_relaxed)) first_ = correlation;
    last_.store(kNever, std::memory_order_relaxed);
    return true;
  }
  if (last_.load(std::memory_order_relaxed) == kNever) last_ = correlation;
  return false;
}

}  // namespace tasktwin::gpu::capture
