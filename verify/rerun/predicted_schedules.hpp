#pragma once

#include <span>
#include <string>
#include <utility>
#include <vector>

#include "models/base/units.hpp"
#include "scenarios/load/scenario.hpp"
#include "verify/rerun/plan_file.hpp"

namespace tasktwin::verify {

/// What a schedule of a rerun is predicted to take.
struct PredictedSchedule {
  std::string schedule;      ///< as gpu/rerun/order/schedules.hpp names it
  Duration host{};           ///< from the first call until the host has waited for the device
  std::string why_not = {};  ///< there is none; empty: there is one
  /// Of each operation, when it begins and ends, µs from the first begin on; empty where that was not asked for.
  std::vector<std::pair<double, double>> operations_us = {};
};

/// What is asked for. Contract: `scenario` has a program (captured_program), and gpu::rerun::parse_schedules takes the words.
struct SchedulesToPredict {
  const scenarios::Scenario& scenario;
  Machine host;                          ///< whose calls take what they take there
  std::string schedules;                 ///< as gpu/rerun/order/schedules.hpp reads them
  const TaskGraph* needed = nullptr;     ///< with what tasks need, where that is known
  std::span<const PlanFile> plans = {};  ///< what schedules `plan:N` are
  bool times = false;                    ///< of each operation too
};

/// Each of them, simulated: the captured program's work from a host that launches it and does nothing else.
std::vector<PredictedSchedule> predicted_schedules(const SchedulesToPredict& asked);

}  // namespace tasktwin::verify
