#pragma once

#include <cstdint>

#include <simgrid/s4u/Exec.hpp>

#include "models/units.hpp"
#include "sim/activities.hpp"
#include "sim/calendar.hpp"
#include "sim/memory_bandwidth.hpp"

namespace tasktwin::sim {

/// What MemoryBandwidth models, solved by the engine itself: each flow an execution on one host, with a bound. The reference for
/// MemoryBandwidth. Ends are reported at the next whole nanosecond.
class SolverBandwidth final : public EventHandler, private Activities::Owner {
 public:
  /// Rates in bytes per nanosecond, both positive.
  SolverBandwidth(Calendar& calendar, double total, double per_flow, MemoryBandwidth::Listener& listener);
  ~SolverBandwidth();
  SolverBandwidth(const SolverBandwidth&) = delete;
  SolverBandwidth& operator=(const SolverBandwidth&) = delete;

  /// Contract: the engine's date is `now`, so the calendar does not run ahead; bytes are positive.
  void start(std::uint32_t flow, Bytes bytes, TimePoint now);
  /// The flows share another total, of at most the first one, from now on.
  void set_total(double total, TimePoint now);

  void handle(EventKind kind, std::uint32_t subject, TimePoint now) override;

 private:
  void activity_ended(std::uint32_t flow, double date) override;

  Calendar& calendar_;
  double total_;
  double per_flow_;
  MemoryBandwidth::Listener& listener_;
  simgrid::s4u::ExecPtr taken_;  ///< stands for what the flows do not share; null for nothing
};

}  // namespace tasktwin::sim
