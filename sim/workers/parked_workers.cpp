#include "sim/workers/parked_workers.hpp"

#include "models/runtimes/runtimes.hpp"

#include <algorithm>
#include <cmath>

namespace tasktwin::sim {

ParkedWorkers::ParkedWorkers(const WiringInputs& inputs, const WorkerQueues& queues, Duration round)
    : queues_(queues),
      one_each_(queues.homes() == inputs.cores.size()),
      round_(round),
      steal_(inputs.design.stealing != Stealing::kOff),
      frozen_(has_lists(inputs.design)),
      hop_(round_ns(frozen_ ? inputs.machine.ready_queues->list_hop : inputs.machine.ready_queues->steal_hop)),
      half_take_(round_ns(inputs.machine.ready_queues->list_take) / 2),
      hops_(inputs.machine.resident_cores->counter_hop_spread, kHops),
      backoff_(inputs.design, inputs.chance),
      looks_seed_(mix(inputs.chance ^ kLooks)),
      wakes_(inputs.cores.size()) {
  for (std::size_t type = 0; type < kCoreTypeCount; ++type) {
    if (!queues.has(CoreType(type))) continue;
    parked_[type] = ParkingOrder(inputs.cores.size());
    if (!one_each_) at_home_[type] = ParkedAtHome(queues.homes(), inputs.cores.size());
  }
}

/// Who notices the next task, `passed` of a round after it has come; nobody where its owner alone would, and is not parked.
CoreId ParkedWorkers::choose(Place place, double& passed) {
  const auto type = static_cast<std::size_t>(place.type);
  const bool for_owner = is_for_owner(place);
  const CoreId owner = this->owner(place);
  if (for_owner && owner == kNoCore) return kNoCore;
  if (round_ == Nanoseconds{0}) return owner != kNoCore ? owner : parked_[type].at(0);
  Random random(looks_seed_ ^ mix(looks_++));
  const std::size_t parked = parked_[type].size();
  const auto looking = for_owner ? 1.0 : static_cast<double>(parked);
  passed += (1 - passed) * (1 - std::pow(random.uniform(), 1 / looking));
  return for_owner ? owner : parked_[type].at(static_cast<std::size_t>(random.between(0, static_cast<std::int64_t>(parked) - 1)));
}

/// Of those parked, the one whose queue `place` is, or who has waited longest of those; kNoCore where it is nobody's.
CoreId ParkedWorkers::owner(Place place) const {
  if (queues_.shared() == place.queue) return kNoCore;
  const auto type = static_cast<std::size_t>(place.type);
  if (!one_each_) return at_home_[type].first(place.queue);
  return parked_[type].contains(CoreId{place.queue}) ? CoreId{place.queue} : kNoCore;
}

/// From its look to its having what it finds; an owner's wait for that look, a round at most, is in its hop.
Duration ParkedWorkers::has_after(CoreId core, Place place) {
  if (frozen_ && queues_.shared() == place.queue) return half_take_;
  const Nanoseconds waited = is_for_owner(place) ? round_ / 2 : Nanoseconds{0};
  return hops_.on(std::max(Duration{0}, hop_ - round_ns(waited)), index(core), hopped_++);
}

}  // namespace tasktwin::sim
