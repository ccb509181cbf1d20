#pragma once

#include "gpu/persistent/dispatchers/dispatcher_resolver.cuh"
#include "gpu/persistent/dispatchers/dispatcher_taker.cuh"
#include "gpu/persistent/workers/worker_slots.cuh"

namespace tasktwin::gpu {

/// One control core: a warp that in turn sweeps over its cores, takes in completions, releases successors and hands tasks over, a
/// lane an item, until all tasks are completed. What waited before goes first to cores that hold nothing any more. Its parts are objects of
/// their own, not members of one, so that the compiler keeps all of them in registers. Resolver and Taker are those of
/// dispatcher_resolver.cuh and dispatcher_taker.cuh, or alike.
template <class Resolver, class Taker, int kPasses>
__device__ __forceinline__ void dispatch(const PersistentRun& run, DispatcherCores<kPasses>& cores, DispatchLog& log, Resolver& resolver,
                                         Taker& taker) {
  for (int idle = 1;;) {
    log.begin();
    cores.ask();
    await_edges();  // this and the look at the queue cost nothing compared with the way to memory and back
    bool passes_by = taker.look();
    const bool completions = cores.hear();
    log.swept();
    if (completions) {
      if (!passes_by) passes_by = taker.serve_waiting(log);
      resolver.take_in(passes_by);
    }
    log.resolved();
    if (!passes_by) taker.take_ready(log);
    log.taken();
    const bool sends = (completions || !passes_by) && cores.has_unsent();
    if (sends) taker.count_handed(cores.send_all(log), log);
    if (sends || completions) {
      taker.tell_idle();
      log.end();
      continue;
    }
    if (!cores.has_outstanding() && resolver.all_completed()) break;
    if (run.backoff_ns > 0) __nanosleep(run.backoff_ns);
    if (++idle % kPollsPerAbortCheck == 0 && __any_sync(kAllLanes, aborted(run))) break;
  }
  cores.stop_all(log);
  log.close();
}

}  // namespace tasktwin::gpu
