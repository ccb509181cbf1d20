#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "models/cost/collective_flows.hpp"
#include "models/program/stream_plan.hpp"
#include "sim/engine/peer_network.hpp"
#include "sim/engine/run_context.hpp"

namespace tasktwin::sim {

/// Collectives over devices. A rank starts when nothing but the others holds it back and waits for them on its device, or, where it then
/// waits for cores, when it has them. Once the last is there the collective takes what the task states, or collective_latency and then
/// until the flows of collective_flows are through, which share links with copies and with other collectives; where the machine's
/// collective_times have it, flows of as many bytes as make it take that time alone. All ranks end together. Where ranks take cores they
/// ask for them once the last is there, all at the same time and so on every device in the same order, and begin when all have theirs.
/// Meanwhile each byte that a rank sends is read from its device's memory, and each that it receives written there, at the pace that the
/// collective has alone: kernels share what is left. Assumed: kernels do not slow the collective down.
class Collectives final : public EventHandler, private PeerFlows::Listener {
 public:
  class Listener {
   public:
    /// The rank has come to where it takes cores, and waits for placed().
    virtual void takes_cores(std::uint32_t launch, TimePoint now) = 0;
    virtual void collective_ended(std::uint32_t launch, TimePoint now) = 0;
    /// Ranks take more bytes a nanosecond, or fewer, of the device's memory bandwidth.
    virtual void memory_taken(int device, double change, TimePoint now) = 0;

   protected:
    ~Listener() = default;
  };

  /// `take_cores`: whether its ranks do.
  Collectives(const WiringInputs& inputs, const std::vector<StreamLaunch>& plan, bool take_cores, Listener& listener);

  /// A rank, known by its launch, is there. Contract: in the order of `now`.
  void arrive(std::uint32_t launch, TimePoint now);
  /// It has its cores.
  void placed(std::uint32_t launch, TimePoint now);
  void handle(EventKind kind, std::uint32_t number, TimePoint now) override;

 private:
  struct Group {
    Collective what;
    std::vector<std::uint32_t> launches;
    Duration given{};  ///< that the task states; 0 where it states none
    double scale = 1;  ///< flow_scale
    std::size_t arrived = 0;
    TimePoint complete{};  ///< the last arrived
    std::size_t unplaced = 0;
    std::size_t flows = 0;                         ///< in flight
    std::vector<std::pair<int, double>> memory{};  ///< by device: bytes a nanosecond that its rank takes
  };

  std::uint32_t number_of(std::uint32_t launch) const { return static_cast<std::uint32_t>(graph_[plan_[launch].task].args[1]); }
  void set_memory(Group& group) const;
  void take_memory(const Group& group, double sign, TimePoint now);
  void begin(std::uint32_t number, TimePoint now);
  void peer_flow_ended(std::uint32_t number, TimePoint now) override;
  void end(std::uint32_t number, TimePoint now);

  const TaskGraph& graph_;
  const AsRun& machine_;
  const std::vector<StreamLaunch>& plan_;
  Calendar& calendar_;
  RunEvents& events_;
  Listener& listener_;
  PeerFlows flows_;
  bool in_graph_;
  bool take_cores_;
  std::vector<TimePoint> arrived_;  ///< by launch
  std::vector<Group> groups_;       ///< by number
};

}  // namespace tasktwin::sim
