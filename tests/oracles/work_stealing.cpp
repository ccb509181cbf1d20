#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

#include "models/base/random.hpp"
#include "models/policies/policies.hpp"
#include "tests/oracles/pipeline.hpp"
#include "tests/oracles/simulation.hpp"

namespace tasktwin::oracles {

namespace {

struct Waiting {
  TaskId task;
  std::size_t queue;
  std::int64_t key;
  std::int64_t arrival;
};

/// What a thief has taken beyond its first task, the one that its owner would have run first in front.
struct Carried {
  TimePoint there{};
  std::size_t thief = 0;
  std::vector<TaskId> tasks;
};

/// A worker that is getting its next task.
struct Getting {
  TimePoint at{};                      ///< its next look
  bool at_others = false;              ///< at the others' queues, its own having been empty
  bool parked = false;                 ///< it looks no more until it is woken
  std::optional<Duration> woken = {};  ///< by a task that it has so long after that look
};

/// Queues of their own, without frozen lists or queues beside them.
class Reference {
 public:
  Reference(const TaskGraph& graph, const Machine& machine, const Design& design, std::uint64_t seed)
      : graph_(graph),
        c_(machine),
        design_(design),
        seed_(seed),
        durations_(expected_durations(graph, machine)),
        order_(make_task_order(design.order, {graph, durations_, seed})),
        victims_(make_victim_policy(design.victim, seed)),
        run_(graph, machine, design, seed),
        released_(graph.size(), false),
        pushed_(graph.size(), kAbsent),
        home_(graph.size(), 0),
        getting_(run_.cores.size()),
        free_(run_.cores.size()),
        rounds_(run_.cores.size(), 0),
        wakes_(run_.cores.size(), 0) {}

  Timeline run() {
    for (std::size_t i = 0; i < graph_.size(); ++i) {
      if (graph_.in_degree(task_id(i)) == 0) release(task_id(i), TimePoint{}, std::nullopt);
    }
    for (TimePoint now{}; !run_.all_published(); now += Duration{1}) {
      check_clock(now);
      if (now > TimePoint{}) run_.pass(now);
      for (bool changed = true; changed; run_.settle(now)) changed = act(now);
    }
    run_.stop();
    return run_.timeline;
  }

 private:
  std::size_t workers() const { return run_.cores.size(); }
  CoreType type(std::size_t worker) const { return run_.timeline.cores[worker]; }
  bool steals() const { return design_.stealing != Stealing::kOff; }
  Duration service() const { return round_ns(c_.ready_queues->service); }

  /// A thief's look at its own queue, and at a row of lengths; neither counts where nobody steals or takes are free.
  Duration own_look() const { return steals() ? round_ns(c_.ready_queues->take) : Duration{0}; }
  Duration row() const { return own_look() > Duration{0} ? round_ns(2 * c_.memory->read_latency) : Duration{0}; }
  std::int64_t rows(std::size_t lengths) const {
    return static_cast<std::int64_t>((lengths - 1) / static_cast<std::size_t>(c_.resident_cores->lanes) + 1);
  }
  std::size_t others() const { return std::max<std::size_t>(2, workers()) - 1; }
  Duration round_in_vain() const { return own_look() + rows(others()) * row(); }

  /// Does the one thing that is first in this nanosecond. Returns false if there is none.
  bool act(TimePoint now) {
    for (std::size_t i = 0; i < graph_.size(); ++i) {
      if (released_[i] || run_.timeline.tasks[i].published != now) continue;
      released_[i] = true;
      for (const TaskId successor : graph_.successors(task_id(i))) {
        if (std::ranges::all_of(graph_.predecessors(successor), [this](TaskId p) { return released_[index(p)]; }))
          release(successor, now, index(run_.timeline.tasks[i].core));
      }
      return true;
    }
    for (std::size_t i = 0; i < graph_.size(); ++i) {
      if (pushed_[i] != now) continue;
      push(task_id(i), now);
      return true;
    }
    if (put_down(now)) return true;
    for (std::size_t worker = 0; worker < workers(); ++worker) {
      std::optional<Getting>& getting = getting_[worker];
      if (!getting && run_.fetch_begin(worker) == now) getting = Getting{.at = now};
      if (!getting || getting->parked || getting->at != now) continue;
      getting->at_others ? look_at_others(worker, now) : look_at_own(worker, now);
      return true;
    }
    return false;
  }

  void release(TaskId task, TimePoint now, std::optional<std::size_t> by) {
    run_[task].ready = now;
    const CoreType wanted = graph_[task].core_type;
    std::size_t& turn = turns_[wanted];
    std::size_t home = by.value_or(turn);
    while (type(home) != wanted) home = (home + 1) % workers();
    if (!by) turn = (home + 1) % workers();
    home_[index(task)] = home;
    pushed_[index(task)] = operate(home, now, service());
    if (pushed_[index(task)] == now) push(task, now);
  }

  void push(TaskId task, TimePoint now) {
    pushed_[index(task)] = kAbsent;
    enqueue(task, home_[index(task)]);
    wake(home_[index(task)], graph_[task].core_type, 1, now);
  }

  /// When what is done to a queue at `now` is done, which takes `time`, one behind the other.
  TimePoint operate(std::size_t queue, TimePoint now, Duration time) {
    if (time == Duration{0}) return now;
    return free_[queue] = std::max(free_[queue], now) + time;
  }

  void enqueue(TaskId task, std::size_t queue) {
    waiting_.push_back({task, queue, order_->key(task, static_cast<std::uint64_t>(arrivals_)), arrivals_});
    ++arrivals_;
  }

  std::size_t length(std::size_t queue, CoreType wanted) const {
    return static_cast<std::size_t>(std::ranges::count_if(
        waiting_, [&](const Waiting& waits) { return waits.queue == queue && graph_[waits.task].core_type == wanted; }));
  }

  /// The first or the last by the task order. Contract: there is one.
  TaskId take_out(std::size_t queue, CoreType wanted, bool last) {
    auto best = waiting_.end();
    for (auto candidate = waiting_.begin(); candidate != waiting_.end(); ++candidate) {
      if (candidate->queue != queue || graph_[candidate->task].core_type != wanted) continue;
      const bool is_before = best == waiting_.end() || std::tie(candidate->key, candidate->arrival) < std::tie(best->key, best->arrival);
      if (best == waiting_.end() || is_before != last) best = candidate;
    }
    const TaskId task = best->task;
    waiting_.erase(best);
    return task;
  }

  void look_at_own(std::size_t worker, TimePoint now) {
    Getting& getting = *getting_[worker];
    if (length(worker, type(worker)) > 0) {
      const TaskId task = take_out(worker, type(worker), false);
      const TimePoint taken = operate(worker, now, service());
      return receive(worker, task, taken, taken + getting.woken.value_or(round_ns(c_.ready_queues->take)));
    }
    getting.at_others = true;
    if (!getting.woken) getting.at = now + own_look();
  }

  void look_at_others(std::size_t worker, TimePoint now) {
    Getting& getting = *getting_[worker];
    ++rounds_[worker];
    std::vector<std::size_t> lengths;
    for (std::size_t queue = 0; queue < workers(); ++queue) lengths.push_back(length(queue, type(worker)));
    for (std::size_t attempt = 0; steals(); ++attempt) {
      const auto victim = victims_->next_victim(worker, rounds_[worker] * workers() + worker, attempt, lengths);
      if (!victim) break;
      if (lengths[*victim] == 0) continue;
      const std::size_t read = design_.victim == Victim::kMostLoaded ? others() : attempt + 1;
      return steal(worker, *victim, lengths[*victim], read, now);
    }
    // A task that came into its own queue since it looked there is found in the next round.
    const bool comes_again = lengths[worker] > 0 || (steals() && std::ranges::any_of(lengths, [](std::size_t n) { return n > 0; }));
    getting = {.at = now - own_look() + round_in_vain(), .parked = !comes_again};
    if (getting.parked) parked_.push_back(worker);
  }

  void steal(std::size_t worker, std::size_t victim, std::size_t there, std::size_t read, TimePoint now) {
    const Getting& getting = *getting_[worker];
    std::size_t number = 1;
    if (design_.stealing == Stealing::kHalf) number = (there + 1) / 2;
    if (design_.stealing == Stealing::kBatch) number = std::min(there, static_cast<std::size_t>(design_.steal_batch));
    std::vector<TaskId> stolen;
    for (std::size_t i = 0; i < number; ++i) stolen.insert(stolen.begin(), take_out(victim, type(worker), true));
    const TaskId first = stolen.front();
    stolen.erase(stolen.begin());

    const TimePoint looked = getting.woken ? now : now - own_look();
    const TimePoint comes = getting.woken ? now : now + (rows(read) - 1) * row();
    const Duration turn = round_ns(c_.memory->atomic_latency);  // keeps those behind it at the queue, but not the thief itself
    TimePoint has = operate(victim, comes, service() + turn) - turn;
    has += getting.woken.value_or(std::max(Duration{0}, round_ns(c_.ready_queues->steal) - own_look()));
    if (!stolen.empty()) {
      has += round_ns(2 * c_.memory->atomic_latency);
      carried_.push_back({has, worker, stolen});
    }
    receive(worker, first, looked, has);
  }

  void receive(std::size_t worker, TaskId task, TimePoint dispatched, TimePoint received) {
    getting_[worker].reset();
    run_[task].dispatched = dispatched;
    run_.receive(worker, task, received);
  }

  /// Into the thief's own queue, in which they come as they were.
  bool put_down(TimePoint now) {
    auto first = carried_.end();
    for (auto carried = carried_.begin(); carried != carried_.end(); ++carried) {
      if (carried->there == now && (first == carried_.end() || carried->thief < first->thief)) first = carried;
    }
    if (first == carried_.end()) return false;
    const Carried carried = *first;
    carried_.erase(first);
    std::vector<TaskId> tasks = carried.tasks;
    if (design_.order == TaskOrder::kLifo) std::ranges::reverse(tasks);
    for (const TaskId task : tasks) enqueue(task, carried.thief);
    wake(carried.thief, type(carried.thief), tasks.size(), now);
    return true;
  }

  /// One parked worker for each of so many tasks that have come into the queue, if it could take it.
  void wake(std::size_t queue, CoreType wanted, std::size_t tasks, TimePoint now) {
    const Duration round = round_in_vain();
    double passed = 0;  // of a round
    for (; tasks > 0; --tasks) {
      std::vector<std::size_t> looking;  // the longest parked first
      std::ranges::copy_if(parked_, std::back_inserter(looking), [&](std::size_t worker) { return type(worker) == wanted; });
      const bool owner_looks = std::ranges::count(looking, queue) > 0;
      if (looking.empty() || (!steals() && !owner_looks)) return;
      std::size_t woken = looking.front();
      if (round > Duration{0}) {
        Random random(mix(seed_ ^ kLooks) ^ mix(looks_++));
        passed += (1 - passed) * (1 - std::pow(random.uniform(), 1 / static_cast<double>(looking.size())));
        woken = looking[static_cast<std::size_t>(random.between(0, static_cast<std::int64_t>(looking.size()) - 1))];
      } else if (owner_looks) {
        woken = queue;
      }
      std::erase(parked_, woken);
      getting_[woken] = {.at = now + round_ns(passed * Nanoseconds{round}) + late(woken), .woken = round_ns(c_.ready_queues->steal_hop)};
    }
  }

  /// The design's back-off.
  Duration late(std::size_t worker) {
    const std::uint64_t wake = wakes_[worker]++;
    if (design_.backoff_ns == 0) return Duration{0};
    return Duration{Random(mix(mix(seed_ ^ kBackoff) ^ worker) ^ wake).between(0, design_.backoff_ns)};
  }

  // Which draws are whose is no rule of the design: they are taken as the simulator takes them.
  static constexpr std::uint64_t kLooks = 0x100c'5a7e;
  static constexpr std::uint64_t kBackoff = 0x1a7e'0b5e'12e5;

  const TaskGraph& graph_;
  const Machine& c_;
  const Design& design_;
  std::uint64_t seed_;
  std::vector<Duration> durations_;
  std::unique_ptr<TaskOrderPolicy> order_;
  std::unique_ptr<VictimPolicy> victims_;
  Pipeline run_;
  std::vector<bool> released_;     ///< by TaskId: its successors have been told
  std::vector<TimePoint> pushed_;  ///< by TaskId: when it will stand in its queue
  std::vector<std::size_t> home_;  ///< by TaskId: whose queue that is
  std::map<CoreType, std::size_t> turns_;
  std::vector<std::optional<Getting>> getting_;  ///< by worker
  std::vector<TimePoint> free_;                  ///< by queue: all that was done to it so far is done
  std::vector<std::uint64_t> rounds_;            ///< by worker
  std::vector<std::uint64_t> wakes_;             ///< by worker
  std::vector<std::size_t> parked_;              ///< workers, the longest parked first
  std::vector<Carried> carried_;
  std::vector<Waiting> waiting_;
  std::int64_t arrivals_ = 0;
  std::uint64_t looks_ = 0;
};

}  // namespace

Timeline simulate_work_stealing(const TaskGraph& graph, const Machine& machine, const Design& design, std::uint64_t seed) {
  return Reference(graph, machine, design, seed).run();
}

}  // namespace tasktwin::oracles
