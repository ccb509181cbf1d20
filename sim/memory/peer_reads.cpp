#include "sim/memory/peer_reads.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include <simgrid/s4u/Comm.hpp>
#include <simgrid/s4u/Engine.hpp>

#include "models/machine/interconnect.hpp"
#include "sim/engine/platform.hpp"

namespace tasktwin::sim {

namespace {

/// Of clocks, in ns: an end so little past one is at it.
constexpr double kAtOnce = 1e-6;

}  // namespace

PeerReads::PeerReads(Calendar& calendar, const AsRun& machine, int device, Listener& listener)
    : calendar_(calendar), machine_(machine), device_(device), listener_(listener), network_(Platform::instance().network(machine)) {}

PeerReads::~PeerReads() { Platform::instance().activities().forget(*this); }

void PeerReads::start(std::uint32_t block, const std::map<int, std::int64_t>& bytes, int blocks, TimePoint now) {
  const double rate = peer_read_rate(machine_.constants(), blocks);
  double all = 0;
  for (const auto& [source, count] : bytes) all += static_cast<double>(count);
  for (const auto& [source, count] : bytes) {
    const auto own = static_cast<double>(count);
    start(block, source, own / blocks, rate * own / all, now);
  }
}

void PeerReads::start(std::uint32_t block, int source, double bytes, double rate, TimePoint now) {
  Flow& flow = flows_[source];
  interrupt(flow);
  flow.reads.push_back({flow.clock + bytes / rate, rate, block});
  if (!flow.pausing) pause(source, flow, 0, now);
}

/// The clock is as it should be now, and nothing is in flight.
void PeerReads::interrupt(Flow& flow) {
  if (!flow.in_flight) return;
  flow.clock += (flow.next - flow.clock) * (1 - flow.in_flight->get_remaining() / flow.payload);
  Platform::instance().activities().cancel(flow.in_flight);
  flow.in_flight = nullptr;
}

void PeerReads::pause(int source, Flow& flow, double pace, TimePoint until) {
  flow.pausing = true;
  flow.since = simgrid::s4u::Engine::get_clock();
  flow.pace = pace;
  calendar_.schedule(until, EventKind::kReadEnd, static_cast<std::uint32_t>(source), *this);
}

/// Puts in flight what all read until the first of them ends. Contract: nothing is in flight.
void PeerReads::go_on(int source, Flow& flow) {
  if (flow.reads.empty()) {
    flow.clock = 0;
    return;
  }
  flow.next = std::ranges::min(flow.reads, {}, &Read::end).end;
  flow.rates = std::accumulate(flow.reads.begin(), flow.reads.end(), 0.0, [](double sum, const Read& read) { return sum + read.rate; });
  const std::uint64_t bytes = std::max<std::int64_t>(1, std::llround((flow.next - flow.clock) * flow.rates));
  flow.payload = static_cast<double>(bytes);
  flow.begun = simgrid::s4u::Engine::get_clock();
  network_.loads(device_, source)->set_bandwidth(std::min(flow.rates, machine_.peers->read_bandwidth));
  const simgrid::s4u::CommPtr moving = simgrid::s4u::Comm::sendto_init(network_.device(source), network_.loader(device_));
  moving->set_payload_size(bytes);
  flow.in_flight = moving;
  Platform::instance().activities().start(moving, *this, static_cast<std::uint32_t>(source));
}

void PeerReads::activity_ended(std::uint32_t source, double date) {
  Flow& flow = flows_[static_cast<int>(source)];
  const double pace = date > flow.begun ? (flow.next - flow.clock) / (date - flow.begun) : 0;
  flow.in_flight = nullptr;
  flow.clock = flow.next;
  pause(static_cast<int>(source), flow, std::min(1.0, pace), calendar_.next_whole(date));
}

void PeerReads::handle(EventKind /*kind*/, std::uint32_t source, TimePoint now) {
  Flow& flow = flows_[static_cast<int>(source)];
  flow.clock += std::max(0.0, simgrid::s4u::Engine::get_clock() - flow.since) * flow.pace;
  std::vector<std::uint32_t> through;
  std::erase_if(flow.reads, [&](const Read& read) {
    if (read.end > flow.clock + kAtOnce) return false;
    through.push_back(read.block);
    return true;
  });
  for (const std::uint32_t block : through) listener_.peer_read_ended(block, now);
  flow.pausing = false;
  go_on(static_cast<int>(source), flow);
}

}  // namespace tasktwin::sim
