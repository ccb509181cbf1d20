#pragma once

#include <string>
#include <vector>

#include "models/base/units.hpp"
#include "scenarios/load/scenario.hpp"

namespace tasktwin::verify {

/// What a schedule of a rerun is predicted to take.
struct PredictedSchedule {
  std::string schedule;      ///< as gpu/rerun/order/schedules.hpp names it
  Duration host{};           ///< from the first call until the host has waited for the device
  std::string why_not = {};  ///< there is none; empty: there is one
};

/// Each of `schedules`, simulated: the captured program's work from a host that launches it and does nothing else, whose calls take what
/// they take on `host`. Contract: `scenario` has a program (captured_program), and gpu::rerun::parse_schedules takes the words.
std::vector<PredictedSchedule> predicted_schedules(const scenarios::Scenario& scenario, const Machine& host, const std::string& schedules);

}  // namespace tasktwin::verify
