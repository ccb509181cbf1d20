#include "sim/engine/platform.hpp"

#include <algorithm>
#include <chrono>
#include <csignal>
#include <initializer_list>
#include <iterator>
#include <map>
#include <string>

#include <simgrid/kernel/routing/NetZoneImpl.hpp>
#include <simgrid/s4u/Host.hpp>
#include <simgrid/s4u/NetZone.hpp>

#include "models/base/error.hpp"

namespace simgrid::kernel::context {

/// The library exports these, but the headers that it comes with do not have the class.
class XBT_PUBLIC Context {
 public:
  static Context* self();
  static void set_current(Context* self);
};

}  // namespace simgrid::kernel::context

namespace tasktwin::sim {

using simgrid::kernel::context::Context;

namespace {

constexpr std::chrono::milliseconds kBetweenQuestions{50};

/// The engine takes these over, to end the process with an unwanted report; they stay as the program had them.
class KeptSignals {
 public:
  KeptSignals() {
    for (const int signal : {SIGINT, SIGSEGV, SIGBUS}) ::sigaction(signal, nullptr, &actions_[signal]);
  }
  ~KeptSignals() {
    for (const auto& [signal, action] : actions_) ::sigaction(signal, &action, nullptr);
  }
  KeptSignals(const KeptSignals&) = delete;
  KeptSignals& operator=(const KeptSignals&) = delete;

 private:
  std::map<int, struct sigaction> actions_;
};

}  // namespace

Platform::Turn::Turn(Platform& platform, const std::function<bool()>& interrupted)
    : platform_(platform), lock_(platform.mutex_, std::defer_lock) {
  if (platform.taken_by_ == std::this_thread::get_id()) throw RunError("a simulation cannot start another before it has ended");
  while (!lock_.try_lock_for(kBetweenQuestions)) {
    if (interrupted && interrupted()) throw RunError("the simulation was interrupted");
  }
  platform.taken_by_ = std::this_thread::get_id();
  before_ = Context::self();
  Context::set_current(platform.context_);
}

Platform::Turn::~Turn() {
  Context::set_current(before_);
  platform_.taken_by_ = std::thread::id{};
}

Platform& Platform::instance() {
  static Platform platform;
  return platform;
}

Platform::Platform() {
  using simgrid::s4u::Engine;
  if (Engine::is_initialized())
    throw RunError(
        "this process has an engine of SimGrid already, and can have only one; another copy of tasktwin's libraries may be in it");
  {
    const KeptSignals kept;
    engine_ = std::make_unique<Engine>("tasktwin");
    context_ = Context::self();
  }
  // A second of the engine is a nanosecond: dates less than this apart are one date. Network: bandwidth and latency unscaled.
  Engine::set_config("surf/precision", 1e-5);
  Engine::set_config("network/model", std::string("CM02"));
  Engine::set_config("network/crosstraffic", false);
  Engine::set_config("network/TCP-gamma", 0.0);

  zone_ = simgrid::s4u::create_full_zone("machine");
  host_links_.push_back(make_links(*zone_, ""));
  shared_memory_ = zone_->create_host("shared memory", 1.0);
  zone_->seal();
  activities_ = std::make_unique<Activities>();
  calendar_ = std::make_shared<Calendar>();
  engine_->add_model(calendar_);
}

Platform::HostLinks Platform::make_links(simgrid::s4u::NetZone& zone, const std::string& suffix) {
  constexpr std::array<const char*, kLinkEndCount> kEnds{"host", "pageable memory", "device", "peer", "zeroes"};
  constexpr std::array<const char*, kLinkCount> kLinks{"h2d", "d2h", "duplex", "p2p", "staging", "memset"};
  HostLinks made;
  for (std::size_t i = 0; i < kEnds.size(); ++i) made.ends[i] = zone.create_host(kEnds[i] + suffix, 1.0);
  for (std::size_t i = 0; i < kLinks.size(); ++i) made.links[i] = zone.create_link(kLinks[i] + suffix, 1.0);
  const auto route = [&](LinkEnd from, LinkEnd to, std::initializer_list<LinkName> links) {
    std::vector<simgrid::s4u::LinkInRoute> way;
    for (const LinkName name : links) way.emplace_back(made.links[static_cast<std::size_t>(name)]);
    zone.add_route(made.ends[static_cast<std::size_t>(from)]->get_netpoint(), made.ends[static_cast<std::size_t>(to)]->get_netpoint(),
                   nullptr, nullptr, way, false);
  };
  using enum LinkName;
  route(LinkEnd::kPinnedMemory, LinkEnd::kDevice, {kH2d, kDuplex});
  route(LinkEnd::kDevice, LinkEnd::kPinnedMemory, {kD2h, kDuplex});
  route(LinkEnd::kPageableMemory, LinkEnd::kDevice, {kStaging, kH2d, kDuplex});
  route(LinkEnd::kDevice, LinkEnd::kPageableMemory, {kD2h, kDuplex, kStaging});
  route(LinkEnd::kDevice, LinkEnd::kPeer, {kP2p});
  route(LinkEnd::kZeroes, LinkEnd::kDevice, {kMemset});
  return made;
}

void Platform::have_devices(int count) {
  while (host_links_.size() < static_cast<std::size_t>(count)) {
    const std::string suffix = " of device " + std::to_string(host_links_.size());
    simgrid::s4u::NetZone& zone = zone_beside(*zone_, "machine" + suffix);
    host_links_.push_back(make_links(zone, suffix));
    zone.seal();
  }
}

PeerNetwork& Platform::network(const AsRun& machine) {
  const Devices& devices = machine.devices;
  auto found = std::ranges::find(networks_, devices, &std::pair<Devices, std::unique_ptr<PeerNetwork>>::first);
  if (found == networks_.end()) {
    const std::string name = "network " + std::to_string(networks_.size());
    networks_.emplace_back(devices, std::make_unique<PeerNetwork>(devices, *zone_, name));
    found = std::prev(networks_.end());
  }
  found->second->set_bandwidths(*machine.peers, machine.network.or_zero_unless(devices.nodes > 1));
  return *found->second;
}

double Platform::run() {
  const auto begin = std::chrono::steady_clock::now();
  try {
    engine_->run();
  } catch (...) {
    activities_->cancel_all();
    throw;
  }
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

}  // namespace tasktwin::sim
