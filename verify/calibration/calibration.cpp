#include "verify/calibration/calibration.hpp"

#include <algorithm>
#include <array>
#include <set>
#include <stdexcept>
#include <string_view>
#include <utility>

#include "verify/calibration/bodies/simulated_steps.hpp"
#include "verify/calibration/fit/assumed_counts.hpp"
#include "verify/calibration/mechanisms/calibrated_mechanisms.hpp"
#include "verify/calibration/steady.hpp"
#include "verify/calibration/trials/refinement.hpp"

namespace tasktwin::verify {

namespace {

/// Of a single GPU. What lies between devices is measured where there are several, and what lies between hosts not at all; the others are
/// of other chips.
bool is_of_a_gpu(const MachineSection& section) {
  static constexpr std::array<std::string_view, 6> kOthers{"collectives", "distances", "group_queue", "host_build", "network", "peers"};
  return std::ranges::find(kOthers, section.name) == kOthers.end();
}

Machine assumed_counts() {
  Machine machine;
  for (const MachineSection& section : machine_sections()) {
    if (is_of_a_gpu(section)) section.add(machine);
  }
  machine.resident_cores = assumed::kResidentCores;
  machine.graph_launch = assumed::kGraphLaunch;
  machine.conditional_nodes = assumed::kConditionalNodes;
  return machine;
}

/// Gives `machine` what it does not have, or not state, of `all`, a machine that has every section.
void begin_with(Machine& machine, const Machine& all) {
  std::set<std::string_view> added;
  for (const MachineSection& section : machine_sections()) {
    if (section.present(machine) || !is_of_a_gpu(section)) continue;
    section.add(machine);
    added.insert(section.name);
  }
  for (const ConstantField& field : constant_fields()) {
    if (added.contains(field.section) || machine.unstated.contains(field.key)) field.set(machine, field.get(all));
  }
}

void calibrate_bodies(Probes& probes, Machine& machine, Steady& steady) {
  const auto step = [&steady](std::string_view name, const auto& measure) { return steady(name, Pace::kDevice, measure); };
  step("empty and spinning bodies", [&] { return calibrate_single_threads(probes, machine); });
  step("arithmetic", [&] { return calibrate_arithmetic(probes, machine); });
  step("tiles", [&] { return calibrate_tiles(probes, machine); });
  step("memory bandwidth", [&] { return calibrate_memory_bandwidth(probes, machine); });
  step("queues behind readers", [&] { return calibrate_queues_behind_readers(probes, machine); });
  constexpr std::array kReading{Kernel::kQkv, Kernel::kProject, Kernel::kGateUp, Kernel::kDown, Kernel::kHead};
  for (const Kernel kernel : kReading)
    step("kernel " + std::string(to_word(kernel)), [&] { return calibrate_reader(probes, machine, kernel); });
  step("traffic of copies", [&] { return calibrate_copy_traffic(probes, machine); });
  step("shared cores", [&] { return calibrate_shared_cores(probes, machine); });
  for (const Kernel kernel : kReading)
    step("kernel " + std::string(to_word(kernel)) + " again", [&] { return calibrate_reader_again(probes, machine, kernel); });
  step("norms", [&] { return calibrate_norms(probes, machine); });
  step("merges", [&] { return calibrate_merges(probes, machine); });
  step("attention", [&] { return calibrate_attention(probes, machine); });
  step("grids", [&] { return calibrate_grids(probes, machine); });
}

}  // namespace

void calibrate_bodies(Probes& probes, Machine& machine) {
  Steady steady(probes, machine);
  calibrate_bodies(probes, machine, steady);
}

Machine to_be_measured(Machine skeleton, const std::string& device, const std::string& date) {
  skeleton.measured = {.device = device, .date = date};
  begin_with(skeleton, assumed_counts());
  skeleton.unstated.clear();  // steps are simulated before all is measured
  return skeleton;
}

void check_complete(const Machine& machine) {
  for (const ConstantField* constant : constants_of(machine)) {
    if (!machine.provenance.contains(constant->key) && !machine.unstated.contains(constant->key))
      throw std::logic_error("calibration has left out " + constant->key);
  }
}

Calibration calibrate_links(const Machine& known, const std::string& date, const std::function<void(std::string_view)>& progress,
                            CalibrationBackend backend) {
  Machine machine = known;
  const std::string device = backend.device;
  Probes probes(machine, progress, std::move(backend));
  calibrate_between_devices(probes, machine).into(machine);
  // What `measured` says is of the device alone, which may be another card.
  for (const ConstantField* constant : constants_of(machine)) {
    if (constant->section != "peers" && constant->section != "collectives") continue;
    Provenance& provenance = machine.provenance[constant->key];
    if (provenance.source != Source::kMeasured) continue;
    provenance.text += "; on " + device;
    provenance.date = date;
  }
  return {machine, probes.samples(), {}};
}

Calibration calibrate(const Machine& skeleton, const std::string& date, const std::function<void(std::string_view)>& progress,
                      CalibrationBackend backend, FinishedSteps* finished) {
  Machine machine = to_be_measured(skeleton, backend.device, date);
  const Devices devices = std::exchange(machine.devices, {});  // what follows is one device's
  Probes probes(machine, progress, finished != nullptr ? finished->keeping(std::move(backend)) : std::move(backend));
  Steady steady(probes, machine, finished);
  const auto device = [&steady](std::string_view name, const auto& measure) { return steady(name, Pace::kDevice, measure); };
  const auto host = [&steady](std::string_view name, const auto& measure) { return steady(name, Pace::kHost, measure); };
  const auto refined = [&](const Family& family) {
    return device("makespans: " + family.name, [&] { return refine(probes, machine, family.constants, family.trials); });
  };
  const auto keep_first_poll = [&] { host("first looks", [&] { return calibrate_first_poll(probes, machine); }); };

  const MemoryPaths access = device("memory access", [&] { return calibrate_memory_paths(probes); });
  const CoreSteps steps = device("resident cores", [&] { return calibrate_resident_cores(probes, access.memory); });
  device("barriers", [&] { return calibrate_barriers(probes, access.memory, steps); });
  device("ready queues", [&] { return calibrate_ready_queues(probes, steps); });
  device("device mailboxes", [&] { return calibrate_device_mailboxes(probes); });
  device("device control", [&] { return calibrate_device_control(probes, access.memory, steps.cores); });
  const auto host_calls = host("host calls", [&] { return calibrate_host_calls(probes); });
  const auto streams = host("streams", [&] { return calibrate_streams(probes, host_calls); });
  // Early: after graphs and launches from the device the host launches more slowly, at an unchanged pace.
  refined(streams_family());
  // Both bring what they see to one pace of the host.
  const auto graphs = device("graph launches", [&] { return calibrate_graph_launch(probes); });
  device("kernels of others", [&] { return calibrate_around(probes, streams, graphs); });
  device("conditional nodes", [&] { return calibrate_conditional_nodes(probes, graphs); });
  const auto host_control = host("host control", [&] { return calibrate_host_control(probes); });
  host("host mailboxes", [&] { return calibrate_host_mailboxes(probes, host_control); });
  device("launches from the device", [&] { return calibrate_device_launches(probes, streams); });
  device("graph launches from the device", [&] { return calibrate_device_graph_launch(probes); });
  host("copies", [&] { return calibrate_transfers(probes, streams); });
  host("allocators", [&] { return calibrate_allocators(probes); });
  calibrate_bodies(probes, machine, steady);
  device("page loads", [&] { return calibrate_page_loads(probes, machine); });
  device("rows in pages", [&] { return calibrate_paged_rows(probes, machine); });
  keep_first_poll();  // so that refinement does not take the begin for hops
  for (const Family& family : scheduling_families()) refined(family);
  device("makespans: few dispatchers", [&] { return refine_few_dispatchers(probes, machine); });
  keep_first_poll();  // in addition to the hops that it found

  machine.devices = devices;
  if (devices.per_node > 1) device("between devices", [&] { return calibrate_between_devices(probes, machine); });
  // What leads to another device is measured with two of them, or as the skeleton states it.
  if (!machine.provenance.contains("links.p2p_bandwidth_gb_per_s")) {
    Calibrated<mechanism::Links> links{&Machine::links};
    links.assume(&mechanism::Links::p2p_bandwidth, machine.links->h2d_bandwidth, "as from the host: there is no other device");
    links.into(machine);
  }
  check_complete(machine);
  return {machine, probes.samples(), spot_checks(probes, machine)};
}

}  // namespace tasktwin::verify
