#include "verify/bench/claims/metg_figures.hpp"

#include <algorithm>
#include <system_error>
#include <vector>

#include <fmt/format.h>

#include "models/base/error.hpp"
#include "scenarios/formats/json_file.hpp"
#include "sim/simulator.hpp"
#include "verify/bench/metg/bench_patterns.hpp"
#include "verify/output/files/output_paths.hpp"
#include "verify/output/text/json.hpp"
#include "verify/recordings/recorded_values.hpp"

namespace tasktwin::verify {

namespace fs = std::filesystem;
using scenarios::JsonPlace;

namespace {

constexpr std::uint64_t kGraphSeed = 1;
constexpr double kUsToNs = 1e3;
/// What a METG can be at all, in µs.
constexpr double kShortestUs = 1e-3;
constexpr double kLongestUs = 1e9;

const BenchExecutor* find_executor(std::string_view name) {
  const auto executors = bench_executors();
  const auto found = std::ranges::find_if(executors, [name](const BenchExecutor& one) { return one.base.name == name; });
  return found == executors.end() ? nullptr : &*found;
}

std::string name_of(const scenarios::MetgSides& sides, std::string_view executor) {
  return fmt::format("METG of {} on {}", executor, sides.pattern);
}

double found_metg(const MetgSearch& search, const std::string& name) {
  if (search.end == MetgSearch::End::kFound) return search.metg_ns;
  throw RunError(
      fmt::format("{} is {} {:.2f} µs", name, search.end == MetgSearch::End::kBelow ? "below" : "above", search.metg_ns / kUsToNs));
}

double predicted_ns(const scenarios::MetgSides& sides, const BenchExecutor& executor) {
  const auto pattern = *from_word<scenarios::Pattern>(sides.pattern);
  const int workers = bench_workers(sides.machine);
  const Design design = bench_design(executor, workers, pattern == scenarios::Pattern::kTrivial);
  const Machine machine = machine_with_workers(sides.machine, design, workers);
  const MetgSearch search = search_metg(metg_lengths(), [&](Duration length) {
    const TaskGraph graph = scenarios::make_task_bench(bench_parameters(pattern, length, workers, executor.host_launched), kGraphSeed);
    const Duration makespan = sim::simulate(graph, machine, design).timeline.makespan();
    return static_cast<double>(to_ns(makespan)) * workers / static_cast<double>(graph.size());
  });
  return found_metg(search, name_of(sides, executor.base.name));
}

}  // namespace

void check_metg_sides(const scenarios::Comparison& comparison) {
  const auto& sides = std::get<scenarios::MetgSides>(comparison.sides);
  for (const std::string* side : {&sides.baseline, &sides.contender}) {
    if (find_executor(*side) != nullptr) continue;
    std::vector<std::string_view> names;
    for (const BenchExecutor& executor : bench_executors()) names.push_back(executor.base.name);
    throw InputError(comparison.where, fmt::format("no executor of the METG benchmark is called '{}'{}", *side, suggest(*side, names)));
  }
}

Figures measured_metg(const scenarios::MetgSides& sides, const BenchBackend& backend) {
  MetgPlan plan;
  plan.executors = {find_executor(sides.baseline), find_executor(sides.contender)};
  plan.patterns = {sides.pattern};
  const MetgResult result = measure_metg(plan, sides.machine, backend);
  const auto ns = [&](const std::string& executor) {
    const MetgCell& cell = *result.find(executor, sides.pattern);
    const std::string name = name_of(sides, executor);
    if (!cell.refusal.empty()) throw InputError(fmt::format("{}: {}", name, cell.refusal));
    if (!cell.fault.empty()) throw RunError(fmt::format("{}: {}", name, cell.fault));
    if (cell.ordering_violations > 0) throw RunError(fmt::format("{}: {} ordering violations", name, cell.ordering_violations));
    return found_metg(cell.search, name);
  };
  return {ns(sides.baseline), ns(sides.contender)};
}

Figures predicted_metg(const scenarios::MetgSides& sides) {
  return {predicted_ns(sides, *find_executor(sides.baseline)), predicted_ns(sides, *find_executor(sides.contender))};
}

RecordedMetg recorded_metg(const fs::path& folder, const scenarios::MetgSides& sides) {
  const fs::path file = folder / file_word(sides.machine.name) / "metg.json";
  std::error_code ignored;
  if (!fs::exists(file, ignored)) return {};
  const std::string name = file.string();
  const Json json = scenarios::read_json_file(name, kMaxFactsBytes);
  const JsonPlace facts =
      JsonPlace(name, json).object_of({"benchmark",       "machine",       "machine_hash", "device",    "driver",
                                       "runtime",         "date",          "version",      "commit",    "command",
                                       "workers",         "repeats",       "flag_hop_us",  "flag_hops", "fresh_flag_hop_us",
                                       "fresh_flag_hops", "grid_barriers", "executors",    "metg",      "chain"});
  const auto text = [&facts](const char* key) { return facts.at(key).text(); };
  RecordedMetg recorded{.figures = {},
                        .why_none = {},
                        .origin = {text("device"), text("driver"), text("runtime"), text("date"), text("commit"), text("command")}};
  const JsonPlace cells = facts.at("metg").list();
  const auto ns = [&](const std::string& executor) -> std::optional<double> {
    for (std::size_t i = 0; i < cells.size(); ++i) {
      const JsonPlace cell = cells[i].object_of(
          {"executor", "pattern", "metg50_us", "search", "bound_us", "refused", "fault", "ordering_violations", "curve"});
      if (cell.at("executor").text() != executor || cell.at("pattern").text() != sides.pattern) continue;
      if (const JsonPlace us = cell.at("metg50_us"); !us.is_null()) return us.number(kShortestUs, kLongestUs) * kUsToNs;
      recorded.why_none = fmt::format("{} was not found within the lengths tried", name_of(sides, executor));
    }
    return std::nullopt;
  };
  const auto baseline = ns(sides.baseline);
  const auto contender = ns(sides.contender);
  if (baseline && contender) recorded.figures = Figures{*baseline, *contender};
  return recorded;
}

}  // namespace tasktwin::verify
