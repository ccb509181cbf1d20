#include <algorithm>
#include <optional>
#include <set>

#include "models/body_cost.hpp"
#include "tests/oracles/fluid.hpp"
#include "tests/oracles/pipeline.hpp"
#include "tests/oracles/simulation.hpp"

namespace tasktwin::oracles {

namespace {

class Reference {
 public:
  Reference(const TaskGraph& graph, const Machine& machine, const Design& design, std::uint64_t seed)
      : graph_(graph),
        machine_(machine),
        c_(machine.constants),
        order_(graph.topological_order()),
        streams_(static_cast<std::size_t>(design.streams)),
        seed_(seed),
        fluid_(c_.memory_bandwidth, c_.core_bandwidth),
        cores_(worker_cores(design, machine)),
        free_again_(graph.size(), false) {
    timeline_.tasks.resize(graph.size());
    for (std::size_t stream = 0; stream < streams_; ++stream) {
      timeline_.cores.push_back(stream < order_.size() ? graph[order_[stream]].core_type : machine.compute_cores.front().type);
    }
  }

  Timeline run() {
    launch_all();
    for (TimePoint now{}; !all_ended(now); now += Duration{1}) {
      check_clock(now);
      if (now > TimePoint{}) pass(now);
      while (act(now)) {
      }
    }
    for (std::size_t i = 0; i < graph_.size(); ++i) {
      TimePoint& ready = timeline_.tasks[i].ready = TimePoint{};
      for (const TaskId predecessor : graph_.predecessors(task_id(i))) ready = std::max(ready, times(predecessor).ended);
    }
    return timeline_;
  }

 private:
  TaskTimes& times(TaskId task) { return timeline_.tasks[index(task)]; }
  std::size_t place(TaskId task) const { return static_cast<std::size_t>(std::ranges::find(order_, task) - order_.begin()); }
  std::size_t stream(TaskId task) const { return place(task) % streams_; }
  bool ended_by(TaskId task, TimePoint now) const {
    const TimePoint end = timeline_.tasks[index(task)].ended;
    return is_present(end) && end <= now;
  }
  bool all_ended(TimePoint now) const {
    return std::ranges::all_of(order_, [this, now](TaskId task) { return ended_by(task, now); });
  }

  /// The predecessors that `task` waits for by event: the last in each other stream.
  std::set<std::size_t> awaited(TaskId task) const {
    std::set<std::size_t> places;
    for (std::size_t s = 0; s < streams_; ++s) {
      std::optional<std::size_t> last;
      for (const TaskId predecessor : graph_.predecessors(task)) {
        if (stream(predecessor) == s && s != stream(task)) last = std::max(last.value_or(0), place(predecessor));
      }
      if (last) places.insert(*last);
    }
    return places;
  }

  void launch_all() {
    TimePoint host{};
    for (const TaskId task : order_) {
      const bool record = std::ranges::any_of(graph_.successors(task), [&](TaskId s) { return stream(s) != stream(task); });
      const Nanoseconds waits = static_cast<double>(awaited(task).size()) * c_.stream_wait;
      launch_begins_.push_back(host + round_ns(waits));
      times(task).dispatched = host + round_ns(waits + c_.launch);
      times(task).core = core_id(stream(task));
      host += round_ns(waits + c_.launch + (record ? c_.event_record : Nanoseconds{0}));
    }
    timeline_.dispatchers.resize(1);
    if (host > TimePoint{}) timeline_.dispatchers[0].push_back({TimePoint{}, host});
  }

  /// When the kernel at `place` may start; nullopt while one that it waits for has not ended.
  std::optional<TimePoint> startable(std::size_t place, TimePoint now) {
    TimePoint at = launch_begins_[place] + round_ns(c_.launch_latency);
    if (place >= streams_) {
      const TaskId before = order_[place - streams_];
      if (!ended_by(before, now)) return std::nullopt;
      at = std::max(at, times(before).ended + round_ns(c_.stream_gap));
    }
    for (const std::size_t other : awaited(order_[place])) {
      if (!ended_by(order_[other], now)) return std::nullopt;
      at = std::max(at, times(order_[other]).ended + round_ns(c_.event_gap));
    }
    return at;
  }

  /// Ends one kernel, else starts one: the one that could start first, of those the one launched first.
  bool act(TimePoint now) {
    for (std::size_t i = 0; i < graph_.size(); ++i) {
      if (free_again_[i] || !ended_by(task_id(i), now)) continue;
      return free_again_[i] = true;
    }
    std::optional<std::pair<TimePoint, std::size_t>> first;
    for (std::size_t p = 0; p < order_.size(); ++p) {
      if (is_present(times(order_[p]).started)) continue;
      const std::optional<TimePoint> at = startable(p, now);
      if (!at || *at > now || running(graph_[order_[p]].core_type) == std::ranges::count(cores_, graph_[order_[p]].core_type)) continue;
      if (!first || std::pair(*at, p) < *first) first = {*at, p};
    }
    if (!first) return false;
    start(order_[first->second], now);
    return true;
  }

  std::ptrdiff_t running(CoreType type) {
    return std::ranges::count_if(order_, [&](TaskId task) {
      return graph_[task].core_type == type && is_present(times(task).started) && !free_again_[index(task)];
    });
  }

  void start(TaskId task, TimePoint now) {
    const BodyCost cost = body_cost(machine_, graph_[task], task, seed_);
    times(task).started = now;
    if (cost.bytes.count > 0 && c_.memory_bandwidth > 0 && c_.core_bandwidth > 0) {
      fluid_.add(index(task), static_cast<double>(cost.bytes.count));
    } else {
      times(task).ended = now + cost.fixed + cost.overhead;
    }
  }

  void pass(TimePoint now) {
    for (const std::size_t flow : fluid_.pass()) {
      const BodyCost cost = body_cost(machine_, graph_[task_id(flow)], task_id(flow), seed_);
      timeline_.tasks[flow].ended = std::max(now, timeline_.tasks[flow].started + cost.fixed) + cost.overhead;
    }
  }

  const TaskGraph& graph_;
  const Machine& machine_;
  const Constants& c_;
  const std::vector<TaskId>& order_;
  std::size_t streams_;
  std::uint64_t seed_;
  Fluid fluid_;
  std::vector<CoreType> cores_;
  std::vector<bool> free_again_;  ///< the kernel has ended and given its core back
  std::vector<TimePoint> launch_begins_;
  Timeline timeline_;
};

}  // namespace

Timeline simulate_streams(const TaskGraph& graph, const Machine& machine, const Design& design, std::uint64_t seed) {
  return Reference(graph, machine, design, seed).run();
}

}  // namespace tasktwin::oracles
