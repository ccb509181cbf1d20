#include "models/machine.hpp"

#include <algorithm>
#include <cmath>

namespace tasktwin {

Duration round_ns(Nanoseconds time) { return Duration{std::llround(time.count())}; }

int Machine::core_count() const {
  int count = 0;
  for (const CoreGroup& group : compute_cores) count += group.count;
  return count;
}

bool Machine::has(CoreType type) const {
  if (type == CoreType::kMix) return has_clusters();
  return std::ranges::any_of(compute_cores, [type](const CoreGroup& group) { return group.type == type && group.count > 0; });
}

bool Machine::has_clusters() const {
  return std::ranges::any_of(compute_cores, [](const CoreGroup& group) { return group.per_cluster > 0 && group.count > 0; });
}

Constants Machine::scaled_constants() const {
  Constants scaled = constants;
  for (Nanoseconds Constants::*time : {&Constants::complete, &Constants::enqueue, &Constants::hand_over, &Constants::submit}) {
    scaled.*time *= control_cores.code_scale;
  }
  return scaled;
}

std::span<const ConstantField> constant_fields() {
  using C = Constants;
  static constexpr std::array fields{
      ConstantField{"launch_ns", "host time of one kernel launch", &C::launch},
      ConstantField{"event_record_ns", "host time of one event record", &C::event_record},
      ConstantField{"stream_wait_ns", "host time of making a stream wait for an event", &C::stream_wait},
      ConstantField{"launch_latency_ns", "launch call begun to kernel start, everything idle", &C::launch_latency},
      ConstantField{"stream_gap_ns", "kernel end to next kernel start in the same stream", &C::stream_gap},
      ConstantField{"event_gap_ns", "kernel end to start of a kernel of another stream that waits for it", &C::event_gap},
      ConstantField{"mailbox_hop_ns", "hand-over written to the core having the task", &C::mailbox_hop},
      ConstantField{"completion_hop_ns", "completion written to a dispatcher's poll seeing it", &C::completion_hop},
      ConstantField{"counter_hop_ns", "counter written to a waiting core having seen it", &C::counter_hop},
      ConstantField{"queue_hop_ns", "task pushed to a shared queue to the core whose ticket it meets having it", &C::queue_hop},
      ConstantField{"start_ns", "the core has the task and is free, to its body starting", &C::start},
      ConstantField{"publish_ns", "body ended to completion written for a dispatcher", &C::publish},
      ConstantField{"release_ns", "body ended to successors' counters decremented, where the core does that", &C::release},
      ConstantField{"release_per_successor_ns", "added to release_ns by each successor", &C::release_per_successor},
      ConstantField{"push_ns", "counters decremented to the tasks made ready standing in a shared queue", &C::push},
      ConstantField{"push_per_successor_ns", "added to push_ns by each successor", &C::push_per_successor},
      ConstantField{"retire_ns", "body ended to task done, where the core would release successors and has none", &C::retire},
      ConstantField{"read_latency_ns", "load from the memory all cores share, there and back", &C::read_latency},
      ConstantField{"atomic_latency_ns", "atomic operation on memory, there and back", &C::atomic_latency},
      ConstantField{"atomic_service_ns", "between two atomic operations on one address", &C::atomic_service},
      ConstantField{"poll_ns", "one sweep of a control core over its cores", &C::poll},
      ConstantField{"poll_per_core_ns", "added to a sweep by each owned core", &C::poll_per_core},
      ConstantField{"complete_ns", "a control core taking in one completion", &C::complete},
      ConstantField{"resolve_ns", "a control core decrementing one successor's counter", &C::resolve},
      ConstantField{"enqueue_ns", "a control core putting one task that has become ready into the queue", &C::enqueue},
      ConstantField{"hand_over_ns", "a control core preparing to hand over, once for all tasks handed over together", &C::hand_over},
      ConstantField{"dispatch_ns", "a control core handing over one task", &C::dispatch},
      ConstantField{"submit_ns", "an orchestrator making one task known", &C::submit},
      ConstantField{"submit_per_predecessor_ns", "added to submit_ns by each predecessor", &C::submit_per_predecessor},
      ConstantField{"control_hop_ns", "written by one control core to seen by another", &C::control_hop},
      ConstantField{"queue_service_ns", "a ready queue is held for this long by one push or claim", &C::queue_service},
      ConstantField{"steal_ns", "taking tasks from another's queue, once for all taken together", &C::steal},
      ConstantField{"steal_fail_ns", "finding another's queue empty", &C::steal_fail},
      ConstantField{"spawn_ns", "making one spawned task known, added to releasing or resolving it", &C::spawn},
      ConstantField{"flag_hop_ns", "a predecessor's flag written to a waiting core having seen it", &C::flag_hop},
      ConstantField{"semaphore_hop_ns", "hardware semaphore signalled to a waiting core going on", &C::semaphore_hop},
      ConstantField{"barrier_ns", "last core at a barrier to all having left it", &C::barrier},
      ConstantField{"barrier_per_core_ns", "added to barrier_ns by each core", &C::barrier_per_core},
      ConstantField{"mailbox_hop_sigma_ns", "standard deviation of mailbox_hop_ns", &C::mailbox_hop_sigma},
      ConstantField{"memory_bandwidth_gb_per_s", "bandwidth of the memory shared by all cores", nullptr, &C::memory_bandwidth},
      ConstantField{"core_bandwidth_gb_per_s", "bandwidth that one core can draw", nullptr, &C::core_bandwidth},
  };
  return fields;
}

}  // namespace tasktwin
