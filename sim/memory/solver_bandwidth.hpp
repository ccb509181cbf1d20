#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include <simgrid/s4u/Exec.hpp>

#include "models/base/units.hpp"
#include "sim/engine/activities.hpp"
#include "sim/engine/calendar.hpp"
#include "sim/memory/memory_bandwidth.hpp"

namespace tasktwin::sim {

/// What MemoryBandwidth models, solved by the engine itself: each flow an execution on one host, with a bound and a weight, and with
/// contention on a host that is slower the more they are. The reference for MemoryBandwidth. What a path holds back is worked out here as
/// there, and goes into the weights. Ends are reported at the next whole nanosecond.
class SolverBandwidth final : public EventHandler, private Activities::Owner {
 public:
  /// Contract: law.total is positive, and there is a path.
  SolverBandwidth(Calendar& calendar, const MemoryLaw& law, std::size_t paths, MemoryBandwidth::Listener& listener);
  ~SolverBandwidth();
  SolverBandwidth(const SolverBandwidth&) = delete;
  SolverBandwidth& operator=(const SolverBandwidth&) = delete;

  /// Contract: the engine's date is `now`, so the calendar does not run ahead; bytes and rate are positive. As MemoryBandwidth::start().
  void start(std::uint32_t flow, Bytes bytes, double rate, std::size_t path, TimePoint now);
  /// The flow would have another rate alone from now on; nothing where it has ended.
  void set_rate(std::uint32_t flow, double rate, TimePoint now);
  /// The flows share another total, of at most the first one, from now on.
  void set_total(double total, TimePoint now);

  /// As MemoryBandwidth::watch().
  void watch(MemoryBandwidth::Watcher& watcher) { watched_.by(watcher); }

  void handle(EventKind kind, std::uint32_t subject, TimePoint now) override;

 private:
  struct Flow {
    simgrid::s4u::ExecPtr reading;
    double rate = 0;  ///< alone
    std::size_t path = 0;
  };

  void activity_ended(std::uint32_t flow, double date) override;
  void sum_up(std::size_t path, double rate, TimePoint now);
  void share(TimePoint now);
  bool varies() const { return law_.contention > 0 || law_.port > 0 || law_.queue > 0; }

  Calendar& calendar_;
  double total_;
  MemoryLaw law_;  ///< with what is left of the total
  MemoryBandwidth::Listener& listener_;
  simgrid::s4u::ExecPtr taken_;  ///< represents the bandwidth that the flows do not share; null for none
  std::unordered_map<std::uint32_t, Flow> flows_;
  std::vector<double> demands_;  ///< by path: the sum of its flows' rates
  std::vector<double> shares_;   ///< by path
  double used_ = 0;              ///< bytes/ns of all flows
  MemoryBandwidth::Watched watched_;
};

}  // namespace tasktwin::sim
