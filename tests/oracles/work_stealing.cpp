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
  std::int64_t key;
  std::int64_t arrival;
  TaskId task;
};

/// A worker between two tasks.
struct Taker {
  std::optional<TimePoint> at;      ///< when it does the next thing; none while its mailbox is full, or it has found nothing
  bool has_looked = false;          ///< at its own queue, in vain: it tries the others' next
  std::optional<Duration> notices;  ///< woken: it has what it takes next after that
  std::uint64_t rounds = 0;         ///< of attempts to steal
  std::uint64_t wakes = 0;
  std::vector<TaskId> claimed;  ///< and not yet fetched
};

/// What a thief brings home.
struct Stolen {
  TimePoint there;
  std::size_t core;
  std::vector<TaskId> tasks;  ///< in the order of the queue
};

/// The law of docs/model/ready_queues.md, "Queues of their own, and stealing", without frozen lists.
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
        takers_(run_.cores.size()),
        released_(graph.size(), false),
        queued_(graph.size(), false),
        pushed_(graph.size(), kAbsent),
        place_(graph.size(), 0) {}

  Timeline run() {
    for (std::size_t i = 0; i < graph_.size(); ++i) {
      if (graph_.in_degree(task_id(i)) == 0) release(task_id(i), TimePoint{}, std::nullopt);
    }
    for (TimePoint now{}; !run_.all_published(); now += Duration{1}) {
      check_clock(now);
      if (now > TimePoint{}) run_.pass(now);
      for (bool changed = true; changed; run_.settle(now)) changed = act(now);
    }
    if (sharded()) run_.timeline.ready_queue = count_queue(run_.timeline.tasks);
    run_.stop();
    return run_.timeline;
  }

 private:
  bool steals() const { return design_.stealing != Stealing::kOff; }
  bool sharded() const { return design_.ready_queue == ReadyQueue::kSharded; }
  std::size_t homes() const {
    const auto shards = static_cast<std::size_t>(design_.shards);
    return sharded() && shards > 0 ? std::min(shards, takers_.size()) : takers_.size();
  }
  std::size_t home(std::size_t core) const { return core % homes(); }
  CoreType type(std::size_t core) const { return run_.timeline.cores[core]; }
  bool serves(std::size_t queue, CoreType wanted) const {
    for (std::size_t core = queue; core < takers_.size(); core += homes()) {
      if (type(core) == wanted) return true;
    }
    return false;
  }

  // What looking takes.
  Duration own_look() const { return steals() ? round_ns(c_.ready_queues->take) : Duration{0}; }
  Duration reading(std::size_t lengths) const {
    if (own_look() == Duration{0}) return Duration{0};
    const auto lanes = static_cast<std::size_t>(c_.resident_cores->lanes);
    return static_cast<std::int64_t>((lengths + lanes - 1) / lanes) * round_ns(2 * c_.memory->read_latency);
  }
  std::size_t others() const { return std::max<std::size_t>(1, homes() - 1); }
  Duration round_in_vain() const { return own_look() + reading(others()); }

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
      if (queued_[i] || pushed_[i] != now) continue;
      enqueue(task_id(i), now);
      return true;
    }
    const auto brought = std::ranges::find(stolen_, now, &Stolen::there);
    if (brought != stolen_.end()) {
      auto first = brought;  // of the lowest core
      for (auto one = brought; one != stolen_.end(); ++one) {
        if (one->there == now && one->core < first->core) first = one;
      }
      const Stolen stolen = *first;
      stolen_.erase(first);
      bring_home(stolen, now);
      return true;
    }
    for (std::size_t core = 0; core < takers_.size(); ++core) {
      if (!takers_[core].at && !is_parked(core)) takers_[core].at = run_.fetch_begin(core);
      if (takers_[core].at != now) continue;
      takers_[core].at.reset();
      if (std::exchange(takers_[core].has_looked, false)) {
        steal_or_park(core, now);
      } else {
        look(core, now);
      }
      return true;
    }
    return false;
  }

  std::vector<Waiting>& queue(std::size_t number, CoreType of) { return queues_[{number, of}]; }
  std::vector<Waiting>& own(std::size_t core) { return queue(home(core), type(core)); }

  TimePoint hold(std::size_t number, TimePoint now, Duration service) {
    if (service == Duration{0}) return now;
    TimePoint& free = free_[number];
    return free = std::max(free, now) + service;
  }

  void push(std::size_t number, TaskId task) {
    std::vector<Waiting>& there = queue(number, graph_[task].core_type);
    there.push_back({order_->key(task, static_cast<std::uint64_t>(arrivals_)), arrivals_, task});
    ++arrivals_;
    std::ranges::sort(there, [](const Waiting& a, const Waiting& b) { return std::tie(a.key, a.arrival) < std::tie(b.key, b.arrival); });
  }

  static TaskId take_first(std::vector<Waiting>& from) {
    const TaskId task = from.front().task;
    from.erase(from.begin());
    return task;
  }

  void release(TaskId task, TimePoint now, std::optional<std::size_t> by) {
    run_[task].ready = now;
    const CoreType wanted = graph_[task].core_type;
    std::size_t& turn = turns_[wanted];
    std::size_t number = by ? home(*by) : turn;
    while (!serves(number, wanted)) number = (number + 1) % homes();
    if (!by) turn = (number + 1) % homes();
    place_[index(task)] = number;
    pushed_[index(task)] = hold(number, now, round_ns(c_.ready_queues->service));
    if (pushed_[index(task)] == now) enqueue(task, now);
  }

  void enqueue(TaskId task, TimePoint now) {
    queued_[index(task)] = true;
    push(place_[index(task)], task);
    wake(place_[index(task)], graph_[task].core_type, 1, now);
  }

  void bring_home(const Stolen& stolen, TimePoint now) {
    std::vector<TaskId> tasks = stolen.tasks;
    if (design_.order == TaskOrder::kLifo) std::ranges::reverse(tasks);
    for (const TaskId task : tasks) push(home(stolen.core), task);
    wake(home(stolen.core), type(stolen.core), tasks.size(), now);
  }

  bool is_parked(std::size_t core) const { return std::ranges::find(parked_, core) != parked_.end(); }

  /// One parked worker a task that has come.
  void wake(std::size_t number, CoreType of, std::size_t tasks, TimePoint now) {
    double passed = 0;  // of a round, until the next notices
    for (; tasks > 0; --tasks) {
      std::vector<std::size_t> looking;
      for (const std::size_t core : parked_) {
        if (type(core) == of && (steals() || home(core) == number)) looking.push_back(core);
      }
      if (looking.empty()) return;
      const std::size_t core = first_to_notice(looking, number, passed);
      std::erase(parked_, core);
      Taker& taker = takers_[core];
      const Nanoseconds round{round_in_vain()};
      taker.notices = round_ns(c_.ready_queues->steal_hop);
      taker.at = now + round_ns(passed * round) + back_off(core, taker.wakes++);
    }
  }

  /// Drawn as the simulator draws it.
  std::size_t first_to_notice(const std::vector<std::size_t>& looking, std::size_t number, double& passed) {
    if (round_in_vain() == Duration{0}) {
      const auto owner = std::ranges::find(looking, number, [this](std::size_t core) { return home(core); });
      return owner != looking.end() ? *owner : looking.front();
    }
    Random random(mix(seed_ ^ 0x100c'5a7e) ^ mix(draws_++));
    passed += (1 - passed) * (1 - std::pow(random.uniform(), 1 / static_cast<double>(looking.size())));
    return looking[static_cast<std::size_t>(random.between(0, std::ssize(looking) - 1))];
  }

  Duration back_off(std::size_t core, std::uint64_t time) const {
    if (design_.backoff_ns == 0) return Duration{0};
    return Duration{Random(mix(mix(seed_ ^ 0x1a7e'0b5e'12e5) ^ core) ^ time).between(0, design_.backoff_ns)};
  }

  void look(std::size_t core, TimePoint now) {
    std::vector<TaskId>& claimed = takers_[core].claimed;
    if (!claimed.empty()) {
      const TaskId task = claimed.front();
      claimed.erase(claimed.begin());
      take(core, task, now, now + round_ns(2 * c_.memory->read_latency));
      return;
    }
    const TimePoint served = sharded() ? hold(home(core), now, round_ns(c_.memory->atomic_service + c_.ready_queues->service)) : now;
    if (own(core).empty()) {
      look_elsewhere(core, served);
      return;
    }
    const std::size_t size = sharded() ? std::min(own(core).size(), claim_size(type(core))) : 1;
    const TaskId task = take_first(own(core));
    for (std::size_t i = 1; i < size; ++i) claimed.push_back(take_first(own(core)));
    claimed_[type(core)] += static_cast<std::int64_t>(size);
    const TimePoint taken = sharded() ? served : hold(home(core), now, round_ns(c_.ready_queues->service));
    take(core, task, taken, taken + taking(core, round_ns(c_.ready_queues->take)));
  }

  std::size_t claim_size(CoreType of) {
    const std::int64_t size = design_.claim == Claim::kAll ? 1 : design_.claim_size;
    if (design_.claim != Claim::kGuided) return static_cast<std::size_t>(size);
    const std::int64_t left = std::max<std::int64_t>(0, std::ranges::count(graph_.tasks(), of, &Task::core_type) - claimed_[of]);
    return static_cast<std::size_t>(std::max(size, left / (2 * std::ranges::count(run_.timeline.cores, of))));
  }

  void look_elsewhere(std::size_t core, TimePoint now) {
    if (takers_[core].notices || own_look() == Duration{0}) {
      steal_or_park(core, now);
    } else {
      takers_[core].at = now + own_look();
      takers_[core].has_looked = true;
    }
  }

  /// Its own queue has been looked at in vain.
  void steal_or_park(std::size_t core, TimePoint now) {
    Taker& taker = takers_[core];
    ++taker.rounds;
    if (const auto victim = victim_of(core)) {
      const auto [number, attempt] = *victim;
      if (taker.notices) {
        steal(core, number, now, now);
      } else {
        const std::size_t read = design_.victim == Victim::kMostLoaded ? others() : attempt + 1;
        steal(core, number, now - own_look(), now + reading(read) - reading(1));
      }
      return;
    }
    taker.notices.reset();
    if (own(core).empty() && !(steals() && any_waits(type(core)))) {
      parked_.push_back(core);
    } else if (round_in_vain() == Duration{0}) {
      look(core, now);
    } else {
      taker.at = now + round_in_vain() - own_look();
    }
  }

  std::vector<std::size_t> lengths(CoreType of) {
    std::vector<std::size_t> all;
    for (std::size_t number = 0; number < homes(); ++number) all.push_back(queue(number, of).size());
    return all;
  }

  bool any_waits(CoreType of) {
    return std::ranges::any_of(lengths(of), [](std::size_t length) { return length > 0; });
  }

  /// The queue, and which attempt of the round is on it.
  std::optional<std::pair<std::size_t, std::size_t>> victim_of(std::size_t core) {
    if (!steals() || homes() < 2) return std::nullopt;
    const std::vector<std::size_t> there = lengths(type(core));
    const std::uint64_t round = takers_[core].rounds * takers_.size() + core;
    for (std::size_t attempt = 0;; ++attempt) {
      const auto victim = victims_->next_victim(home(core), round, attempt, there);
      if (!victim) return std::nullopt;
      if (there[*victim] > 0) return std::pair(*victim, attempt);
    }
  }

  /// `begun`: when it looked at its own queue.
  void steal(std::size_t core, std::size_t number, TimePoint begun, TimePoint now) {
    std::vector<Waiting>& there = queue(number, type(core));
    std::size_t size = 1;
    if (design_.stealing == Stealing::kHalf) size = (there.size() + 1) / 2;
    if (design_.stealing == Stealing::kBatch) size = std::min(there.size(), static_cast<std::size_t>(design_.steal_batch));
    std::vector<TaskId> tasks;  // in the order of the queue
    for (std::size_t i = there.size() - size; i < there.size(); ++i) tasks.push_back(there[i].task);
    there.resize(there.size() - size);
    const TaskId first = take_front(tasks);
    ++claimed_[type(core)];
    const Duration turn = round_ns(c_.memory->atomic_latency);
    const TimePoint taken = hold(number, now, round_ns(c_.ready_queues->service) + turn) - turn;
    const Duration put = tasks.empty() ? Duration{0} : round_ns(2 * c_.memory->atomic_latency);
    const TimePoint has = taken + put + taking(core, std::max(Duration{0}, round_ns(c_.ready_queues->steal) - own_look()));
    if (!tasks.empty()) stolen_.push_back({has, core, tasks});
    take(core, first, begun, has);
  }

  static TaskId take_front(std::vector<TaskId>& tasks) {
    const TaskId first = tasks.front();
    tasks.erase(tasks.begin());
    return first;
  }

  Duration taking(std::size_t core, Duration usual) { return std::exchange(takers_[core].notices, std::nullopt).value_or(usual); }

  void take(std::size_t core, TaskId task, TimePoint dispatched, TimePoint received) {
    run_[task].dispatched = dispatched;
    run_.receive(core, task, received);
  }

  const TaskGraph& graph_;
  const Machine& c_;
  const Design& design_;
  std::uint64_t seed_;
  std::vector<Duration> durations_;
  std::unique_ptr<TaskOrderPolicy> order_;
  std::unique_ptr<VictimPolicy> victims_;
  Pipeline run_;
  std::vector<Taker> takers_;        ///< by core
  std::vector<std::size_t> parked_;  ///< cores, the longest parked first
  std::vector<Stolen> stolen_;       ///< on their way home, in the order of the thefts
  std::vector<bool> released_;       ///< by TaskId: its successors have been told
  std::vector<bool> queued_;         ///< by TaskId: it has been in a queue
  std::vector<TimePoint> pushed_;    ///< by TaskId
  std::vector<std::size_t> place_;   ///< by TaskId: the queue it is pushed to
  std::map<CoreType, std::size_t> turns_;
  std::map<CoreType, std::int64_t> claimed_;
  std::map<std::pair<std::size_t, CoreType>, std::vector<Waiting>> queues_;  ///< the first to be taken first
  std::map<std::size_t, TimePoint> free_;                                    ///< by queue: when it serves the next operation
  std::uint64_t draws_ = 0;
  std::int64_t arrivals_ = 0;
};

}  // namespace

Timeline simulate_work_stealing(const TaskGraph& graph, const Machine& machine, const Design& design, std::uint64_t seed) {
  return Reference(graph, machine, design, seed).run();
}

}  // namespace tasktwin::oracles
