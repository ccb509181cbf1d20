#include "verify/calibration/trials/spot_checks.hpp"

#include <algorithm>
#include <cmath>

#include "models/base/error.hpp"
#include "models/checks/mechanisms.hpp"
#include "models/design/design.hpp"
#include "models/runtimes/runtimes.hpp"
#include "verify/calibration/fit/side_by_side.hpp"
#include "verify/calibration/probes/micro_graphs.hpp"
#include "verify/calibration/trials/refinement.hpp"

namespace tasktwin::verify {

namespace {

using namespace std::chrono_literals;

constexpr std::uint64_t kSpotSeed = 0x5907'0c4e;  // no scenario and no trial has it

constexpr const char* kDesigns[] = {"cuda-streams",  "cuda-graph",         "device-graph-launch", "dynamic-parallelism",
                                    "static-queues", "layer-barrier",      "shared-queue",        "work-stealing",
                                    "hybrid",        "central-dispatcher", "host-dispatcher"};

/// Of these some bodies besides are bound by the memory's bandwidth.
constexpr const char* kOfReaders[] = {"cuda-graph", "static-queues"};

TaskGraph waves_of_readers(const Machine& machine) {
  constexpr int kWaves = 4;
  const std::vector<Task> tasks(static_cast<std::size_t>(kWaves * machine.core_count()), sized_task(Kernel::kStream, {}, 0, 4 << 20));
  return wave_graph(tasks, machine.core_count(), {}, {});
}

std::vector<MakespanTrial> trials(const Machine& machine) {
  std::vector<MakespanTrial> trials;
  for (const char* const name : kDesigns) {
    const Design design = named_design(name);
    trials.push_back({"11 x 75 tasks with 3 predecessors", layered_graph({11, 75, 3, 1200ns, 4500ns, kSpotSeed}), design});
    trials.push_back({"9 x 115 tasks with 2 predecessors", layered_graph({9, 115, 2, 2500ns, 2500ns, kSpotSeed + 1}), design});
    trials.push_back({"a stencil of 50 columns and 24 steps", stencil_graph(24, 50, 2700ns), design});
  }
  for (const char* const name : kOfReaders) {
    Design design = named_design(name);
    design.name += " with bodies that read memory";
    trials.push_back({"4 waves of 4 MiB a core", waves_of_readers(machine), design});
  }
  return trials;
}

bool has_what_it_needs(const Machine& machine, const MakespanTrial& trial) {
  try {
    check_mechanisms(trial.design, machine, trial.tasks);
    return true;
  } catch (const InputError&) {
    return false;
  }
}

}  // namespace

std::vector<SpotCheck> spot_checks(Probes& probes, const Machine& machine) {
  std::vector<MakespanTrial> all = trials(machine);
  std::erase_if(all, [&](const MakespanTrial& trial) { return !has_what_it_needs(machine, trial); });
  std::vector<SpotCheck> checks;
  std::vector<SideBySide::Function> predictions;
  for (const MakespanTrial& trial : all) {
    const std::optional<Target> target = measure_trial(probes, machine, trial);
    if (!target) continue;
    checks.push_back({trial.design.name, trial.graph, target->measured});
    predictions.emplace_back([predict = target->predict, &machine](std::span<const double>) { return predict(machine); });
  }
  const std::vector<double> predicted = SideBySide(predictions, 0)(std::vector<double>{});
  for (std::size_t i = 0; i < checks.size(); ++i) {
    checks[i].predicted_ns = predicted[i];
    probes.keep_sample("prediction", checks[i].graph + " under " + checks[i].design, predicted[i]);
  }
  return checks;
}

std::vector<DesignSpots> spots_by_design(const std::vector<SpotCheck>& checks) {
  std::vector<DesignSpots> designs;
  for (const SpotCheck& check : checks) {
    if (std::ranges::find(designs, check.design, &DesignSpots::design) == designs.end()) designs.push_back({check.design});
  }
  for (DesignSpots& design : designs) {
    double count = 0;
    for (const SpotCheck& check : checks) {
      if (check.design != design.design) continue;
      ++count;
      design.error += std::abs(check.error());
      design.bias += check.error();
    }
    design.error /= count;
    design.bias /= count;
  }
  return designs;
}

}  // namespace tasktwin::verify
