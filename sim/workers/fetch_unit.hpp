#pragma once

#include <algorithm>
#include <optional>
#include <vector>

#include "models/base/units.hpp"
#include "sim/cores/core_rings.hpp"

namespace tasktwin::sim {

/// The part of a core that gets its tasks by itself, one at a time: fetch k begins when task k − depth has left the mailbox
/// and task k − 1 has been received.
class FetchUnit {
 public:
  /// `freed_at`: room for its times, which outlives this.
  FetchUnit(Duration* freed_at, std::uint32_t depth) : freed_at_(freed_at), depth_(depth) {}

  void slot_freed(TimePoint at) { freed_at_[freed_++ % depth_] = at.time_since_epoch(); }

  /// The beginning of the next fetch, which is then in flight until received(); nullopt while its time is not yet known.
  std::optional<TimePoint> begin() {
    if (busy_ || begun_ == freed_ + depth_) return std::nullopt;
    const TimePoint slot_free = begun_ < depth_ ? TimePoint{} : TimePoint{freed_at_[begun_ % depth_]};
    ++begun_;
    busy_ = true;
    return std::max(slot_free, received_);
  }

  void received(TimePoint at) {
    received_ = at;
    busy_ = false;
  }

  void keep_times_at(Duration* freed_at) { freed_at_ = freed_at; }

 private:
  Duration* freed_at_;  ///< a ring
  std::uint32_t depth_;
  std::uint32_t begun_ = 0;
  std::uint32_t freed_ = 0;
  TimePoint received_{};
  bool busy_ = false;
};

/// Those of all cores, by CoreId.
class FetchUnits {
 public:
  FetchUnits(std::size_t cores, int depth) : freed_at_(cores, depth) {
    units_.reserve(cores);
    for (std::size_t core = 0; core < cores; ++core) units_.emplace_back(&freed_at_.at(core, 0), freed_at_.depth());
  }

  FetchUnits(const FetchUnits& other) : freed_at_(other.freed_at_), units_(other.units_) { move_in(); }
  FetchUnits& operator=(const FetchUnits& other) {
    freed_at_ = other.freed_at_;
    units_ = other.units_;
    move_in();
    return *this;
  }
  ~FetchUnits() = default;

  std::size_t size() const { return units_.size(); }
  FetchUnit& operator[](std::size_t core) { return units_[core]; }

 private:
  void move_in() {
    for (std::size_t core = 0; core < units_.size(); ++core) units_[core].keep_times_at(&freed_at_.at(core, 0));
  }

  CoreRings<Duration> freed_at_;
  std::vector<FetchUnit> units_;
};

}  // namespace tasktwin::sim
