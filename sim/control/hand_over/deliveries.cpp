#include "sim/control/hand_over/deliveries.hpp"

namespace tasktwin::sim {

Deliveries::Deliveries(const Parts& parts, Lanes lanes, std::uint64_t chance)
    : parts_(parts), lanes_(lanes), hops_(parts.hops, chance, parts.mailboxes.loads().size()) {}

TaskId Deliveries::take(Round& round, std::size_t shard, CoreType type) {
  claim(round, shard, type);
  ++parts_.blocks.taken;
  return parts_.queues.pop(shard, type);
}

void Deliveries::claim(Round& round, std::size_t shard, CoreType type) {
  const std::uint32_t bit = 1u << static_cast<unsigned>(type);
  if (!parts_.queues.per_worker() && (round.charged & bit) != 0) return;
  const TimePoint now = round.handed == 0 ? round.begin + round.in_queues : end(round);
  round.in_queues += parts_.queues.operate(shard, type, now, parts_.access.to_take(round.by)) - now;
  round.charged |= parts_.queues.charged_with(type);
}

void Deliveries::agree(Round& round, std::size_t others) {
  round.in_queues += round_ns(static_cast<double>(others + 1) * parts_.times.hop);
}

void Deliveries::hand(Round& round, std::uint32_t core, TaskId task) {
  parts_.cores.receive(CoreId{core}, task, put(round, core, task));
  parts_.early.released(task);
}

void Deliveries::hand_early(Round& round, std::uint32_t core, TaskId task) {
  ++parts_.blocks.taken;
  ++round.staged;
  parts_.early.put(task, core, round.by);
  const TimePoint received = put(round, core, task);
  parts_.early.wait(core);
  parts_.cores.receive_early(CoreId{core}, task, received);
}

/// Returns when it reaches the core.
TimePoint Deliveries::put(Round& round, std::uint32_t core, TaskId task) {
  parts_.mailboxes.put(core, task);
  const TimePoint dispatched = until(round, round.handed / static_cast<std::int64_t>(lanes_.count()) + 1);
  ++round.handed;
  parts_.events.dispatched(task, dispatched, DispatcherId{round.by});
  return hops_.arrival(core, task, dispatched);
}

TimePoint Deliveries::ring(TaskId task, std::span<const std::uint32_t> cores, TimePoint now) {
  parts_.events.ready(task, now);
  parts_.early.rung(task);
  for (const std::uint32_t core : cores) {
    now += round_ns(parts_.times.dispatch);
    parts_.cores.ring(CoreId{core}, task, now + round_ns(parts_.hops.doorbell));
  }
  return now;
}

/// When that many times as many tasks as there are lanes are handed over.
TimePoint Deliveries::until(const Round& round, std::int64_t nth) const {
  const auto staged = static_cast<double>(lanes_.rounds(round.staged));
  return round.begin + round.in_queues +
         round_ns(round.claim + parts_.times.hand_over + static_cast<double>(nth) * parts_.times.dispatch + staged * parts_.times.stage);
}

}  // namespace tasktwin::sim
