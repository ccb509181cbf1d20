#pragma once

#include <array>

#include "models/machine/field.hpp"

namespace tasktwin::mechanism {

/// The loop of a control core: poll, take in completions, resolve, hand over.
struct ControlLoop {
  Nanoseconds poll{};
  Nanoseconds poll_per_core{};
  Nanoseconds first_complete{};
  Nanoseconds complete{};
  Nanoseconds resolve{};
  Nanoseconds resolve_line{};
  Nanoseconds walk{};
  Nanoseconds pass_on{};
  Nanoseconds enqueue{};
  Nanoseconds hand_over{};
  Nanoseconds claim{};
  Nanoseconds claim_ahead{};
  Nanoseconds dispatch{};
  Nanoseconds round{};
  Nanoseconds count{};
  Nanoseconds submit{};
  Nanoseconds submit_per_predecessor{};
  Nanoseconds spawn{};
  Nanoseconds hop{};
  Nanoseconds locked_queue{};
  Nanoseconds queue_contention{};
  Nanoseconds queue_fetch{};
  Nanoseconds queue_reuse{};

  static constexpr auto fields() {
    using M = ControlLoop;
    return std::array{
        constant<&M::poll>(Payer::kControlMemory, "one sweep of a control core over its cores"),
        constant<&M::poll_per_core>(Payer::kControlMemory, "added to a sweep by each owned core"),
        constant<&M::first_complete>(Payer::kControlMemory, "added to complete_ns for the first completion of a sweep"),
        constant<&M::complete>(Payer::kControlCode, "a control core taking in one completion"),
        constant<&M::resolve>(Payer::kControlMemory, "a control core decrementing one successor's counter"),
        constant<&M::resolve_line>(Payer::kControlMemory,
                                   "added to resolve_ns by one lane for each cache line of counters that another control core has had"),
        constant<&M::walk>(Payer::kControlMemory, "added to that where lanes have rows of successors longer than their heads"),
        constant<&M::pass_on>(Payer::kControlMemory,
                              "lanes finding idle cores for what became ready beyond one task for each that made some so"),
        constant<&M::enqueue>(Payer::kControlCode, "a control core putting one task that has become ready into the queue"),
        constant<&M::hand_over>(Payer::kControlCode, "a control core preparing to hand over, once for all tasks handed over together"),
        constant<&M::claim>(Payer::kControlMemory, "taking ready tasks from the queue, once for all that are handed over together"),
        constant<&M::claim_ahead>(Payer::kControlMemory, "added to claim_ns where cores that hold a task may be given more"),
        constant<&M::dispatch>(Payer::kControlMemory, "a control core handing over one task"),
        constant<&M::round>(Payer::kControlMemory,
                            "a control core ending an iteration that did something; for threads of the host what one of several takes "
                            "longer than a single one"),
        constant<&M::count>(Payer::kControlMemory,
                            "one of several control cores counting the completions that all look for, once for those of a sweep"),
        constant<&M::submit>(Payer::kControlCode, "an orchestrator making one task known"),
        constant<&M::submit_per_predecessor>(Payer::kControlMemory, "added to submit_ns by each predecessor"),
        constant<&M::spawn>(Payer::kControlMemory, "a control core making known spawned tasks, as many as it has lanes"),
        constant<&M::hop>(Payer::kControlMemory, "written by one control core to seen by another"),
        constant<&M::locked_queue>(Payer::kControlMemory, "added to ready_queues.service_ns where control cores lock their queues"),
        constant<&M::queue_contention>(Payer::kControlMemory, "added to that for one that had to wait for the queue"),
        constant<&M::queue_fetch>(Payer::kControlMemory,
                                  "added to locked_queue_ns for a claim of what another control core has pushed or left"),
        constant<&M::queue_reuse>(Payer::kControlMemory,
                                  "by how much less locked_queue_ns is for the control core that was at the queue last"),
    };
  }
};

}  // namespace tasktwin::mechanism
