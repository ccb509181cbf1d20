#pragma once

#include <chrono>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "verify/calibration/finished_steps.hpp"
#include "verify/calibration/probes/probes.hpp"

namespace tasktwin::verify {

/// Whose pace a step depends on.
enum class Pace { kDevice, kHost };

/// Does steps of a calibration under conditions that do not change meanwhile. Before each it waits until the SM clock is awake and nobody
/// else computes on the GPU, as long as that may help; a step in which the clock fell, another process came, or the host's pace changed is
/// made again, once. If that is disturbed too, the source of its constants says so.
class Steady {
 public:
  /// Contract: all outlive it. Steps in `finished` are not measured again, and the others are added to it.
  Steady(Probes& probes, Machine& machine, FinishedSteps* finished = nullptr) : probes_(probes), machine_(machine), finished_(finished) {}

  /// Puts what `step` returns into the machine, and returns it. Its wall time is a sample.
  template <class Step>
  auto operator()(std::string_view name, Pace pace, const Step& step) {
    if (finished_ != nullptr) {
      if (const std::optional<FinishedStep> before = finished_->begin(name)) {
        auto found = step();
        finished_->end();
        keep(found, name, before->why, before->took_ns);
        return found;
      }
    }
    const auto begin = std::chrono::steady_clock::now();
    for (int attempt = 1;; ++attempt) {
      const std::size_t samples = probes_.samples().size();
      const std::optional<Conditions> before = settle();
      auto found = step();
      const std::string why = before ? why_unsteady(*before, *probes_.conditions(), pace) : "";
      if (!why.empty() && attempt < kAttempts) {
        probes_.keep_first_samples(samples);
        if (finished_ != nullptr) finished_->begin(name);  // forgets its samples
        continue;
      }
      const std::chrono::duration<double, std::nano> took = std::chrono::steady_clock::now() - begin;
      if (finished_ != nullptr) finished_->finish(name, why, took.count());
      keep(found, name, why, took.count());
      return found;
    }
  }

  /// In what way conditions have changed so that times mean something else; empty where they have not.
  std::string why_unsteady(const Conditions& before, const Conditions& after, Pace pace) const;

 private:
  static constexpr int kAttempts = 2;

  /// The conditions, when they are as good as they get; absent where they never change.
  std::optional<Conditions> settle();

  template <class Found>
  void keep(const Found& found, std::string_view name, const std::string& why, double took_ns) {
    put(found, machine_);
    if (!why.empty()) note(found, why);
    probes_.keep_sample("wall_time", std::string(name), took_ns);
  }

  template <class Found>
  static void put(const Found& found, Machine& machine) {
    found.into(machine);
  }
  static void put(const std::vector<CalibratedKernel>& kernels, Machine& machine) {
    for (const CalibratedKernel& kernel : kernels) kernel.into(machine);
  }

  /// Says `why` of all constants that were found.
  template <class Found>
  void note(const Found& found, const std::string& why) const {
    Machine alone = machine_;
    alone.provenance.clear();
    put(found, alone);
    for (const auto& [key, source] : alone.provenance) machine_.provenance.at(key).text += "; disturbed: " + why;
  }

  Probes& probes_;
  Machine& machine_;
  FinishedSteps* finished_;
  double best_clock_ = 0;
};

}  // namespace tasktwin::verify
