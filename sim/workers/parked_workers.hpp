#pragma once

#include <array>
#include <cstdint>

#include "models/base/random.hpp"
#include "models/base/sparse.hpp"
#include "sim/engine/hop_spread.hpp"
#include "sim/workers/backoff.hpp"
#include "sim/workers/parking_order.hpp"
#include "sim/workers/worker_queues.hpp"

namespace tasktwin::sim {

/// Workers that have found nothing and continue looking, each at a moment of its own: which of them notices a task that enters a
/// queue, when, and how long after that it has it (docs/model/ready_queues.md). Where rounds of looks take no time it is the owner of
/// the queue, else the one parked longest; where nobody steals, the owner alone.
class ParkedWorkers {
 public:
  using Place = WorkerQueues::Place;

  /// `round`: of looks in vain. Contract: `queues` outlives this.
  ParkedWorkers(const WiringInputs& inputs, const WorkerQueues& queues, Duration round);

  void park(CoreId core, CoreType type) {
    parked_[static_cast<std::size_t>(type)].push_back(core);
    if (!one_each_) at_home_[static_cast<std::size_t>(type)].push_back(queues_.home(core), core);
  }

  /// From `first` to before `end`, in that order, all of `type`.
  void park(CoreId first, CoreId end, CoreType type) {
    parked_[static_cast<std::size_t>(type)].push_back(first, end);
    for (std::size_t core = index(first); !one_each_ && core < index(end); ++core)
      at_home_[static_cast<std::size_t>(type)].push_back(queues_.home(core_id(core)), core_id(core));
  }

  /// Contract: `core` is parked.
  void leave(CoreId core, CoreType type) {
    parked_[static_cast<std::size_t>(type)].erase(core);
    if (!one_each_) at_home_[static_cast<std::size_t>(type)].erase(queues_.home(core), core);
  }

  /// For each of `tasks` that are at `place` from `now` on. Calls notices(core, time, has) for each worker that is parked no longer:
  /// it looks at `time`, and has what it takes `has` later.
  void wake(Place place, std::size_t tasks, TimePoint now, auto notices) {
    ParkingOrder& parked = parked_[static_cast<std::size_t>(place.type)];
    double passed = 0;  // of a round
    for (; tasks > 0 && parked.size() > 0; --tasks) {
      const CoreId core = choose(place, passed);
      if (core == kNoCore) return;
      leave(core, place.type);
      notices(core, now + round_ns(passed * round_) + backoff_.draw(index(core), wakes_[index(core)]++), has_after(core, place));
    }
  }

 private:
  CoreId choose(Place place, double& passed);
  CoreId owner(Place place) const;
  Duration has_after(CoreId core, Place place);
  bool is_for_owner(Place place) const { return !steal_ && queues_.shared() != place.queue; }

  static constexpr std::uint64_t kLooks = 0x100c'5a7e;  // keeps these draws apart from all others
  static constexpr std::uint64_t kHops = 0x40b5'7ea1;

  const WorkerQueues& queues_;
  bool one_each_;  ///< each worker has a home of its own, with its number
  Nanoseconds round_;
  bool steal_;   ///< from each other
  bool frozen_;  ///< the workers' own queues are frozen lists
  Duration hop_;
  Duration half_take_;  ///< of what a parked worker takes from the queue beside frozen lists: it has waited for the other half in the mean
  HopSpread hops_;
  Backoff backoff_;
  std::uint64_t looks_seed_;
  std::uint64_t looks_ = 0;  ///< drawn
  std::uint64_t hopped_ = 0;
  Sparse<std::uint64_t> wakes_;                       ///< by CoreId
  std::array<ParkingOrder, kCoreTypeCount> parked_;   ///< by core type
  std::array<ParkedAtHome, kCoreTypeCount> at_home_;  ///< likewise; of homes that several share
};

}  // namespace tasktwin::sim
