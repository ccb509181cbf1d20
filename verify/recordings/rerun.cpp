#include "verify/recordings/rerun.hpp"

#include <fmt/format.h>

#include "models/cost/rerun.hpp"
#include "models/runtimes/runtimes.hpp"
#include "scenarios/load/captured_launches.hpp"

namespace tasktwin::verify {

std::optional<TaskGraph> rerun_of(const std::string& path_or_name, const scenarios::Scenario& scenario, const Design& design) {
  if (!scenario.program || !scenario.imported || runtime_of(design).resident()) return std::nullopt;
  const std::vector<CapturedLaunch> launches = scenarios::captured_launches(path_or_name);
  if (launches.size() != scenario.graph.size()) return std::nullopt;
  return rerun_graph(scenario.graph, launches, scenario.machine);
}

std::optional<std::string> rerun_remark(const scenarios::Scenario& scenario) {
  if (!scenario.program || !scenario.imported) return std::nullopt;
  return fmt::format(
      "'{}' is a captured program: its kernels are not at hand, and others run that spin as long as they took, of the captured grid, block "
      "and "
      "shared memory where the file says them; copies move as many bytes",
      scenario.name);
}

}  // namespace tasktwin::verify
