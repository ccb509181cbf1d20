#include "verify/calibration/trials/refinement.hpp"

#include <algorithm>
#include <chrono>
#include <optional>

#include "models/run/as_run.hpp"
#include "sim/simulator.hpp"
#include "verify/compare/comparison.hpp"
#include "verify/predict/run_statistics.hpp"

namespace tasktwin::verify {

std::optional<Target> measure_trial(Probes& probes, const Machine& known, const MakespanTrial& trial) {
  constexpr int kAttempts = 3;
  constexpr std::uint64_t kSeeds = 3;  // where the prediction is a draw
  const std::uint64_t seeds = random_parts(trial.tasks, known, trial.design).empty() ? 1 : kSeeds;
  const std::string what =
      trial.graph + " under " + trial.design.name + (trial.workers > 0 ? " on " + std::to_string(trial.workers) + " cores" : std::string());
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    const gpu::Measurement measurement = probes.makespans_on(known, what, trial.tasks, trial.design, 5, trial.workers);
    const double slowdown = host_slowdown(trial.design, known, measurement.host_call);
    const double measured = median_ns(measurement.makespans);
    probes.keep_sample("makespan", what, measured);
    probes.keep_sample("host_slowdown", what, slowdown);
    if (std::max(slowdown, 1 / slowdown) > kDisturbedHost) continue;
    const auto predict = [&trial, seeds, host_call = measurement.host_call](const Machine& machine) {
      const double pace = host_slowdown(trial.design, machine, host_call);
      double sum = 0;
      for (std::uint64_t seed = 1; seed <= seeds; ++seed)
        sum += ns(sim::simulate(trial.tasks, of_workers(machine, trial.workers), trial.design, {.seed = seed, .host_pace = pace})
                      .timeline.makespan());
      return sum / static_cast<double>(seeds);
    };
    return Target{predict, measured};
  }
  return std::nullopt;
}

std::vector<Target> measure_trials(Probes& probes, const Machine& known, const std::vector<MakespanTrial>& trials) {
  std::vector<Target> targets;
  for (const MakespanTrial& trial : trials) {
    if (std::optional<Target> target = measure_trial(probes, known, trial)) targets.push_back(std::move(*target));
  }
  return targets;
}

void Refinement::into(Machine& machine) const {
  for (const auto& [constant, estimate] : constants)
    measured(*constant, estimate, machine.provenance[constant->key].text + "; " + how).into(machine);
}

Refinement refine(Probes& probes, const Machine& known, const std::vector<Refined>& constants, const std::vector<MakespanTrial>& trials) {
  std::vector<Unknown> unknowns;
  for (const auto& [constant, known_to] : constants) {
    probes.keep_sample(constant->key, "before its refinement by makespans", constant->get(known));
    unknowns.push_back(of_constant(*constant, known_to));
  }
  const std::vector<Target> targets = measure_trials(probes, known, trials);
  Refinement refinement{{}, "refined by makespans of " + std::to_string(targets.size()) + " micro-graphs without stamps"};
  if (targets.empty()) return refinement;
  const auto begin = std::chrono::steady_clock::now();
  const std::vector<Estimate> found = fit_by_simulation(known, unknowns, targets, true);
  const std::chrono::duration<double, std::nano> took = std::chrono::steady_clock::now() - begin;
  probes.keep_sample("wall_time", "of which the fit", took.count());
  for (std::size_t i = 0; i < constants.size(); ++i) {
    if (found[i].value > 0) refinement.constants.emplace_back(constants[i].constant, found[i]);
  }
  return refinement;
}

}  // namespace tasktwin::verify
