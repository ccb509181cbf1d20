#pragma once

#include <map>
#include <string>

#include "gpu/executor.hpp"
#include "verify/bench/claims/claim_row.hpp"

namespace tasktwin::verify {

/// Measures sides: on the GPU, in a child process each; in tests a substitute.
class SideMeasurer {
 public:
  virtual ~SideMeasurer() = default;
  /// Runs `scenario` under its one design. Throws InputError for what no executor runs and RunError for a run that came to no end.
  virtual MeasuredSide measure(const scenarios::Scenario& scenario) = 0;
  /// METG(50 %) in ns of both executors. Throws as above, and RunError where METG lies beyond the lengths that are tried.
  virtual Figures measure_metg(const scenarios::MetgSides& sides) = 0;
};

/// Every run in a process of its own, so that each has the number of hardware queues that its design wants and none can spoil
/// another. What was measured once is not measured again.
class GpuSideMeasurer : public SideMeasurer {
 public:
  /// `repeats` plain runs after one that checks every ordering.
  explicit GpuSideMeasurer(int repeats) : repeats_(repeats) {}

  MeasuredSide measure(const scenarios::Scenario& scenario) override;
  Figures measure_metg(const scenarios::MetgSides& sides) override;

 private:
  int repeats_;
  std::map<std::string, MeasuredSide> measured_;
};

/// The identity of a side: graph, design and machine.
std::string side_key(const scenarios::Scenario& scenario);

}  // namespace tasktwin::verify
