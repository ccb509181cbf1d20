#include "verify/calibration/calibration.hpp"

#include <algorithm>
#include <cmath>
#include <set>
#include <stdexcept>

#include "verify/calibration/assumed_counts.hpp"

namespace tasktwin::verify {

namespace {

const ConstantField& field(std::string_view key) {
  const ConstantField* const found = find_constant(key);
  if (!found) throw std::logic_error("no constant " + std::string(key));
  return *found;
}

/// Machine files need no more than a picosecond, and read better without noise.
double tidy(double value) { return std::round(value * 1000) / 1000; }

Machine assumed_counts() {
  Machine machine;
  for (const MachineSection& section : machine_sections()) section.add(machine);
  machine.memory = assumed::kMemory;
  machine.resident_cores = assumed::kResidentCores;
  machine.host_calls = assumed::kHostCalls;
  machine.graph_launch = assumed::kGraphLaunch;
  machine.conditional_nodes = assumed::kConditionalNodes;
  machine.dynamic_parallelism = assumed::kDynamicParallelism;
  return machine;
}

/// Gives `machine` what it does not have, or not state, of `all`, a machine that has every section.
void begin_with(Machine& machine, const Machine& all) {
  std::set<std::string_view> added;
  for (const MachineSection& section : machine_sections()) {
    if (section.present(machine)) continue;
    section.add(machine);
    added.insert(section.name);
  }
  for (const ConstantField& field : constant_fields()) {
    if (added.contains(field.section) || machine.unstated.contains(field.key)) field.set(machine, field.get(all));
  }
}

}  // namespace

CalibrationBackend gpu_calibration_backend() {
  const gpu::DeviceInfo info = gpu::device_info();
  return {.device = info.name + ", driver " + info.driver + ", CUDA " + info.runtime,
          .run = gpu::run,
          .graph_calls = gpu::probe_graph_calls,
          .host_calls = gpu::probe_host_calls,
          .host_contention = gpu::probe_host_contention,
          .transfers = gpu::probe_transfers,
          .allocations = gpu::probe_allocations};
}

Calibration::Calibration(const Machine& skeleton, std::string date, std::function<void(std::string_view)> progress,
                         CalibrationBackend backend)
    : machine_(skeleton), backend_(std::move(backend)), progress_(std::move(progress)) {
  machine_.measured = {.device = backend_.device, .date = std::move(date)};
  begin_with(machine_, assumed_counts());
  machine_.unstated.clear();  // steps are simulated before all is measured
}

void Calibration::put(std::string_view constant, double value, Provenance provenance) {
  const ConstantField& known = field(constant);
  known.set(machine_, tidy(std::max(0.0, value)));
  machine_.provenance[known.key] = std::move(provenance);
}

void Calibration::set(std::string_view constant, double value, const std::string& method) {
  put(constant, value, {.source = Source::kMeasured, .text = method, .date = machine_.measured.date});
}

void Calibration::assume(std::string_view constant, double value, const std::string& reason) {
  put(constant, value, {.source = Source::kAssumed, .text = reason});
}

void Calibration::set(std::string_view constant, const Estimate& estimate, const std::string& method) {
  set(constant, estimate.value, method);
  if (!estimate.interval || estimate.value <= 0) return;
  machine_.provenance[std::string(constant)].interval =
      Interval{tidy(std::max(0.0, estimate.interval->low)), tidy(estimate.interval->high)};
}

void Calibration::refine(std::string_view constant, const Estimate& estimate, const std::string& how) {
  set(constant, estimate, machine_.provenance[std::string(constant)].text + "; " + how);
}

void Calibration::set_kernel(Kernel kernel, const KernelCost& cost, const std::string& method) {
  KernelCost tidied;
  for (const KernelField& field : kernel_fields()) field.set(tidied, tidy(std::max(0.0, field.get(cost))));
  tidied.traffic = std::max(0.1, tidied.traffic);
  for (const KernelCost::Point& point : cost.arithmetic)
    tidied.arithmetic.push_back(
        {point.flops, tidy(std::max(0.0, point.ns)), tidy(std::max(0.0, point.release_ns)), tidy(std::max(0.0, point.uncached_ns))});
  machine_.kernels[static_cast<std::size_t>(kernel)] = tidied;
  machine_.provenance["kernels." + std::string(to_word(kernel))] = {
      .source = Source::kMeasured, .text = method, .date = machine_.measured.date};
}

void Calibration::check_complete() const {
  for (const ConstantField* constant : constants_of(machine_)) {
    if (!machine_.provenance.contains(constant->key)) throw std::logic_error("calibration has left out " + constant->key);
  }
}

double Calibration::get(std::string_view constant) const { return field(constant).get(machine_); }

Machine Calibration::of_workers(int workers) const {
  Machine machine = machine_;
  if (workers > 0) machine.compute_cores = {{CoreType::kSm, workers}};
  return machine;
}

gpu::Measurement Calibration::run(std::string_view what, const TaskGraph& graph, const Design& design, int repeats, int workers) const {
  progress_(what);
  gpu::RunOptions options;
  options.repeats = repeats;
  options.check_results = false;
  return backend_.run(graph, of_workers(workers), design, options);
}

std::vector<gpu::DispatchRound> Calibration::rounds(std::string_view what, const TaskGraph& graph, const Design& design,
                                                    int workers) const {
  progress_(what);
  gpu::RunOptions options;
  options.repeats = 1;
  options.check_results = false;
  options.stamps = false;
  options.rounds = true;
  return backend_.run(graph, of_workers(workers), design, options).dispatch_rounds;
}

gpu::GraphCallTimes Calibration::graph_calls(std::string_view what, const TaskGraph& graph) const {
  progress_(what);
  return backend_.graph_calls(graph);
}

gpu::HostCallTimes Calibration::host_calls() const {
  progress_("calls of the host");
  return backend_.host_calls();
}

gpu::HostContentionTimes Calibration::host_contention(int threads) const {
  progress_("what threads of the host share");
  return backend_.host_contention(threads);
}

gpu::TransferTimes Calibration::transfers() const {
  progress_("copies and memsets");
  return backend_.transfers();
}

gpu::AllocationTimes Calibration::allocations() const {
  progress_("allocations");
  return backend_.allocations(machine_.memory_limits.pool_segment);
}

Calibration calibrate(const Machine& skeleton, const std::string& date, const std::function<void(std::string_view)>& progress) {
  Calibration calibration(skeleton, date, progress, gpu_calibration_backend());
  calibrate_memory_words(calibration);
  calibrate_memory_ports(calibration);
  calibrate_memory_queues(calibration);
  calibrate_core_hops(calibration);
  calibrate_worker_queues(calibration);
  calibrate_control_cores(calibration);
  calibrate_host_path(calibration);
  calibrate_host_waits(calibration);
  refine_streams(calibration);
  calibrate_graphs(calibration);
  calibrate_conditionals(calibration);
  calibrate_host_threads(calibration);
  calibrate_device_launches(calibration);
  calibrate_device_graphs(calibration);
  calibrate_copies(calibration);
  calibrate_allocations(calibration);
  calibrate_bodies(calibration);
  assume_unmeasured(calibration);
  calibrate_first_looks(calibration);  // so that refinement does not take the begin for hops
  refine_scheduling(calibration);
  calibrate_first_looks(calibration);  // beside the hops that it found
  calibration.check_complete();
  return calibration;
}

}  // namespace tasktwin::verify
