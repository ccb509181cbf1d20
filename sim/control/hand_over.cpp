// How dispatchers choose what goes where: the part of Dispatchers that hands over.
#include <algorithm>
#include <bit>
#include <limits>
#include <utility>

#include "models/rules/claim.hpp"
#include "models/rules/fill.hpp"
#include "sim/control/dispatcher.hpp"
#include "sim/engine/hop_spread.hpp"

namespace tasktwin::sim {

namespace {

/// Keeps these draws apart from all others.
constexpr std::uint64_t kHops = 0x40b'5161a;

constexpr std::uint32_t bit(CoreType type) { return 1u << static_cast<unsigned>(type); }

}  // namespace

/// One round. Returns when the next one begins; nothing once the iteration is over.
std::optional<TimePoint> Dispatchers::hand_over(std::uint32_t id, TimePoint now) {
  Dispatcher& dispatcher = dispatchers_[id];
  queues_.store(dispatcher.theft);
  dispatcher.theft.loot.clear();
  if (comes_late(id, now)) {
    const TimePoint end = queues_.operate(0, timeline_.cores.front(), now);
    log_.step(id, StepKind::kWait, now, end);
    end_iteration(id, end);
    return std::nullopt;
  }
  Round round{.begin = now, .limit = claim_limit()};
  const bool ahead = dispatcher.takes && fills_ahead(id);
  if (dispatcher.takes && queues_.waiting() > 0) round.claim = constants_.control.claim + (ahead ? constants_.control.claim_ahead : Nanoseconds{0});
  hand_given(id, round);
  if (wide_ && !shares_[dispatcher.share].clusters.empty()) hand_to_clusters(id, round);
  if (policy_) {
    hand_by_policy(id, round);
  } else if (dispatcher.takes && !(ahead && passes_by_ && fill_up(id, round))) {
    hand_by_level(id, round);
  }
  dispatcher.handed += round.handed;
  TimePoint end = now;
  if (round.handed > 0) {
    const TimePoint claimed = now + round.in_queues;
    if (queues_.waiting() == 0) emptied_ = claimed;
    end = claimed + handing_over(round, rounds(static_cast<std::size_t>(round.handed)));
    log_.step(id, StepKind::kWait, now, claimed);
    log_.step(id, StepKind::kDispatch, claimed, end);
    if (round.handed >= round.limit) return end;
  }
  if (design_.stealing != Stealing::kOff) {
    dispatcher.theft = steal(id, end);
    log_.step(id, StepKind::kSteal, end, dispatcher.theft.end);
    end = dispatcher.theft.end;
    if (!dispatcher.theft.loot.empty()) return end;
  }
  end_iteration(id, end);
  return std::nullopt;
}

/// Whether it waits for the lock to find that another has taken all: a thread of the host tells how many are left as it lets the lock go.
/// (Four of them took 406 to 438 times from the queue of 2210 tasks in layers of 85, and found nothing in some 190 of these.)
bool Dispatchers::comes_late(std::uint32_t id, TimePoint now) const {
  const Dispatcher& dispatcher = dispatchers_[id];
  if (!host_threads_ || queues_.waiting() > 0 || now >= emptied_) return false;
  const int levels = may_fill(id, timeline_.cores.front()) ? design_.mailbox_depth : 1;
  const OwnedCores& owned = shares_[dispatcher.share].owned;
  for (int level = 0; level < levels; ++level) {
    if (owned.any(static_cast<std::uint32_t>(level), timeline_.cores.front())) return true;
  }
  return false;
}

/// What needs not be taken from the queue, to idle cores.
void Dispatchers::hand_given(std::uint32_t id, Round& round) {
  std::vector<TaskId>& given = dispatchers_[id].given;
  std::size_t next = 0;
  shares_[dispatchers_[id].share].owned.for_each_while(0, ~0u, [&](std::uint32_t core) {
    if (next == given.size()) return false;
    hand(id, core, given[next++], round);
    return true;
  });
  given.clear();
}

/// Whether cores that hold a task may be given another: more waits than idle cores get, and the fill rule lets it.
bool Dispatchers::fills_ahead(std::uint32_t id) const {
  const Dispatcher& dispatcher = dispatchers_[id];
  const OwnedCores& owned = shares_[dispatcher.share].owned;
  const std::size_t idle = owned.count() - owned.busy() - dispatcher.given.size();
  if (design_.mailbox_depth == 1 || queues_.waiting() <= idle) return false;
  for (std::uint32_t left = owned.types(); left != 0; left &= left - 1) {
    if (may_fill(id, CoreType(std::countr_zero(left)))) return true;
  }
  return false;
}

/// If there is enough for all cores with room, each gets tasks that stand next to each other in the queue. Returns whether there was.
bool Dispatchers::fill_up(std::uint32_t id, Round& round) {
  const OwnedCores& owned = shares_[dispatchers_[id].share].owned;
  const auto depth = static_cast<std::uint32_t>(design_.mailbox_depth);
  const CoreType type = timeline_.cores.front();
  std::size_t room = 0;
  for (const std::uint32_t core : owned.cores()) room += depth - mailboxes_[core].count;
  if (design_.fill == Fill::kNotInTail || queues_.size(0, type) < room || static_cast<std::int64_t>(room) > round.limit) return false;
  std::vector<std::vector<TaskId>> tasks;
  for (const std::uint32_t core : owned.cores()) {
    std::vector<TaskId>& some = tasks.emplace_back();
    while (some.size() < depth - mailboxes_[core].count) some.push_back(take(id, 0, type, round));
  }
  for (std::size_t nth = 0; nth < depth; ++nth) {
    for (std::size_t i = 0; i < tasks.size(); ++i) {
      if (nth < tasks[i].size()) hand(id, owned.cores()[i], tasks[i][nth], round);
    }
  }
  return true;
}

/// A `mix` task to each cluster whose cores are all idle, or, where they may start apart, have room.
void Dispatchers::hand_to_clusters(std::uint32_t id, Round& round) {
  const CoreShare& share = shares_[dispatchers_[id].share];
  for (const std::vector<CoreId>& cluster : share.clusters) {
    const std::uint32_t levels = design_.gang == Gang::kTogether ? 1 : static_cast<std::uint32_t>(design_.mailbox_depth);
    const std::size_t shard = *queues_.sources(id, index(cluster.front())).begin();
    if (round.handed >= round.limit || queues_.empty(shard, CoreType::kMix)) return;
    const bool has_room = std::ranges::all_of(cluster, [&](CoreId core) { return mailboxes_[index(core)].count < levels; });
    if (!has_room) continue;
    std::vector<std::uint32_t> cores;
    for (const CoreId core : cluster) cores.push_back(static_cast<std::uint32_t>(index(core)));
    hand_gang(id, shard, CoreType::kMix, cores, round);
  }
}

void Dispatchers::hand_by_level(std::uint32_t id, Round& round) {
  const OwnedCores& owned = shares_[dispatchers_[id].share].owned;
  for (std::uint32_t level = 0; level < static_cast<std::uint32_t>(design_.mailbox_depth) && round.handed < round.limit; ++level) {
    std::uint32_t types = owned.types();
    for (std::uint32_t left = types; left != 0; left &= left - 1) {
      const auto type = CoreType(std::countr_zero(left));
      const bool nothing = queues_.single() && queues_.empty(0, type);
      if (nothing || (level > 0 && !may_fill(id, type))) types &= ~bit(type);
    }
    if (types == 0) continue;
    owned.for_each_while(level, types, [&](std::uint32_t core) {
      const CoreType type = timeline_.cores[core];
      if ((types & bit(type)) == 0) return true;
      const bool tail = level > 0 && design_.fill == Fill::kNotInTail && !may_fill(id, type);
      if (!tail) hand_next(id, core, level, round);
      if (queues_.single() && queues_.empty(0, type)) types &= ~bit(type);
      return types != 0 && round.handed < round.limit;
    });
  }
}

/// Each task in turn to the core that the placement chooses among those with room.
void Dispatchers::hand_by_policy(std::uint32_t id, Round& round) {
  const OwnedCores& owned = shares_[dispatchers_[id].share].owned;
  std::vector<Candidate> candidates;
  for (unsigned t = 0; t < kCoreTypeCount; ++t) {
    const auto type = CoreType(t);
    if ((owned.types() & bit(type)) == 0) continue;
    while (round.handed < round.limit) {
      candidates.clear();
      const int levels = may_fill(id, type) ? design_.mailbox_depth : 1;
      for (int level = 0; level < levels; ++level) {
        owned.for_each(static_cast<std::uint32_t>(level), bit(type), [&](std::uint32_t core) {
          candidates.push_back({CoreId{core}, loads_[core].held, loads_[core].expected});
        });
      }
      if (candidates.empty()) break;
      const std::size_t shard = *queues_.sources(id, index(candidates.front().core)).begin();
      if (queues_.empty(shard, type)) break;
      const auto chosen = policy_->choose(queues_.front(shard, type), candidates);
      const auto core = static_cast<std::uint32_t>(index(candidates[chosen.value_or(0)].core));
      if (!hand_next(id, core, mailboxes_[core].count, round)) break;
    }
  }
}

/// The next task for `core`, or the next block of one. Returns whether there was one.
bool Dispatchers::hand_next(std::uint32_t id, std::uint32_t core, std::uint32_t level, Round& round) {
  const CoreType type = timeline_.cores[core];
  for (const std::size_t shard : queues_.sources(id, core)) {
    if (queues_.empty(shard, type)) continue;
    if (!wide_) {
      hand(id, core, take(id, shard, type, round), round);
      return true;
    }
    if ((round.blocked & bit(type)) != 0 || mailboxes_[core].count != level) return false;
    const TaskId task = queues_.front(shard, type);
    const int blocks = graph_.traits(task).blocks;
    if (blocks == 1) {
      hand(id, core, take(id, shard, type, round), round);
    } else if (design_.gang == Gang::kApart) {
      claim(id, shard, type, round);
      if (++blocks_handed_[index(task)] == blocks) {
        take(id, shard, type, round);
      } else {
        ++handed_;
      }
      hand(id, core, task, round);
    } else {
      std::vector<std::uint32_t> idle;
      shares_[dispatchers_[id].share].owned.for_each(0, bit(type), [&idle](std::uint32_t one) { idle.push_back(one); });
      if (idle.size() < static_cast<std::size_t>(blocks)) {
        round.blocked |= bit(type);
        return false;
      }
      hand_gang(id, shard, type, std::span(idle).first(static_cast<std::size_t>(blocks)), round);
    }
    return true;
  }
  return false;
}

void Dispatchers::hand_gang(std::uint32_t id, std::size_t shard, CoreType type, std::span<const std::uint32_t> cores, Round& round) {
  const TaskId task = take(id, shard, type, round);
  handed_ += cores.size() - 1;
  for (const std::uint32_t core : cores) hand(id, core, task, round);
}

TaskId Dispatchers::take(std::uint32_t id, std::size_t shard, CoreType type, Round& round) {
  claim(id, shard, type, round);
  ++handed_;
  return queues_.pop(shard, type);
}

/// Pays for the operation on the queue: once a round for a queue of many, each time for one core's own.
void Dispatchers::claim(std::uint32_t id, std::size_t shard, CoreType type, Round& round) {
  if (!queues_.per_worker() && (round.charged & bit(type)) != 0) return;
  const Duration so_far = round.handed == 0 ? Duration{0} : handing_over(round, rounds(static_cast<std::size_t>(round.handed)));
  const TimePoint now = round.begin + round.in_queues + so_far;
  round.in_queues += queues_.operate(shard, type, now, coming_to_queue(id, constants_.control.queue_fetch)) - now;
  round.charged |= queues_.charged_with(type);
}

void Dispatchers::hand(std::uint32_t id, std::uint32_t core, TaskId task, Round& round) {
  Mailbox& mailbox = mailboxes_[core];
  mailbox.tasks[mailbox.next] = task;
  mailbox.next = (mailbox.next + 1) % kMaxMailboxDepth;
  shares_[dispatchers_[id].share].owned.move(core, mailbox.count, mailbox.count + 1);
  ++mailbox.count;
  if (weighs_loads_) loads_[core] = {static_cast<int>(mailbox.count), loads_[core].expected + durations_[index(task)]};
  TaskTimes& times = timeline_.tasks[index(task)];
  times.dispatcher = DispatcherId{id};
  times.dispatched = round.begin + round.in_queues + handing_over(round, round.handed / lanes_ + 1);
  ++round.handed;
  const std::uint64_t seed = mix(chance_ ^ kHops) ^ (index(task) << 12 | core);
  TimePoint received = times.dispatched + drawn_hop(constants_.mailboxes.hop, constants_.mailboxes.hop_sigma, seed);
  if (!has_had_task_[core]) received += round_ns(constants_.mailboxes.first_hop);
  has_had_task_[core] = true;
  if (!received_.empty()) received_[core] = received = std::max(received_[core], received);
  cores_.receive(CoreId{core}, task, received);
}

/// For each type of which a core is idle and nothing waits; for each such core where every core has its own queue.
DispatchQueues::Theft Dispatchers::steal(std::uint32_t id, TimePoint now) {
  const OwnedCores& owned = shares_[dispatchers_[id].share].owned;
  DispatchQueues::Theft theft{now};
  std::uint32_t tried = 0;
  owned.for_each(0, owned.types(), [&](std::uint32_t core) {
    const CoreType type = timeline_.cores[core];
    if (!theft.loot.empty() || (!queues_.per_worker() && (tried & bit(type)) != 0)) return;
    tried |= bit(type);
    const DispatchQueues::Sources sources = queues_.sources(id, core);
    if (std::ranges::any_of(sources, [&](std::size_t shard) { return !queues_.empty(shard, type); })) return;
    theft = queues_.steal(*sources.begin(), type, theft.end);
  });
  return theft;
}

std::int64_t Dispatchers::claim_limit() const {
  const rules::ClaimRule rule{design_.claim, static_cast<std::uint32_t>(design_.claim_size),
                              static_cast<std::uint32_t>(dispatchers_.size())};
  return rules::claim_size(rule, left(), std::numeric_limits<std::uint32_t>::max());
}

/// Whether a core of `type` that already holds a task may be given another, the dispatcher's own idle ones being served first.
bool Dispatchers::may_fill(std::uint32_t id, CoreType type) const {
  std::size_t idle_elsewhere = 0;
  for (std::size_t share = 0; share < told_idle_.size(); ++share) {
    if (share != dispatchers_[id].share) idle_elsewhere += told_idle_[share][static_cast<std::size_t>(type)];
  }
  return rules::may_fill(design_.fill,
                         {static_cast<std::uint32_t>(idle_elsewhere), left(), static_cast<std::uint32_t>(timeline_.cores.size())});
}

/// From the begin of a hand-over to the end of its n-th round of up to `lanes_` tasks.
Duration Dispatchers::handing_over(const Round& round, std::int64_t nth) const {
  return round_ns(round.claim + constants_.control.hand_over + static_cast<double>(nth) * constants_.control.dispatch);
}

}  // namespace tasktwin::sim
