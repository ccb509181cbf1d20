#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "scenarios/load/scenario.hpp"
#include "verify/calibration/probes/body_times.hpp"

namespace tasktwin::verify {

/// Tasks of one kernel that cost the same as far as the scenario says.
struct SizeClass {
  Cost cost;
  std::int32_t value = 0;  ///< of the parameter that the kernel's times are by
  int blocks = 1;
  std::vector<Task> tasks;  ///< as tasks of one block and without traits
};

/// The classes of one of the scenario's own kernels by size, evenly chosen where there are many; of one whose times are by a parameter a
/// few more.
std::vector<SizeClass> classes_of(const scenarios::Scenario& scenario, std::size_t number);

/// `count` of the tasks, over and over.
std::vector<Task> cycled(const std::vector<Task>& tasks, std::size_t count);

/// Each task once, as the scenario has them: a body that reads or writes what one of the same run has read or written is quicker. Of a
/// class of one task there is only that.
BodyProbe waves_of(const std::vector<Task>& tasks, const Problem& problem, int width);

/// What the bodies of a class take in resident workers with lists, started to ended, in ns.
struct ClassTimes {
  BodyProbe probe;    ///< a few at a time, which hardly slow each other down
  BodyTimes few;      ///< of these; `cold` is how much longer the first ones took than the same did later
  double alone = 0;   ///< one of these that is not the first
  double beside = 0;  ///< one with as many of the kernel's at a time as the scenario has, or cores
  int width = 1;      ///< of the class's among these at a time
};

/// By class. What bodies find may decide what they have to do, such as the tokens of an expert: so each is held against itself.
std::vector<ClassTimes> measure_classes(Probes& probes, const Machine& known, const Problem& problem,
                                        const std::vector<SizeClass>& classes);

}  // namespace tasktwin::verify
