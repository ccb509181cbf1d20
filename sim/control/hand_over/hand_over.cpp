#include "sim/control/hand_over/hand_over.hpp"

#include <algorithm>
#include <bit>
#include <limits>
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
  if (takes) {
    giver_->give_clusters(round);
    choice_->hand_out(round, ahead);
  }
  if (parts_.early.on()) hand_early(round);
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
  for (std::uint32_t left = owned.types(); left != 0; left &= left - 1) {
    if (parts_.fill.may_fill(parts_.shares.share_of_dispatcher(id), CoreType(std::countr_zero(left)))) return true;
  }
  return false;
}

/// What is not ready yet, to cores for which nothing is.
void HandOver::hand_early(Round& round) {
  parts_.shares.of_dispatcher(round.by).owned.for_each_while(0, ~0u, [&](std::uint32_t core) {
    if (round.is_full()) return false;
    if (const auto task = parts_.early.next(parts_.cores[core])) parts_.deliveries.hand_early(round, core, *task);
    return true;
  });
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
