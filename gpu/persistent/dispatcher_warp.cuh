#pragma once

#include "gpu/persistent/dispatcher_resolver.cuh"
#include "gpu/persistent/dispatcher_taker.cuh"
#include "gpu/persistent/worker_slots.cuh"

namespace tasktwin::gpu {

/// One control core: a warp that in turn sweeps over its cores, takes in completions, releases successors and hands tasks over, a
/// lane an item, until all tasks are completed. Its parts are objects of their own, not members of one, so that the compiler keeps
/// all of them in registers. Resolver and Taker are those of dispatcher_resolver.cuh and dispatcher_taker.cuh, or alike.
template <class Resolver, class Taker, int kPasses>
__device__ __forceinline__ void dispatch(const PersistentRun& run, DispatcherCores<kPasses>& cores, DispatchLog& log, Resolver& resolver,
                                         Taker& taker) {
  bool passes_by = false;
  for (int idle = 1;;) {
    log.begin();
    const bool completions = cores.sweep();
    log.swept();
    if (completions) resolver.take_in(passes_by);
    log.resolved();
    passes_by = taker.take_ready();
    if (__any_sync(kAllLanes, cores.has_unsent())) {
      taker.count_handed(cores.send_all(log), log);
    } else if (!completions) {
      if (resolver.all_completed()) break;
      if (run.backoff_ns > 0) __nanosleep(run.backoff_ns);
      if (++idle % kPollsPerAbortCheck == 0 && __any_sync(kAllLanes, aborted(run))) break;
      continue;
    }
    log.end();
  }
  cores.stop_all(log);
}

}  // namespace tasktwin::gpu
