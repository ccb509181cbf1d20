#include "verify/calibration/quick.hpp"

#include <algorithm>
#include <cstdlib>
#include <set>

#include <fmt/format.h>

#include "models/runtimes/runtimes.hpp"
#include "verify/calibration/bodies/simulated_steps.hpp"
#include "verify/calibration/fit/fit_by_simulation.hpp"
#include "verify/calibration/mechanisms/calibrated_mechanisms.hpp"
#include "verify/calibration/probes/micro_graphs.hpp"
#include "verify/calibration/steady.hpp"
#include "verify/calibration/trials/refinement.hpp"

namespace tasktwin::verify {

namespace {

using namespace std::chrono_literals;

constexpr std::uint64_t kQuickSeed = 0x40'1c4;  // no scenario and no other trial has it

/// How far a card's mechanism may be from another's, as Unknown::known_to.
constexpr double kCardsDiffer = 0.15;

/// Mechanisms that are scaled together, and the designs whose trials give the factor.
struct ScaledSections {
  std::vector<std::string_view> sections;
  std::vector<const char*> designs;
};

const std::vector<ScaledSections>& scaled_sections() {
  static const std::vector<ScaledSections> all{{{"resident_cores"}, {"static-queues"}},
                                               {{"barriers"}, {"layer-barrier"}},
                                               {{"ready_queues"}, {"shared-queue", "work-stealing"}},
                                               {{"device_control", "device_mailboxes"}, {"central-dispatcher"}},
                                               {{"host_control", "host_mailboxes"}, {"host-dispatcher"}},
                                               {{"graph_launch"}, {"cuda-graph"}},
                                               {{"device_graph_launch"}, {"device-graph-launch"}},
                                               {{"dynamic_parallelism", "launched_kernels"}, {"dynamic-parallelism"}}};
  return all;
}

/// Those that a factor for the whole mechanism scales. What the host pays follows its pace in each run.
std::vector<const ConstantField*> scaled_constants(const ScaledSections& scaled) {
  std::vector<const ConstantField*> constants;
  for (const ConstantField& field : constant_fields()) {
    const bool here = std::ranges::find(scaled.sections, field.section) != scaled.sections.end();
    if (here && field.unit == Unit::kNanoseconds && field.payer != Payer::kHost) constants.push_back(&field);
  }
  return constants;
}

/// A factor, 1 at first.
Unknown factor_of(const std::vector<const ConstantField*>& constants) {
  return {[](const Machine&) { return 1.0; },
          [constants](Machine& machine, double factor) {
            for (const ConstantField* const one : constants) one->set(machine, factor * one->get(machine));
          },
          kCardsDiffer};
}

std::vector<MakespanTrial> trials_of(const char* name) {
  const Design design = named_design(name);
  return {{"13 x 90 tasks with 3 predecessors", layered_graph({13, 90, 3, 900ns, 3500ns, kQuickSeed}), design},
          {"10 x 125 tasks with 2 predecessors", layered_graph({10, 125, 2, 1800ns, 1800ns, kQuickSeed + 1}), design},
          {"8 stars of 70 leaves", stars_graph(8, 70, 1500ns), design}};
}

/// Measured constants say so, the others name the machine that they are from.
class Sources {
 public:
  Sources(Machine& machine, const Machine& base) : machine_(machine), base_(base) {}

  void measured(const ConstantField& constant, QuickCounts& counts) {
    if (known_.insert(constant.key).second) ++counts.measured;
  }

  void scaled(const ConstantField& constant, double factor, std::size_t trials, QuickCounts& counts) {
    if (constant.get(machine_) == 0 || !known_.insert(constant.key).second) return;
    machine_.provenance[constant.key] = {
        .source = Source::kMeasured,
        .text = fmt::format("as {}, times {:.3f} with all of its mechanism, by makespans of {} micro-graphs", base_.name, factor, trials),
        .date = machine_.measured.date};
    ++counts.scaled;
  }

  void take_the_rest(QuickCounts& counts) {
    for (const ConstantField* const constant : constants_of(machine_)) {
      if (known_.contains(constant->key)) continue;
      ++counts.taken;
      Provenance& source = machine_.provenance[constant->key];
      if (source.source == Source::kMeasured) source = {.source = Source::kAssumed, .text = "as " + base_.name};
    }
    for (auto& [key, source] : machine_.provenance) {
      if (key.starts_with("kernels.") && source.source == Source::kMeasured)
        source = {.source = Source::kAssumed, .text = "as " + base_.name};
    }
  }

 private:
  Machine& machine_;
  const Machine& base_;
  std::set<std::string> known_;
};

/// Their constants, which are in the machine now.
template <class M>
void count(Sources& sources, Section<M> Machine::*held, std::initializer_list<Nanoseconds M::*> times,
           std::initializer_list<double M::*> rates, QuickCounts& counts) {
  for (const auto time : times) sources.measured(constant_of(held, time), counts);
  for (const auto rate : rates) sources.measured(constant_of(held, rate), counts);
}

}  // namespace

const Machine* nearest_machine(const Machine& card, const std::string& device, const std::vector<Machine>& machines) {
  const Machine* nearest = nullptr;
  for (const Machine& machine : machines) {
    if (!machine.has(CoreType::kSm) || machine.compute_cores.size() != 1 || machine.devices.count() > 1) continue;
    const std::string measured = machine.measured.device.substr(0, machine.measured.device.find(','));
    if (!measured.empty() && device.starts_with(measured)) return &machine;
    const auto off = [&card](const Machine& one) { return std::abs(one.core_count() - card.core_count()); };
    if (nearest == nullptr || off(machine) < off(*nearest)) nearest = &machine;
  }
  return nearest;
}

QuickCalibration calibrate_quickly(const Machine& card, const Machine& base, const std::string& date,
                                   const std::function<void(std::string_view)>& progress, CalibrationBackend backend) {
  QuickCalibration result;
  Machine& machine = result.calibration.machine;
  machine = base;
  machine.name = card.name;
  machine.description = card.description + "; calibrated quickly, from " + base.name;
  machine.file.clear();
  machine.measured = {.device = backend.device, .date = date};
  machine.devices = card.devices;
  machine.compute_cores = card.compute_cores;
  machine.core_limits = card.core_limits;
  machine.launch_limits = card.launch_limits;
  machine.memory_limits = card.memory_limits;
  machine.provenance["limits"] = card.provenance.at("limits");
  Probes probes(machine, progress, std::move(backend));
  Steady steady(probes, machine);
  Sources sources(machine, base);
  QuickCounts& counts = result.counts;

  using mechanism::HostCalls;
  using mechanism::Memory;
  using mechanism::Streams;
  steady("memory access", Pace::kDevice, [&] { return calibrate_memory_paths(probes); });
  count(sources, &Machine::memory, {&Memory::read_latency, &Memory::atomic_latency, &Memory::atomic_service},
        {&Memory::port_bandwidth, &Memory::queue_bandwidth}, counts);
  steady("memory bandwidth", Pace::kDevice, [&] { return calibrate_steady_bandwidth(probes, machine); });
  count(sources, &Machine::memory, {}, {&Memory::bandwidth, &Memory::core_bandwidth, &Memory::contention}, counts);
  const auto calls = steady("host calls", Pace::kHost, [&] { return calibrate_host_launches(probes, kQuickPasses); });
  count(sources, &Machine::host_calls,
        {&HostCalls::launch, &HostCalls::first_launches, &HostCalls::stream_wait, &HostCalls::event_record, &HostCalls::reference_launch},
        {}, counts);
  steady("streams", Pace::kHost, [&] { return calibrate_streams(probes, calls); });
  count(sources, &Machine::streams,
        {&Streams::gap, &Streams::event_gap, &Streams::waiting_queue, &Streams::queue_turns, &Streams::launch_latency,
         &Streams::programmatic_gap, &Streams::trigger_latency},
        {}, counts);

  for (const ScaledSections& scaled : scaled_sections()) {
    std::vector<MakespanTrial> trials;
    for (const char* const design : scaled.designs) {
      for (MakespanTrial& trial : trials_of(design)) trials.push_back(std::move(trial));
    }
    const std::vector<Target> targets = measure_trials(probes, machine, trials);
    if (targets.empty()) continue;
    const std::vector<const ConstantField*> constants = scaled_constants(scaled);
    const Unknown factor = factor_of(constants);
    const double found = fit_by_simulation(machine, factor, targets);
    for (const ConstantField* const constant : constants) sources.scaled(*constant, found, targets.size(), counts);
    factor.set(machine, found);
  }
  sources.take_the_rest(counts);
  result.calibration.checks = spot_checks(probes, machine);
  result.calibration.samples = probes.samples();
  return result;
}

}  // namespace tasktwin::verify
