#include "sim/streams/launch_waits.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "models/cost/body_cost.hpp"

namespace tasktwin::sim {

namespace {

/// By how much a rank comes after the kernel that follows in the stream of the one that it awaits.
constexpr Duration kRankBehind{1};

bool is_copy(LaunchItem item) { return item == LaunchItem::kCopyH2d || item == LaunchItem::kCopyD2h || item == LaunchItem::kCopyP2p; }

/// Whether `then` is a copy and `first` something that its engine does not do.
bool changes_engine(LaunchItem first, LaunchItem then) { return is_copy(then) && first != then && first != LaunchItem::kMark; }

}  // namespace

int hardware_queues(const LaunchLimits& limits, const Design& design) {
  return design.hardware_queues > 0 ? design.hardware_queues : limits.hardware_queues;
}

std::vector<Duration> drawing_times(const TaskGraph& graph, const Machine& machine, const std::vector<StreamLaunch>& plan) {
  std::vector<Duration> drawing;
  if (machine.streams->loaded_queue <= Nanoseconds{0} || machine.memory->bandwidth <= 0) return drawing;
  for (const StreamLaunch& launch : plan) {
    double bytes = 0;
    if (graph[launch.task].operation == Operation::kKernel) {
      bytes = drawn_bytes(machine, graph, launch.task);
      for (const std::int64_t input : graph.input_bytes(launch.task)) bytes += static_cast<double>(input);
    }
    drawing.push_back(round_ns(Nanoseconds{bytes / machine.memory->bandwidth}));
  }
  return drawing;
}

LaunchWaits::LaunchWaits(Calendar& calendar, const std::vector<StreamLaunch>& plan, WaitRules rules, EventHandler& handler)
    : calendar_(calendar), handler_(handler), rules_(std::move(rules)), launches_(plan.size()) {
  follow_streams(plan);
  const std::uint32_t streams = rules_.streams / rules_.devices;
  const std::uint32_t queues = rules_.queues > 0 ? std::min(rules_.queues, streams) : streams;
  awaiting_in_.resize(std::size_t{queues} * rules_.devices);
  queues_waiting_.resize(rules_.devices);
  for (std::uint32_t i = 0; i < plan.size(); ++i) {
    launches_[i].device = plan[i].device;
    launches_[i].programmatic = plan[i].programmatic;
    launches_[i].queue = plan[i].stream / streams * queues + plan[i].stream % streams % queues;
  }
  if (queues < streams) share_queues(plan);
  set_engines(plan);
  set_gaps(plan);
  await_ends(plan);
}

/// Lets each launch wait for the one before it in its stream.
void LaunchWaits::follow_streams(const std::vector<StreamLaunch>& plan) {
  std::vector<std::uint32_t> last(rules_.streams, kNoLaunch);
  for (std::uint32_t i = 0; i < plan.size(); ++i) {
    const std::uint32_t before = std::exchange(last[plan[i].stream], i);
    if (before == kNoLaunch) continue;
    launches_[before].next_in_stream = i;
    ++launches_[i].all_waits;
  }
}

/// Lets each kernel, and each copy of a direction, wait for the one before it in its hardware queue.
void LaunchWaits::share_queues(const std::vector<StreamLaunch>& plan) {
  constexpr std::size_t kItems = static_cast<std::size_t>(LaunchItem::kHost) + 1;
  std::vector<std::array<std::uint32_t, kItems>> last(awaiting_in_.size());
  for (auto& queue : last) queue.fill(kNoLaunch);
  for (std::uint32_t i = 0; i < plan.size(); ++i) {
    const LaunchItem what = item(i) == LaunchItem::kRank ? LaunchItem::kKernel : item(i);
    if (what == LaunchItem::kMark || what == LaunchItem::kHost) continue;
    const std::uint32_t before = std::exchange(last[launches_[i].queue][static_cast<std::size_t>(what)], i);
    if (before == kNoLaunch) continue;
    launches_[before].next_in_queue = i;
    ++launches_[i].all_waits;
  }
}

Duration LaunchWaits::gap(LaunchItem first, LaunchItem then, bool programmatic) const {
  if (then == LaunchItem::kMark || then == LaunchItem::kHost) return Duration{0};
  if (is_copy(then)) return first != then ? Duration{0} : then == LaunchItem::kCopyP2p ? rules_.peer_gap : rules_.copy_gap;
  if (is_copy(first)) return rules_.engine_gap;
  return programmatic ? rules_.programmatic_gap : rules_.stream_gap;
}

Duration LaunchWaits::event_gap(std::uint32_t first, std::uint32_t then, TimePoint now) const {
  if (in_one_graph(first, then)) return node_gap(first, then);
  const LaunchItem what = item(then);
  if (launches_[first].device != launches_[then].device) {
    if (what == LaunchItem::kHost) return Duration{0};
    return is_copy(launches_[first].engine) && !is_copy(what) ? rules_.copy_hop : rules_.event_hop;
  }
  if (what == LaunchItem::kMark || what == LaunchItem::kHost || changes_engine(launches_[first].engine, what)) return Duration{0};
  if (!is_copy(what) && is_copy(launches_[first].engine)) return rules_.engine_gap;
  const Duration gap = rules_.event_gap + behind_others(first, then, now);
  return what == LaunchItem::kRank && item(first) == LaunchItem::kKernel ? std::max(gap, rules_.stream_gap + kRankBehind) : gap;
}

bool LaunchWaits::in_one_graph(std::uint32_t first, std::uint32_t then) const {
  return !rules_.graphs.empty() && rules_.graphs[first] != 0 && rules_.graphs[first] == rules_.graphs[then];
}

Duration LaunchWaits::node_gap(std::uint32_t first, std::uint32_t then) const {
  const auto is_memset = [this](std::uint32_t launch) { return !rules_.memsets.empty() && rules_.memsets[launch]; };
  return is_memset(first) && !is_memset(then) ? rules_.memset_gap : rules_.graph_gap;
}

void LaunchWaits::set_engines(const std::vector<StreamLaunch>& plan) {
  std::vector<LaunchItem> last(rules_.streams, LaunchItem::kMark);
  for (std::uint32_t i = 0; i < plan.size(); ++i) {
    LaunchItem& before = last[plan[i].stream];
    launches_[i].other_engine = changes_engine(before, item(i));
    if (item(i) != LaunchItem::kMark) before = item(i);
    launches_[i].engine = before;
  }
}

void LaunchWaits::set_gaps(const std::vector<StreamLaunch>& plan) {
  for (std::uint32_t i = 0; i < plan.size(); ++i) {
    const std::uint32_t next = launches_[i].next_in_stream;
    if (next == kNoLaunch) continue;
    launches_[i].gap = in_one_graph(i, next) ? node_gap(i, next) : gap(launches_[i].engine, item(next), plan[next].programmatic);
    if (plan[i].records_event) launches_[i].gap += rules_.function_latency;
  }
}

void LaunchWaits::await_ends(const std::vector<StreamLaunch>& plan) {
  std::vector<std::pair<std::uint32_t, std::uint32_t>> pairs;
  if (rules_.awaits) pairs = awaited_pairs(plan);
  if (rules_.barrier) {
    std::vector<std::uint32_t> last(rules_.streams, kNoLaunch);
    for (std::uint32_t i = 0; i < plan.size(); ++i) {
      if (plan[i].stream == 0) {
        for (std::uint32_t stream = 1; stream < last.size(); ++stream) {
          if (last[stream] != kNoLaunch) pairs.emplace_back(last[stream], i);
        }
      } else if (last[0] != kNoLaunch) {
        pairs.emplace_back(last[0], i);
      }
      last[plan[i].stream] = i;
    }
  }
  for (const auto& [first, then] : pairs) {
    ++launches_[then].all_waits;
    if (!in_one_graph(first, then)) ++launches_[then].all_events;
    launches_[then].other_engine |= changes_engine(launches_[first].engine, item(then));
  }
  awaiting_ = Followers(plan.size(), pairs);
}

void LaunchWaits::begin(TimePoint gate) {
  for (Launch& launch : launches_) {
    launch.startable = launch.comes = gate;
    launch.waits = launch.comes_after = launch.all_waits;
    launch.events = launch.all_events;
    launch.held = launch.awaits = false;
  }
  std::ranges::fill(awaiting_in_, 0);
  std::ranges::fill(queues_waiting_, 0);
}

void LaunchWaits::launched(std::uint32_t launch, TimePoint begin) {
  const LaunchItem what = item(launch);
  const Duration latency = what == LaunchItem::kMark      ? Duration{0}
                           : what == LaunchItem::kCopyP2p ? rules_.peer_latency
                           : is_copy(what)                ? rules_.copy_latency
                                                          : rules_.latency;
  launches_[launch].held = launches_[launch].waits > 1;
  if (launches_[launch].events > 0) {
    launches_[launch].awaits = true;
    if (awaiting_in_[launches_[launch].queue]++ == 0) ++queues_waiting_[static_cast<std::size_t>(launches_[launch].device)];
  }
  signal_coming(launch, begin + latency);
  signal(launch, begin + latency);
}

void LaunchWaits::handed_over(std::uint32_t launch, TimePoint now) {
  const std::uint32_t next = launches_[launch].next_in_queue;
  if (next == kNoLaunch) return;
  signal_coming(next, now);
  signal(next, now);
}

void LaunchWaits::triggered(std::uint32_t launch, TimePoint now) { signal_coming(launches_[launch].next_in_stream, now); }

void LaunchWaits::ended(std::uint32_t id, TimePoint now) {
  const Launch& launch = launches_[id];
  if (launch.next_in_stream != kNoLaunch) signal(launch.next_in_stream, now + launch.gap);
  for (const std::uint32_t awaiting : awaiting_[id]) {
    const Duration gap = event_gap(id, awaiting, now);
    if (!in_one_graph(id, awaiting)) event_came(launches_[awaiting]);
    signal(awaiting, now + gap);
  }
}

Duration LaunchWaits::behind_others(std::uint32_t first, std::uint32_t then, TimePoint now) const {
  constexpr std::uint32_t kSideBySide = 2;
  if (!launches_[then].awaits) return Duration{0};
  const std::uint32_t waiting = queues_waiting_[static_cast<std::size_t>(launches_[then].device)];
  const Nanoseconds look = rules_.waiting_queue + drawn_share(first, now) * rules_.loaded_queue;
  return round_ns(static_cast<double>(waiting - 1) * look + (waiting > kSideBySide ? rules_.queue_turns : Nanoseconds{0}));
}

double LaunchWaits::drawn_share(std::uint32_t launch, TimePoint ended) const {
  if (rules_.drawing.empty() || rules_.drawing[launch] <= Duration{0}) return 0;
  const Duration ran = std::max(ended - launches_[launch].begun, Duration{1});
  return std::min(1.0, static_cast<double>(rules_.drawing[launch].count()) / static_cast<double>(ran.count()));
}

void LaunchWaits::event_came(Launch& launch) {
  if (--launch.events > 0 || !launch.awaits) return;
  launch.awaits = false;
  if (--awaiting_in_[launch.queue] == 0) --queues_waiting_[static_cast<std::size_t>(launch.device)];
}

void LaunchWaits::signal_coming(std::uint32_t id, TimePoint at) {
  Launch& launch = launches_[id];
  if (!launch.programmatic) return;
  launch.comes = std::max(launch.comes, at);
  if (--launch.comes_after == 0) calendar_.schedule(launch.comes, EventKind::kComes, id, handler_);
}

void LaunchWaits::signal(std::uint32_t id, TimePoint at) {
  Launch& launch = launches_[id];
  launch.startable = std::max(launch.startable, at);
  if (--launch.waits > 0) return;
  calendar_.schedule(launch.startable, EventKind::kStartable, id, handler_);
}

}  // namespace tasktwin::sim
