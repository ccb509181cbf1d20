#include <algorithm>
#include <deque>
#include <tuple>

#include "models/policies.hpp"
#include "tests/oracles/pipeline.hpp"
#include "tests/oracles/simulation.hpp"

namespace tasktwin::oracles {

namespace {

constexpr std::int64_t rounded_up(std::int64_t items, std::int64_t lanes) { return (items + lanes - 1) / lanes; }

/// What a dispatcher is at.
enum class Stage { kParked, kBegins, kResolves, kHandsOver };

struct Dispatcher {
  Stage stage = Stage::kBegins;
  TimePoint due{};    ///< when the stage is over; while parked, when it parked
  TimePoint began{};  ///< the iteration
  std::vector<TaskId> seen;
  std::vector<TaskId> ready;     ///< the successors it found ready
  std::int64_t direct = 0;       ///< of those, go past the queue
  std::deque<TimePoint> groups;  ///< when a group of them enters it, before the others
  std::size_t entered = 0;       ///< of the successors
  TimePoint pushed = kAbsent;    ///< while parked: when another dispatcher has pushed something for its cores
};

struct Queued {
  TaskId task;
  std::int64_t key;
  std::int64_t arrival;
};

class Reference {
 public:
  Reference(const TaskGraph& graph, const Machine& machine, const Design& design, std::uint64_t seed)
      : graph_(graph),
        c_(machine.constants),
        design_(design),
        lanes_(machine.control_cores.lanes),
        durations_(expected_durations(graph, machine)),
        order_(make_task_order(design.order, {graph, durations_, seed})),
        run_(graph, machine, design, seed),
        dispatchers_(static_cast<std::size_t>(dispatcher_count(design, machine))),
        is_seen_(graph.size(), false),
        told_(graph.size(), 0),
        is_counted_(graph.size(), false) {
    run_.timeline.dispatchers.resize(dispatchers_.size());
    run_.timeline.roles.assign(dispatchers_.size(), ControlRole::kScheduler);
  }

  Timeline run() {
    for (std::size_t i = 0; i < graph_.size(); ++i) {
      if (graph_.in_degree(task_id(i)) == 0) push(task_id(i), TimePoint{});
    }
    for (TimePoint now{};; now += Duration{1}) {
      check_clock(now);
      if (now > TimePoint{}) run_.pass(now);
      while (act(now)) run_.settle(now);
      if (done()) break;
    }
    Timeline& timeline = run_.timeline;
    timeline.ready_queue = count_queue(timeline.tasks);
    timeline.stopped = std::max(TimePoint{} + timeline.makespan(), timeline.seen) + round_ns(c_.mailbox_hop);
    return timeline;
  }

 private:
  bool owns(std::size_t d, std::size_t core) const { return core % dispatchers_.size() == d; }
  std::int64_t owned(std::size_t d) const {
    std::int64_t count = 0;
    for (std::size_t core = 0; core < run_.cores.size(); ++core) count += owns(d, core) ? 1 : 0;
    return count;
  }
  Nanoseconds sweep(std::size_t d) const { return c_.poll + static_cast<double>(rounded_up(owned(d), lanes_)) * c_.poll_per_core; }

  int outstanding(std::size_t core) const {
    int count = 0;
    for (const TaskId task : run_.cores[core]) count += is_counted_[index(task)] ? 0 : 1;
    return count;
  }
  bool idle_core_of(CoreType type) const {
    for (std::size_t core = 0; core < run_.cores.size(); ++core) {
      if (run_.timeline.cores[core] == type && outstanding(core) == 0) return true;
    }
    return false;
  }
  bool may_take(std::size_t core, CoreType type) const {
    if (run_.timeline.cores[core] != type || outstanding(core) >= design_.mailbox_depth) return false;
    return outstanding(core) == 0 || design_.fill == Fill::kAlways || !idle_core_of(type);
  }

  bool completion_visible(std::size_t d, TimePoint now, TaskId task) const {
    const TaskTimes& times = run_.timeline.tasks[index(task)];
    return times.core != kNoCore && owns(d, index(times.core)) && !is_seen_[index(task)] && is_present(times.published) &&
           times.published + round_ns(c_.completion_hop) <= now;
  }
  bool any_completion_visible(std::size_t d, TimePoint now) const {
    for (std::size_t i = 0; i < graph_.size(); ++i) {
      if (completion_visible(d, now, task_id(i))) return true;
    }
    return false;
  }

  bool begins(std::size_t d, TimePoint now) const {
    const Dispatcher& dispatcher = dispatchers_[d];
    if (dispatcher.stage == Stage::kBegins) return dispatcher.due == now;
    if (dispatcher.stage != Stage::kParked) return false;
    const std::int64_t length = to_ns(round_ns(sweep(d)));
    const bool on_the_grid = length == 0 || to_ns(now - dispatcher.due) % length == 0;
    const bool pushed = is_present(dispatcher.pushed) && dispatcher.pushed <= now;
    return on_the_grid && (pushed || any_completion_visible(d, now));
  }

  /// Does the one thing that is first in this nanosecond. Returns false if there is none.
  bool act(TimePoint now) {
    for (std::size_t d = 0; d < dispatchers_.size(); ++d) {
      if (begins(d, now)) return begin(d, now), true;
    }
    for (std::size_t d = 0; d < dispatchers_.size(); ++d) {
      if (dispatchers_[d].stage == Stage::kResolves && dispatchers_[d].due == now) return resolve(d, now), true;
    }
    for (std::size_t d = 0; d < dispatchers_.size(); ++d) {
      if (dispatchers_[d].stage == Stage::kHandsOver && dispatchers_[d].due == now) return hand_over(d, now), true;
    }
    for (std::size_t d = 0; d < dispatchers_.size(); ++d) {
      std::deque<TimePoint>& groups = dispatchers_[d].groups;
      if (groups.empty() || groups.front() != now) continue;
      groups.pop_front();
      return enter(d, static_cast<std::size_t>(lanes_), now), true;
    }
    return false;
  }

  void begin(std::size_t d, TimePoint now) {
    Dispatcher& dispatcher = dispatchers_[d];
    dispatcher.began = now;
    dispatcher.pushed = kAbsent;
    dispatcher.seen.clear();
    dispatcher.ready.clear();
    std::int64_t rows = 0;
    std::int64_t beyond = 0;
    const std::int64_t head = lanes_ > 1 ? 4 : 1;
    for (std::size_t i = 0; i < graph_.size(); ++i) {
      if (completion_visible(d, now, task_id(i))) dispatcher.seen.push_back(task_id(i));
    }
    // By completion, then core; what one core completes at one time stays in the order it ran.
    std::ranges::sort(dispatcher.seen, {}, [this](TaskId task) {
      const TaskTimes& times = run_[task];
      const auto& ran = run_.cores[index(times.core)];
      return std::tuple(times.published, index(times.core), std::ranges::find(ran, task) - ran.begin());
    });
    for (const TaskId task : dispatcher.seen) {
      is_seen_[index(task)] = true;
      const auto edges = static_cast<std::int64_t>(graph_.out_degree(task));
      if (edges > 0) ++rows;
      if (edges > head) beyond += edges - head;
    }
    // Of several lanes each tells the first four of a row, and only then all together the rest of all rows.
    const std::int64_t at_first = lanes_ > 1 ? head : static_cast<std::int64_t>(graph_.size());
    const auto tell = [&](bool heads) {
      for (const TaskId task : dispatcher.seen) {
        std::int64_t place = 0;
        for (const TaskId successor : graph_.successors(task)) {
          if ((place++ < at_first) != heads) continue;
          if (++told_[index(successor)] == graph_.in_degree(successor)) dispatcher.ready.push_back(successor);
        }
      }
    };
    tell(true);
    const auto by_heads = static_cast<std::int64_t>(dispatcher.ready.size());
    tell(false);
    const auto completions = static_cast<std::int64_t>(dispatcher.seen.size());
    std::int64_t idle = 0;
    for (std::size_t core = 0; core < run_.cores.size(); ++core) {
      const auto mine = std::ranges::count_if(dispatcher.seen, [&](TaskId task) { return index(run_[task].core) == core; });
      if (owns(d, core) && outstanding(core) == mine) ++idle;
    }
    const auto ready = static_cast<std::int64_t>(dispatcher.ready.size());
    const auto left = std::max(std::int64_t{0}, idle - static_cast<std::int64_t>(queue_.size()));
    dispatcher.direct = now >= claims_end_ ? std::min(left, by_heads) : 0;
    dispatcher.stage = Stage::kResolves;
    const Nanoseconds taking_in = sweep(d) + static_cast<double>(rounded_up(completions, lanes_)) * c_.complete;
    dispatcher.due = now + round_ns(taking_in + static_cast<double>((lanes_ > 1 ? 0 : rows) + rounded_up(beyond, lanes_)) * c_.resolve +
                                    static_cast<double>(rounded_up(ready - dispatcher.direct, lanes_)) * c_.enqueue);
    dispatcher.entered = 0;
    const TimePoint taken_in = now + round_ns(taking_in);
    const std::int64_t groups = rounded_up(ready - dispatcher.direct, lanes_);
    if (lanes_ == 1 || dispatcher.due == taken_in || groups <= 1) return;
    std::rotate(dispatcher.ready.begin(), dispatcher.ready.begin() + dispatcher.direct, dispatcher.ready.end());
    for (std::int64_t group = 1; group < groups; ++group)
      dispatcher.groups.push_back(taken_in + (dispatcher.due - taken_in) * group / groups);
  }

  /// The next of what it has found ready; returns when they are in the queue.
  TimePoint enter(std::size_t d, std::size_t count, TimePoint now) {
    const TimePoint in_queue = count == 0 ? now : operate(now);
    std::vector<CoreType> pushed;
    for (; count > 0; --count) {
      const TaskId task = dispatchers_[d].ready[dispatchers_[d].entered++];
      push(task, in_queue);
      pushed.push_back(graph_[task].core_type);
    }
    for (std::size_t other = 0; other < dispatchers_.size(); ++other) {
      if (other == d || dispatchers_[other].stage != Stage::kParked) continue;
      for (std::size_t core = 0; core < run_.cores.size(); ++core) {
        for (const CoreType type : pushed) {
          if (!owns(other, core) || !may_take(core, type) || is_present(dispatchers_[other].pushed)) continue;
          dispatchers_[other].pushed = in_queue;
        }
      }
    }
    return in_queue;
  }

  void resolve(std::size_t d, TimePoint now) {
    for (const TaskId task : dispatchers_[d].seen) {
      is_counted_[index(task)] = true;
      run_.timeline.seen = now;
    }
    const TimePoint in_queue = enter(d, dispatchers_[d].ready.size() - dispatchers_[d].entered, now);
    dispatchers_[d].stage = Stage::kHandsOver;
    dispatchers_[d].due = in_queue;
  }

  void push(TaskId task, TimePoint now) {
    run_[task].ready = now;
    queue_.push_back({task, order_->key(task, static_cast<std::uint64_t>(arrivals_)), arrivals_});
    ++arrivals_;
  }

  /// One operation at a time on the queue.
  TimePoint operate(TimePoint now) {
    const bool locked = design_.placement == Placement::kLeastLoaded || graph_.has_wide_tasks() || graph_.has_spawns();
    const Duration held = round_ns(c_.queue_service + (locked ? c_.locked_queue : Nanoseconds{0}));
    queue_free_ = std::max(queue_free_, now) + held;
    return held == Duration{0} ? now : queue_free_;
  }

  void hand_over(std::size_t d, TimePoint now) {
    std::int64_t handed = 0;
    TimePoint claimed = now;
    const bool from_queue = static_cast<std::int64_t>(queue_.size()) > dispatchers_[d].direct;
    const Nanoseconds once = c_.hand_over + (from_queue ? c_.claim : Nanoseconds{0});
    dispatchers_[d].direct = 0;
    for (int level = 0; level < design_.mailbox_depth; ++level) {
      for (std::size_t core = 0; core < run_.cores.size(); ++core) {
        const CoreType type = run_.timeline.cores[core];
        if (!owns(d, core) || outstanding(core) != level || !may_take(core, type)) continue;
        auto best = queue_.end();
        for (auto queued = queue_.begin(); queued != queue_.end(); ++queued) {
          if (graph_[queued->task].core_type != type) continue;
          if (best == queue_.end() || std::tie(queued->key, queued->arrival) < std::tie(best->key, best->arrival)) best = queued;
        }
        if (best == queue_.end()) continue;
        if (handed == 0) claimed = operate(now);
        TaskTimes& times = run_[best->task];
        times.dispatcher = dispatcher_id(d);
        times.dispatched = claimed + round_ns(once + static_cast<double>(handed / lanes_ + 1) * c_.dispatch);
        run_.receive(core, best->task, times.dispatched + round_ns(c_.mailbox_hop));
        queue_.erase(best);
        ++handed;
      }
    }
    Dispatcher& dispatcher = dispatchers_[d];
    dispatcher.due = claimed;
    if (handed > 0) dispatcher.due += round_ns(once + static_cast<double>(rounded_up(handed, lanes_)) * c_.dispatch);
    if (handed > 0 && from_queue && c_.claim > Nanoseconds{0}) claims_end_ = std::max(claims_end_, claimed + round_ns(c_.claim));
    const bool did_something = handed > 0 || !dispatcher.seen.empty();
    dispatcher.stage = did_something ? Stage::kBegins : Stage::kParked;
    if (!did_something || dispatcher.due == dispatcher.began) return;
    std::vector<Span>& busy = run_.timeline.dispatchers[d];
    if (!busy.empty() && busy.back().end == dispatcher.began) {
      busy.back().end = dispatcher.due;
    } else {
      busy.push_back({dispatcher.began, dispatcher.due});
    }
  }

  bool done() const {
    return run_.all_published() && std::ranges::all_of(is_counted_, [](bool counted) { return counted; }) &&
           std::ranges::all_of(dispatchers_, [](const Dispatcher& dispatcher) { return dispatcher.stage == Stage::kParked; });
  }

  const TaskGraph& graph_;
  const Constants& c_;
  const Design& design_;
  std::int64_t lanes_;
  std::vector<Duration> durations_;
  std::unique_ptr<TaskOrderPolicy> order_;
  Pipeline run_;
  std::vector<Dispatcher> dispatchers_;
  std::vector<Queued> queue_;
  TimePoint queue_free_{};
  TimePoint claims_end_{};
  std::int64_t arrivals_ = 0;
  std::vector<bool> is_seen_;      ///< a dispatcher has begun to take the completion in
  std::vector<std::size_t> told_;  ///< by successor: of how many predecessors' completions
  std::vector<bool> is_counted_;   ///< and is through with it
};

}  // namespace

Timeline simulate_dispatchers(const TaskGraph& graph, const Machine& machine, const Design& design, std::uint64_t seed) {
  return Reference(graph, machine, design, seed).run();
}

}  // namespace tasktwin::oracles
