#include "verify/calibration/drift.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "models/base/child_process.hpp"
#include "verify/output/text/json.hpp"

namespace tasktwin::verify {

std::vector<SpotCheck> measure_drift(const Machine& machine, const std::function<void(std::string_view)>& progress,
                                     const std::function<CalibrationBackend()>& backend) {
  const std::string said = in_child([&] {
    Probes probes(machine, progress, backend());
    Json list = Json::array();
    for (const SpotCheck& check : spot_checks(probes, machine))
      list.push_back({check.design, check.graph, check.measured_ns, check.predicted_ns});
    return to_bytes(list);
  });
  std::vector<SpotCheck> checks;
  for (const Json& check : Json::from_cbor(said))
    checks.push_back({check[0].get<std::string>(), check[1].get<std::string>(), check[2].get<double>(), check[3].get<double>()});
  return checks;
}

std::string drift_text(const std::string& machine_file, const std::vector<SpotCheck>& checks) {
  std::string drifted;
  for (const DesignSpots& one : spots_by_design(checks)) {
    if (one.error > kLargestDrift)
      drifted += fmt::format("{}{:.0f} % under {} ({:+.0f} %)", drifted.empty() ? "" : ", ", 100 * one.error, one.design, 100 * one.bias);
  }
  if (drifted.empty()) return "";
  return fmt::format(
      "the machine file {} does not fit this GPU: predictions of small runs are off by {} on average, and {:.0f} % is the most that counts "
      "as the same card; measure a new one with 'tasktwin calibrate', in seconds with --quick, or verify nevertheless with --allow-drift",
      machine_file, drifted, 100 * kLargestDrift);
}

std::string spots_text(const std::vector<SpotCheck>& checks) {
  if (checks.empty()) return "no small run was measured";
  double sum = 0;
  const SpotCheck* worst = &checks.front();
  for (const SpotCheck& check : checks) {
    sum += std::abs(check.error());
    if (std::abs(check.error()) > std::abs(worst->error())) worst = &check;
  }
  return fmt::format("predictions of {} small runs are off by {:.1f} % on average, by {:+.1f} % at most ({}, {})", checks.size(),
                     100 * sum / static_cast<double>(checks.size()), 100 * worst->error(), worst->design, worst->graph);
}

}  // namespace tasktwin::verify
