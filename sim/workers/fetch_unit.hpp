#pragma once

#include <algorithm>
#include <optional>

#include "models/base/sparse.hpp"
#include "models/base/units.hpp"
#include "sim/cores/core_rings.hpp"

namespace tasktwin::sim {

/// The part of a core that gets its tasks by itself, one at a time: fetch k begins when task k − depth has left the mailbox
/// and task k − 1 has been received.
class FetchUnit {
 public:
  struct State {
    std::uint32_t begun = 0;
    std::uint32_t freed = 0;
    std::uint32_t next = 0;  ///< place in the ring of the slot of the next fetch
    std::uint32_t free = 0;  ///< of the next one to become free
    TimePoint received{};
    bool busy = false;
  };
  /// `freed_at`: a ring, room for so many times.
  FetchUnit(State& state, Duration* freed_at, std::uint32_t depth) : state_(state), freed_at_(freed_at), depth_(depth) {}

  void slot_freed(TimePoint at) {
    freed_at_[state_.free] = at.time_since_epoch();
    state_.free = state_.free + 1 == depth_ ? 0 : state_.free + 1;
    ++state_.freed;
  }

  /// The beginning of the next fetch, which is then in flight until received(); nullopt while its time is not yet known.
  std::optional<TimePoint> begin() {
    if (state_.busy || state_.begun == state_.freed + depth_) return std::nullopt;
    const TimePoint slot_free = state_.begun < depth_ ? TimePoint{} : TimePoint{freed_at_[state_.next]};
    state_.next = state_.next + 1 == depth_ ? 0 : state_.next + 1;
    ++state_.begun;
    state_.busy = true;
    return std::max(slot_free, state_.received);
  }

  /// As if the fetch in flight had not begun.
  void take_back() {
    state_.next = (state_.next == 0 ? depth_ : state_.next) - 1;
    --state_.begun;
    state_.busy = false;
  }

  void received(TimePoint at) {
    state_.received = at;
    state_.busy = false;
  }

 private:
  State& state_;
  Duration* freed_at_;
  std::uint32_t depth_;
};

/// Those of all cores, by CoreId.
class FetchUnits {
 public:
  FetchUnits(std::size_t cores, int depth) : freed_at_(cores, depth), states_(cores) {}

  std::size_t size() const { return states_.size(); }
  FetchUnit operator[](std::size_t core) { return {states_[core], freed_at_.of(core), freed_at_.depth()}; }

 private:
  CoreRings<Duration> freed_at_;
  Sparse<FetchUnit::State> states_;
};

}  // namespace tasktwin::sim
