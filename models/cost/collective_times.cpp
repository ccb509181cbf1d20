#include "models/cost/collective_times.hpp"

#include <algorithm>
#include <vector>

namespace tasktwin {

namespace {

constexpr double kSmall = 64 << 10;        ///< up to here bytes hardly count: what more ranks take longer is steps
constexpr std::int64_t kLarge = 16 << 20;  ///< from here on steps hardly count

/// What the last step may cost over what a step that also sends does where measurements tell; else kReceiveShare.
constexpr double kLeastReceived = 0.2;
constexpr double kMostReceived = 1;

/// NCCL's own figures for its NVLS on Hopper (tuning.cc): what it adds to the latency, and its part of what a ring gets of a link.
constexpr Nanoseconds kMulticastLatency{25000};
constexpr double kMulticastPart = 0.85;

bool sends_by_pairs(Operation kind) { return kind == Operation::kAllToAll; }

/// Whether each rank sends one n-th of the bytes in each round.
bool sends_in_parts(Operation kind) {
  return kind == Operation::kAllReduce || kind == Operation::kAllGather || kind == Operation::kReduceScatter || sends_by_pairs(kind);
}

double rounds_of(Operation kind, int ranks) { return (kind == Operation::kAllReduce ? 2.0 : 1.0) * (ranks - 1); }

double ns_of(const CollectiveTimes& table, double bytes) { return tabled_time(table, bytes).count(); }

double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::ranges::nth_element(values, middle);
  return *middle;
}

bool in_one_node(const Machine& machine, const Collective& c) {
  return machine.devices.node_of(c.devices.front()) == machine.devices.node_of(c.devices.back());
}

bool can_multicast(const Machine& machine, const Collective& c) {
  return machine.devices.multicast && c.kind == Operation::kAllReduce && c.devices.size() > 2;
}

/// Of its kind and way of launching, by ranks.
std::vector<const CollectiveTimes*> tables_of(const Machine& machine, Operation kind, bool in_graph) {
  std::vector<const CollectiveTimes*> tables;
  for (const CollectiveTimes& times : machine.collective_times) {
    if (times.kind == kind && times.in_graph == in_graph && !times.points.empty()) tables.push_back(&times);
  }
  std::ranges::sort(tables, {}, &CollectiveTimes::ranks);
  return tables;
}

double ring_ns(const Machine& machine) { return 1 / (machine.collectives->efficiency * machine.peers->link_bandwidth); }

/// What its bytes need of the links at all of their bandwidth.
Nanoseconds on_links(const Machine& machine, const Collective& c) {
  const Nanoseconds ring = busiest_way(machine, c);
  if (!can_multicast(machine, c)) return ring;
  const double moved = multicast_bytes(static_cast<double>(c.bytes), static_cast<int>(c.devices.size()));
  return std::min(ring, Nanoseconds{moved / machine.peers->link_bandwidth});
}

/// Without any table.
Nanoseconds multicast_alone(const Machine& machine, const Collective& c) {
  const double moved = multicast_bytes(static_cast<double>(c.bytes), static_cast<int>(c.devices.size()));
  return machine.collectives->latency + kMulticastLatency + Nanoseconds{moved * ring_ns(machine) / kMulticastPart};
}

}  // namespace

double message_ns(const Machine& machine, bool in_graph) {
  const std::vector<const CollectiveTimes*> tables = tables_of(machine, Operation::kSendRecv, in_graph);
  if (tables.empty() || tables.front()->points.size() < 2) return 0;
  const CollectiveTimes::Point& last = tables.front()->points.back();
  const CollectiveTimes::Point& before = *(tables.front()->points.end() - 2);
  return before.bytes < kLarge ? 0 : (last.time_ns - before.time_ns) / static_cast<double>(last.bytes - before.bytes);
}

Nanoseconds tabled_time(const CollectiveTimes& table, double bytes) {
  const std::vector<CollectiveTimes::Point>& points = table.points;
  if (bytes <= static_cast<double>(points.front().bytes) || points.size() == 1) return Nanoseconds{points.front().time_ns};
  std::size_t after = 1;
  while (after + 1 < points.size() && static_cast<double>(points[after].bytes) < bytes) ++after;
  const CollectiveTimes::Point& low = points[after - 1];
  const CollectiveTimes::Point& high = points[after];
  if (bytes > static_cast<double>(high.bytes) && high.time_ns < low.time_ns) return Nanoseconds{high.time_ns};  // more bytes save no time
  const double part = (bytes - static_cast<double>(low.bytes)) / static_cast<double>(high.bytes - low.bytes);
  return Nanoseconds{std::max(0.0, low.time_ns + part * (high.time_ns - low.time_ns))};
}

bool ends_before(const CollectiveTimes& table, std::int64_t bytes) {
  const std::vector<CollectiveTimes::Point>& points = table.points;
  if (bytes <= points.back().bytes) return false;
  return points.back().bytes < kLarge || points.size() < 2 || points.back().time_ns <= (points.end() - 2)->time_ns;
}

CollectiveLaw::CollectiveLaw(const Machine& machine, const Collective& collective, const CollectiveTimes* few, const CollectiveTimes& many,
                             bool in_graph)
    : what_(collective),
      few_(few),
      many_(many),
      ranks_(static_cast<int>(collective.devices.size())),
      bytes_(static_cast<double>(collective.bytes)),
      pace_(stated_pace(machine, in_graph)) {
  if (few_ != nullptr) pace_ = measured_pace(pace_);
}

double CollectiveLaw::rounds(int ranks) const { return rounds_of(what_.kind, ranks); }

double CollectiveLaw::of_bytes(int ranks) const { return bytes_ / ranks * (pace_.send * rounds(ranks) + pace_.receive); }

/// By the machine's constants, its messages and the largest size of the table: whichever splits the latter's bytes as may be.
RingPace CollectiveLaw::stated_pace(const Machine& machine, bool in_graph) const {
  RingPace pace;
  const Nanoseconds steps = collective_latency(machine, what_, false) - machine.collectives->latency;
  pace.step = std::max(0.0, steps.count()) / (sends_by_pairs(what_.kind) ? 1 : rounds(ranks_));
  const double message = message_ns(machine, in_graph);
  const CollectiveTimes::Point& largest = many_.points.back();
  if (largest.bytes < kLarge || !sends_in_parts(what_.kind)) {
    pace.send = message > 0 ? message : ring_ns(machine);
    pace.receive = kReceiveShare * pace.send;
    return pace;
  }
  const double whole = many_.ranks * largest.time_ns / static_cast<double>(largest.bytes);
  for (const double send : {message, ring_ns(machine), whole / (rounds(many_.ranks) + kReceiveShare)}) {
    pace.send = send;
    pace.receive = whole - rounds(many_.ranks) * send;
    if (send > 0 && pace.receive >= kLeastReceived * send && pace.receive <= kMostReceived * send) break;
  }
  return pace;
}

/// By the sizes that both tables have, up to kSmall for the steps and the largest for the bytes; else as `stated`.
RingPace CollectiveLaw::measured_pace(const RingPace& stated) const {
  RingPace pace = stated;
  const double further = rounds(many_.ranks) - rounds(few_->ranks);
  std::vector<double> steps;
  std::int64_t largest = 0;
  for (const CollectiveTimes::Point& point : many_.points) {
    if (std::ranges::find(few_->points, point.bytes, &CollectiveTimes::Point::bytes) == few_->points.end()) continue;
    const auto bytes = static_cast<double>(point.bytes);
    if (bytes <= kSmall) steps.push_back((point.time_ns - ns_of(*few_, bytes)) / further);
    largest = std::max(largest, point.bytes);
  }
  if (!steps.empty()) pace.step = std::max(0.0, median(std::move(steps)));
  if (largest < kLarge) return pace;
  const auto bytes = static_cast<double>(largest);
  const double of_few = few_->ranks * ns_of(*few_, bytes) / bytes;
  const double send = (many_.ranks * ns_of(many_, bytes) / bytes - of_few) / further;
  if (send > 0) pace = {.step = pace.step, .send = send, .receive = of_few - send * rounds(few_->ranks)};
  return pace;
}

Nanoseconds CollectiveLaw::time() const {
  const double further = rounds(ranks_) - rounds(many_.ranks);
  if (!sends_in_parts(what_.kind)) return Nanoseconds{ns_of(many_, bytes_) + further * pace_.step};
  const double part = bytes_ / ranks_;
  const double same_part = ns_of(many_, part * many_.ranks);
  if (few_ == nullptr && sends_by_pairs(what_.kind)) return Nanoseconds{same_part + further * pace_.send * part};
  const double of_further_bytes = of_bytes(ranks_) - of_bytes(many_.ranks);
  if (few_ == nullptr) return Nanoseconds{ns_of(many_, bytes_) + further * pace_.step + of_further_bytes};
  const double between = rounds(many_.ranks) - rounds(few_->ranks);
  const double step = (ns_of(many_, bytes_) - ns_of(*few_, bytes_) - of_bytes(many_.ranks) + of_bytes(few_->ranks)) / between;
  const double by_size = ns_of(many_, bytes_) + further * std::max(pace_.step, step) + of_further_bytes;
  const double by_part = same_part + further * std::max(0.0, same_part - ns_of(*few_, part * few_->ranks)) / between;
  return Nanoseconds{sends_by_pairs(what_.kind) ? by_part : std::min(by_part, by_size)};
}

Nanoseconds CollectiveLaw::by_multicast() const {
  const double sent = bytes_ / many_.ranks * rounds(many_.ranks) * pace_.send;
  const double rest = std::max(0.0, ns_of(many_, bytes_) - rounds(many_.ranks) * pace_.step - sent);
  return Nanoseconds{rest + multicast_bytes(bytes_, ranks_) * pace_.send / kMulticastPart} + kMulticastLatency;
}

std::optional<Nanoseconds> measured_collective(const Machine& machine, const Collective& collective, bool in_graph) {
  if (collective.algorithm != CollectiveAlgorithm::kAutomatic || !in_one_node(machine, collective)) return std::nullopt;
  const auto ranks = static_cast<int>(collective.devices.size());
  const std::vector<const CollectiveTimes*> tables = tables_of(machine, collective.kind, in_graph);
  const auto above = std::ranges::upper_bound(tables, ranks, {}, &CollectiveTimes::ranks);
  const auto bytes = static_cast<double>(collective.bytes);
  if (above == tables.begin()) {
    if (!can_multicast(machine, collective)) return std::nullopt;
    const Nanoseconds ring =
        collective_latency(machine, collective, in_graph) + busiest_way(machine, collective) / machine.collectives->efficiency;
    return std::min(ring, multicast_alone(machine, collective));
  }
  const CollectiveTimes& many = **(above - 1);
  const Nanoseconds least = ends_before(many, collective.bytes) ? on_links(machine, collective) : Nanoseconds{0};
  if (many.ranks == ranks) return std::max(least, tabled_time(many, bytes));
  if (above != tables.end() && !can_multicast(machine, collective)) {
    const double first = rounds_of(collective.kind, many.ranks);
    const double part = (rounds_of(collective.kind, ranks) - first) / (rounds_of(collective.kind, (*above)->ranks) - first);
    return std::max(least, tabled_time(many, bytes) + part * (tabled_time(**above, bytes) - tabled_time(many, bytes)));
  }
  const CollectiveLaw law(machine, collective, above - 1 == tables.begin() ? nullptr : *(above - 2), many, in_graph);
  return std::max(least, can_multicast(machine, collective) ? std::min(law.time(), law.by_multicast()) : law.time());
}

}  // namespace tasktwin
