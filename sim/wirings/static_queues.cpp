#include <algorithm>
#include <ranges>

#include "models/base/random.hpp"
#include "models/base/sparse.hpp"
#include "models/graph/messages.hpp"
#include "models/policies/policies.hpp"
#include "sim/engine/hop_spread.hpp"
#include "sim/resumable.hpp"
#include "sim/wirings.hpp"
#include "sim/workers/backoff.hpp"
#include "sim/workers/workers.hpp"

namespace tasktwin::sim {

namespace {

ToldEdges told_edges(const WiringInputs& inputs) {
  return inputs.design.own_list == OwnList::kOrder ? ToldEdges(inputs.graph, inputs.lists) : ToldEdges();
}

PublishCost publish_cost(const WiringInputs& inputs) {
  const AsRun& c = inputs.machine;
  PublishCost cost{.fixed = c.resident_cores->release};  // one flag or one semaphore, however many wait for it
  if (inputs.design.notification == Notification::kCounter) cost = PublishCost::to_counters(c);
  cost.counts = told_edges(inputs).told();
  if (inputs.design.notification != Notification::kMessage) return cost;
  cost.message_less = std::min(cost.fixed, c.resident_cores->message_gain);
  cost.in_messages = Messages(inputs.graph, told_edges(inputs)).results();
  return cost;
}

Nanoseconds hop(const WiringInputs& inputs) {
  const mechanism::ResidentCores& cores = *inputs.machine.resident_cores;
  const bool flags = inputs.design.notification == Notification::kFlag || inputs.design.notification == Notification::kMessage;
  return flags ? std::max(Nanoseconds{0}, cores.counter_hop - cores.flag_gain) : cores.counter_hop;
}

std::optional<Messages> messages(const WiringInputs& inputs) {
  if (inputs.design.notification != Notification::kMessage) return std::nullopt;
  return Messages(inputs.graph, told_edges(inputs));
}

/// A worker that fetches nothing ahead hands nothing from unit to unit.
Cores::Units units(const Design& design) { return design.mailbox_depth == 1 ? Cores::Units::kOne : Cores::Units::kThree; }

/// Each core walks its own list, written beforehand. A fetch that begins at f continues to the task's entry at e = f + list_read, then
/// waits until its predecessors are done; `ready` is the last one's completion written.
///   no predecessors   received = e
///   counter           received = max(e + look, ready + counter_hop), look being two reads: the first one at the counter may do. It
///                     shows the counters of the next 31 tasks of the list too: as many of those as are open by max(f, ready), and seen so,
///                     without a closed one between, are received at their e
///   flag              reads the flags in the order of predecessors, 32 at once, for `look` or until a hop, counter_hop less flag_gain,
///                     after the last of them is written
///   message           reads the pieces of its predecessors' messages as flags; a hop is message_gain shorter where the result is in
///                     them, as far as release, of which it is taken first, is less
///   semaphore         received = max(e, ready + counter_hop)
/// A counter's or flag's hop is longer or shorter by N(0, counter_hop_spread), one draw for each writing core, waiting core and word:
/// how far they are from each other is a matter of the card, so it is the same whatever the seed. From one die to another it is die_hop
/// longer; from one device to another it takes peers.flag_hop less its release. `ready` + hop is the latest of them all. A task
/// that an orchestrator makes known waits for that too, as for one more predecessor; its flag is read first. A worker that had to wait
/// notices late by a back-off. Under own_list `order` tasks of its own list count as no predecessors; under
/// prologues `ahead` f is when the task's prologue is over.
class StaticQueues final : public Workers, private Resumable {
 public:
  explicit StaticQueues(const WiringInputs& inputs)
      : Workers(inputs, publish_cost(inputs), units(inputs.design)),
        schedule_(inputs.lists),
        edges_(told_edges(inputs)),
        notification_(inputs.design.notification),
        lanes_(inputs.machine.resident_cores->lanes),
        list_read_(inputs.machine.resident_cores->list_read),
        look_(2 * inputs.machine.memory->read_latency),
        entry_(round_ns(list_read_)),
        counter_look_(round_ns(list_read_ + look_)),
        hop_(round_ns(hop(inputs))),
        messages_(messages(inputs)),
        sooner_(round_ns(std::max(Nanoseconds{0}, inputs.machine.resident_cores->message_gain - inputs.machine.resident_cores->release))),
        hop_spread_(inputs.machine.resident_cores->counter_hop_spread, kDistances),
        backoff_(inputs.design, inputs.chance),
        next_(count()),
        known_open_(count()),
        core_of_(graph_.size()),
        fetched_from_(graph_.size(), kAbsent),
        released_(graph_.size(), kAbsent),
        prefetches_(inputs.design.prefetch > 0),
        ahead_(inputs.design.prologues == Prologues::kAhead && graph_.has_prologues()) {
    if (prefetches_) load_ahead(inputs, schedule_);
    if (inputs.machine.devices.count() > 1)
      peer_hop_ =
          round_ns(inputs.machine.peers->flag_hop - inputs.machine.peers->system_release - inputs.machine.resident_cores->counter_hop);
    if (inputs.machine.distances) {
      die_ = static_cast<std::size_t>(inputs.machine.distances->compute_die);
      die_hop_ = round_ns(inputs.machine.distances->die_hop);
    }
    if (inputs.design.graph_build == GraphBuild::kDevice) known_.resize(graph_.size(), kAbsent);
    for (std::size_t core = 0; core < schedule_.size(); ++core) {
      for (const TaskId task : schedule_[core]) core_of_[index(task)] = core_id(core);
    }
  }

  Resumable* resumable() override { return this; }

 private:
  struct OwnState final : State {
    OwnState(SharedState&& of_all, const StaticQueues& queues)
        : shared(std::move(of_all)), known_open(queues.known_open_), fetched_from(queues.fetched_from_), released(queues.released_) {}
    SharedState shared;
    Sparse<std::uint32_t> known_open;
    std::vector<TimePoint> fetched_from;
    std::vector<TimePoint> released;
  };

  std::unique_ptr<const State> state() const override {
    auto state = std::make_unique<OwnState>(shared_state(), *this);
    state->horizon = std::max(horizon_, calendar_.now());
    state->taken = next_;
    return state;
  }

  void resume(const State& state, const Change& change) override {
    const auto& before = static_cast<const OwnState&>(state);
    resume_shared(before.shared, change.before);
    horizon_ = before.horizon;
    next_ = before.taken;
    known_open_ = before.known_open;
    fetched_from_ = before.fetched_from;
    released_ = before.released;
    // A worker that waits for what stands there no longer has not come to it; nor is a list at its end that goes on now.
    for (const auto& [core, place] : change.lists) {
      if (next_[index(core)] <= place) continue;
      next_[index(core)] = static_cast<std::uint32_t>(place);
      fetched_from_[index(change.lists_before[index(core)][place])] = kAbsent;
      fetch(core).take_back();
    }
    for (const auto& [core, place] : change.lists) has_room(core);
  }

  std::vector<EventHandler*> handlers() override { return all_handlers(); }

  void has_room(CoreId core) override {
    const std::vector<TaskId>& list = schedule_[index(core)];
    if (list.empty()) return;
    std::uint32_t& next = next_[index(core)];
    while (next < list.size()) {
      const std::optional<TimePoint> begin = fetch(core).begin();
      if (!begin) return;
      const TaskId task = list[next++];
      if (prefetches_) come_to_next(core, *begin);
      fetched_from_[index(task)] = *begin + (ahead_ ? graph_.traits(task).prologue : Duration{0});
      if (!open(task)) return;  // its release continues from here
      get(core, task);
    }
  }

  void released(TaskId task, CoreId /*by*/, TimePoint now) override {
    released_[index(task)] = now;
    if (!is_present(fetched_from_[index(task)])) return;  // its core has not come to it
    const CoreId core = core_of_[index(task)];
    get(core, task);
    has_room(core);
  }

  void known(TaskId task, TimePoint now) override { known_[index(task)] = now; }

  void get(CoreId core, TaskId task) {
    const TimePoint begin = fetched_from_[index(task)];
    if (waits_for_none(task) && known_.empty()) return receive(core, task, begin, begin + entry_);
    if (next_[index(core)] <= known_open_[index(core)]) return receive(core, task, begin, begin + entry_);
    const auto [looked, seen] = looks(task, begin);
    const TimePoint received = seen > looked ? seen + backoff_.draw(index(core), index(task)) : looked;
    if (notification_ == Notification::kCounter) {
      const TimePoint now = std::max(begin, released_[index(task)]);
      horizon_ = std::max(horizon_, now);
      known_open_[index(core)] = open_at(core, now, received);
    }
    receive(core, task, begin, received);
  }

  /// The place in the core's list of the first task that a look which is over at `seen` finds closed, or does not reach.
  std::uint32_t open_at(CoreId core, TimePoint now, TimePoint seen) const {
    const std::vector<TaskId>& list = schedule_[index(core)];
    const std::size_t end = std::min(list.size(), std::size_t{next_[index(core)]} + static_cast<std::size_t>(lanes_) - 1);
    std::size_t place = next_[index(core)];
    while (place < end && is_open(list[place], now) && told(list[place], core, TimePoint{}) + hop_ <= seen) ++place;
    return static_cast<std::uint32_t>(place);
  }

  /// Those whose completion is signalled to its worker.
  auto awaited(TaskId task) const {
    return graph_.predecessors(task) | std::views::filter([this, task](TaskId before) { return edges_.has(before, task); });
  }
  bool waits_for_none(TaskId task) const { return graph_.in_degree(task) == 0 || (!edges_.all() && awaited(task).empty()); }

  /// Whether all that it awaits is done by `now`.
  bool is_open(TaskId task, TimePoint now) const {
    if (!known_.empty() && (!is_present(known_[index(task)]) || known_[index(task)] > now)) return false;
    return std::ranges::all_of(awaited(task), [&](TaskId predecessor) {
      const TimePoint published = publisher(predecessor).at;
      return is_present(published) && published <= now;
    });
  }

  struct Looks {
    TimePoint looked;  ///< through, had nothing to wait for
    TimePoint seen;    ///< through, as it is
  };
  Looks looks(TaskId task, TimePoint begin) const {
    const TimePoint ready = signalled(task);
    switch (notification_) {
      case Notification::kFlag:
      case Notification::kMessage:
        return flags(task, begin);
      case Notification::kSemaphore:
        return {begin + entry_, std::max(begin + entry_, ready + hop_)};
      default:
        return {begin + counter_look_, std::max(begin + counter_look_, told(task, core_of_[index(task)], ready) + hop_)};
    }
  }

  /// When the last signal that it awaits was given.
  TimePoint signalled(TaskId task) const {
    if (edges_.all()) return released_[index(task)];
    TimePoint last{};
    for (const TaskId before : awaited(task)) last = std::max(last, publisher(before).at);
    return last;
  }

  /// When the last of its predecessors counts as done for `reader`, were every hop of equal length; `ready` where it has none.
  TimePoint told(TaskId task, CoreId reader, TimePoint ready) const {
    TimePoint last = known_.empty() ? kAbsent : known_[index(task)];
    for (const TaskId predecessor : awaited(task)) last = std::max(last, done_for(predecessor, reader, task));
    return is_present(last) ? last : ready;
  }

  /// When `predecessor` counts as done for `reader`, which waits for `task`.
  TimePoint done_for(TaskId predecessor, CoreId reader, TaskId task) const {
    const auto& [at, writer] = publisher(predecessor);
    return writer == kNoCore ? at : at + farther(writer, reader, task);
  }

  /// How much longer the hop by the counter or flag of `task` is than the mean; never so short that it would be none.
  Duration farther(CoreId writer, CoreId reader, TaskId task) const {
    const std::size_t from = stands_on(writer);
    const std::size_t to = stands_on(reader);
    const Duration spread = hop_spread_.longer(mix(mix(kDistances ^ from) ^ to) ^ index(task), hop_);
    if (device_of(writer) != device_of(reader)) return spread + peer_hop_;
    return die_ > 0 && from / die_ != to / die_ ? spread + die_hop_ : spread;
  }

  Looks flags(TaskId task, TimePoint begin) const {
    Nanoseconds looked = list_read_;  // both from `begin`
    Nanoseconds seen = list_read_;
    const auto read = [&](TimePoint written) {
      looked += look_;
      seen = std::max(seen + look_, Nanoseconds{written + hop_ - begin});
    };
    if (!known_.empty()) read(known_[index(task)]);
    TimePoint last = kAbsent;
    int words = 0;
    for (const TaskId before : awaited(task)) {
      // Never seen before it is told, however short the hop that was drawn.
      const TimePoint done = std::max(done_for(before, core_of_[index(task)], task) - sooner(before), publisher(before).at - hop_);
      for (std::uint32_t piece = messages_ ? messages_->pieces(before) : 1; piece > 0; --piece) {
        if (words == lanes_) {
          read(last);
          last = kAbsent;
          words = 0;
        }
        last = std::max(last, done);
        ++words;
      }
    }
    if (words > 0) read(last);
    return {begin + round_ns(looked), begin + round_ns(seen)};
  }

  /// How much sooner than a flag it is seen, beyond what its writer has spared.
  Duration sooner(TaskId before) const { return messages_ && messages_->has_result(before) ? std::min(sooner_, hop_) : Duration{0}; }

  /// Keeps these draws apart from all others.
  static constexpr std::uint64_t kDistances = 0xd157'a4ce;

  const FrozenSchedule& schedule_;
  ToldEdges edges_;
  Notification notification_;
  int lanes_;  ///< flags that it reads at a time
  Nanoseconds list_read_;
  Nanoseconds look_;
  Duration entry_;
  Duration counter_look_;
  Duration hop_;
  std::optional<Messages> messages_;  ///< Notification::kMessage
  Duration sooner_;
  HopSpread hop_spread_;
  std::size_t die_ = 0;  ///< cores of a die; 0 where all are equally near
  Duration die_hop_{};
  Duration peer_hop_{};  ///< the hop to another device, beyond counter_hop
  Backoff backoff_;
  Sparse<std::uint32_t> next_;           ///< by CoreId: place in its list
  Sparse<std::uint32_t> known_open_;     ///< by CoreId: tasks before this place in its list are known to be ready
  std::vector<CoreId> core_of_;          ///< by TaskId
  std::vector<TimePoint> fetched_from_;  ///< by TaskId: when its core began to fetch it; kAbsent before
  std::vector<TimePoint> released_;      ///< by TaskId: when its last predecessor was done; kAbsent before
  bool prefetches_;                      ///< Design::prefetch
  bool ahead_;                           ///< workers do prologues before they look for what tasks wait for
  TimePoint horizon_{};                  ///< until then it has been asked which tasks are ready
  std::vector<TimePoint> known_;         ///< by TaskId: when an orchestrator made it known; empty where the host did
};

}  // namespace

std::unique_ptr<Wiring> make_static_queues(const WiringInputs& inputs) { return std::make_unique<StaticQueues>(inputs); }

}  // namespace tasktwin::sim
