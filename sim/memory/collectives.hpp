#pragma once

#include <cstdint>
#include <deque>
#include <utility>
#include <vector>

#include "models/cost/collective_flows.hpp"
#include "models/program/stream_plan.hpp"
#include "sim/engine/peer_network.hpp"
#include "sim/engine/run_context.hpp"
#include "sim/memory/memory_bandwidth.hpp"

namespace tasktwin::sim {

/// Collectives over devices. A rank starts when nothing but the others holds it back, or, where it then waits for cores, when it has them;
/// it has them while it waits for the others. Once the last has started the collective takes what the task states, or collective_latency
/// and then until the flows of collective_flows are through, which share links with copies and with other collectives as link_use says. All
/// ranks end together. Meanwhile each byte that a rank sends is read from its device's memory, and each that it receives written there, at
/// the pace that the collective has alone: kernels share what is left. A rank's blocks could move bytes within the device 1 / kReceiveShare
/// times as fast as the links carry them: so where kernels leave the memory so crowded that it serves at a part of less than kReceiveShare,
/// bytes move at that part over kReceiveShare of their pace, by the busiest of the ranks' devices. What is lost so is made up behind the
/// flows. Ranks with fewer blocks than the machine gives them send no faster than sending_limit.
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

  /// A rank, known by its launch, is where it waits for nothing but cores and the others. Contract: in the order of `now`.
  void arrive(std::uint32_t launch, TimePoint now);
  /// It has its cores.
  void placed(std::uint32_t launch, TimePoint now);
  void handle(EventKind kind, std::uint32_t number, TimePoint now) override;

  /// The memory of that device is to tell how it serves. Of this, and not to be moved.
  MemoryBandwidth::Watcher& memory_of(int device) { return memories_[static_cast<std::size_t>(device)]; }

 private:
  /// How the memory of a device serves.
  class Memory final : public MemoryBandwidth::Watcher {
   public:
    explicit Memory(Collectives& collectives) : collectives_(collectives) {}
    void memory_serves(double share, TimePoint now) override {
      share_ = share;
      collectives_.pace_changed(now);
    }
    double share() const { return share_; }

   private:
    Collectives& collectives_;
    double share_ = 1;
  };

  struct Group {
    Collective what;
    std::vector<std::uint32_t> launches;
    Duration given{};  ///< that the task states; 0 where it states none
    LinkUse links;
    std::size_t there = 0;  ///< ranks that have started
    std::size_t flows = 0;  ///< in flight
    bool moves = false;     ///< its bytes do, or make up for what was lost
    double pace = 1;        ///< over that of the links
    double lost = 0;        ///< ns of moving alone
    TimePoint since{};      ///< `lost` is of that time
    TimePoint moved_from{};
    std::vector<std::pair<int, double>> memory{};  ///< by device: bytes a nanosecond that its rank takes
    std::vector<std::pair<int, double>> limits{};  ///< likewise that it sends at most, of the links; none where nothing limits them
  };

  std::uint32_t number_of(std::uint32_t launch) const { return static_cast<std::uint32_t>(graph_[plan_[launch].task].args[1]); }
  void set_memory(Group& group) const;
  void set_limits(Group& group) const;
  /// By how much its flows are through before they can be alone, in ns; negative where they are later.
  static double early(const Group& group, TimePoint now);
  void take_memory(const Group& group, double sign, TimePoint now);
  void begin(std::uint32_t number, TimePoint now);
  void peer_flow_ended(std::uint32_t number, TimePoint now) override;
  /// Its time is stated, or it has no bytes in flight.
  static bool is_timed(const Group& group) { return group.given > Duration{0} || group.links.bytes == 0; }
  void is_there(std::uint32_t number, TimePoint now);
  void limit(const Group& group, double sign);
  void pace_changed(TimePoint now);
  double pace(const Group& group) const;
  void settle(Group& group, TimePoint now) const;
  void schedule_end(std::uint32_t number, TimePoint now);
  void catch_up(std::uint32_t number, TimePoint now);
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
  std::deque<Memory> memories_;     ///< by device
};

}  // namespace tasktwin::sim
