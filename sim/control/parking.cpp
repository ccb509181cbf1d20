#include "sim/control/parking.hpp"

#include <algorithm>
#include <bit>

namespace tasktwin::sim {

namespace {

/// Keeps these draws apart from all others.
constexpr std::uint64_t kBackoff = 0xd15'4a7c4;

}  // namespace

Parking::Parking(Calendar& calendar, EventHandler& loop, const CoreShares& shares, const DispatchQueues& queues, const FillRule& fill,
                 Duration backoff, std::uint64_t chance)
    : calendar_(calendar),
      loop_(loop),
      shares_(shares),
      queues_(queues),
      fill_(fill),
      backoff_(backoff),
      random_(mix(chance) ^ kBackoff),
      waiting_(shares.dispatchers()) {}

void Parking::begin_next(std::uint32_t id, TimePoint at) {
  waiting_[id].next = at;
  calendar_.schedule(at, EventKind::kIteration, id, loop_);
}

void Parking::park(std::uint32_t id, TimePoint now, Duration sweep) {
  Waiting& waiting = waiting_[id];
  waiting.parked = true;
  waiting.sweeps_from = now;
  waiting.sweep = sweep;
  const CoreShare& share = shares_.of_dispatcher(id);
  if (!share.completions.empty()) wake(id, share.completions.front().time);
}

void Parking::unpark(std::uint32_t id) {
  Waiting& waiting = waiting_[id];
  waiting.parked = false;
  waiting.next = waiting.look = kAbsent;
}

void Parking::completion(const CoreShare& share, TimePoint visible) {
  for (const std::uint32_t id : share.dispatchers) {
    if (waiting_[id].parked) wake(id, visible);
  }
}

void Parking::cores_freed(std::uint32_t by, TimePoint now) {
  if (queues_.single()) return;  // it takes what waits itself
  for (const std::uint32_t other : shares_.of_dispatcher(by).dispatchers) {
    if (other != by && waiting_[other].parked) wake(other, now);
  }
}

void Parking::pushed(std::optional<std::uint32_t> by, const DispatchQueues::Pushed& pushed, TimePoint now) {
  for (std::uint32_t other = 0; other < waiting_.size(); ++other) {
    Waiting& waiting = waiting_[other];
    if (other == by || !waiting.parked || !takes(other, pushed)) continue;
    look(waiting, other, now);
  }
}

void Parking::found_early(std::optional<std::uint32_t> by, std::uint32_t types, TimePoint now) {
  for (std::uint32_t other = 0; types != 0 && other < waiting_.size(); ++other) {
    if (other == by || !waiting_[other].parked) continue;
    for (std::uint32_t left = types; left != 0; left &= left - 1) {
      if (!has_room(other, CoreType(std::countr_zero(left)))) continue;
      look(waiting_[other], other, now);
      break;
    }
  }
}

void Parking::look(Waiting& waiting, std::uint32_t id, TimePoint now) {
  const TimePoint look = idle_sweep_end(waiting, now);
  if (is_present(waiting.look) && waiting.look <= look) return;
  waiting.look = look;
  calendar_.schedule(look, EventKind::kLook, id, loop_);
}

void Parking::wake(std::uint32_t id, TimePoint at) {
  const TimePoint begin = idle_sweep_end(waiting_[id], at);
  if (!is_present(waiting_[id].next) || begin < waiting_[id].next) begin_next(id, begin);
}

bool Parking::takes(std::uint32_t id, const DispatchQueues::Pushed& pushed) const {
  return queues_.reaches(id, pushed.shard) && has_room(id, pushed.type);
}

bool Parking::has_room(std::uint32_t id, CoreType type) const {
  const CoreShare& share = shares_.of_dispatcher(id);
  if (type == CoreType::kMix && !share.clusters.empty()) return true;
  const std::uint32_t levels = fill_.levels(shares_.share_of_dispatcher(id), type);
  for (std::uint32_t level = 0; level < levels; ++level) {
    if (share.owned.any(level, type)) return true;
  }
  return false;
}

/// Of the sweep in flight at that time.
TimePoint Parking::idle_sweep_end(const Waiting& waiting, TimePoint at) {
  if (backoff_ > Duration{0}) at += Duration{random_.between(0, backoff_.count())};
  const TimePoint begin = std::max(at, waiting.sweeps_from);
  if (waiting.sweep == Duration{0}) return begin;
  return waiting.sweeps_from + (begin - waiting.sweeps_from + waiting.sweep - Duration{1}) / waiting.sweep * waiting.sweep;
}

}  // namespace tasktwin::sim
