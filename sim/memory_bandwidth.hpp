#pragma once

#include <cstdint>
#include <vector>

#include "models/units.hpp"
#include "sim/calendar.hpp"

namespace tasktwin::sim {

/// A memory that all flows share, each of which would have a rate of its own alone: together all get on at the same part of those
/// (memory_share). So each ends when the time that it takes alone has passed on a clock that runs at that part: virtual time (Demers,
/// Keshav, Shenker 1989). Ends lie between nanoseconds; they are reported at the next whole one.
class MemoryBandwidth final : public EventHandler {
 public:
  class Listener {
   public:
    virtual void flow_ended(std::uint32_t flow, TimePoint at) = 0;

   protected:
    ~Listener() = default;
  };

  /// `total` in bytes per nanosecond, positive. The listener must not start a flow while it is told of an end.
  MemoryBandwidth(Calendar& calendar, double total, double contention, Listener& listener);

  /// `rate`: bytes per nanosecond alone. Contract: called in the order of `now`; bytes and rate are positive.
  void start(std::uint32_t flow, Bytes bytes, double rate, TimePoint now);

  /// The flows share another total from `now` on. Contract: positive.
  void set_total(double total, TimePoint now);

  void handle(EventKind kind, std::uint32_t subject, TimePoint now) override;

 private:
  struct Flow {
    double end;   ///< on the virtual clock
    double rate;  ///< alone
    std::uint64_t sequence;
    std::uint32_t id;
  };
  struct Later {
    bool operator()(const Flow& a, const Flow& b) const { return a.end != b.end ? a.end > b.end : a.sequence > b.sequence; }
  };

  void sum_up(double rate);
  void advance(TimePoint now);
  void schedule_next();

  Calendar& calendar_;
  double total_;
  double contention_;
  Listener& listener_;
  std::vector<Flow> flows_;  ///< a binary heap, the first to end first
  std::uint64_t next_sequence_ = 0;
  long double rates_ = 0;  ///< sum of all flows'
  double share_ = 1;       ///< the part of it that they get
  double clock_ = 0;       ///< virtual, ns
  TimePoint now_{};
  TimePoint alarm_ = kAbsent;  ///< the earliest event scheduled
};

}  // namespace tasktwin::sim
