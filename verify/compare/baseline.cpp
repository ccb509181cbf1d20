#include "verify/compare/baseline.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <ranges>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <boost/math/distributions/students_t.hpp>

#include "models/base/error.hpp"
#include "scenarios/formats/json_file.hpp"
#include "verify/output/text/result_json.hpp"
#include "verify/output/text/text_table.hpp"

namespace tasktwin::verify {

namespace {

constexpr double kConfidence = 0.99;  ///< one false alarm in a hundred at most
constexpr std::size_t kLeastRuns = 5;
constexpr double kLongestNs = 1e17;  ///< as long as all tasks of a scenario together may take

double mean_of(std::span<const double> values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

/// Of the sample (n − 1).
double variance_of(std::span<const double> values, double mean) {
  double squares = 0;
  for (const double value : values) squares += (value - mean) * (value - mean);
  return squares / static_cast<double>(values.size() - 1);
}

double quantile(double freedom) { return boost::math::quantile(boost::math::students_t(freedom), kConfidence); }

bool varies(std::span<const double> values) { return std::ranges::adjacent_find(values, std::not_equal_to{}) != values.end(); }

Slowdown paired_slowdown(std::span<const double> now, std::span<const double> before) {
  std::vector<double> differences(now.size());
  std::ranges::transform(now, before, differences.begin(), std::minus{});
  const double scale = std::max(1.0, mean_of(before));
  const double mean = mean_of(differences);
  const auto runs = static_cast<double>(differences.size());
  if (runs < 2) return {mean / scale, mean / scale};
  return {mean / scale, (mean - quantile(runs - 1) * std::sqrt(variance_of(differences, mean) / runs)) / scale};
}

[[noreturn]] void refuse(const std::string& file, const std::string& path, const std::string& why) {
  throw InputError({file}, fmt::format("{}: {}; a baseline is what 'tasktwin compare --format json' prints", path, why));
}

const Json& field(const std::string& file, const std::string& path, const Json& object, const char* name) {
  const std::string here = path.empty() ? name : path + "." + name;
  if (!object.is_object() || !object.contains(name)) refuse(file, here, "is missing");
  return object.at(name);
}

std::string text_at(const std::string& file, const std::string& path, const Json& object, const char* name) {
  const Json& value = field(file, path, object, name);
  if (!value.is_string()) refuse(file, path.empty() ? name : path + "." + name, "must be text");
  return value.get<std::string>();
}

BaselineDesign design_from(const std::string& file, const std::string& path, const Json& json) {
  BaselineDesign design;
  const Json& makespans = field(file, path, json, "makespans_ns");
  const auto is_makespan = [](const Json& one) { return one.is_number() && one.get<double>() >= 0 && one.get<double>() <= kLongestNs; };
  if (!makespans.is_array() || makespans.empty() || !std::ranges::all_of(makespans, is_makespan))
    refuse(file, path + ".makespans_ns", fmt::format("must be a list of numbers, 0 to {}", kLongestNs));
  for (const Json& one : makespans) design.makespans.push_back(one.get<double>());
  for (const auto& [cause, time] : field(file, path, json, "path").items()) {
    if (time.is_number()) design.path_ns[cause] = time.get<double>();
  }
  return design;
}

Baseline baseline_from(const std::string& file, const std::string& at, const Json& json) {
  if (json.contains("format") && json["format"] != kJsonFormat)
    refuse(file, at.empty() ? "format" : at + ".format",
           fmt::format("is {}, while this version reads \"{}\"", json["format"].dump(), kJsonFormat));
  Baseline baseline{
      .scenario = text_at(file, at, json, "scenario"), .machine_hash = text_at(file, at, json, "machine_hash"), .designs = {}};
  const Json& seed = field(file, at, json, "seed");
  if (!seed.is_number_unsigned()) refuse(file, at.empty() ? "seed" : at + ".seed", "must be a whole number");
  baseline.seed = seed.get<std::uint64_t>();
  const Json& designs = field(file, at, json, "designs");
  if (!designs.is_array()) refuse(file, at.empty() ? "designs" : at + ".designs", "must be a list");
  for (std::size_t i = 0; i < designs.size(); ++i) {
    const std::string path = fmt::format("{}designs[{}]", at.empty() ? "" : at + ".", i);
    const std::string name = text_at(file, path, designs[i], "design");
    if (!baseline.designs.emplace(name, design_from(file, path, designs[i])).second)
      refuse(file, path + ".design", fmt::format("'{}' stands twice", name));
  }
  return baseline;
}

/// The causes that grew, the most first, as far as they make up most of what was lost.
std::string grown(const std::map<std::string, double>& now, const std::map<std::string, double>& before) {
  constexpr std::size_t kTold = 3;
  std::vector<std::pair<double, std::string>> more;
  for (const auto& [cause, time] : now) {
    const auto found = before.find(cause);
    const double growth = time - (found == before.end() ? 0 : found->second);
    if (growth > 0) more.emplace_back(growth, cause);
  }
  std::ranges::stable_sort(more, std::greater{}, [](const auto& entry) { return entry.first; });
  std::string text;
  for (std::size_t i = 0; i < std::min(kTold, more.size()) && more[i].first >= more.front().first / 10; ++i) {
    std::string cause = more[i].second.substr(0, more[i].second.rfind("_ns"));
    std::ranges::replace(cause, '_', ' ');
    text += fmt::format("{}{} +{}", text.empty() ? "" : ", ", cause, format_us(more[i].first));
  }
  return text;
}

std::map<std::string, double> path_of(const Standing& standing) {
  std::map<std::string, double> path;
  for (const auto& [cause, word] : Words<PathCause>::entries)
    path[fmt::format("{}_ns", word)] = static_cast<double>(to_ns(standing.path_by_cause[static_cast<std::size_t>(cause)]));
  return path;
}

void check_runs(const scenarios::Scenario& scenario, const std::string& design, std::span<const double> now, std::span<const double> before,
                bool random) {
  const std::size_t least = std::min(now.size() == 1 ? before.size() : now.size(), before.size() == 1 ? now.size() : before.size());
  if (!random || least >= kLeastRuns) return;
  throw InputError(
      fmt::format("--runs: {} under {} draws times, and {} run(s) do not tell a difference from chance; at least {} do, here and in "
                  "the baseline",
                  scenario.name, design, least, kLeastRuns));
}

}  // namespace

std::vector<Baseline> read_baseline(const std::string& file) {
  const Json json = scenarios::read_json_file(file);
  std::vector<Baseline> baselines;
  if (json.is_array()) {
    if (json.empty()) throw InputError({file}, "holds no result; a baseline is what 'tasktwin compare --format json' prints");
    for (std::size_t i = 0; i < json.size(); ++i) baselines.push_back(baseline_from(file, fmt::format("[{}]", i), json[i]));
  } else {
    baselines.push_back(baseline_from(file, "", json));
  }
  return baselines;
}

Slowdown slowdown(std::span<const double> now, std::span<const double> before, bool paired) {
  const double scale = std::max(1.0, mean_of(before));
  const double mean = (mean_of(now) - mean_of(before)) / scale;
  if (!varies(now) && !varies(before)) return {mean, mean};
  if (now.size() == 1 || before.size() == 1 || now.size() == before.size()) {
    if (paired || now.size() == 1 || before.size() == 1) {
      const std::vector<double> all_now =
          now.size() == 1 ? std::vector<double>(before.size(), now.front()) : std::vector<double>(now.begin(), now.end());
      const std::vector<double> all_before =
          before.size() == 1 ? std::vector<double>(now.size(), before.front()) : std::vector<double>(before.begin(), before.end());
      return paired_slowdown(all_now, all_before);
    }
  }
  const double a = variance_of(now, mean_of(now)) / static_cast<double>(now.size());
  const double b = variance_of(before, mean_of(before)) / static_cast<double>(before.size());
  const double freedom = (a + b) * (a + b) / (a * a / static_cast<double>(now.size() - 1) + b * b / static_cast<double>(before.size() - 1));
  return {mean, mean - quantile(freedom) * std::sqrt(a + b) / scale};
}

std::string to_text(const Regression& regression) {
  const bool varies = regression.by.low != regression.by.mean;
  return fmt::format("{} under {} is {} slower than {}{}{}", regression.scenario, regression.design, format_percent(regression.by.mean),
                     regression.than, varies ? fmt::format(" (at least {})", format_percent(regression.by.low)) : "",
                     regression.cause.empty() ? "" : ": " + regression.cause);
}

Json to_json(const Regression& regression) {
  return {{"scenario", regression.scenario}, {"design", regression.design},   {"than", regression.than},
          {"slower", regression.by.mean},    {"at_least", regression.by.low}, {"cause", regression.cause}};
}

const Baseline* Gate::of(const std::string& scenario) const {
  const auto found = std::ranges::find(baselines, scenario, &Baseline::scenario);
  return found == baselines.end() ? nullptr : &*found;
}

void Gate::check_common(std::span<const Selection> selections, const std::string& file) const {
  const auto is_held = [this](const Selection& selection) {
    const Baseline* const baseline = of(selection.scenario.name);
    return baseline && std::ranges::any_of(selection.designs, [&](const Design& one) { return baseline->designs.contains(one.name); });
  };
  if (baselines.empty() || std::ranges::any_of(selections, is_held)) return;
  std::vector<std::string> before;
  std::vector<std::string> now;
  for (const Baseline& baseline : baselines)
    before.push_back(fmt::format("{} under {}", baseline.scenario, fmt::join(std::views::keys(baseline.designs), ", ")));
  for (const Selection& selection : selections) {
    const auto names = std::views::transform(selection.designs, &Design::name);
    now.push_back(fmt::format("{} under {}", selection.scenario.name, fmt::join(names, ", ")));
  }
  throw InputError({file},
                   fmt::format("has no scenario and design of this comparison, so it would be held to nothing; the baseline has {}; "
                               "compared are {}",
                               fmt::join(before, "; "), fmt::join(now, "; ")));
}

std::vector<Regression> Gate::check(const scenarios::Scenario& scenario, const DesignComparison& comparison) const {
  std::vector<Regression> regressions;
  const auto hold = [&](const Standing& standing, const std::string& than, const std::vector<double>& before,
                        const std::map<std::string, double>& path_before, bool paired) {
    check_runs(scenario, standing.design.name, standing.makespans, before, standing.random);
    const Slowdown by = slowdown(standing.makespans, before, paired);
    if (by.low > fail_above) regressions.push_back({scenario.name, standing.design.name, than, by, grown(path_of(standing), path_before)});
  };
  if (const Baseline* const baseline = of(scenario.name)) {
    for (const Standing& standing : comparison.standings) {
      const auto before = baseline->designs.find(standing.design.name);
      if (before == baseline->designs.end()) continue;
      const bool paired = baseline->seed == comparison.seed;
      hold(standing, "the baseline", before->second.makespans, before->second.path_ns, paired);
    }
  }
  if (worse_than.empty()) return regressions;
  const auto reference = std::ranges::find(comparison.standings, worse_than, [](const Standing& standing) { return standing.design.name; });
  if (reference == comparison.standings.end())
    throw InputError(fmt::format("--fail-if-worse-than: '{}' is none of the designs that are compared", worse_than));
  for (const Standing& standing : comparison.standings) {
    if (&standing != &*reference) hold(standing, worse_than, reference->makespans, path_of(*reference), true);
  }
  return regressions;
}

std::vector<std::string> Gate::unmatched(const scenarios::Scenario& scenario, const DesignComparison& comparison) const {
  std::vector<std::string> said;
  if (baselines.empty()) return said;
  const Baseline* const baseline = of(scenario.name);
  if (baseline == nullptr) return {fmt::format("the baseline has no scenario {}: it is held to nothing", scenario.name)};
  std::vector<std::string> only_now;
  std::vector<std::string> only_before;
  for (const Standing& standing : comparison.standings) {
    if (!baseline->designs.contains(standing.design.name)) only_now.push_back(standing.design.name);
  }
  for (const auto& [name, design] : baseline->designs) {
    const auto is_it = [&name = name](const Standing& standing) { return standing.design.name == name; };
    if (std::ranges::none_of(comparison.standings, is_it)) only_before.push_back(name);
  }
  if (!only_now.empty()) said.push_back(fmt::format("{}: the baseline has no {}", scenario.name, fmt::join(only_now, ", ")));
  if (!only_before.empty()) said.push_back(fmt::format("{}: only the baseline has {}", scenario.name, fmt::join(only_before, ", ")));
  return said;
}

}  // namespace tasktwin::verify
