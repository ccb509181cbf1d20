#pragma once

#include "models/run/as_run.hpp"
#include "models/run/timeline.hpp"

namespace tasktwin::sim {

/// When the last of the workers has noticed that nothing is left, W workers and D control cores after the last task:
///   counter    the last completion takes it to zero (atomic_latency / 2) and waiting workers see that (counter_hop); a
///              dispatcher, once it has seen the last completion, signals them (mailboxes.hop)
///   vote       a binary tree, up and down: 2 ⌈log2 W⌉ counter_hop; of dispatchers 2 ⌈log2 D⌉ control.hop, then mailboxes.hop
///   sentinels  a last task a worker: pushed, claimed one after the other (W atomic_service), and received (ready_queues.hop); a
///              dispatcher hands them over as any others
/// With a back-off, plus the mean of the latest of W draws. Absent for streams and for a machine without workers.
TimePoint stopped(const Design& design, const AsRun& machine, const Timeline& timeline);

}  // namespace tasktwin::sim
