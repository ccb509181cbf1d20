#include "sim/memory/copy_engines.hpp"

#include <algorithm>
#include <limits>

#include "models/cost/body_cost.hpp"
#include "models/machine/interconnect.hpp"

namespace tasktwin::sim {

namespace {

constexpr int kDirections = 3;

std::size_t direction(Operation operation) { return static_cast<std::size_t>(operation) - static_cast<std::size_t>(Operation::kCopyH2d); }

}  // namespace

CopyEngines::CopyEngines(Calendar& calendar, const AsRun& machine, const std::vector<Transfer>& transfers, int device, Listener& listener)
    : calendar_(calendar),
      machine_(machine),
      staging_piece_(static_cast<double>(machine.memory_limits.staging)),
      transfers_(transfers),
      device_(device),
      listener_(listener),
      links_(calendar, machine, device, *this),
      engines_(machine.memory_limits.copy_engines) {
  if (machine.devices.count() > 1) peers_.emplace(calendar, machine, static_cast<PeerFlows::Listener&>(*this));
  for (int i = 0; i < kDirections; ++i) {
    lines_[static_cast<std::size_t>(i)].engines = engines_ == 0            ? std::numeric_limits<int>::max()
                                                  : engines_ < kDirections ? 1
                                                                           : (engines_ - i + kDirections - 1) / kDirections;
  }
}

CopyEngines::Line& CopyEngines::line(Operation operation) {
  const std::size_t way = direction(operation);
  if (operation == Operation::kMemset || engines_ == 0 || engines_ >= kDirections) return lines_[way];
  return lines_[way % static_cast<std::size_t>(engines_)];
}

void CopyEngines::arrive(std::uint32_t launch, bool turns, TimePoint now) {
  Line& line = this->line(transfers_[launch].operation);
  if (line.busy < line.engines) {
    ++line.busy;
    take({launch, turns}, now);
  } else {
    line.waiting.push_back({launch, turns});
  }
}

void CopyEngines::take(Waiting next, TimePoint now) {
  const auto [launch, turns] = next;
  const Transfer& transfer = transfers_[launch];
  if (turns) now += round_ns(machine_.copies->engine_gap);
  Nanoseconds setup = transfer.operation == Operation::kMemset ? Nanoseconds{0} : machine_.copies->setup;
  if (transfer.peer >= 0) setup = machine_.peers->copy_setup + route(machine_, device_, transfer.peer).latency;
  if (transfer.pageable) {
    const double piece = std::min(static_cast<double>(transfer.bytes.count), staging_piece_);
    setup += Nanoseconds{piece / transfer_rate(machine_, transfer.operation, false)};
  }
  if (transfer.captured) setup = Nanoseconds{0};
  if (transfer.time > Duration{0}) setup = Nanoseconds{transfer.time};
  listener_.copy_started(launch, now);
  calendar_.schedule(now + round_ns(setup), EventKind::kCopyMoves, launch, *this);
}

void CopyEngines::handle(EventKind /*kind*/, std::uint32_t launch, TimePoint now) {
  const Transfer& transfer = transfers_[launch];
  if (transfer.bytes.count == 0 || transfer.time > Duration{0}) return end(launch, now);
  moving(transfer, 1, now);
  if (transfer.peer >= 0) return peers_->start(launch, device_, transfer.peer, static_cast<double>(transfer.bytes.count));
  links_.start(launch, transfer.operation, transfer.pageable, transfer.bytes);
}

void CopyEngines::flow_ended(std::uint32_t launch, TimePoint now) {
  moving(transfers_[launch], -1, now);
  end(launch, now);
}

void CopyEngines::end(std::uint32_t launch, TimePoint now) {
  Line& line = this->line(transfers_[launch].operation);
  if (line.waiting.empty()) {
    --line.busy;
  } else {
    take(line.waiting.front(), now);
    line.waiting.pop_front();
  }
  listener_.copy_ended(launch, now);
}

/// All flows of one direction together fill its link, or staging; both directions to the host together no more than duplex.
void CopyEngines::moving(const Transfer& transfer, int change, TimePoint now) {
  if (transfer.captured) return;
  (transfer.pageable ? trickling_ : moving_)[direction(transfer.operation)] += change;
  std::array<double, 4> traffic{};
  for (std::size_t way = 0; way < traffic.size(); ++way) {
    const auto operation = static_cast<Operation>(way + static_cast<std::size_t>(Operation::kCopyH2d));
    if (moving_[way] > 0) {
      traffic[way] = transfer_rate(machine_, operation, false);
    } else if (trickling_[way] > 0) {
      traffic[way] = transfer_rate(machine_, operation, true);
    }
  }
  const double host = traffic[0] + traffic[1];
  const double moved =
      (host > 0 && machine_.links->duplex_bandwidth > 0 ? std::min(host, machine_.links->duplex_bandwidth) : host) + traffic[2];
  listener_.traffic_changed(device_, machine_.copies->traffic * moved + traffic[3], now);
}

}  // namespace tasktwin::sim
