#include "sim/control/hand_over/hand_over.hpp"

#include <algorithm>
#include <bit>
#include <deque>
#include <limits>
#include <optional>
#include <utility>

#include "models/rules/claim.hpp"

namespace tasktwin::sim {

HandOver::HandOver(const Parts& parts, std::unique_ptr<Giver> giver, std::unique_ptr<CoreChoice> choice, Nanoseconds claim)
    : parts_(parts), giver_(std::move(giver)), choice_(std::move(choice)), claim_(claim), thefts_(parts.shares.dispatchers()) {}

HandOver::Result HandOver::round(std::uint32_t id, Iteration& iteration, TimePoint now) {
  parts_.queues.store(thefts_[id]);
  thefts_[id].stolen.clear();
  if (comes_late(id, now)) {
    const TimePoint end = parts_.queues.operate(0, parts_.cores.front(), now);
    parts_.events.step(DispatcherId{id}, StepKind::kWait, now, end);
    return {end};
  }
  Round round{.by = id, .begin = now, .limit = limit()};
  const bool takes = iteration.takes && parts_.queues.waiting() > 0;
  const bool ahead = takes && fills_ahead(id, iteration);
  if (takes) round.claim = claim_;
  if (!iteration.given.empty()) hand_given(round, iteration.given);
  if (parts_.early.on()) hand_missing(round);
  if (takes) {
    giver_->give_clusters(round, 0);
    choice_->hand_out(round, ahead);
  }
  const bool stages =
      parts_.design.early_dispatch != EarlyDispatch::kIdlePass || (iteration.handed + round.handed == 0 && parts_.queues.waiting() == 0);
  if (parts_.early.on() && stages) hand_early(round);
  iteration.handed += round.handed;
  TimePoint end = now;
  if (round.handed > 0) {
    const TimePoint claimed = now + round.in_queues;
    if (parts_.queues.waiting() == 0) parts_.access.emptied(claimed);
    end = parts_.deliveries.end(round);
    parts_.events.step(DispatcherId{id}, StepKind::kWait, now, claimed);
    parts_.events.step(DispatcherId{id}, StepKind::kDispatch, claimed, end);
    if (round.is_full()) return {end, true};
  }
  if (parts_.design.stealing == Stealing::kOff) return {end};
  thefts_[id] = steal(id, end);
  parts_.events.step(DispatcherId{id}, StepKind::kSteal, end, thefts_[id].end);
  return {thefts_[id].end, !thefts_[id].stolen.empty()};
}

/// Whether it waits for the lock to find that another has taken all.
bool HandOver::comes_late(std::uint32_t id, TimePoint now) const {
  if (parts_.queues.waiting() > 0 || !parts_.access.looks_filled(now)) return false;
  const CoreType type = parts_.cores.front();
  const std::uint32_t levels = parts_.fill.levels(parts_.shares.share_of_dispatcher(id), type);
  for (std::uint32_t level = 0; level < levels; ++level) {
    if (parts_.shares.of_dispatcher(id).owned.any(level, type)) return true;
  }
  return false;
}

/// Of blocks in one round.
std::int64_t HandOver::limit() const {
  const rules::ClaimRule rule{parts_.design.claim, static_cast<std::uint32_t>(parts_.design.claim_size),
                              static_cast<std::uint32_t>(parts_.shares.dispatchers())};
  return rules::claim_size(rule, parts_.blocks.left(), std::numeric_limits<std::uint32_t>::max());
}

/// Whether cores that hold a task may be given another: more waits than idle cores get, and the fill rule lets it.
bool HandOver::fills_ahead(std::uint32_t id, const Iteration& iteration) const {
  const OwnedCores& owned = parts_.shares.of_dispatcher(id).owned;
  const std::size_t idle = owned.count() - owned.busy() - iteration.given.size();
  if (parts_.fill.depth() == 1 || parts_.queues.waiting() <= idle) return false;
  const std::uint32_t types = owned.types() | (parts_.shares.of_dispatcher(id).clusters.empty() ? 0 : bit_of(CoreType::kMix));
  for (std::uint32_t left = types; left != 0; left &= left - 1) {
    if (parts_.fill.may_fill(parts_.shares.share_of_dispatcher(id), CoreType(std::countr_zero(left)))) return true;
  }
  return false;
}

/// What is missing of tasks that are ready and have blocks on cores, to as many idle cores at once: its own, or, of a task with more blocks
/// than any dispatcher has cores, those of all.
void HandOver::hand_missing(Round& round) {
  for (const TaskId task : parts_.early.incomplete()) {
    const CoreType type = parts_.graph[task].core_type;
    const std::size_t missing = parts_.early.missing(task);
    std::vector<std::uint32_t> idle;
    const auto collect = [&](const CoreShare& share) {
      share.owned.for_each(0, bit_of(type), [&idle](std::uint32_t core) { idle.push_back(core); });
    };
    const bool of_all = static_cast<std::size_t>(parts_.graph.traits(task).blocks) > parts_.shares.most_of_one(type);
    if (of_all) {
      std::ranges::for_each(parts_.shares.all(), collect);
      std::ranges::sort(idle);
    } else {
      collect(parts_.shares.of_dispatcher(round.by));
    }
    if (idle.size() < missing) continue;
    if (of_all) parts_.deliveries.agree(round, parts_.shares.dispatchers() - 1);
    parts_.deliveries.count_blocks(missing);
    parts_.deliveries.hand(round, std::span(idle).first(missing), task);
  }
}

/// What is not ready yet, to cores for which nothing is.
void HandOver::hand_early(Round& round) {
  const std::deque<TaskId>& found = parts_.early.candidates();
  std::vector<TaskId> candidates(found.begin(), found.end());
  const auto of_cluster = [this](TaskId task) { return parts_.graph[task].core_type == CoreType::kMix; };
  if (parts_.design.early_order == EarlyOrder::kMixFirst) std::ranges::stable_partition(candidates, of_cluster);
  const OwnedCores& owned = parts_.shares.of_dispatcher(round.by).owned;
  for (const TaskId task : candidates) {
    if (round.is_full() || owned.busy() == owned.count()) break;
    hand_early(round, task);
  }
  if (parts_.design.early_dispatch != EarlyDispatch::kAnySlot) return;
  for (const TaskId task : candidates) {
    if (round.is_full()) break;
    if (!of_cluster(task) && parts_.graph.traits(task).blocks == 1 && parts_.early.missing(task) == 1) hand_early_behind(round, task);
  }
}

/// To idle cores, as many blocks as may be.
void HandOver::hand_early(Round& round, TaskId task) {
  const CoreType type = parts_.graph[task].core_type;
  if (waits(round.by, type)) return;
  if (type == CoreType::kMix) {
    const std::vector<std::uint32_t> cores = giver_->idle_cluster(round.by, task);
    if (parts_.early.allowed(task, round.by, static_cast<std::uint32_t>(cores.size())) == 0) return;
    for (const std::uint32_t core : cores) parts_.deliveries.hand_early(round, core, task);
    return;
  }
  std::vector<std::uint32_t> cores;
  const std::uint32_t most = parts_.early.allowed(task, round.by, 1);
  parts_.shares.of_dispatcher(round.by).owned.for_each_while(0, bit_of(type), [&](std::uint32_t core) {
    if (cores.size() == most) return false;
    cores.push_back(core);
    return true;
  });
  for (const std::uint32_t core : cores) {
    if (round.is_full()) return;
    parts_.deliveries.hand_early(round, core, task);
  }
}

/// To the first core with the fewest tasks that has room for another.
void HandOver::hand_early_behind(Round& round, TaskId task) {
  const CoreType type = parts_.graph[task].core_type;
  if (waits(round.by, type) || parts_.early.allowed(task, round.by, 1) == 0) return;
  const std::uint32_t levels = parts_.fill.levels(parts_.shares.share_of_dispatcher(round.by), type);
  std::optional<std::uint32_t> behind;
  for (std::uint32_t level = 1; level < levels && !behind; ++level) {
    parts_.shares.of_dispatcher(round.by).owned.for_each_while(level, bit_of(type), [&](std::uint32_t core) {
      behind = core;
      return false;
    });
  }
  if (behind) parts_.deliveries.hand_early(round, *behind, task);
}

/// Whether tasks of the type, or such as go before them, are ready that this control core could hand over.
bool HandOver::waits(std::uint32_t by, CoreType type) const {
  if (parts_.early.keeps_back(type)) return true;
  const std::vector<std::uint32_t>& own = parts_.shares.of_dispatcher(by).owned.cores();
  if (type != CoreType::kMix && !own.empty() && parts_.queues.mix_goes_first(by, own.front())) return true;
  for (std::size_t shard = 0; shard < parts_.queues.shards(); ++shard) {
    if (parts_.queues.reaches(by, shard) && !parts_.queues.empty(shard, type)) return true;
  }
  return false;
}

/// To idle cores.
void HandOver::hand_given(Round& round, std::vector<TaskId>& given) {
  std::size_t next = 0;
  parts_.shares.of_dispatcher(round.by).owned.for_each_while(0, ~0u, [&](std::uint32_t core) {
    if (next == given.size()) return false;
    parts_.deliveries.hand(round, core, given[next++]);
    return true;
  });
  given.clear();
}

/// For each type of which a core is idle and nothing waits; for each such core where every core has its own queue.
DispatchQueues::Theft HandOver::steal(std::uint32_t id, TimePoint now) {
  const OwnedCores& owned = parts_.shares.of_dispatcher(id).owned;
  DispatchQueues::Theft theft{now};
  std::uint32_t tried = 0;
  owned.for_each(0, owned.types(), [&](std::uint32_t core) {
    const CoreType type = parts_.cores[core];
    if (!theft.stolen.empty() || (!parts_.queues.per_worker() && (tried & bit_of(type)) != 0)) return;
    tried |= bit_of(type);
    const DispatchQueues::Sources sources = parts_.queues.sources(id, core);
    if (std::ranges::any_of(sources, [&](std::size_t shard) { return !parts_.queues.empty(shard, type); })) return;
    theft = parts_.queues.steal(*sources.begin(), type, theft.end);
  });
  return theft;
}

}  // namespace tasktwin::sim
