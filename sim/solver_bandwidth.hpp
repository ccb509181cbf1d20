#pragma once

#include <cstdint>
#include <unordered_map>

#include <simgrid/s4u/Exec.hpp>

#include "models/units.hpp"
#include "sim/activities.hpp"
#include "sim/calendar.hpp"
#include "sim/memory_bandwidth.hpp"

namespace tasktwin::sim {

/// What MemoryBandwidth models, solved by the engine itself: each flow an execution on one host, with a bound and a weight, and with
/// contention on a host that is slower the more they are. The reference for MemoryBandwidth. Ends are reported at the next whole
/// nanosecond.
class SolverBandwidth final : public EventHandler, private Activities::Owner {
 public:
  /// `total` in bytes per nanosecond, positive.
  SolverBandwidth(Calendar& calendar, double total, double contention, MemoryBandwidth::Listener& listener);
  ~SolverBandwidth();
  SolverBandwidth(const SolverBandwidth&) = delete;
  SolverBandwidth& operator=(const SolverBandwidth&) = delete;

  /// Contract: the engine's date is `now`, so the calendar does not run ahead; bytes and rate are positive.
  void start(std::uint32_t flow, Bytes bytes, double rate, TimePoint now);
  /// The flows share another total, of at most the first one, from now on.
  void set_total(double total, TimePoint now);

  void handle(EventKind kind, std::uint32_t subject, TimePoint now) override;

 private:
  void activity_ended(std::uint32_t flow, double date) override;

  Calendar& calendar_;
  double total_;
  double contention_;
  double left_;  ///< of the total
  MemoryBandwidth::Listener& listener_;
  simgrid::s4u::ExecPtr taken_;                      ///< stands for what the flows do not share; null for nothing
  std::unordered_map<std::uint32_t, double> rates_;  ///< of the flows
  double sum_ = 0;                                   ///< of those
};

}  // namespace tasktwin::sim
