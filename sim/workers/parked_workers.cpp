#include "sim/workers/parked_workers.hpp"

#include "models/runtimes/runtimes.hpp"

#include <algorithm>
#include <cmath>

namespace tasktwin::sim {

ParkedWorkers::ParkedWorkers(const WiringInputs& inputs, const WorkerQueues& queues, Duration round)
    : queues_(queues),
      round_(round),
      steal_(inputs.design.stealing != Stealing::kOff),
      frozen_(has_lists(inputs.design)),
      hop_(round_ns(frozen_ ? inputs.machine.ready_queues->list_hop : inputs.machine.ready_queues->steal_hop)),
      half_take_(round_ns(inputs.machine.ready_queues->list_take) / 2),
      hops_(inputs.machine.resident_cores->counter_hop_spread, kHops),
      backoff_(inputs.design, inputs.chance),
      looks_seed_(mix(inputs.chance ^ kLooks)),
      wakes_(inputs.cores.size(), 0) {}

/// Who notices the next task, `passed` of a round after it has come; the end for nobody.
std::vector<CoreId>::iterator ParkedWorkers::choose(std::vector<CoreId>& parked, Place place, double& passed) {
  const bool for_owner = is_for_owner(place);
  auto first = parked.begin();
  if (round_ == Nanoseconds{0} || for_owner) {
    const auto owner = std::ranges::find_if(parked, [&](CoreId core) { return queues_.home(core) == place.queue; });
    if (owner == parked.end() && for_owner) return owner;
    if (owner != parked.end() && queues_.shared() != place.queue) first = owner;
  }
  if (round_ == Nanoseconds{0}) return first;
  Random random(looks_seed_ ^ mix(looks_++));
  const auto looking = for_owner ? 1.0 : static_cast<double>(parked.size());
  passed += (1 - passed) * (1 - std::pow(random.uniform(), 1 / looking));
  return for_owner ? first : first + random.between(0, static_cast<std::int64_t>(parked.size()) - 1);
}

/// From its look to its having what it finds; an owner's wait for that look, a round at most, is in its hop.
Duration ParkedWorkers::has_after(CoreId core, Place place) {
  if (frozen_ && queues_.shared() == place.queue) return half_take_;
  const Nanoseconds waited = is_for_owner(place) ? round_ / 2 : Nanoseconds{0};
  return hops_.on(std::max(Duration{0}, hop_ - round_ns(waited)), index(core), hopped_++);
}

}  // namespace tasktwin::sim
