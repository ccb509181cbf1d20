#pragma once

#include <algorithm>
#include <array>
#include <optional>

#include "models/base/units.hpp"
#include "models/design/design.hpp"

namespace tasktwin::sim {

/// The part of a core that gets its tasks by itself, one at a time: fetch k begins when task k − depth has left the mailbox
/// and task k − 1 has been received.
class FetchUnit {
 public:
  explicit FetchUnit(int depth) : depth_(static_cast<std::uint32_t>(depth)) {}

  void slot_freed(TimePoint at) { freed_at_[freed_++ % kMaxMailboxDepth] = at; }

  /// The beginning of the next fetch, which is then in flight until received(); nullopt while its time is not yet known.
  std::optional<TimePoint> begin() {
    if (busy_ || begun_ == freed_ + depth_) return std::nullopt;
    const TimePoint slot_free = begun_ < depth_ ? TimePoint{} : freed_at_[(begun_ - depth_) % kMaxMailboxDepth];
    ++begun_;
    busy_ = true;
    return std::max(slot_free, received_);
  }

  void received(TimePoint at) {
    received_ = at;
    busy_ = false;
  }

 private:
  std::uint32_t depth_;
  std::uint32_t begun_ = 0;
  std::uint32_t freed_ = 0;
  std::array<TimePoint, kMaxMailboxDepth> freed_at_{};
  TimePoint received_{};
  bool busy_ = false;
};

}  // namespace tasktwin::sim
