#include "models/run/as_run.hpp"

#include "models/runtimes/runtimes.hpp"

#include <algorithm>

namespace tasktwin {

namespace {

void scale(Machine& machine, Payer payer, double factor) {
  if (factor == 1) return;
  for (const ConstantField* field : constants_of(machine)) {
    if (field->payer == payer && field->unit == Unit::kNanoseconds) field->set(machine, factor * field->get(machine));
  }
}

/// Latencies that begin with a call grow by what the call does.
void slow_host(Machine& machine, double pace) {
  if (machine.host_calls && machine.streams) machine.streams->launch_latency += (pace - 1) * machine.host_calls->launch;
  if (machine.graph_launch) machine.graph_launch->latency += (pace - 1) * (machine.graph_launch->launch + machine.graph_launch->per_root);
  if (machine.copies && machine.peers) machine.peers->copy_latency += (pace - 1) * machine.copies->call;
  if (machine.copies) machine.copies->latency += (pace - 1) * machine.copies->call;
  scale(machine, Payer::kHost, pace);
}

void use_host_threads(AsRun& machine, int threads) {
  machine.control = *machine.host_control;
  // Between threads a hop is a cache line's way, and a doorbell is written as a hand-over is: the machine states neither.
  machine.control.hop = machine.control.resolve_line;
  machine.mailboxes = *machine.host_mailboxes;
  machine.mailboxes.doorbell = machine.mailboxes.hop;
  if (threads == 1) machine.control.locked_queue = Nanoseconds{0};  // a single one shares nothing with others
  // What a kernel's writes add to publishing is over before the completion has crossed the bus.
  const Nanoseconds longer = machine.host_mailboxes->publish - machine.device_mailboxes->publish;
  for (KernelCost& kernel : machine.kernels) kernel.publish = std::max(Nanoseconds{0}, kernel.publish - longer);
  machine.control_cores.lanes = 1;
  machine.control_cores.occupied_cores = 0;
  machine.control_cores.code_scale = 1;
}

void apply_cache(Machine& machine, bool empty) {
  if (empty) {
    for (const ConstantField* field : constants_of(machine)) {
      if (field->add_cold) field->add_cold(machine);
    }
    return;
  }
  if (machine.first_looks) machine.first_looks->uncached = Nanoseconds{0};
  if (machine.device_graph_launch) machine.device_graph_launch->uncached_launch = Nanoseconds{0};
  for (KernelCost& kernel : machine.kernels) {
    kernel.uncached = kernel.uncached_cold = Nanoseconds{0};
    for (KernelCost::Point& point : kernel.arithmetic) point.uncached_ns = 0;
  }
}

/// Given times have in them what the first bodies and launched ones take longer.
void leave_out_of_bodies(AsRun& machine) {
  for (KernelCost& kernel : machine.kernels) kernel.cold = kernel.uncached_cold = kernel.launched = Nanoseconds{0};
  if (machine.launched_kernels) machine.launched_kernels->body = Nanoseconds{0};
}

}  // namespace

AsRun as_run(const Design& design, const Machine& machine, const RunConditions& conditions) {
  AsRun met{machine, {}, {}};
  if (runtime_of(design).host_dispatched()) {
    use_host_threads(met, dispatcher_count(design, machine));
  } else {
    scale(met, Payer::kControlCode, met.control_cores.code_scale);
    met.control_cores.code_scale = 1;
    if (met.device_control) met.control = *met.device_control;
    if (met.device_mailboxes) met.mailboxes = *met.device_mailboxes;
  }
  slow_host(met, conditions.host_pace);
  apply_cache(met, conditions.cache_empty);
  if (conditions.given_bodies) leave_out_of_bodies(met);
  return met;
}

double host_slowdown(const Design& design, const Machine& machine, Nanoseconds host_call) {
  Nanoseconds known{0};
  if (runtime_of(design).streams() && machine.host_calls) known = machine.host_calls->reference_launch;
  if (runtime_of(design).graph() && machine.graph_launch) known = machine.graph_launch->reference_launch;
  return known > Nanoseconds{0} && host_call > Nanoseconds{0} ? host_call / known : 1;
}

}  // namespace tasktwin
