#include "verify/calibration/calibration.hpp"

#include <array>
#include <set>
#include <stdexcept>

#include "verify/calibration/assumed_counts.hpp"
#include "verify/calibration/mechanisms.hpp"
#include "verify/calibration/refinement.hpp"
#include "verify/calibration/simulated_steps.hpp"

namespace tasktwin::verify {

namespace {

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

void calibrate_bodies(Probes& probes, Machine& machine) {
  const auto keep = [&machine](const auto& found) { found.into(machine); };
  for (const CalibratedKernel& kernel : calibrate_single_threads(probes, machine)) keep(kernel);
  const BesideBodies beside(probes, machine);
  keep(calibrate_arithmetic(probes, machine, beside));
  for (const CalibratedKernel& kernel : calibrate_tiles(probes, machine, beside)) keep(kernel);
  keep(calibrate_memory_bandwidth(probes, machine, beside));
  constexpr std::array kReaders{Kernel::kQkv, Kernel::kProject, Kernel::kGateUp, Kernel::kDown, Kernel::kHead};
  for (const Kernel kernel : kReaders) keep(calibrate_reader(probes, machine, beside, kernel));
  keep(calibrate_reads_in_step(probes, machine));
  keep(calibrate_copy_traffic(probes, machine));
  keep(calibrate_stalls(probes, machine));
  keep(calibrate_shared_cores(probes, machine));
  for (const Kernel kernel : kReaders) keep(calibrate_reader_again(probes, machine, kernel));
  keep(calibrate_norms(probes, machine, beside));
  keep(calibrate_merges(probes, machine, beside));
  keep(calibrate_attention(probes, machine, beside));
}

Machine to_be_measured(Machine skeleton, const std::string& device, const std::string& date) {
  skeleton.measured = {.device = device, .date = date};
  begin_with(skeleton, assumed_counts());
  skeleton.unstated.clear();  // steps are simulated before all is measured
  return skeleton;
}

void check_complete(const Machine& machine) {
  for (const ConstantField* constant : constants_of(machine)) {
    if (!machine.provenance.contains(constant->key)) throw std::logic_error("calibration has left out " + constant->key);
  }
}

Calibration calibrate(const Machine& skeleton, const std::string& date, const std::function<void(std::string_view)>& progress,
                      CalibrationBackend backend) {
  Machine machine = to_be_measured(skeleton, backend.device, date);
  Probes probes(machine, progress, std::move(backend));
  const auto keep = [&machine](auto found) {
    found.into(machine);
    return found;
  };
  const auto refined = [&](const Family& family) { return refine(probes, machine, family.constants, family.trials); };
  const auto keep_first_tasks = [&] {
    keep(calibrate_first_hops(probes));
    keep(calibrate_first_looks(probes, machine));
  };

  const MemoryAccess access = keep(calibrate_memory_access(probes));
  const CoreSteps steps = keep(calibrate_resident_cores(probes, access.memory));
  keep(calibrate_barriers(probes, access.memory, steps));
  keep(calibrate_ready_queues(probes, steps));
  keep(calibrate_device_mailboxes(probes));
  keep(calibrate_device_control(probes, access.memory, steps.cores));
  const auto host_calls = keep(calibrate_host_calls(probes));
  const auto streams = keep(calibrate_streams(probes, host_calls));
  // Early: behind graphs and launches from the device the host launches more slowly, beside an unchanged pace.
  keep(refined(streams_family()));
  const auto graphs = keep(calibrate_graph_launch(probes));
  keep(calibrate_conditional_nodes(probes, graphs));
  const auto host_control = keep(calibrate_host_control(probes));
  keep(calibrate_host_mailboxes(probes, host_control));
  keep(calibrate_device_launches(probes, steps.cores));
  keep(calibrate_device_graph_launch(probes, steps.cores));
  keep(calibrate_transfers(probes, streams));
  keep(calibrate_allocators(probes));
  calibrate_bodies(probes, machine);
  keep_first_tasks();  // so that refinement does not take the begin for hops
  for (const Family& family : scheduling_families()) keep(refined(family));
  keep_first_tasks();  // beside the hops that it found

  check_complete(machine);
  return {machine, probes.samples()};
}

}  // namespace tasktwin::verify
