#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "scenarios/swimlane/swimlane_capture.hpp"

namespace tasktwin::scenarios {

/// What an imported capture's scenario is to be called and made of.
struct SwimlaneScenario {
  std::string name;
  std::string machine;  ///< a shipped machine, or a machine file, whose constants the capture's cores get
  std::filesystem::path records;
  std::filesystem::path deps;
  std::filesystem::path output;          ///< the scenario file, from whose folder it will name the others
  std::optional<std::int64_t> run = {};  ///< as read_swimlane takes it
};

/// The shipped machine that a capture with so many cores is of: ascend-a2a3, or ascend-a5 where it has more of a type.
std::string machine_named_for(const SwimlaneCapture& capture);

/// A scenario file of the capture: its tasks, on a machine with its cores, under a design that replays its placement and order and
/// under others that hold against it. Designs that the machine cannot seat are left out. Throws InputError for an unknown machine and
/// a name that scenarios cannot have.
std::string swimlane_scenario_yaml(const SwimlaneCapture& capture, const SwimlaneScenario& wanted);

}  // namespace tasktwin::scenarios
