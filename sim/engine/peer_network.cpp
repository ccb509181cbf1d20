#include "sim/engine/peer_network.hpp"

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include <simgrid/kernel/routing/NetPoint.hpp>
#include <simgrid/kernel/routing/NetZoneImpl.hpp>
#include <simgrid/s4u/Comm.hpp>

#include "sim/engine/platform.hpp"

namespace tasktwin::sim {

using simgrid::s4u::Link;
using simgrid::s4u::LinkInRoute;
using simgrid::s4u::NetZone;

namespace {

constexpr int kElsewhere = -1;  ///< in place of a source of another node

}  // namespace

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
    : devices_(devices),
      name_(name),
      hosts_(static_cast<std::size_t>(devices.count())),
      limited_(hosts_.size()),
      loaders_(hosts_.size()),
      limits_(hosts_.size()) {
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
  std::set<Link*> others(peer_links_.begin(), peer_links_.end());
  others.insert(nics_.begin(), nics_.end());
  others.insert(limits_.begin(), limits_.end());
  for (const auto& [ends, link] : loads_) others.insert(link);
  for (Link* const link : tree->get_impl()->get_all_links()) {
    if (!others.contains(link)) tree_links_.push_back(link);
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
  const std::size_t first = static_cast<std::size_t>(node) * count;
  std::vector<simgrid::kernel::routing::NetPoint*> points;
  std::vector<Link*> out;
  std::vector<Link*> in;
  for (std::size_t i = 0; i < count; ++i) {
    const std::string number = std::to_string(i);
    hosts_[first + i] = zone.create_host(in_node + "device " + number, 1.0);
    limited_[first + i] = zone.create_host(in_node + "limited device " + number, 1.0);
    loaders_[first + i] = zone.create_host(in_node + "loads of device " + number, 1.0);
    limits_[first + i] = zone.create_link(in_node + "limit of " + number, 1.0);
    points.push_back(hosts_[first + i]->get_netpoint());
    if (devices_.links != PeerLinks::kSwitch) continue;
    out.push_back(link(peer_links_, "out of " + number));
    in.push_back(link(peer_links_, "into " + number));
  }
  const auto limited = [&](std::size_t i) { return limited_[first + i]->get_netpoint(); };
  const auto loader = [&](std::size_t i) { return loaders_[first + i]->get_netpoint(); };
  for (std::size_t i = 0; i < count; ++i) {
    for (std::size_t j = 0; j < count; ++j) {
      if (i == j) continue;
      std::vector<LinkInRoute> way;
      if (devices_.links == PeerLinks::kSwitch)
        way = {LinkInRoute(out[i]), LinkInRoute(in[j])};
      else
        way = {LinkInRoute(link(peer_links_, std::to_string(i) + " to " + std::to_string(j)))};
      route(points[i], points[j], way);
      way.emplace_back(add_loads(zone, static_cast<int>(first + j), static_cast<int>(first + i)));
      route(points[i], loader(j), way);
      way.back() = LinkInRoute(limits_[first + i]);
      route(limited(i), points[j], way);
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
    route(limited(i), gateway, {LinkInRoute(limits_[first + i]), LinkInRoute(sends)});
    route(gateway, points[i], {LinkInRoute(receives)});
    route(gateway, loader(i), {LinkInRoute(receives), LinkInRoute(add_loads(zone, static_cast<int>(first + i), kElsewhere))});
  }
  zone.seal();
  return zone;
}

Link* PeerNetwork::add_loads(NetZone& zone, int loader, int source) {
  const std::string called = name_ + " loads of " + std::to_string(loader) + " from " + std::to_string(source);
  return loads_[{loader, source}] = zone.create_link(called, 1.0);
}

Link* PeerNetwork::loads(int loader, int source) const {
  return loads_.at({loader, devices_.node_of(loader) == devices_.node_of(source) ? source : kElsewhere});
}

void PeerNetwork::set_bandwidths(const mechanism::Peers& peers, const mechanism::Network& network) {
  const std::array bandwidths{peers.link_bandwidth, network.nic_bandwidth, network.tree_bandwidth};
  if (std::exchange(bandwidths_, bandwidths) == bandwidths) return;
  for (Link* const link : peer_links_) link->set_bandwidth(bandwidths[0]);
  for (Link* const link : nics_) link->set_bandwidth(bandwidths[1]);
  for (Link* const link : tree_links_) link->set_bandwidth(bandwidths[2]);
}

PeerFlows::PeerFlows(Calendar& calendar, const AsRun& machine, Listener& listener)
    : calendar_(calendar),
      listener_(listener),
      network_(Platform::instance().network(machine)),
      limits_(static_cast<std::size_t>(machine.devices.count())) {}

PeerFlows::~PeerFlows() { Platform::instance().activities().forget(*this); }

void PeerFlows::limit(int device, double change) {
  double& limit = limits_[static_cast<std::size_t>(device)];
  limit += change;
  constexpr double kLeast = 1e-6;  // bytes/ns; below it nothing is in flight, but for rounding errors of sums
  if (change != 0 && limit > kLeast) network_.limit(device)->set_bandwidth(limit);
}

void PeerFlows::start(std::uint32_t id, int from, int to, double bytes, bool limited) {
  simgrid::s4u::Host* const source = limited ? network_.limited(from) : network_.device(from);
  const simgrid::s4u::CommPtr flow = simgrid::s4u::Comm::sendto_init(source, network_.device(to));
  flow->set_payload_size(static_cast<std::uint64_t>(std::llround(bytes)));
  Platform::instance().activities().start(flow, *this, id);
}

void PeerFlows::activity_ended(std::uint32_t id, double date) {
  calendar_.schedule(calendar_.next_whole(date), EventKind::kCopyEnd, id, *this);
}

}  // namespace tasktwin::sim
