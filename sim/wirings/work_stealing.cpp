#include <algorithm>
#include <cmath>
#include <deque>

#include "models/policies.hpp"
#include "models/random.hpp"
#include "sim/backoff.hpp"
#include "sim/claim_sizes.hpp"
#include "sim/hop_spread.hpp"
#include "sim/loot.hpp"
#include "sim/server.hpp"
#include "sim/worker_queues.hpp"
#include "sim/workers.hpp"

namespace tasktwin::sim {

namespace {

/// Each worker has a queue of its own, or, sharded, a home, and pushes there what it has made ready. One with room for a task looks, one
/// after the other, `refill` after the room is there,
///   at its own queue       taking the first by the task order: received = take later, from a frozen list list_take later
///   at a queue of several  its shard, or the one beside frozen lists: an atomic operation takes claim_size tasks, or what there is
///                          of them (received = take later, beside frozen lists list_claim later), and finds out that there are none
///   at the others' queues  if it steals: at all of them side by side, in a round by the victim policy. Of the first queue with
///                          tasks it takes one, half of them, or a batch, from the end that its owner takes last, and has them
///                          `steal` later: it runs the first of them, the others stand in its own queue from then on. The
///                          lengths are read kSideBySide at a time, each further time a read_latency later; a round in vain
///                          takes steal_fail and that.
/// With a queue_service, one operation at a time holds a queue for that long, before anything else: a take, a claim (with its
/// atomic_service), a push, a theft. A worker that has found nothing in a round, and for which nothing waits anywhere when it is
/// over, parks. Each task pushed wakes one worker that could take it. It has the task steal_hop ± counter_hop_spread after the push,
/// list_hop where there are frozen lists, later by a back-off, and loot that comes to stand in a queue as soon as it can. Those parked go
/// on looking, a round behind the other, each at a moment of its own: thieves come across a task the sooner the more of them look, the
/// first of k at one of k moments drawn from a round's time, the next at the next, whoever they are. Where rounds take no time the owner of
/// the queue is first, then who has been parked longest.
class WorkStealing final : public Workers {
 public:
  explicit WorkStealing(const WiringInputs& inputs)
      : Workers(inputs, PublishCost::to_shared_queue(inputs.machine.constants)),
        design_(inputs.design),
        frozen_(is_static(inputs.design.placement)),
        refill_(round_ns(inputs.machine.constants.refill)),
        own_take_(round_ns(frozen_ ? inputs.machine.constants.list_take : inputs.machine.constants.take)),
        claim_take_(round_ns(frozen_ ? inputs.machine.constants.list_claim : inputs.machine.constants.take)),
        hop_(round_ns(frozen_ ? inputs.machine.constants.list_hop : inputs.machine.constants.steal_hop)),
        both_reads_(round_ns(2 * inputs.machine.constants.read_latency)),
        claim_service_(round_ns(inputs.machine.constants.atomic_service + inputs.machine.constants.queue_service)),
        queue_service_(round_ns(inputs.machine.constants.queue_service)),
        steal_(round_ns(inputs.machine.constants.steal)),
        further_(round_ns(inputs.machine.constants.read_latency)),
        steal_fail_(round_ns(inputs.machine.constants.steal_fail)),
        looks_(inputs.seed),
        hops_(inputs.machine.constants.counter_hop_spread, kHops),
        sharded_(design_.ready_queue == ReadyQueue::kSharded),
        backoff_(design_, inputs.seed),
        claim_sizes_(inputs),
        victims_(make_victim_policy(design_.victim, inputs.seed)),
        queues_(inputs),
        servers_(queues_.queues()),
        takers_(count()) {
    if (queue_service_ > Duration{0}) places_.resize(graph_.size());
    for (std::size_t i = 0; i < graph_.size(); ++i) {
      if (queues_.is_frozen(task_id(i))) claim_sizes_.leave_out(graph_, task_id(i));
    }
  }

 private:
  using Place = WorkerQueues::Place;

  enum class Step : std::uint8_t { kLook, kRoundOver };
  struct Taker {
    Step next = Step::kLook;  ///< what it does at its next event
    std::uint64_t round = 0;  ///< of attempts to steal
    std::uint64_t wakes = 0;
    std::deque<TaskId> held;               ///< claimed, not yet fetched
    std::deque<std::vector<TaskId>> loot;  ///< stolen, not yet there
  };

  void at(CoreId core, TimePoint time, Step next) {
    takers_[index(core)].next = next;
    calendar_.schedule(time, EventKind::kClaim, static_cast<std::uint32_t>(index(core)), *this);
  }

  void has_room(CoreId core) override {
    if (const std::optional<TimePoint> begin = fetch(core).begin()) at(core, *begin + refill_, Step::kLook);
  }

  void happened(EventKind kind, std::uint32_t subject, TimePoint now) override {
    const CoreId core{subject};
    if (kind == EventKind::kPushed) {
      enqueue(places_[subject], TaskId{subject}, now);
    } else if (kind == EventKind::kStolen) {
      const std::vector<TaskId> loot = std::move(takers_[subject].loot.front());
      takers_[subject].loot.pop_front();
      queues_.restore(home(core), loot);
      wake(home(core), loot.size(), now, Duration{0});
    } else if (takers_[subject].next == Step::kLook) {
      look(core, now);
    } else {
      end_round(core, now);
    }
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
    if (!taker.held.empty()) {
      const TaskId task = taker.held.front();
      taker.held.pop_front();
      take(core, task, now, now + both_reads_);
    } else if (!sharded_ && queues_.size(home(core)) > 0) {
      const TaskId task = queues_.pop(home(core));
      const TimePoint taken = hold(home(core), now, queue_service_);
      take(core, task, taken, taken + own_take_);
    } else if (claimable(core)) {
      claim(core, now);
    } else {
      search(core, now);
    }
  }

  void claim(CoreId core, TimePoint now) {
    const Place place = *claimable(core);
    const TimePoint served = hold(place, now, claim_service_);
    const auto size = std::min<std::size_t>(queues_.size(place), claim_sizes_.next(place.type));
    if (size == 0) {
      search(core, served);
      return;
    }
    claim_sizes_.taken(place.type, static_cast<std::uint32_t>(size));
    const TaskId task = queues_.pop(place);
    for (std::size_t i = 1; i < size; ++i) takers_[index(core)].held.push_back(queues_.pop(place));
    take(core, task, served, served + claim_take_);
  }

  void search(CoreId core, TimePoint now) {
    ++takers_[index(core)].round;
    for (std::size_t attempt = 0;; ++attempt) {
      const std::optional<std::size_t> victim = next_victim(core, attempt);
      if (!victim) break;
      const Place place{static_cast<std::uint32_t>(*victim), type_of(core)};
      if (queues_.size(place) == 0) continue;
      steal(core, place, now + further(design_.victim == Victim::kMostLoaded ? others() : attempt + 1));
      return;
    }
    if (round_in_vain() == Duration{0}) {
      end_round(core, now);
    } else {
      at(core, now + round_in_vain(), Step::kRoundOver);
    }
  }

  /// What reading so many lengths takes longer than reading kSideBySide.
  Duration further(std::size_t lengths) const { return static_cast<std::int64_t>((lengths - 1) / kSideBySide) * further_; }
  std::size_t others() const { return std::max<std::size_t>(1, queues_.homes() - 1); }
  Duration round_in_vain() const {
    const bool looks = design_.stealing != Stealing::kOff && steal_fail_ > Duration{0};
    return looks ? steal_fail_ + further(others()) : Duration{0};
  }

  void end_round(CoreId core, TimePoint now) {
    if (could_take(core)) {
      look(core, now);
    } else {
      parked_[static_cast<std::size_t>(type_of(core))].push_back(core);
    }
  }

  std::optional<std::size_t> next_victim(CoreId core, std::size_t attempt) const {
    const CoreType type = type_of(core);
    if (design_.stealing == Stealing::kOff || queues_.in_homes(type) == 0) return std::nullopt;
    return victims_->next_victim(queues_.home(core), takers_[index(core)].round * count() + index(core), attempt, queues_.lengths(type));
  }

  bool could_take(CoreId core) const {
    if (queues_.size(home(core)) > 0) return true;
    if (const auto place = claimable(core); place && queues_.size(*place) > 0) return true;
    return design_.stealing != Stealing::kOff && queues_.in_homes(type_of(core)) > 0;
  }

  void steal(CoreId core, Place victim, TimePoint now) {
    const std::size_t number = loot_size(design_, queues_.size(victim));
    std::vector<TaskId> loot;
    for (std::size_t i = 0; i < number; ++i) loot.push_back(queues_.pop_last(victim));
    const TaskId first = loot.back();
    loot.pop_back();
    const TimePoint taken = hold(victim, now, queue_service_);
    if (!loot.empty()) {
      std::ranges::reverse(loot);
      takers_[index(core)].loot.push_back(std::move(loot));
      calendar_.schedule(taken + steal_, EventKind::kStolen, static_cast<std::uint32_t>(index(core)), *this);
    }
    take(core, first, taken, taken + steal_);
  }

  void take(CoreId core, TaskId task, TimePoint dispatched, TimePoint received) {
    receive(core, task, dispatched, received);
    has_room(core);
  }

  void released(TaskId task, CoreId by, TimePoint now) override {
    const Place place = queues_.place(task, by);
    if (places_.empty()) {
      enqueue(place, task, now);
      return;
    }
    places_[index(task)] = place;
    calendar_.schedule(hold(place, now, queue_service_), EventKind::kPushed, static_cast<std::uint32_t>(index(task)), *this);
  }

  void enqueue(Place place, TaskId task, TimePoint now) {
    queues_.push(place, task);
    wake(place, static_cast<std::size_t>(graph_.traits(task).blocks), now, hop_);
  }

  /// For each of `tasks` that stand at `place` from now on: whoever is woken has it `hop` later, or as soon as it can.
  void wake(Place place, std::size_t tasks, TimePoint now, Duration hop) {
    std::vector<CoreId>& parked = parked_[static_cast<std::size_t>(place.type)];
    const Nanoseconds round = round_in_vain();
    double passed = 0;  // of a round
    for (; tasks > 0 && !parked.empty(); --tasks) {
      auto woken = parked.begin();
      if (round > Nanoseconds{0}) {
        Random random = looks_.next();
        passed += (1 - passed) * (1 - std::pow(random.uniform(), 1 / static_cast<double>(parked.size())));
        woken += random.between(0, static_cast<std::int64_t>(parked.size()) - 1);
      } else if (queues_.shared() != place.queue) {
        const auto owner = std::ranges::find_if(parked, [&](CoreId core) { return queues_.home(core) == place.queue; });
        if (owner == parked.end() && design_.stealing == Stealing::kOff) return;
        if (owner != parked.end()) woken = owner;
      }
      const CoreId core = *woken;
      parked.erase(woken);
      const Duration paid = queues_.home(core) == place.queue ? own_take_ : queues_.shared() == place.queue ? claim_take_ : steal_;
      const Duration notices = std::max(Duration{0}, (hop > Duration{0} ? hops_.on(hop, index(core), woken_++) : hop) - paid);
      at(core, now + notices + round_ns(passed * round) + backoff_.draw(index(core), takers_[index(core)].wakes++), Step::kLook);
    }
  }

  static constexpr std::size_t kSideBySide = 32;  ///< a lane of a warp each

  /// Draws of when parked workers look, one behind the other.
  class Looks {
   public:
    explicit Looks(std::uint64_t seed) : seed_(mix(seed ^ kLooks)) {}
    Random next() { return Random(seed_ ^ mix(drawn_++)); }

   private:
    static constexpr std::uint64_t kLooks = 0x100c'5a7e;  // keeps these draws apart from all others
    std::uint64_t seed_;
    std::uint64_t drawn_ = 0;
  };

  const Design& design_;
  bool frozen_;  ///< the workers' own queues are frozen lists
  Duration refill_;
  Duration own_take_;
  Duration claim_take_;
  Duration hop_;
  Duration both_reads_;
  Duration claim_service_;
  Duration queue_service_;
  Duration steal_;
  Duration further_;
  Duration steal_fail_;
  Looks looks_;
  static constexpr std::uint64_t kHops = 0x40b5'7ea1;
  HopSpread hops_;
  std::uint64_t woken_ = 0;
  bool sharded_;
  Backoff backoff_;
  ClaimSizes claim_sizes_;
  std::unique_ptr<VictimPolicy> victims_;
  WorkerQueues queues_;
  std::vector<Server> servers_;                             ///< by queue
  std::vector<Taker> takers_;                               ///< by CoreId
  std::vector<Place> places_;                               ///< by TaskId: where it will stand; empty where pushing takes no time
  std::array<std::vector<CoreId>, kCoreTypeCount> parked_;  ///< by core type, the longest parked first
};

}  // namespace

std::unique_ptr<Wiring> make_work_stealing(const WiringInputs& inputs) { return std::make_unique<WorkStealing>(inputs); }

}  // namespace tasktwin::sim
