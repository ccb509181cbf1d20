#include "verify/predict/run_statistics.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <numeric>

#include <boost/math/distributions/students_t.hpp>

#include "models/cost/body_spread.hpp"
#include "models/run/fallback.hpp"
#include "models/runtimes/runtimes.hpp"
#include "verify/predict/statistics.hpp"

namespace tasktwin::verify {

namespace {

double mean_of(std::span<const double> values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

double sigma_of(std::span<const double> values, double mean) {
  if (values.size() < 2) return 0;
  double squares = 0;
  for (const double value : values) squares += (value - mean) * (value - mean);
  return std::sqrt(squares / static_cast<double>(values.size() - 1));
}

}  // namespace

Distribution distribution(std::span<const double> values) {
  assert(!values.empty());
  const double mean = mean_of(values);
  return {values.size(),
          mean,
          median(values),
          percentile(values, 0.05),
          percentile(values, 0.95),
          std::ranges::min(values),
          std::ranges::max(values),
          sigma_of(values, mean)};
}

PairedDifference paired_difference(std::span<const double> a, std::span<const double> b, double confidence) {
  assert(a.size() == b.size() && a.size() >= 2);
  std::vector<double> differences(a.size());
  std::ranges::transform(a, b, differences.begin(), std::minus{});
  const auto runs = static_cast<double>(differences.size());
  const double mean = mean_of(differences);
  const double quantile = boost::math::quantile(boost::math::students_t(runs - 1), (1 + confidence) / 2);
  const double half = quantile * sigma_of(differences, mean) / std::sqrt(runs);
  return {mean, mean - half, mean + half};
}

std::vector<std::string> random_parts(const TaskGraph& graph, const Machine& machine, const Design& stated) {
  const Design design = design_of_run(graph, machine, stated);
  std::vector<std::string> parts;
  const auto tasks = graph.tasks();
  if (std::ranges::any_of(tasks, [](const Task& task) { return task.cost.sigma_ns > 0; })) parts.emplace_back("task times (sigma_ns)");
  bool samples = false;
  for (std::size_t i = 0; i < graph.size() && !samples; ++i) samples = graph.traits(task_id(i)).samples.size() > 1;
  if (samples) parts.emplace_back("task times (samples_ns)");
  const auto varies = [&](const Task& task) { return task.operation == Operation::kKernel && spreads(machine.kernel_cost(task.kernel)); };
  if (std::ranges::any_of(tasks, varies)) parts.emplace_back("bodies (spread_ns and varies of kernels)");
  if (graph.has_predicates()) parts.emplace_back("predicates (probability)");
  for (const RandomPart& part : runtime_of(design).draws) {
    if (part.drawn(design, machine)) parts.emplace_back(part.what);
  }
  return parts;
}

}  // namespace tasktwin::verify
