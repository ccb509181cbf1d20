#include <algorithm>
#include <cmath>
#include <deque>
#include <map>
#include <numeric>
#include <optional>
#include <tuple>
#include <utility>

#include "models/policies/policies.hpp"
#include "tests/oracles/pipeline.hpp"
#include "tests/oracles/simulation.hpp"

namespace tasktwin::oracles {

namespace {

constexpr std::int64_t rounded_up(std::int64_t items, std::int64_t lanes) { return (items + lanes - 1) / lanes; }

/// What a dispatcher is at.
enum class Stage { kParked, kBegins, kTells, kResolves, kHandsOver };

/// Who has a line of counters from when on, in turn, as they asked for it.
using LineHistory = std::vector<std::pair<TimePoint, std::size_t>>;

struct Dispatcher {
  Stage stage = Stage::kBegins;
  TimePoint due{};    ///< when the stage is over; while parked, when it parked
  TimePoint began{};  ///< the iteration
  std::vector<TaskId> seen;
  std::vector<TaskId> ready;                   ///< the successors it found ready
  std::vector<std::int64_t> made_by;           ///< the heads of which of those seen: as many of them
  std::vector<TaskId> given;                   ///< to its idle cores: what waited, and what went past the queue
  bool takes = true;                           ///< from the queue, in this iteration
  std::deque<TimePoint> groups;                ///< when a group of them enters it, before the others
  std::size_t entered = 0;                     ///< of the successors
  std::deque<std::size_t> to_tell;             ///< lines of 16 counters, by TaskId, once for each successor there
  double behind = 0;                           ///< of a nanosecond, by which it is ahead of its counters
  std::map<CoreType, std::int64_t> told_idle;  ///< what the others know of its cores: as its last iteration left them
  TimePoint pushed = kAbsent;                  ///< while parked: when another dispatcher has pushed something for its cores

  /// An iteration.
  void start(TimePoint now) {
    began = now;
    pushed = kAbsent;
    seen.clear();
    ready.clear();
    made_by.clear();
    given.clear();
    takes = true;
    entered = 0;
  }
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
        c_(machine),
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
    for (std::size_t d = 0; d < dispatchers_.size(); ++d) {
      for (const CoreType type : run_.timeline.cores) dispatchers_[d].told_idle[type] = 0;
      for (auto& [type, told] : dispatchers_[d].told_idle) told = idle_cores(d, type);
    }
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
    timeline.stopped = std::max(TimePoint{} + timeline.makespan(), timeline.seen) + round_ns(c_.device_mailboxes->hop);
    return timeline;
  }

 private:
  bool owns(std::size_t d, std::size_t core) const { return core % dispatchers_.size() == d; }
  std::int64_t owned(std::size_t d) const {
    std::int64_t count = 0;
    for (std::size_t core = 0; core < run_.cores.size(); ++core) count += owns(d, core) ? 1 : 0;
    return count;
  }
  Nanoseconds sweep(std::size_t d) const {
    return c_.device_control->poll + static_cast<double>(rounded_up(owned(d), lanes_)) * c_.device_control->poll_per_core;
  }

  int outstanding(std::size_t core) const {
    int count = 0;
    for (const TaskId task : run_.cores[core]) count += is_counted_[index(task)] ? 0 : 1;
    return count;
  }
  std::int64_t idle_cores(std::size_t d, CoreType type) const {
    std::int64_t count = 0;
    for (std::size_t core = 0; core < run_.cores.size(); ++core)
      count += owns(d, core) && run_.timeline.cores[core] == type && outstanding(core) == 0 ? 1 : 0;
    return count;
  }
  bool may_fill(std::size_t d, CoreType type) const {
    if (design_.fill == Fill::kAlways) return true;
    for (std::size_t other = 0; other < dispatchers_.size(); ++other) {
      if (other != d && dispatchers_[other].told_idle.at(type) > 0) return false;
    }
    return true;
  }
  bool may_take(std::size_t d, std::size_t core, CoreType type) const {
    if (run_.timeline.cores[core] != type || outstanding(core) >= design_.mailbox_depth) return false;
    return outstanding(core) == 0 || may_fill(d, type);
  }

  /// The others know from now on. Those parked may take what waits.
  void tell_idle(std::size_t d, TimePoint now) {
    for (auto& [type, told] : dispatchers_[d].told_idle) {
      const std::int64_t before = std::exchange(told, idle_cores(d, type));
      const auto waits = best(type);
      if (told >= before || design_.fill == Fill::kAlways || waits == queue_.end()) continue;
      note_pushed(d, {type}, std::max(now, run_[waits->task].ready));  // its push may still be under way
    }
  }
  /// Parked dispatchers with room for a task of any of these types have noticed at `at`.
  void note_pushed(std::size_t by, const std::vector<CoreType>& types, TimePoint at) {
    for (std::size_t other = 0; other < dispatchers_.size(); ++other) {
      if (other == by || dispatchers_[other].stage != Stage::kParked) continue;
      TimePoint& pushed = dispatchers_[other].pushed;
      if (is_present(pushed) && pushed <= at) continue;
      for (std::size_t core = 0; core < run_.cores.size(); ++core) {
        const bool takes = std::ranges::any_of(types, [&](CoreType type) { return may_take(other, core, type); });
        if (owns(other, core) && takes) pushed = at;
      }
    }
  }

  bool completion_visible(std::size_t d, TimePoint now, TaskId task) const {
    const TaskTimes& times = run_.timeline.tasks[index(task)];
    return times.core != kNoCore && owns(d, index(times.core)) && !is_seen_[index(task)] && is_present(times.published) &&
           times.published <= now;
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
    return idle_sweep_ends(d, now) && any_completion_visible(d, now);
  }
  /// At the queue, for what another dispatcher has pushed.
  bool looks(std::size_t d, TimePoint now) const {
    const TimePoint pushed = dispatchers_[d].pushed;
    return idle_sweep_ends(d, now) && is_present(pushed) && pushed <= now;
  }
  bool idle_sweep_ends(std::size_t d, TimePoint now) const {
    if (dispatchers_[d].stage != Stage::kParked) return false;
    const std::int64_t length = to_ns(round_ns(sweep(d)));
    return length == 0 || to_ns(now - dispatchers_[d].due) % length == 0;
  }

  /// Does the one thing that is first in this nanosecond. Returns false if there is none.
  bool act(TimePoint now) {
    for (std::size_t d = 0; d < dispatchers_.size(); ++d) {
      if (begins(d, now)) return begin(d, now), true;
    }
    for (std::size_t d = 0; d < dispatchers_.size(); ++d) {
      if (looks(d, now)) return look(d, now), true;
    }
    for (std::size_t d = 0; d < dispatchers_.size(); ++d) {
      if (dispatchers_[d].stage == Stage::kTells && dispatchers_[d].due == now) return tell_on(d, now), true;
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

  /// An iteration that takes no completions in.
  void look(std::size_t d, TimePoint now) {
    dispatchers_[d].start(now);
    hand_over(d, now);
  }

  void begin(std::size_t d, TimePoint now) {
    Dispatcher& dispatcher = dispatchers_[d];
    tell_idle(d, now);
    dispatcher.start(now);
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
        if (heads)
          dispatcher.made_by.push_back(std::ssize(dispatcher.ready) -
                                       std::accumulate(dispatcher.made_by.begin(), dispatcher.made_by.end(), std::int64_t{0}));
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
    const Nanoseconds passing = pass_by(dispatcher, now + round_ns(sweep(d)), idle, by_heads, beyond);
    const Nanoseconds taking_in = sweep(d) + static_cast<double>(rounded_up(completions, lanes_)) * c_.device_control->complete + passing;
    const std::int64_t groups = rounded_up(static_cast<std::int64_t>(dispatcher.ready.size()), lanes_);
    if (takes_lines()) {
      for (const TaskId task : dispatcher.seen) {
        for (const TaskId successor : graph_.successors(task)) dispatcher.to_tell.push_back(index(successor) / 16);
      }
      dispatcher.stage = Stage::kTells;
      dispatcher.due = now + round_ns(taking_in);
      dispatcher.entered = 0;
      return;
    }
    dispatcher.stage = Stage::kResolves;
    dispatcher.due =
        now + round_ns(taking_in + static_cast<double>((lanes_ > 1 ? 0 : rows) + rounded_up(beyond, lanes_)) * c_.device_control->resolve);
    dispatcher.entered = 0;
    const TimePoint taken_in = now + round_ns(taking_in);
    if (lanes_ == 1 || dispatcher.due == taken_in || groups <= 1) return;
    for (std::int64_t group = 1; group < groups; ++group)
      dispatcher.groups.push_back(taken_in + (dispatcher.due - taken_in) * group / groups);
  }

  bool takes_lines() const { return lanes_ == 1 && dispatchers_.size() > 1 && c_.device_control->resolve_line > Nanoseconds{0}; }

  /// Decrements the next counters of one line, of one row or several, until it might have to ask for the line again.
  void tell_on(std::size_t d, TimePoint now) {
    Dispatcher& dispatcher = dispatchers_[d];
    std::deque<std::size_t>& left = dispatcher.to_tell;
    if (left.empty()) {
      dispatcher.stage = Stage::kResolves;
      dispatcher.due = now;
      return;
    }
    const std::size_t line = left.front();
    const Duration hop = round_ns(c_.device_control->resolve_line);
    const Duration under_way = hop / 2;  // from who has it to who has asked
    LineHistory& history = had_[line];
    const auto has_until = [&]() -> std::optional<TimePoint> {
      if (history.size() < 2 || history[history.size() - 2].second != d || history.back().first - under_way <= now) return std::nullopt;
      return history.back().first - under_way;
    }();
    const bool asks = !has_until && (history.empty() || history.back().second != d);
    if (asks) history.emplace_back((history.empty() ? now : std::max(now, history.back().first)) + hop, d);
    const TimePoint begin = history.back().second == d ? std::max(now, history.back().first) : now;
    const TimePoint until = history.back().second == d ? begin + under_way : *has_until;
    double told = 0;
    do {
      ++told;
      left.pop_front();
    } while (!left.empty() && left.front() == line &&
             (c_.device_control->resolve == Nanoseconds{0} || told * c_.device_control->resolve < Nanoseconds{until - begin}));
    dispatcher.behind += told * c_.device_control->resolve.count();
    const double whole = std::floor(dispatcher.behind);
    dispatcher.behind -= whole;
    dispatcher.due = begin + Duration{static_cast<std::int64_t>(whole)};
  }

  /// What its idle cores get without its being taken from the queue as it hands over: all that waits, if they are enough for that, and then
  /// what heads made ready. Returns how long both take.
  Nanoseconds pass_by(Dispatcher& dispatcher, TimePoint swept, std::int64_t idle, std::int64_t by_heads, std::int64_t beyond) {
    dispatcher.given.clear();
    dispatcher.takes = true;
    const auto waiting = static_cast<std::int64_t>(queue_.size());
    if (!passes_by() || dispatcher.seen.empty() || waiting > idle) return {};
    while (!queue_.empty()) dispatcher.given.push_back(take_best(run_.timeline.cores.front()));
    const std::int64_t direct = std::min(idle - waiting, by_heads);
    dispatcher.given.insert(dispatcher.given.end(), dispatcher.ready.begin(), dispatcher.ready.begin() + direct);
    std::int64_t turns = 0;
    for (std::size_t i = 0; i < dispatcher.seen.size() && direct > 0; ++i) {
      const std::size_t core = index(run_[dispatcher.seen[i]].core);
      const auto mine = std::ranges::count_if(dispatcher.seen, [&](TaskId other) { return index(run_[other].core) == core; });
      turns = std::max(turns, dispatcher.made_by[i] - (outstanding(core) == mine ? 1 : 0));
    }
    dispatcher.ready.erase(dispatcher.ready.begin(), dispatcher.ready.begin() + direct);
    dispatcher.takes = direct < by_heads || beyond > 0;
    const Nanoseconds serving = waiting > 0 ? c_.device_control->claim + Nanoseconds{operate(swept) - swept} : Nanoseconds{0};
    return serving + static_cast<double>(turns) * c_.device_control->pass_on;
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
    note_pushed(d, pushed, in_queue);
    return in_queue;
  }

  void resolve(std::size_t d, TimePoint now) {
    for (const TaskId task : dispatchers_[d].seen) {
      is_counted_[index(task)] = true;
      run_.timeline.seen = now;
    }
    for (const TaskId task : dispatchers_[d].given) {
      if (!is_present(run_[task].ready)) run_[task].ready = now;
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

  bool locks() const { return design_.placement == Placement::kLeastLoaded || graph_.has_wide_tasks() || graph_.has_spawns(); }
  bool passes_by() const {
    return !locks() && std::ranges::count(run_.timeline.cores, run_.timeline.cores.front()) == std::ssize(run_.cores);
  }

  /// The next of that type in the queue, or its end.
  std::vector<Queued>::iterator best(CoreType type) {
    auto best = queue_.end();
    for (auto queued = queue_.begin(); queued != queue_.end(); ++queued) {
      if (graph_[queued->task].core_type != type) continue;
      if (best == queue_.end() || std::tie(queued->key, queued->arrival) < std::tie(best->key, best->arrival)) best = queued;
    }
    return best;
  }
  TaskId take_best(CoreType type) {
    const auto next = best(type);
    const TaskId task = next->task;
    queue_.erase(next);
    return task;
  }

  /// Whether cores that hold a task may be given another.
  bool fills_ahead(std::size_t d) const {
    std::size_t idle = 0;
    for (std::size_t core = 0; core < run_.cores.size(); ++core) idle += owns(d, core) && outstanding(core) == 0 ? 1 : 0;
    if (design_.mailbox_depth == 1 || queue_.size() + dispatchers_[d].given.size() <= idle) return false;
    for (std::size_t core = 0; core < run_.cores.size(); ++core) {
      if (owns(d, core) && may_fill(d, run_.timeline.cores[core])) return true;
    }
    return false;
  }

  /// One operation at a time on the queue.
  TimePoint operate(TimePoint now) {
    const Duration held = round_ns(c_.ready_queues->service + (locks() ? c_.device_control->locked_queue : Nanoseconds{0}));
    if (held == Duration{0}) return now;
    const bool waits = queue_free_ > now;
    queue_free_ = std::max(queue_free_, now) + held + (waits && locks() ? round_ns(c_.device_control->queue_contention) : Duration{0});
    return queue_free_;
  }

  void hand_over(std::size_t d, TimePoint now) {
    Dispatcher& dispatcher = dispatchers_[d];
    const bool from_queue = dispatcher.takes && !queue_.empty();
    const bool ahead = dispatcher.takes && fills_ahead(d);
    const Nanoseconds once = c_.device_control->hand_over + (from_queue ? c_.device_control->claim : Nanoseconds{0});
    std::int64_t handed = 0;
    Duration held{};  // by others, the queue
    const auto end_of = [&](std::int64_t nth) {
      return now + held + round_ns(once + static_cast<double>(nth) * c_.device_control->dispatch);
    };
    const auto hand = [&](std::size_t core, TaskId task) {
      TaskTimes& times = run_[task];
      times.dispatcher = dispatcher_id(d);
      times.dispatched = end_of(handed / lanes_ + 1);
      run_.receive(core, task, times.dispatched + round_ns(c_.device_mailboxes->hop));
      ++handed;
    };
    auto given = dispatcher.given.begin();
    for (std::size_t core = 0; core < run_.cores.size() && given != dispatcher.given.end(); ++core) {
      if (owns(d, core) && outstanding(core) == 0) hand(core, *given++);
    }
    bool claimed = false;
    const auto claim = [&] {
      const TimePoint begin = handed == 0 ? now : end_of(rounded_up(handed, lanes_));
      if (!claimed) held += operate(begin) - begin;
      claimed = true;
    };
    std::size_t room = 0;
    for (std::size_t core = 0; core < run_.cores.size(); ++core) {
      if (owns(d, core)) room += static_cast<std::size_t>(design_.mailbox_depth - outstanding(core));
    }
    const bool fills_up = ahead && passes_by() && queue_.size() >= room;
    if (fills_up) {  // each core's tasks stand next to each other; the first of all are sent, then the second
      std::vector<std::vector<TaskId>> tasks(run_.cores.size());
      for (std::size_t core = 0; core < run_.cores.size(); ++core) {
        for (int left = owns(d, core) ? design_.mailbox_depth - outstanding(core) : 0; left > 0; --left)
          tasks[core].push_back(take_best(run_.timeline.cores[core]));
      }
      if (room > 0) claim();
      for (std::size_t nth = 0; nth < static_cast<std::size_t>(design_.mailbox_depth); ++nth) {
        for (std::size_t core = 0; core < run_.cores.size(); ++core) {
          if (nth < tasks[core].size()) hand(core, tasks[core][nth]);
        }
      }
    }
    for (int level = 0; level < design_.mailbox_depth && dispatcher.takes && !fills_up; ++level) {
      for (std::size_t core = 0; core < run_.cores.size(); ++core) {
        const CoreType type = run_.timeline.cores[core];
        if (!owns(d, core) || outstanding(core) != level || !may_take(d, core, type)) continue;
        if (std::ranges::none_of(queue_, [&](const Queued& queued) { return graph_[queued.task].core_type == type; })) continue;
        claim();
        hand(core, take_best(type));
      }
    }
    dispatcher.due = handed == 0 ? now : end_of(rounded_up(handed, lanes_));
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
  const Machine& c_;
  const Design& design_;
  std::int64_t lanes_;
  std::vector<Duration> durations_;
  std::unique_ptr<TaskOrderPolicy> order_;
  Pipeline run_;
  std::vector<Dispatcher> dispatchers_;
  std::vector<Queued> queue_;
  TimePoint queue_free_{};
  std::int64_t arrivals_ = 0;
  std::vector<bool> is_seen_;               ///< a dispatcher has begun to take the completion in
  std::vector<std::size_t> told_;           ///< by successor: of how many predecessors' completions
  std::vector<bool> is_counted_;            ///< and is through with it
  std::map<std::size_t, LineHistory> had_;  ///< by line of counters
};

}  // namespace

Timeline simulate_dispatchers(const TaskGraph& graph, const Machine& machine, const Design& design, std::uint64_t seed) {
  return Reference(graph, machine, design, seed).run();
}

}  // namespace tasktwin::oracles
