#include <algorithm>
#include <vector>

#include "models/base/sparse.hpp"
#include "models/policies/policies.hpp"
#include "models/runtimes/runtimes.hpp"
#include "sim/queues/server.hpp"
#include "sim/wirings.hpp"
#include "sim/workers/claim_sizes.hpp"
#include "sim/workers/parked_workers.hpp"
#include "sim/workers/worker_queues.hpp"
#include "sim/workers/workers.hpp"

namespace tasktwin::sim {

namespace {

/// Each worker has a queue of its own, or, sharded, a home, and pushes there what it has made ready. One with room for a task looks at its
/// own queue, then at a queue of several (its shard, or the one beside frozen lists), then, if it steals, at the others'. A worker that has
/// found nothing parks; each task that enters a queue wakes one that could take it. What each step takes, and who of those
/// parked notices first: docs/model/ready_queues.md.
class WorkStealing final : public Workers {
 public:
  explicit WorkStealing(const WiringInputs& inputs)
      : Workers(inputs, has_lists(inputs.design) ? PublishCost::to_counters(inputs.machine) : PublishCost::to_shared_queue(inputs.machine)),
        design_(inputs.design),
        frozen_(has_lists(inputs.design)),
        steals_(design_.stealing != Stealing::kOff),
        push_(frozen_ ? round_ns(inputs.machine.resident_cores->push + inputs.machine.resident_cores->push_per_successor) : Duration{0}),
        lanes_(static_cast<std::size_t>(inputs.machine.resident_cores->lanes)),
        take_(round_ns(frozen_ ? inputs.machine.ready_queues->list_take : inputs.machine.ready_queues->take)),
        both_reads_(round_ns(2 * inputs.machine.memory->read_latency)),
        claim_service_(round_ns(inputs.machine.memory->atomic_service + inputs.machine.ready_queues->service)),
        queue_service_(round_ns(inputs.machine.ready_queues->service)),
        steal_(round_ns(inputs.machine.ready_queues->steal)),
        turn_(round_ns(inputs.machine.memory->atomic_latency)),
        put_(round_ns(2 * inputs.machine.memory->atomic_latency)),
        own_look_(steals_ ? round_ns(inputs.machine.ready_queues->take) : Duration{0}),
        read_lengths_(own_look_ > Duration{0} ? round_ns(2 * inputs.machine.memory->read_latency) : Duration{0}),
        sharded_(design_.ready_queue == ReadyQueue::kSharded),
        claim_sizes_(inputs.graph, inputs.design, inputs.cores),
        victims_(make_victim_policy(design_, inputs.chance)),
        steal_size_(make_steal_size(design_)),
        queues_(inputs),
        servers_(queues_.queues()),
        takers_(count()),
        held_(count()),
        stolen_(count()),
        parked_(inputs, queues_, frozen_ && !steals_ ? take_ : round_in_vain()) {
    for (std::size_t i = 0; i < graph_.size(); ++i) {
      if (!queues_.is_claimed(task_id(i)) || is_gathered(task_id(i))) claim_sizes_.leave_out(graph_, task_id(i));
    }
  }

 private:
  using Place = WorkerQueues::Place;

  enum class Step : std::uint8_t { kLook, kSearch };
  struct Taker {
    Step next = Step::kLook;  ///< what it does at its next event
    bool begun = false;       ///< it has looked, not together with others
    bool parked = false;
    std::uint32_t held = 0;           ///< tasks claimed, not yet fetched
    std::uint64_t round = 0;          ///< of attempts to steal
    std::optional<Duration> notices;  ///< woken: has what it takes next this much later
  };

  void at(CoreId core, TimePoint time, Step next) {
    takers_[index(core)].next = next;
    calendar_.schedule(time, EventKind::kClaim, static_cast<std::uint32_t>(index(core)), *this);
  }

  /// All look at the beginning, in the order of CoreId: the next one's look is scheduled as the one before it looks.
  void all_begin() override {
    first_search_ = static_cast<std::uint32_t>(count());
    if (count() > 0) calendar_.schedule(TimePoint{}, EventKind::kClaim, first_look_, *this);
  }

  void has_room(CoreId core) override {
    if (const std::optional<TimePoint> begin = fetch(core).begin()) at(core, *begin, Step::kLook);
  }

  void happened(EventKind kind, std::uint32_t subject, TimePoint now) override {
    const CoreId core{subject};
    if (kind == EventKind::kPushed) {
      enqueue(places_[subject], TaskId{subject}, now);
    } else if (kind == EventKind::kStolen) {
      const std::vector<TaskId> stolen = std::move(stolen_[subject].front());
      stolen_[subject].erase(stolen_[subject].begin());
      queues_.restore(home(core), stolen);
      wake(home(core), stolen.size(), now);
    } else if (subject == first_look_) {
      look_first(now);
    } else if (subject == first_search_) {
      search_first(now);
    } else if (takers_[subject].next == Step::kLook) {
      look(core, now);
    } else {
      search(core, now);
    }
  }

  /// Whether all cores that have yet to do the same now find nothing, since nothing else can happen before them.
  bool all_in_vain() const { return queues_.all_empty() && !gathers() && calendar_.is_last_of_now(); }

  void look_first(TimePoint now) {
    const CoreId core{first_look_};
    const bool same_time = own_look_ == Duration{0} || claim_service_ == Duration{0} || !claimable(core);
    if (all_in_vain() && same_time) {
      first_look_ = static_cast<std::uint32_t>(count());
      look_together(core, now);
      return;
    }
    if (++first_look_ < count()) calendar_.schedule(now, EventKind::kClaim, first_look_, *this);
    begin(core);
    look(core, now);
  }

  /// All cores from `first` on, in vain.
  void look_together(CoreId first, TimePoint now) {
    const auto cores = static_cast<std::uint32_t>(count() - index(first));
    if (!sharded_ && queues_.shared() && claim_service_ > Duration{0}) servers_[*queues_.shared()].serve_all(now, claim_service_, cores);
    for (std::size_t core = index(first); sharded_ && core < count(); ++core) hold(home(core_id(core)), now, claim_service_);
    if (own_look_ == Duration{0}) return park_together(first);
    first_search_ = static_cast<std::uint32_t>(index(first));
    calendar_.schedule(now + own_look_, EventKind::kClaim, first_search_, *this);
  }

  /// Those that have looked together.
  void search_first(TimePoint now) {
    const CoreId core{first_search_};
    if (all_in_vain()) {
      first_search_ = static_cast<std::uint32_t>(count());
      park_together(core);
      return;
    }
    if (++first_search_ < count()) calendar_.schedule(now, EventKind::kClaim, first_search_, *this);
    begin(core);
    search(core, now);
  }

  /// All cores from `first` on.
  void park_together(CoreId first) {
    std::size_t end = index(first);
    for (std::size_t begin = end; begin < count(); begin = end) {
      const CoreType type = type_of(core_id(begin));
      while (end < count() && type_of(core_id(end)) == type) ++end;
      parked_.park(core_id(begin), core_id(end), type);
    }
  }

  /// Its first fetch.
  void begin(CoreId core) {
    takers_[index(core)].begun = true;
    fetch(core).begin();
  }

  Place home(CoreId core) const { return {static_cast<std::uint32_t>(queues_.home(core)), type_of(core)}; }
  /// The queue of several that `core` claims from.
  std::optional<Place> claimable(CoreId core) const {
    if (sharded_) return home(core);
    return queues_.shared() ? std::optional(Place{*queues_.shared(), type_of(core)}) : std::nullopt;
  }
  TimePoint hold(Place place, TimePoint now, Duration service) {
    return service == Duration{0} ? now : servers_[place.queue].serve(now, service);
  }

  void look(CoreId core, TimePoint now) {
    Taker& taker = takers_[index(core)];
    if (has_handed(core)) {
      take_handed(core, now);
    } else if (taker.held > 0) {
      --taker.held;
      std::vector<TaskId>& held = held_[index(core)];
      const TaskId task = held.front();
      held.erase(held.begin());
      take(core, task, now, now + both_reads_);
    } else if (!sharded_ && queues_.size(home(core)) > 0) {
      const TaskId task = queues_.pop(home(core));
      const TimePoint taken = hold(home(core), now, queue_service_);
      take(core, task, taken, taken + taking(core, take_));
    } else if (claimable(core)) {
      claim(core, now);
    } else {
      look_elsewhere(core, now);
    }
  }

  void claim(CoreId core, TimePoint now) {
    const Place place = *claimable(core);
    const TimePoint served = hold(place, now, claim_service_);
    const auto size = std::min<std::size_t>(queues_.size(place), claim_sizes_.next(place.type));
    if (size == 0) {
      look_elsewhere(core, served);
      return;
    }
    claim_sizes_.taken(place.type, static_cast<std::uint32_t>(size));
    const TaskId task = queues_.pop(place);
    for (std::size_t i = 1; i < size; ++i) held_[index(core)].push_back(queues_.pop(place));
    takers_[index(core)].held += static_cast<std::uint32_t>(size) - 1;
    take(core, task, served, served + taking(core, take_));
  }

  /// Its own have been looked at in vain.
  void look_elsewhere(CoreId core, TimePoint now) {
    if (takers_[index(core)].notices || own_look_ == Duration{0}) {
      search(core, now);
    } else {
      at(core, now + own_look_, Step::kSearch);
    }
  }

  void search(CoreId core, TimePoint now) {
    Taker& taker = takers_[index(core)];
    ++taker.round;
    if (const std::optional<VictimPolicy::Attempt> victim = first_victim(core)) {
      const Place place{static_cast<std::uint32_t>(victim->queue), type_of(core)};
      const bool woken = taker.notices.has_value();
      const Duration further = woken ? Duration{0} : reading(design_.victim == Victim::kMostLoaded ? others() : victim->attempt + 1);
      steal(core, place, woken ? now : now - own_look_, now + further);
      return;
    }
    taker.notices.reset();
    if (!could_take(core)) {
      taker.parked = true;
      parked_.park(core, type_of(core));
    } else if (round_in_vain() == Duration{0}) {
      look(core, now);
    } else {
      at(core, now + round_in_vain() - own_look_, Step::kLook);
    }
  }

  void found_handed(CoreId core, TimePoint now) override {
    if (!std::exchange(takers_[index(core)].parked, false)) return;
    parked_.leave(core, type_of(core));
    at(core, now, Step::kLook);
  }

  /// What woke the worker, if anything did, may be for another.
  void take_handed(CoreId core, TimePoint now) {
    const bool woken = std::exchange(takers_[index(core)].notices, std::nullopt).has_value();
    receive_handed(core, now + both_reads_);
    has_room(core);
    if (!woken) return;
    if (queues_.size(home(core)) > 0) wake(home(core), 1, now);
    if (const auto place = claimable(core); !sharded_ && place && queues_.size(*place) > 0) wake(*place, 1, now);
  }

  bool could_take(CoreId core) const {
    if (has_handed(core)) return true;
    if (queues_.size(home(core)) > 0) return true;
    if (const auto place = claimable(core); place && queues_.size(*place) > 0) return true;
    return steals_ && queues_.in_homes(type_of(core)) > 0;
  }

  /// What reading that many lengths takes longer than reading those of one round of lanes.
  Duration reading(std::size_t lengths) const { return static_cast<std::int64_t>((lengths - 1) / lanes_) * read_lengths_; }
  std::size_t others() const { return std::max<std::size_t>(1, queues_.homes() - 1); }
  Duration round_in_vain() const { return own_look_ + read_lengths_ + reading(others()); }

  std::optional<VictimPolicy::Attempt> first_victim(CoreId core) const {
    const CoreType type = type_of(core);
    if (!steals_ || queues_.in_homes(type) == 0) return std::nullopt;
    return victims_->first_filled(queues_.home(core), takers_[index(core)].round * count() + index(core), queues_.filled(type),
                                  queues_.lengths(type));
  }

  /// From a round begun at `begun`.
  void steal(CoreId core, Place victim, TimePoint begun, TimePoint now) {
    const std::uint32_t number = steal_size_(static_cast<std::uint32_t>(queues_.size(victim)));
    std::vector<TaskId> stolen;
    for (std::uint32_t i = 0; i < number; ++i) stolen.push_back(queues_.pop_last(victim));
    const TaskId first = stolen.back();
    stolen.pop_back();
    if (sharded_) claim_sizes_.taken(victim.type, 1);  // the others are claimed from its home
    const TimePoint taken = hold(victim, now, queue_service_ + turn_) - turn_;
    const Duration put = stolen.empty() ? Duration{0} : put_;
    const TimePoint there = taken + put + taking(core, std::max(Duration{0}, steal_ - own_look_));
    if (!stolen.empty()) {
      std::ranges::reverse(stolen);
      stolen_[index(core)].push_back(std::move(stolen));
      calendar_.schedule(there, EventKind::kStolen, static_cast<std::uint32_t>(index(core)), *this);
    }
    take(core, first, begun, there);
  }

  /// From where it takes it to having it.
  Duration taking(CoreId core, Duration usual) { return std::exchange(takers_[index(core)].notices, std::nullopt).value_or(usual); }

  void take(CoreId core, TaskId task, TimePoint dispatched, TimePoint received) {
    receive(core, task, dispatched, received);
    has_room(core);
  }

  void released(TaskId task, CoreId by, TimePoint now) override {
    const Place place = queues_.place(task, by);
    TimePoint pushed = hold(place, now, queue_service_);
    if (by != kNoCore && queues_.shared() == place.queue) pushed += push_;
    if (pushed == now) return enqueue(place, task, now);
    places_.resize(graph_.size());
    places_[index(task)] = place;
    calendar_.schedule(pushed, EventKind::kPushed, static_cast<std::uint32_t>(index(task)), *this);
  }

  void enqueue(Place place, TaskId task, TimePoint now) {
    queues_.push(place, task);
    wake(place, static_cast<std::size_t>(graph_.traits(task).blocks), now);
  }

  void wake(Place place, std::size_t tasks, TimePoint now) {
    parked_.wake(place, tasks, now, [this](CoreId core, TimePoint time, Duration has) {
      if (!takers_[index(core)].begun) {
        begin(core);
        takers_[index(core)].round = 1;  // in vain, together with others
      }
      takers_[index(core)].parked = false;
      takers_[index(core)].notices = has;
      at(core, time, Step::kLook);
    });
  }

  const Design& design_;
  bool frozen_;        ///< the workers' own queues are frozen lists
  bool steals_;        ///< from each other
  Duration push_;      ///< released → pushed to the queue beside frozen lists
  std::size_t lanes_;  ///< lengths that it reads at a time
  Duration take_;
  Duration both_reads_;
  Duration claim_service_;
  Duration queue_service_;
  Duration steal_;
  Duration turn_;          ///< of one thief at a queue
  Duration put_;           ///< putting what is stolen into one's own queue
  Duration own_look_;      ///< finding it empty, where that takes time and there are others' to look at
  Duration read_lengths_;  ///< of as many queues as there are lanes
  bool sharded_;
  ClaimSizes claim_sizes_;
  std::unique_ptr<VictimPolicy> victims_;
  std::function<std::uint32_t(std::uint32_t)> steal_size_;
  WorkerQueues queues_;
  Sparse<Server> servers_;                           ///< by queue
  Sparse<Taker> takers_;                             ///< by CoreId
  Sparse<std::vector<TaskId>> held_;                 ///< by CoreId: Taker::held
  Sparse<std::vector<std::vector<TaskId>>> stolen_;  ///< by CoreId: what is not yet in its home
  std::uint32_t first_look_ = 0;                     ///< cores before this one have had their first look
  std::uint32_t first_search_ = 0;                   ///< of those that looked together, the first that has yet to search
  std::vector<Place> places_;                        ///< by TaskId: its queue-to-be; empty where pushing takes no time
  ParkedWorkers parked_;
};

}  // namespace

std::unique_ptr<Wiring> make_work_stealing(const WiringInputs& inputs) { return std::make_unique<WorkStealing>(inputs); }

}  // namespace tasktwin::sim
