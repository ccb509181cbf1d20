#include "sim/engine/peer_network.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include <simgrid/kernel/routing/NetPoint.hpp>
#include <simgrid/kernel/routing/NetZoneImpl.hpp>
#include <simgrid/s4u/Comm.hpp>

#include "sim/engine/platform.hpp"

namespace tasktwin::sim {

using simgrid::s4u::Link;
using simgrid::s4u::LinkInRoute;
using simgrid::s4u::NetZone;

NetZone& zone_beside(NetZone& like, const std::string& name) {
  // SimGrid deletes what is below its root zone; these live as long as the process.
  static std::vector<NetZone*>& kept = *new std::vector<NetZone*>;
  NetZone* const zone = kept.emplace_back(simgrid::s4u::create_full_zone(name));
  simgrid::kernel::routing::NetZoneImpl* const made = zone->get_impl();
  const simgrid::kernel::routing::NetZoneImpl* const with = like.get_impl();
  made->set_network_model(with->get_network_model());
  made->set_cpu_vm_model(with->get_cpu_vm_model());
  made->set_cpu_pm_model(with->get_cpu_pm_model());
  made->set_disk_model(with->get_disk_model());
  made->set_host_model(with->get_host_model());
  return *zone;
}

PeerNetwork::PeerNetwork(const Devices& devices, NetZone& like, const std::string& name)
    : devices_(devices), name_(name), hosts_(static_cast<std::size_t>(devices.count())) {
  NetZone& zone = zone_beside(like, name);
  if (devices.nodes == 1) {
    add_node(zone, 0);
    zone.seal();
    return;
  }
  const auto whole = [](const std::vector<int>& numbers) { return std::vector<unsigned int>(numbers.begin(), numbers.end()); };
  std::vector<unsigned int> down = whole(devices.tree_down);
  std::vector<unsigned int> up = whole(devices.tree_up);
  if (down.empty()) down.push_back(static_cast<unsigned int>(devices.nodes)), up.push_back(1);
  using Ends = std::pair<simgrid::kernel::routing::NetPoint*, simgrid::kernel::routing::NetPoint*>;
  const simgrid::s4u::ClusterCallbacks node([this](NetZone* parent, const std::vector<unsigned long>&, unsigned long number) -> Ends {
    NetZone& made = add_node(*parent, static_cast<int>(number));
    return {made.get_netpoint(),
            simgrid::s4u::Engine::get_instance()->netpoint_by_name_or_null(name_ + " gateway " + std::to_string(number))};
  });
  const simgrid::s4u::FatTreeParams shape(static_cast<unsigned int>(down.size()), down, up, std::vector<unsigned int>(down.size(), 1));
  NetZone* const tree = simgrid::s4u::create_fatTree_zone(name + " tree", &zone, shape, node, 1.0, 0.0, Link::SharingPolicy::SPLITDUPLEX);
  tree->seal();
  for (Link* const link : tree->get_impl()->get_all_links()) {
    if (std::ranges::find(peer_links_, link) == peer_links_.end() && std::ranges::find(nics_, link) == nics_.end())
      tree_links_.push_back(link);
  }
  zone.seal();
}

/// In a zone of its own, with a gateway to the others; the only one is in `parent` itself.
NetZone& PeerNetwork::add_node(NetZone& parent, int node) {
  const bool alone = devices_.nodes == 1;
  NetZone& zone = alone ? parent : *simgrid::s4u::create_full_zone(name_ + " node " + std::to_string(node));
  if (!alone) zone.set_parent(&parent);
  const std::string in_node = name_ + " node " + std::to_string(node) + " ";
  const auto link = [&](std::vector<Link*>& among, const std::string& called) {
    return among.emplace_back(zone.create_link(in_node + called, 1.0));
  };
  const auto route = [&zone](auto* from, auto* to, std::vector<LinkInRoute> way) {
    zone.add_route(from, to, nullptr, nullptr, way, false);
  };
  const auto count = static_cast<std::size_t>(devices_.per_node);
  std::vector<simgrid::kernel::routing::NetPoint*> points;
  std::vector<Link*> out;
  std::vector<Link*> in;
  for (std::size_t i = 0; i < count; ++i) {
    simgrid::s4u::Host* const host = zone.create_host(in_node + "device " + std::to_string(i), 1.0);
    hosts_[static_cast<std::size_t>(node) * count + i] = host;
    points.push_back(host->get_netpoint());
    if (devices_.links != PeerLinks::kSwitch) continue;
    out.push_back(link(peer_links_, "out of " + std::to_string(i)));
    in.push_back(link(peer_links_, "into " + std::to_string(i)));
  }
  for (std::size_t i = 0; i < count; ++i) {
    for (std::size_t j = 0; j < count; ++j) {
      if (i == j) continue;
      if (devices_.links == PeerLinks::kSwitch)
        route(points[i], points[j], {LinkInRoute(out[i]), LinkInRoute(in[j])});
      else
        route(points[i], points[j], {LinkInRoute(link(peer_links_, std::to_string(i) + " to " + std::to_string(j)))});
    }
  }
  if (alone) return zone;
  auto* const gateway = zone.create_router(name_ + " gateway " + std::to_string(node));
  std::vector<std::pair<Link*, Link*>> cards;
  for (int card = 0; card < devices_.nics; ++card)
    cards.emplace_back(link(nics_, "card " + std::to_string(card) + " out"), link(nics_, "card " + std::to_string(card) + " in"));
  for (std::size_t i = 0; i < count; ++i) {
    const auto& [sends, receives] = cards[i % cards.size()];
    route(points[i], gateway, {LinkInRoute(sends)});
    route(gateway, points[i], {LinkInRoute(receives)});
  }
  zone.seal();
  return zone;
}

void PeerNetwork::set_bandwidths(const mechanism::Peers& peers, const mechanism::Network& network) {
  const std::array bandwidths{peers.link_bandwidth, network.nic_bandwidth, network.tree_bandwidth};
  if (std::exchange(bandwidths_, bandwidths) == bandwidths) return;
  for (Link* const link : peer_links_) link->set_bandwidth(bandwidths[0]);
  for (Link* const link : nics_) link->set_bandwidth(bandwidths[1]);
  for (Link* const link : tree_links_) link->set_bandwidth(bandwidths[2]);
}

PeerFlows::PeerFlows(Calendar& calendar, const AsRun& machine, Listener& listener)
    : calendar_(calendar), listener_(listener), network_(Platform::instance().network(machine.devices)) {
  network_.set_bandwidths(*machine.peers, machine.network.or_zero_unless(machine.devices.nodes > 1));
}

PeerFlows::~PeerFlows() { Platform::instance().activities().forget(*this); }

void PeerFlows::start(std::uint32_t id, int from, int to, double bytes) {
  const simgrid::s4u::CommPtr flow = simgrid::s4u::Comm::sendto_init(network_.device(from), network_.device(to));
  flow->set_payload_size(static_cast<std::uint64_t>(std::llround(bytes)));
  Platform::instance().activities().start(flow, *this, id);
}

void PeerFlows::activity_ended(std::uint32_t id, double date) {
  calendar_.schedule(calendar_.next_whole(date), EventKind::kCopyEnd, id, *this);
}

}  // namespace tasktwin::sim
