#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

namespace tasktwin::gpu::capture {

/// What --range lets through: calls while a range of that name is open on some thread. It may be used by several threads.
class RangeGate {
 public:
  /// An empty name: everything.
  explicit RangeGate(std::string name) : name_(std::move(name)) {}

  bool is_named(std::string_view range) const { return !name_.empty() && range == name_; }
  void open() { ++open_; }
  void close() { --open_; }
  /// The same of a range that is started, and ended by `id` on whatever thread.
  void open(std::uint64_t id);
  void close(std::uint64_t id);

  /// Whether call `correlation` is let through. Correlations grow.
  bool lets_call(std::uint32_t correlation);
  /// Whether the device's records of call `correlation` may be of interest: it lies between the first opening and the last closing.
  bool lets_run(std::uint32_t correlation) const {
    return name_.empty() || (correlation >= first_.load(std::memory_order_relaxed) && correlation < last_.load(std::memory_order_relaxed));
  }

 private:
  static constexpr std::uint32_t kNever = ~std::uint32_t{0};

  const std::string name_;
  std::atomic<int> open_ = 0;
  std::atomic<std::uint32_t> first_ = kNever;
  std::atomic<std::uint32_t> last_ = 0;  ///< kNever while a range is open
  std::mutex mutex_;
  std::vector<std::uint64_t> started_;
};

}  // namespace tasktwin::gpu::capture
