#include "models/machine.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

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

namespace {

/// Latencies that begin with a call grow by what the call does; calls that reach the operating system (cudaMalloc) or ask
/// the device (pool_look) mostly wait for others.
void slow_host(Constants& c, double slowdown) {
  c.launch_latency += (slowdown - 1) * c.launch;
  c.graph_latency += (slowdown - 1) * (c.graph_launch + c.graph_launch_per_root);
  c.copy_latency += (slowdown - 1) * c.copy;
  using C = Constants;
  for (Nanoseconds C::*call : {&C::launch,
                               &C::first_launches,
                               &C::event_record,
                               &C::stream_wait,
                               &C::stream_first_wait,
                               &C::host_sync,
                               &C::event_query,
                               &C::callback,
                               &C::graph_launch,
                               &C::graph_launch_per_node,
                               &C::graph_launch_per_leaf,
                               &C::graph_launch_per_root,
                               &C::graph_launch_per_inner,
                               &C::graph_launch_between,
                               &C::graph_launch_per_edge,
                               &C::graph_inner_growth,
                               &C::graph_root_growth,
                               &C::graph_launch_per_conditional,
                               &C::graph_set_node,
                               &C::graph_update,
                               &C::graph_update_per_node,
                               &C::graph_instantiate,
                               &C::graph_instantiate_per_node,
                               &C::copy,
                               &C::malloc_async,
                               &C::free_async,
                               &C::cached}) {
    c.*call *= slowdown;
  }
}

}  // namespace

Constants Machine::scaled_constants() const {
  Constants scaled = constants;
  for (Nanoseconds Constants::*time : {&Constants::complete, &Constants::enqueue, &Constants::hand_over, &Constants::submit}) {
    scaled.*time *= control_cores.code_scale;
  }
  slow_host(scaled, host_slowdown);
  return scaled;
}

Machine Machine::with_host_threads(int threads) const {
  Machine machine = *this;
  Constants& c = machine.constants;
  c.mailbox_hop = c.host_mailbox_hop;
  c.mailbox_hop_sigma = c.host_mailbox_hop_sigma;
  c.first_mailbox_hop = Nanoseconds{0};
  c.completion_hop = c.host_completion_hop;
  const Nanoseconds on_device = std::exchange(c.publish, c.host_publish);
  c.fence_round = c.host_fence_round;
  c.poll = c.host_poll;
  c.poll_per_core = c.host_poll_per_core;
  c.complete = c.host_complete;
  c.resolve = c.host_resolve;
  c.resolve_line = c.control_hop = c.host_resolve_line;  // both are a cache line that another thread may have had
  c.enqueue = c.host_enqueue;
  c.hand_over = c.host_hand_over;
  c.dispatch = c.host_dispatch;
  c.walk = c.pass_on = c.claim = c.claim_ahead = Nanoseconds{0};  // a thread has one lane, and all of these in its other steps
  c.control_spawn = Nanoseconds{0};                               // the host knows all tasks from the beginning
  c.round = threads > 1 ? c.host_round : Nanoseconds{0};
  c.locked_queue = threads > 1 ? c.host_locked_queue : Nanoseconds{0};
  c.queue_contention = c.host_queue_contention;
  // What a kernel's writes add to publishing is over before the completion has crossed the bus.
  for (KernelCost& kernel : machine.kernels) kernel.publish = std::max(Nanoseconds{0}, kernel.publish - (c.host_publish - on_device));
  machine.control_cores.lanes = 1;
  machine.control_cores.occupied_cores = 0;
  machine.control_cores.code_scale = 1;
  return machine;
}

std::span<const ConstantField> constant_fields() {
  using C = Constants;
  static constexpr std::array fields{
      ConstantField{"launch_ns", "host time of one kernel launch", &C::launch},
      ConstantField{"first_launches_ns", "host time that the first 32 launches of a run take together beyond launch_ns",
                    &C::first_launches},
      ConstantField{"event_record_ns", "host time of one event record", &C::event_record},
      ConstantField{"stream_wait_ns", "host time of making a stream wait for an event", &C::stream_wait},
      ConstantField{"stream_first_wait_ns", "added to stream_wait_ns for the first wait for an event that has been recorded",
                    &C::stream_first_wait},
      ConstantField{"launch_latency_ns", "launch call begun to kernel start, everything idle", &C::launch_latency},
      ConstantField{"stream_gap_ns", "kernel end to next kernel start in the same stream", &C::stream_gap},
      ConstantField{"event_gap_ns", "kernel end to start of a kernel of another stream that waits for it", &C::event_gap},
      ConstantField{"host_sync_ns", "host time of blocking for what has already ended", &C::host_sync},
      ConstantField{"sync_latency_ns", "kernel end to the host that blocks for it, or asks, knowing", &C::sync_latency},
      ConstantField{"event_query_ns", "host time of asking for one event", &C::event_query},
      ConstantField{"callback_ns", "host time of putting a host function into a stream", &C::callback},
      ConstantField{"callback_latency_ns", "kernel end to the host function behind it having run", &C::callback_latency},
      ConstantField{"stream_call_ns", "host time of launching an empty kernel, when the host's other times with streams were measured",
                    &C::stream_call},
      ConstantField{"programmatic_gap_ns", "kernel end to the start of one that waits for it on the device", &C::programmatic_gap},
      ConstantField{"launched_body_ns", "added to a body by being in a kernel launched for it", &C::launched_body},
      ConstantField{"launched_body_busy_ns", "added to that where kernels launch kernels and some warp is launching as the body starts",
                    &C::launched_body_busy},
      ConstantField{"graph_launch_ns", "host time of one graph launch", &C::graph_launch},
      ConstantField{"graph_launch_per_node_ns", "added to graph_launch_ns by each node", &C::graph_launch_per_node},
      ConstantField{"graph_launch_per_leaf_ns", "added to graph_launch_ns by each node with predecessors and no successors",
                    &C::graph_launch_per_leaf},
      ConstantField{"graph_launch_per_root_ns", "added to graph_launch_ns by each node without predecessors", &C::graph_launch_per_root},
      ConstantField{"graph_launch_per_inner_ns", "added to graph_launch_ns by each node with predecessors, where nodes run side by side",
                    &C::graph_launch_per_inner},
      ConstantField{"graph_launch_between_ns", "added to graph_launch_per_inner_ns where the launch goes on to a root that is not the last",
                    &C::graph_launch_between},
      ConstantField{"graph_launch_per_edge_ns", "added to graph_launch_ns by each predecessor of a node but the first",
                    &C::graph_launch_per_edge},
      ConstantField{"graph_inner_growth_ns",
                    "added to graph_launch_per_inner_ns by each doubling of the nodes with predecessors beyond 256",
                    &C::graph_inner_growth},
      ConstantField{"graph_root_growth_ns", "added to graph_launch_per_root_ns by each doubling of the nodes beyond 256",
                    &C::graph_root_growth},
      ConstantField{"graph_latency_ns", "graph launch call begun to first node start, everything idle", &C::graph_latency},
      ConstantField{"graph_gap_ns", "node end to start of the next node of a chain", &C::graph_gap},
      ConstantField{"graph_service_ns", "between two nodes that the device brings to start", &C::graph_service},
      ConstantField{"graph_release_ns", "between two node ends that make others ready", &C::graph_release},
      ConstantField{"graph_release_among_ns", "the same in a graph of several nodes without predecessors", &C::graph_release_among},
      ConstantField{"graph_join_ns", "added to graph_gap_ns by each predecessor but the first", &C::graph_join},
      ConstantField{"graph_fetch_ns", "added to graph_gap_ns behind a node with more successors than the device keeps with it",
                    &C::graph_fetch},
      ConstantField{"graph_replay_gap_ns", "last node end to first node start of the next launch, already launched", &C::graph_replay_gap},
      ConstantField{"graph_set_node_ns", "host time of setting one graph node's parameters", &C::graph_set_node},
      ConstantField{"graph_update_ns", "host time of updating a graph in place", &C::graph_update},
      ConstantField{"graph_update_per_node_ns", "added to graph_update_ns by each node", &C::graph_update_per_node},
      ConstantField{"graph_instantiate_ns", "host time of instantiating and uploading a graph", &C::graph_instantiate},
      ConstantField{"graph_instantiate_per_node_ns", "added to graph_instantiate_ns by each node", &C::graph_instantiate_per_node},
      ConstantField{"graph_call_ns",
                    "host time of launching a graph of 32 empty nodes, when the host's other times with graphs were measured",
                    &C::graph_call},
      ConstantField{"graph_launch_per_conditional_ns", "added to graph_launch_ns by each conditional node",
                    &C::graph_launch_per_conditional},
      ConstantField{"conditional_decide_ns", "the kernel that sets a conditional node's value started to ended", &C::conditional_decide},
      ConstantField{"conditional_enter_ns", "a conditional node's value set to its body starting", &C::conditional_enter},
      ConstantField{"conditional_skip_ns", "a conditional node's value set to the node's end without its body", &C::conditional_skip},
      ConstantField{"conditional_leave_ns", "a conditional node's body ended to the node's end", &C::conditional_leave},
      ConstantField{"conditional_again_ns", "added to conditional_leave_ns by a loop that ends", &C::conditional_again},
      ConstantField{"conditional_service_ns", "between two conditional nodes that the device looks at", &C::conditional_service},
      ConstantField{"conditional_return_ns", "between two ends of conditional nodes' bodies", &C::conditional_return},
      ConstantField{"conditional_release_ns", "between two ends of conditional nodes that make others ready", &C::conditional_release},
      ConstantField{"conditional_poll_ns", "of the device's rounds of looks at conditional nodes, by each branch of them to come",
                    &C::conditional_poll},
      ConstantField{"mailbox_hop_ns", "hand-over written to the core having the task", &C::mailbox_hop},
      ConstantField{"completion_hop_ns", "completion written to a dispatcher's poll seeing it", &C::completion_hop},
      ConstantField{"counter_hop_ns", "counter written to a waiting core having seen it", &C::counter_hop},
      ConstantField{"counter_hop_spread_ns", "standard deviation of counter_hop_ns and flag_hop_ns over pairs of cores",
                    &C::counter_hop_spread},
      ConstantField{"queue_hop_ns", "task pushed to a shared queue to the core whose ticket it meets having it", &C::queue_hop},
      ConstantField{"start_ns", "the core has the task and is free, to its body starting", &C::start},
      ConstantField{"hand_off_ns", "added to start_ns where one unit of the core fetches, one runs bodies, one publishes", &C::hand_off},
      ConstantField{"queue_hand_off_ns", "hand_off_ns where a core claims its tasks from one queue", &C::queue_hand_off},
      ConstantField{"publish_ns", "body ended to completion written for a dispatcher, where no other is being published", &C::publish},
      ConstantField{"fence_round_ns", "between moments at which completions are written; 0 where each is by itself", &C::fence_round},
      ConstantField{"release_ns", "body ended to successors' counters decremented, where the core does that", &C::release},
      ConstantField{"release_per_successor_ns", "added to release_ns by each successor", &C::release_per_successor},
      ConstantField{"push_ns", "counters decremented to the tasks made ready standing in a shared queue", &C::push},
      ConstantField{"push_per_successor_ns", "added to push_ns by each successor", &C::push_per_successor},
      ConstantField{"retire_ns", "body ended to task done, where the core would release successors and has none", &C::retire},
      ConstantField{"first_look_ns", "all resident cores being there to their looking at their lists: code is fetched", &C::first_look},
      ConstantField{"barrier_first_look_ns", "first_look_ns of workers that meet behind every layer", &C::barrier_first_look},
      ConstantField{"queue_first_look_ns", "first_look_ns of workers with one queue", &C::queue_first_look},
      ConstantField{"worker_queue_first_look_ns", "first_look_ns of workers with queues of their own", &C::worker_queue_first_look},
      ConstantField{"dispatcher_first_look_ns", "first_look_ns of dispatchers", &C::dispatcher_first_look},
      ConstantField{"host_first_look_ns", "first_look_ns of threads of the host", &C::host_first_look},
      ConstantField{"uncached_first_look_ns", "added to first looks of the device in a run that finds the cache empty",
                    &C::uncached_first_look},
      ConstantField{"first_mailbox_hop_ns", "added to mailbox_hop_ns for a core's first task", &C::first_mailbox_hop},
      ConstantField{"list_read_ns", "a worker going on to the next entry of its own list", &C::list_read},
      ConstantField{"look_ns", "reading a counter or flag that a core need not wait for", &C::look},
      ConstantField{"read_latency_ns", "load from the memory all cores share, there and back", &C::read_latency},
      ConstantField{"atomic_latency_ns", "atomic operation on memory, there and back", &C::atomic_latency},
      ConstantField{"atomic_service_ns", "between two atomic operations on one address", &C::atomic_service},
      ConstantField{"poll_ns", "one sweep of a control core over its cores", &C::poll},
      ConstantField{"poll_per_core_ns", "added to a sweep by each owned core", &C::poll_per_core},
      ConstantField{"complete_ns", "a control core taking in one completion", &C::complete},
      ConstantField{"resolve_ns", "a control core decrementing one successor's counter", &C::resolve},
      ConstantField{"resolve_line_ns", "added to that by one lane for each cache line of counters that another has had", &C::resolve_line},
      ConstantField{"walk_ns", "added to that where lanes have rows of successors longer than their heads", &C::walk},
      ConstantField{"pass_on_ns", "lanes finding idle cores for what became ready beyond one task for each that made some so", &C::pass_on},
      ConstantField{"enqueue_ns", "a control core putting one task that has become ready into the queue", &C::enqueue},
      ConstantField{"hand_over_ns", "a control core preparing to hand over, once for all tasks handed over together", &C::hand_over},
      ConstantField{"claim_ns", "taking ready tasks from the queue, once for all that are handed over together", &C::claim},
      ConstantField{"claim_ahead_ns", "added to claim_ns where cores that hold a task may be given more", &C::claim_ahead},
      ConstantField{"dispatch_ns", "a control core handing over one task", &C::dispatch},
      ConstantField{"round_ns", "a control core ending an iteration that did something", &C::round},
      ConstantField{"submit_ns", "an orchestrator making one task known", &C::submit},
      ConstantField{"submit_per_predecessor_ns", "added to submit_ns by each predecessor", &C::submit_per_predecessor},
      ConstantField{"control_spawn_ns", "a control core making known spawned tasks, as many as it has lanes", &C::control_spawn},
      ConstantField{"control_hop_ns", "written by one control core to seen by another", &C::control_hop},
      ConstantField{"host_mailbox_hop_ns", "hand-over written by a host thread to the core having the task", &C::host_mailbox_hop},
      ConstantField{"host_mailbox_hop_sigma_ns", "standard deviation of host_mailbox_hop_ns", &C::host_mailbox_hop_sigma},
      ConstantField{"host_completion_hop_ns", "completion written to a host thread's poll seeing it", &C::host_completion_hop},
      ConstantField{"host_publish_ns", "body ended to completion written for a host thread, where no other is being published",
                    &C::host_publish},
      ConstantField{"host_fence_round_ns", "between moments at which completions are written for host threads; 0 where each is by itself",
                    &C::host_fence_round},
      ConstantField{"host_poll_ns", "one sweep of a host thread over its cores", &C::host_poll},
      ConstantField{"host_poll_per_core_ns", "added to a host thread's sweep by each owned core", &C::host_poll_per_core},
      ConstantField{"host_first_complete_ns", "added to host_complete_ns for the first completion of a sweep", &C::host_first_complete},
      ConstantField{"host_complete_ns", "a host thread taking in one completion", &C::host_complete},
      ConstantField{"host_resolve_ns", "a host thread decrementing one successor's counter", &C::host_resolve},
      ConstantField{"host_resolve_line_ns", "added to that for each cache line of counters that another thread has had",
                    &C::host_resolve_line},
      ConstantField{"host_enqueue_ns", "a host thread putting one task that has become ready into the queue", &C::host_enqueue},
      ConstantField{"host_hand_over_ns", "a host thread preparing to hand over, once for all tasks handed over together",
                    &C::host_hand_over},
      ConstantField{"host_dispatch_ns", "a host thread handing over one task", &C::host_dispatch},
      ConstantField{"host_count_ns",
                    "one of several host threads counting completions, for which all look, once for all it has seen together",
                    &C::host_count},
      ConstantField{"host_round_ns", "what one of several host threads takes longer than a single one to hand over, once an iteration",
                    &C::host_round},
      ConstantField{"host_locked_queue_ns", "a ready queue is held for this long by one push or claim of a host thread",
                    &C::host_locked_queue},
      ConstantField{"host_queue_contention_ns", "added to that for a host thread that had to wait for the queue",
                    &C::host_queue_contention},
      ConstantField{"host_queue_fetch_ns", "added to host_locked_queue_ns for a claim of what another host thread has pushed or left",
                    &C::host_queue_fetch},
      ConstantField{"host_queue_reuse_ns", "by how much less host_locked_queue_ns is for the host thread that was at the queue last",
                    &C::host_queue_reuse},
      ConstantField{"device_graph_launch_ns", "a scheduler kernel launching one graph", &C::device_graph_launch},
      ConstantField{"device_graph_latency_ns", "that launch begun to the graph's kernel starting, everything idle",
                    &C::device_graph_latency},
      ConstantField{"device_graph_sigma_ns", "standard deviation of device_graph_latency_ns", &C::device_graph_sigma},
      ConstantField{"device_graph_block_ns", "between two blocks of such a graph's kernel that start", &C::device_graph_block},
      ConstantField{"device_graph_uncached_launch_ns", "added to device_graph_launch_ns in a run that finds the cache empty",
                    &C::device_graph_uncached_launch},
      ConstantField{"device_graph_uncached_latency_ns", "likewise to device_graph_latency_ns", &C::device_graph_uncached_latency},
      ConstantField{"device_graph_tail_ns", "a graph and all it launched ended to the graph behind it starting", &C::device_graph_tail},
      ConstantField{"launched_release_ns", "body ended to its successors' counters decremented, in a kernel launched for it",
                    &C::launched_release},
      ConstantField{"launched_retire_ns", "body ended without successors to its kernel ending, in a kernel launched for it",
                    &C::launched_retire},
      ConstantField{"launched_release_busy_ns", "added to both where a body ends while some warp is launching kernels",
                    &C::launched_release_busy},
      ConstantField{"device_graph_start_ns", "host's graph launch call begun to the scheduler kernel launching, everything idle",
                    &C::device_graph_start},
      ConstantField{"device_graph_turn_ns", "body ended to the idle scheduler kernel launching its successor", &C::device_graph_turn},
      ConstantField{"device_graph_look_ns", "a scheduler kernel finding what is ready, before each launch", &C::device_graph_look},
      ConstantField{"device_launch_start_ns", "host's launch call begun to a kernel launching its first kernel, everything idle",
                    &C::device_launch_start},
      ConstantField{"device_launch_ns", "a kernel launching one kernel", &C::device_launch},
      ConstantField{"device_launch_again_ns", "a thread launching a further kernel", &C::device_launch_again},
      ConstantField{"device_launch_per_lane_ns", "between two kernels that lanes of a warp launch", &C::device_launch_per_lane},
      ConstantField{"device_launch_further_ns", "added to device_launch_ns where the warp has launched others before",
                    &C::device_launch_further},
      ConstantField{"device_launch_busy_ns",
                    "by which device_launch_ns and device_launch_latency_ns are less where other warps are launching",
                    &C::device_launch_busy},
      ConstantField{"device_launch_beside_ns",
                    "added to device_launch_ns and device_launch_latency_ns by each other warp that is launching, mean",
                    &C::device_launch_beside},
      ConstantField{"device_launch_spread_ns", "of device_launch_beside_ns: mean of what differs from launch to launch",
                    &C::device_launch_spread},
      ConstantField{"device_launch_latency_ns", "that launch begun to the kernel starting, everything idle", &C::device_launch_latency},
      ConstantField{"device_launch_service_ns", "between two kernels that start, whoever launched them", &C::device_launch_service},
      ConstantField{"device_launch_end_ns", "by which the next kernel starts later for each that ends", &C::device_launch_end},
      ConstantField{"device_launch_stall_ns", "by which bodies that use memory are held up by each launch of a warp while they run",
                    &C::device_launch_stall},
      ConstantField{"device_launch_stall_per_kernel_ns", "added to it by each kernel of the launch but the first",
                    &C::device_launch_stall_per_kernel},
      ConstantField{"device_launch_block_ns", "between two kernels that warps of one block launch side by side", &C::device_launch_block},
      ConstantField{"device_launch_uncached_ns", "added to device_launch_block_ns in a run that finds the cache empty",
                    &C::device_launch_uncached},
      ConstantField{"device_launch_crowd_ns",
                    "added to device_launch_block_ns by each other warp of the block that makes its first launches",
                    &C::device_launch_crowd},
      ConstantField{"queue_service_ns", "a ready queue is held for this long by one push or claim", &C::queue_service},
      ConstantField{"locked_queue_ns", "added to queue_service_ns where dispatchers lock their queues", &C::locked_queue},
      ConstantField{"queue_contention_ns", "added to that for who had to wait for the queue", &C::queue_contention},
      ConstantField{"steal_ns", "finding another's queue with tasks and taking from it, once for all taken together", &C::steal},
      ConstantField{"steal_fail_ns", "of which, and of a look in vain, all that precedes reading the others' lengths", &C::steal_fail},
      ConstantField{"steal_hop_ns", "task pushed to a core's own queue to a waiting core, perhaps a thief, having it", &C::steal_hop},
      ConstantField{"refill_ns", "a core of own queues having room for a task to its looking for one", &C::refill},
      ConstantField{"take_ns", "a core looking at its own queue to its having the task found there", &C::take},
      ConstantField{"list_take_ns", "the same of a frozen list from which others may take", &C::list_take},
      ConstantField{"list_hop_ns", "task of such a list become ready to a waiting core having it", &C::list_hop},
      ConstantField{"list_claim_ns", "a core with such a list claiming from the queue beside the lists to its having the task",
                    &C::list_claim},
      ConstantField{"uncached_fetch_ns", "added to fetching a task from a queue in a run that finds the cache empty", &C::uncached_fetch},
      ConstantField{"spawn_ns", "making up to 32 spawned tasks known, added to releasing them", &C::spawn},
      ConstantField{"spawn_per_task_ns", "added to spawn_ns by each of them", &C::spawn_per_task},
      ConstantField{"flag_hop_ns", "a predecessor's flag written to a waiting core having seen it", &C::flag_hop},
      ConstantField{"semaphore_hop_ns", "hardware semaphore signalled to a waiting core going on", &C::semaphore_hop},
      ConstantField{"barrier_ns", "last core counted at a barrier to all having left it", &C::barrier},
      ConstantField{"barrier_per_core_ns", "counting a core that arrives, one after the other", &C::barrier_per_core},
      ConstantField{"mailbox_hop_sigma_ns", "standard deviation of mailbox_hop_ns", &C::mailbox_hop_sigma},
      ConstantField{"copy_ns", "host time of calling for one copy or memset", &C::copy},
      ConstantField{"copy_latency_ns", "copy call begun to an engine taking it, everything idle", &C::copy_latency},
      ConstantField{"copy_gap_ns", "end of a copy to the next of its stream in the same direction", &C::copy_gap},
      ConstantField{"engine_gap_ns", "end of a copy, or of what a copy waits for, to the other engine that waits seeing it",
                    &C::engine_gap},
      ConstantField{"copy_setup_ns", "an engine is held by each copy before its bytes move", &C::copy_setup},
      ConstantField{"memset_setup_ns", "memory is held by each memset before its bytes are set", &C::memset_setup},
      ConstantField{"host_task_ns", "a stream reaching a host function to its start", &C::host_task},
      ConstantField{"malloc_ns", "host time of one cudaMalloc of memory that was freed before, the device idle", &C::malloc},
      ConstantField{"malloc_per_mib_ns", "added to malloc_ns by each MiB", &C::malloc_per_mib},
      ConstantField{"malloc_new_ns", "host time of one cudaMalloc of other memory, the device idle", &C::malloc_new},
      ConstantField{"malloc_new_per_mib_ns", "added to malloc_new_ns by each MiB", &C::malloc_new_per_mib},
      ConstantField{"malloc_free_ns", "host time of one cudaFree, the device idle", &C::malloc_free},
      ConstantField{"malloc_free_per_mib_ns", "added to malloc_free_ns by each MiB", &C::malloc_free_per_mib},
      ConstantField{"malloc_async_ns", "host time of one cudaMallocAsync from what its stream has freed", &C::malloc_async},
      ConstantField{"pool_look_ns", "added to malloc_async_ns each time that another stream is asked how far it has come", &C::pool_look},
      ConstantField{"free_async_ns", "host time of one cudaFreeAsync", &C::free_async},
      ConstantField{"pool_grow_ns", "added to malloc_async_ns where the pool maps segments", &C::pool_grow},
      ConstantField{"pool_grow_per_mib_ns", "added to pool_grow_ns by each MiB", &C::pool_grow_per_mib},
      ConstantField{"pool_trim_ns", "added to a synchronisation by each segment that a pool gives back", &C::pool_trim},
      ConstantField{"cached_ns", "host time of one allocation or free in a cache of the host", &C::cached},
      ConstantField{"h2d_bandwidth_gb_per_s", "bandwidth of copies from pinned host memory to the device", nullptr, &C::h2d_bandwidth},
      ConstantField{"d2h_bandwidth_gb_per_s", "bandwidth of copies from the device to pinned host memory", nullptr, &C::d2h_bandwidth},
      ConstantField{"duplex_bandwidth_gb_per_s", "bandwidth of both together; 0 for no limit", nullptr, &C::duplex_bandwidth},
      ConstantField{"p2p_bandwidth_gb_per_s", "bandwidth of copies to another device", nullptr, &C::p2p_bandwidth},
      ConstantField{"staging_bandwidth_gb_per_s", "bandwidth between pageable memory and the staging buffer", nullptr,
                    &C::staging_bandwidth},
      ConstantField{"memset_bandwidth_gb_per_s", "bandwidth of setting device memory", nullptr, &C::memset_bandwidth},
      ConstantField{"copy_traffic_ratio", "bandwidth of the memory that each byte of a copy takes up, in those of bodies that read it",
                    nullptr, &C::copy_traffic},
      ConstantField{"memory_bandwidth_gb_per_s", "bandwidth of the memory shared by all cores", nullptr, &C::memory_bandwidth},
      ConstantField{"core_bandwidth_gb_per_s", "bandwidth that one core draws alone", nullptr, &C::core_bandwidth},
      ConstantField{"port_bandwidth_gb_per_s", "bandwidth of each port by which cores reach that memory; 0 for no limit", nullptr,
                    &C::port_bandwidth},
      ConstantField{"queue_bandwidth_gb_per_s", "bandwidth that what one memory queue can have under way draws alone; 0 for no limit",
                    nullptr, &C::queue_bandwidth},
      ConstantField{"memory_contention_ratio", "how much of its time alone a load takes longer, by used / unused bandwidth", nullptr,
                    &C::memory_contention},
      ConstantField{"memory_in_step_ratio",
                    "the part of memory_contention_ratio by which only bodies that begin together hold each other up", nullptr,
                    &C::memory_in_step},
  };
  return fields;
}

std::span<const KernelField> kernel_fields() {
  using K = KernelCost;
  static constexpr std::array fields{
      KernelField{"overhead_ns", "paid by every body, whatever its size", &K::overhead},
      KernelField{"traffic", "bandwidth that each of its bytes takes up, in those of long bodies of kernel stream", nullptr, &K::traffic,
                  1},
      KernelField{"bandwidth_gb_per_s", "bandwidth of its bytes that one core draws alone; without it core_bandwidth_gb_per_s", nullptr,
                  &K::bandwidth},
      KernelField{"row_ns", "added to drawing its bytes alone by each row of its matrices", &K::row},
      KernelField{"start_ns", "added to start_ns: the threads of the core are called together", &K::start},
      KernelField{"publish_ns", "added to publish_ns: the threads meet, and what they wrote reaches memory", &K::publish},
      KernelField{"release_ns", "likewise added to release_ns", &K::release},
      KernelField{"cold_ns", "its first body on a GPC started to its code being there", &K::cold},
      KernelField{"uncached_cold_ns", "its first body of a run that finds the cache empty started to its code being there",
                  &K::uncached_cold},
      KernelField{"again_ns", "by how much less a body takes right behind another of the kernel on the same core", &K::again},
      KernelField{"launched_ns", "added to launched_body_ns where graphs and kernels launch it, not streams", &K::launched},
      KernelField{"nested_ns", "in place of launched_ns where kernels launch it", &K::nested},
      KernelField{"uncached_ns", "added to its bodies in a run that finds the cache empty", &K::uncached},
      KernelField{"beside_mailbox_ns", "added to its bodies where their core looks after a mailbox beside them", &K::beside_mailbox},
      KernelField{"beside_queue_ns", "likewise where it claims from shared ready queues", &K::beside_queue},
      KernelField{"beside_thefts_ns", "likewise where it has a queue of its own", &K::beside_thefts},
      KernelField{"beside_lists_ns", "likewise where it has a frozen list and queues", &K::beside_lists},
      KernelField{
          "undisturbed_ns",
          "by how much less a body takes whose core does nothing beside it: they meet behind every layer, or the host hands tasks out",
          &K::undisturbed},
  };
  return fields;
}

}  // namespace tasktwin
