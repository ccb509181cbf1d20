#pragma once

#include <array>

#include "models/machine/fields/field.hpp"

namespace tasktwin::mechanism {

/// The loop of a control core: poll, take in completions, resolve, hand over.
struct ControlLoop {
  Nanoseconds poll{};
  Nanoseconds poll_per_core{};
  Nanoseconds first_complete{};
  Nanoseconds complete{};
  Nanoseconds resolve{};
  Nanoseconds resolve_line{};
  Nanoseconds pass_on{};
  Nanoseconds count{};
  Nanoseconds hand_over{};
  Nanoseconds claim{};
  Nanoseconds dispatch{};
  Nanoseconds stage{};
  Nanoseconds submit{};
  Nanoseconds spawn{};
  Nanoseconds hop{};
  Nanoseconds locked_queue{};
  Nanoseconds queue_contention{};
  Nanoseconds queue_fetch{};
};

/// Of control cores on the device: AICPU threads, or warps of a GPU.
struct DeviceControl : ControlLoop {
  static constexpr auto fields() {
    using M = ControlLoop;
    return std::array{
        constant<&M::poll>(Payer::kControlMemory, "one sweep of a control core over its cores").in(CostGroup::kPolling),
        constant<&M::poll_per_core>(Payer::kControlMemory, "added to a sweep by each owned core").in(CostGroup::kPolling),
        constant<&M::complete>(Payer::kControlCode,
                               "a control core taking in one completion, and putting what it makes ready into the queue"),
        constant<&M::resolve>(Payer::kControlMemory, "a control core decrementing one successor's counter"),
        constant<&M::pass_on>(Payer::kControlMemory,
                              "lanes finding idle cores for what became ready beyond one task for each that made some so"),
        constant<&M::claim>(Payer::kControlMemory, "taking ready tasks from the queue, once for all that are handed over together"),
        constant<&M::dispatch>(Payer::kControlMemory, "a control core handing over one task"),
        constant<&M::stage>(Payer::kControlMemory, "added to dispatch_ns for a task, or a block of one, that is handed over early"),
        constant<&M::submit>(Payer::kControlCode, "an orchestrator making one task known"),
        constant<&M::spawn>(Payer::kControlMemory, "a control core making known spawned tasks, as many as it has lanes"),
        constant<&M::hop>(Payer::kControlMemory, "written by one control core to seen by another").in(CostGroup::kHops),
        constant<&M::locked_queue>(Payer::kControlMemory, "added to ready_queues.service_ns where control cores lock their queues"),
    };
  }
};

/// Of threads of the host in their place, which have one lane each. Making spawned tasks known is part of resolve; a hop between two
/// threads takes what a cache line does, resolve_line (as_run).
struct HostControl : ControlLoop {
  static constexpr auto fields() {
    using M = ControlLoop;
    return std::array{
        constant<&M::poll>(Payer::kControlMemory, "one sweep of a thread over its cores").in(CostGroup::kPolling),
        constant<&M::poll_per_core>(Payer::kControlMemory, "added to a sweep by each owned core").in(CostGroup::kPolling),
        constant<&M::first_complete>(Payer::kControlMemory, "added to complete_ns for the first completion of a sweep"),
        constant<&M::complete>(Payer::kControlCode, "a thread taking in one completion"),
        constant<&M::resolve>(Payer::kControlMemory, "a thread decrementing one successor's counter"),
        constant<&M::resolve_line>(Payer::kControlMemory,
                                   "added to resolve_ns for each cache line of counters that another thread has had"),
        constant<&M::count>(Payer::kControlMemory,
                            "one of several threads counting the completions that all look for, once for those of a sweep"),
        constant<&M::hand_over>(Payer::kControlCode, "a thread preparing to hand over, once for all tasks handed over together"),
        constant<&M::dispatch>(Payer::kControlMemory, "a thread handing over one task"),
        constant<&M::locked_queue>(Payer::kControlMemory, "added to ready_queues.service_ns where several threads lock their queue"),
        constant<&M::queue_contention>(Payer::kControlMemory, "added to that for one that had to wait for the queue"),
        constant<&M::queue_fetch>(Payer::kControlMemory, "added to locked_queue_ns for a claim of what another thread has pushed or left"),
    };
  }
};

}  // namespace tasktwin::mechanism
