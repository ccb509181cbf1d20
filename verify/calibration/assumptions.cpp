#include "verify/calibration/calibration.hpp"

namespace tasktwin::verify {

namespace {

/// The sum of others, for want of a micro-benchmark.
void assume_sum(Calibration& calibration, std::string_view constant, std::initializer_list<std::string_view> measured,
                std::string_view why = "") {
  double sum = 0;
  std::string names;
  for (const std::string_view name : measured) {
    sum += calibration.get(name);
    names += (names.empty() ? "" : " + ") + std::string(name);
  }
  calibration.assume(constant, sum, names + std::string(why));
}

/// How many of something the hardware or the driver has; no micro-benchmark varies them.
void assume_counts(Calibration& calibration) {
  const auto keep = [&calibration](std::string_view constant, const std::string& reason) {
    calibration.assume(constant, calibration.get(constant), reason);
  };
  keep("host_calls.first_launch_count", "seen on the hosts of five H200s");
  keep("graph_launch.near_nodes",
       "on the host of an H200 a node takes the call 7 ns in a graph of 364 nodes, 28 in one of 2600 and 43 in one of 10545");
  keep("graph_launch.node_successors", "behind a node with seven successors the next one comes later");
  keep("graph_launch.ends_in_order", "with 96 to 160 the random layers of six cards come out alike");
  keep("conditional_nodes.polled_branches", "more do not make the rounds of looks longer, seen on an H200");
  keep("dynamic_parallelism.lanes", "lanes of a warp");
  keep("dynamic_parallelism.block_warps", "warps of the block that launches the roots");
  keep("dynamic_parallelism.further_launches", "four launches a lane");
  keep("resident_cores.lanes", "lanes of a warp");
  keep("resident_cores.successors_at_hand", "four rounds of a warp's lanes");
  keep("memory.in_step_window_ns", "half of what a block has under way, at its rate");
}

/// What a thread of the host does not do, or does within its other steps.
void assume_host_threads(Calibration& calibration) {
  for (const char* const constant : {"walk_ns", "pass_on_ns"})
    calibration.assume("host_control." + std::string(constant), 0, "a thread works on one item at a time");
  for (const char* const constant : {"claim_ns", "claim_ahead_ns"})
    calibration.assume("host_control." + std::string(constant), 0, "part of the thread's other steps");
  for (const char* const constant : {"spawn_ns", "submit_ns", "submit_per_predecessor_ns"})
    calibration.assume("host_control." + std::string(constant), 0, "the host knows all tasks from the beginning");
  assume_sum(calibration, "host_control.hop_ns", {"host_control.resolve_line_ns"}, ", a cache line that another thread has had");
  calibration.assume("host_mailboxes.first_hop_ns", 0, "its code is there before the first hand-over");
}

}  // namespace

void assume_unmeasured(Calibration& calibration) {
  assume_sum(calibration, "device_control.submit_ns", {"memory.atomic_latency_ns", "memory.read_latency_ns"});
  assume_sum(calibration, "device_control.submit_per_predecessor_ns", {"memory.atomic_latency_ns"});
  assume_sum(calibration, "device_control.hop_ns", {"resident_cores.counter_hop_ns"});
  assume_sum(calibration, "resident_cores.semaphore_hop_ns", {"resident_cores.counter_hop_ns"}, ", for want of a semaphore between SMs");
  calibration.assume("ready_queues.service_ns", 0, "push_ns, hop_ns and dispatch_ns were measured with the queue in them");
  calibration.assume("device_mailboxes.fence_round_ns", 0, "fences within the device end each by itself");
  calibration.assume("device_control.first_complete_ns", 0, "part of complete_ns");
  calibration.assume("device_control.count_ns", 0, "completions are counted as they are taken in");
  for (const char* const constant : {"queue_contention_ns", "queue_fetch_ns", "queue_reuse_ns"})
    calibration.assume("device_control." + std::string(constant), 0, "part of locked_queue_ns");
  calibration.assume("device_control.resolve_line_ns", 0, "dispatchers have several lanes");
  assume_host_threads(calibration);
  assume_counts(calibration);
}

}  // namespace tasktwin::verify
