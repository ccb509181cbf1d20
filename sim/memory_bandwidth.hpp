#pragma once

#include <cstdint>
#include <vector>

#include "models/units.hpp"
#include "sim/calendar.hpp"

namespace tasktwin::sim {

/// A memory whose bandwidth all flows share equally, none above its core's own. Since every flow has the same rate, each
/// ends when the volume that one flow could have moved since the beginning reaches a value known at its start: virtual
/// time (Demers, Keshav, Shenker 1989). Ends lie between nanoseconds; they are reported at the next whole one.
class MemoryBandwidth final : public EventHandler {
 public:
  class Listener {
   public:
    virtual void flow_ended(std::uint32_t flow, TimePoint at) = 0;

   protected:
    ~Listener() = default;
  };

  /// Rates in bytes per nanosecond, both positive. The listener must not start a flow while it is told of an end.
  MemoryBandwidth(Calendar& calendar, double total, double per_flow, Listener& listener);

  /// Contract: called in the order of `now`; bytes are positive.
  void start(std::uint32_t flow, Bytes bytes, TimePoint now);

  /// The flows share another total from `now` on. Contract: positive.
  void set_total(double total, TimePoint now);

  void handle(EventKind kind, std::uint32_t subject, TimePoint now) override;

 private:
  struct Flow {
    double end_volume;
    std::uint64_t sequence;
    std::uint32_t id;
  };
  struct Later {
    bool operator()(const Flow& a, const Flow& b) const {
      return a.end_volume != b.end_volume ? a.end_volume > b.end_volume : a.sequence > b.sequence;
    }
  };

  double rate() const;
  void advance(TimePoint now);
  void schedule_next();

  Calendar& calendar_;
  double total_;
  double per_flow_;
  Listener& listener_;
  std::vector<Flow> flows_;  ///< a binary heap, the first to end first
  std::uint64_t next_sequence_ = 0;
  double volume_ = 0;  ///< bytes that a flow running all along would have moved by now_
  TimePoint now_{};
  TimePoint alarm_ = kAbsent;  ///< the earliest event scheduled
};

}  // namespace tasktwin::sim
