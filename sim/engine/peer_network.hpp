#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <simgrid/s4u/Host.hpp>
#include <simgrid/s4u/Link.hpp>
#include <simgrid/s4u/NetZone.hpp>

#include "models/run/as_run.hpp"
#include "sim/engine/activities.hpp"
#include "sim/engine/calendar.hpp"

namespace tasktwin::sim {

/// A zone with the models of `like`, for which it is too late to be in it: the engine seals the contents of its own zones when it first
/// runs.
simgrid::s4u::NetZone& zone_beside(simgrid::s4u::NetZone& like, const std::string& name);

/// The links between the devices of a machine as SimGrid's platform: a zone a node, in which each device has a port into the switch or a
/// link to each other one, and a network card; over the nodes SimGrid's fat tree, whose routes are its own (destination modulo the number
/// of ways up). Latencies are not the engine's (models/machine/interconnect.hpp): its model weighs flows by them.
class PeerNetwork {
 public:
  PeerNetwork(const Devices& devices, simgrid::s4u::NetZone& like, const std::string& name);

  /// Of this run; nothing where they are so already.
  void set_bandwidths(const mechanism::Peers& peers, const mechanism::Network& network);
  simgrid::s4u::Host* device(int number) const { return hosts_[static_cast<std::size_t>(number)]; }
  /// The same device as it sends no more in all than its limit lets it, and as it loads from others' memory.
  simgrid::s4u::Host* limited(int number) const { return limited_[static_cast<std::size_t>(number)]; }
  simgrid::s4u::Host* loader(int number) const { return loaders_[static_cast<std::size_t>(number)]; }
  /// What limits limited(), and the loads of a device from another one, or from all that are of other nodes; both as they were set last.
  simgrid::s4u::Link* limit(int number) const { return limits_[static_cast<std::size_t>(number)]; }
  simgrid::s4u::Link* loads(int loader, int source) const;

 private:
  simgrid::s4u::NetZone& add_node(simgrid::s4u::NetZone& parent, int node);
  simgrid::s4u::Link* add_loads(simgrid::s4u::NetZone& zone, int loader, int source);

  Devices devices_;
  std::string name_;
  std::vector<simgrid::s4u::Host*> hosts_;                    ///< by device
  std::vector<simgrid::s4u::Host*> limited_;                  ///< by device
  std::vector<simgrid::s4u::Host*> loaders_;                  ///< by device
  std::vector<simgrid::s4u::Link*> limits_;                   ///< by device
  std::map<std::pair<int, int>, simgrid::s4u::Link*> loads_;  ///< by loader and source, kElsewhere for those of other nodes
  std::vector<simgrid::s4u::Link*> peer_links_;
  std::vector<simgrid::s4u::Link*> nics_;
  std::vector<simgrid::s4u::Link*> tree_links_;
  std::array<double, 3> bandwidths_{};  ///< of each of the three kinds, as they are
};

/// Flows between the devices of a run: max-min shares of the links on their ways. A flow's end between two nanoseconds gives its share up
/// at once and is reported at the next whole one.
class PeerFlows final : public EventHandler, private Activities::Owner {
 public:
  class Listener {
   public:
    virtual void peer_flow_ended(std::uint32_t id, TimePoint at) = 0;

   protected:
    ~Listener() = default;
  };

  PeerFlows(Calendar& calendar, const AsRun& machine, Listener& listener);
  ~PeerFlows();
  PeerFlows(const PeerFlows&) = delete;
  PeerFlows& operator=(const PeerFlows&) = delete;

  /// Several flows may have one `id`; those that are `limited` leave a device no faster than limit() says. Contract: the engine's date is
  /// now, so the calendar does not run ahead; bytes are 1 or more.
  void start(std::uint32_t id, int from, int to, double bytes, bool limited = false);
  /// Changes it by so many bytes a nanosecond; at first it is 0. Contract: positive while limited flows are in flight.
  void limit(int device, double change);

  void handle(EventKind kind, std::uint32_t id, TimePoint now) override { (void)kind, listener_.peer_flow_ended(id, now); }

 private:
  void activity_ended(std::uint32_t id, double date) override;

  Calendar& calendar_;
  Listener& listener_;
  PeerNetwork& network_;
  std::vector<double> limits_;  ///< by device
};

}  // namespace tasktwin::sim
