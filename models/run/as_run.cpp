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
  if (pace == 1) return;
  for (const ConstantField* field : constants_of(machine)) {
    if (field->calls) field->set(machine, field->get(machine) + (pace - 1) * field->calls(machine).count());
  }
  scale(machine, Payer::kHost, pace);
}

mechanism::ControlLoop loop_of_threads(const Machine& machine, int threads) {
  mechanism::ControlLoop loop = *machine.host_control;
  loop.hop = loop.resolve_line;                          // between threads it is a cache line's way: the machine states none
  if (threads == 1) loop.locked_queue = Nanoseconds{0};  // a single one shares nothing with others
  return loop;
}

mechanism::Mailboxes mailboxes_of_threads(const Machine& machine) {
  mechanism::Mailboxes mailboxes = *machine.host_mailboxes;
  mailboxes.doorbell = mailboxes.hop;  // written as a hand-over is: the machine states none
  return mailboxes;
}

void use_host_threads(Machine& machine) {
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
  if (machine.first_poll) machine.first_poll->uncached = Nanoseconds{0};
  if (machine.device_graph_launch) machine.device_graph_launch->uncached_launch = Nanoseconds{0};
  for (KernelCost& kernel : machine.kernels) {
    kernel.uncached = kernel.uncached_cold = kernel.grid_end = Nanoseconds{0};
    for (KernelCost::Point& point : kernel.arithmetic) point.uncached_ns = 0;
  }
}

/// Given times have in them what the first bodies and launched ones take longer.
void leave_out_of_bodies(Machine& machine) {
  for (KernelCost& kernel : machine.kernels) kernel.cold = kernel.uncached_cold = kernel.launched = Nanoseconds{0};
  if (machine.launched_kernels) machine.launched_kernels->body = Nanoseconds{0};
}

}  // namespace

AsRun as_run(const Design& design, const Machine& machine, const RunConditions& conditions) {
  Machine met = machine;
  mechanism::ControlLoop control;
  mechanism::Mailboxes mailboxes;
  if (runtime_of(design).host_dispatched()) {
    control = loop_of_threads(met, dispatcher_count(design, machine));
    mailboxes = mailboxes_of_threads(met);
    use_host_threads(met);
  } else {
    scale(met, Payer::kControlCode, met.control_cores.code_scale);
    met.control_cores.code_scale = 1;
    if (met.device_control) control = *met.device_control;
    if (met.device_mailboxes) mailboxes = *met.device_mailboxes;
  }
  slow_host(met, conditions.host_pace);
  apply_cache(met, conditions.cache_empty);
  if (conditions.given_bodies) leave_out_of_bodies(met);
  return {std::move(met), control, mailboxes};
}

double host_slowdown(const Design& design, const Machine& machine, Nanoseconds host_call) {
  Nanoseconds known{0};
  if (runtime_of(design).streams() && machine.host_calls) known = machine.host_calls->reference_launch;
  if (runtime_of(design).graph() && machine.graph_launch) known = machine.graph_launch->reference_launch;
  return known > Nanoseconds{0} && host_call > Nanoseconds{0} ? host_call / known : 1;
}

}  // namespace tasktwin
