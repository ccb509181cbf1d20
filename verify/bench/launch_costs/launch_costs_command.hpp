#pragma once

#include <string>

namespace tasktwin::verify {

/// What the command line says about the launch-cost table.
struct LaunchCostOptions {
  std::string machine = "nvidia-h200";
  std::string record;           ///< a folder; empty for none
  std::string format = "text";  ///< or csv, json
};

/// `tasktwin run --launch-costs`: prints what launching graphs of every shape costs, measured and predicted; with `record` writes
/// launch_costs.csv and launch_costs.json under <record>/<machine>/. Returns 1 if a run failed or was out of order. Throws InputError
/// for a machine file that is not right and RunError without a GPU.
int run_launch_costs(const LaunchCostOptions& options);

}  // namespace tasktwin::verify
