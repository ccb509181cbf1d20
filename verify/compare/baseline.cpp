#include "verify/compare/baseline.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <numeric>
#include <optional>
#include <ranges>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <boost/math/distributions/students_t.hpp>

#include "models/base/error.hpp"
#include "scenarios/formats/json_file.hpp"
#include "verify/explain/what_if.hpp"
#include "verify/output/text/result_json.hpp"
#include "verify/output/text/text_table.hpp"

namespace tasktwin::verify {

namespace {

constexpr double kFalseAlarms = 0.01;  ///< of what is no slower, over all designs that are held to something together
constexpr std::size_t kLeastRuns = 5;
constexpr const char* kTheBaseline = "the baseline";
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

double quantile(double freedom, double confidence) { return boost::math::quantile(boost::math::students_t(freedom), confidence); }

Slowdown paired_slowdown(std::span<const double> now, std::span<const double> before, double confidence) {
  std::vector<double> differences(now.size());
  std::ranges::transform(now, before, differences.begin(), std::minus{});
  const double scale = std::max(1.0, mean_of(before));
  const double mean = mean_of(differences);
  const auto runs = static_cast<double>(differences.size());
  return {mean / scale, (mean - quantile(runs - 1, confidence) * std::sqrt(variance_of(differences, mean) / runs)) / scale};
}

/// Of the mean of a sample; of one run, which is a makespan without chance, nothing.
struct Uncertainty {
  explicit Uncertainty(std::span<const double> values) {
    if (values.size() < 2) return;
    variance = variance_of(values, mean_of(values)) / static_cast<double>(values.size());
    over_freedom = variance * variance / static_cast<double>(values.size() - 1);
  }
  double variance = 0;
  double over_freedom = 0;  ///< its square, over the degrees of freedom
};

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

std::optional<double> number_at(const Json& object, const char* name) {
  if (!object.contains(name) || !object.at(name).is_number()) return std::nullopt;
  return object.at(name).get<double>();
}

/// What a file says twice is to be the same: one of the two has been changed, and nobody knows which.
void check_figures(const std::string& file, const std::string& path, const Json& json, double mean) {
  if (const auto stated = number_at(json, "mean_ns"); stated && std::abs(*stated - mean) > 0.5 + 1e-9 * mean)
    refuse(file, path + ".mean_ns", fmt::format("is {}, and the mean of makespans_ns is {}", json["mean_ns"].dump(), mean));
  const auto makespan = number_at(json, "makespan_ns");
  const auto bound = number_at(json, "highest_bound_ns");
  if (makespan && bound && *makespan < *bound)
    refuse(file, path + ".makespan_ns",
           fmt::format("is {}, below the design's highest_bound_ns of {}", json["makespan_ns"].dump(), json["highest_bound_ns"].dump()));
}

BaselineDesign design_from(const std::string& file, const std::string& path, const Json& json) {
  BaselineDesign design;
  const Json& makespans = field(file, path, json, "makespans_ns");
  const auto is_makespan = [](const Json& one) { return one.is_number() && one.get<double>() >= 0 && one.get<double>() <= kLongestNs; };
  if (!makespans.is_array() || makespans.empty() || !std::ranges::all_of(makespans, is_makespan))
    refuse(file, path + ".makespans_ns", fmt::format("must be a list of numbers, 0 to {}", kLongestNs));
  for (const Json& one : makespans) design.makespans.push_back(one.get<double>());
  const bool has_bound =
      json.contains("highest_bound_ns") && json["highest_bound_ns"].is_number() && json["highest_bound_ns"].get<double>() > 0;
  if (has_bound && std::ranges::any_of(design.makespans, [](double one) { return one <= 0; }))
    refuse(file, path + ".makespans_ns",
           fmt::format("has a 0, below the design's highest_bound_ns of {}", json["highest_bound_ns"].dump()));
  check_figures(file, path, json, mean_of(design.makespans));
  const Json& causes = field(file, path, json, "path");
  if (!causes.is_object()) refuse(file, path + ".path", "must be an object of times by cause");
  for (const auto& [cause, time] : causes.items()) {
    if (time.is_number()) design.path_ns[cause] = time.get<double>();
  }
  return design;
}

/// Whether something was drawn, by the list of what was; none where the file has no such list.
std::optional<bool> drawn_parts(const std::string& file, const std::string& at, const Json& json) {
  if (!json.contains("random")) return std::nullopt;
  if (!json["random"].is_array()) refuse(file, at.empty() ? "random" : at + ".random", "must be a list of what the seed draws");
  return !json["random"].empty();
}

Baseline baseline_from(const std::string& file, const std::string& at, const Json& json) {
  if (json.contains("format") && json["format"] != kJsonFormat)
    refuse(file, at.empty() ? "format" : at + ".format",
           fmt::format("is {}, while this version reads \"{}\"", json["format"].dump(), kJsonFormat));
  Baseline baseline{.scenario = text_at(file, at, json, "scenario"),
                    .machine = json.contains("machine") ? text_at(file, at, json, "machine") : "",
                    .machine_hash = text_at(file, at, json, "machine_hash"),
                    .designs = {}};
  const Json& seed = field(file, at, json, "seed");
  if (!seed.is_number_unsigned()) refuse(file, at.empty() ? "seed" : at + ".seed", "must be a whole number");
  baseline.seed = seed.get<std::uint64_t>();
  const bool nothing_drawn = drawn_parts(file, at, json) == false;
  const Json& designs = field(file, at, json, "designs");
  if (!designs.is_array()) refuse(file, at.empty() ? "designs" : at + ".designs", "must be a list");
  for (std::size_t i = 0; i < designs.size(); ++i) {
    const std::string path = fmt::format("{}designs[{}]", at.empty() ? "" : at + ".", i);
    const std::string name = text_at(file, path, designs[i], "design");
    BaselineDesign design = design_from(file, path, designs[i]);
    design.random = nothing_drawn ? false : drawn_parts(file, path, designs[i]);
    design.axes = designs[i].value("resolved_design", Json());
    if (!baseline.designs.emplace(name, std::move(design)).second) refuse(file, path + ".design", fmt::format("'{}' stands twice", name));
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

/// The axes of which a design of the same name had other values: "placement heft, now round_robin"; empty for none. An axis that an older
/// file does not have counts as the same.
std::string changed_axes(const Json& before, const Design& design) {
  if (!before.is_object()) return "";
  Json then = before;
  Json now = design_to_json(design);
  for (const char* optional : {"replay", "parts", "sets"}) {
    if (then.contains(optional) || now.contains(optional)) {
      then.emplace(optional, "none");
      now.emplace(optional, "none");
    }
  }
  const auto word = [](const Json& one) { return one.is_string() ? one.get<std::string>() : one.dump(); };
  std::string text;
  for (const auto& [axis, value] : now.items()) {
    const auto found = then.find(axis);
    if (found != then.end() && *found != value)
      text += fmt::format("{}{} {}, now {}", text.empty() ? "" : "; ", axis, word(*found), word(value));
  }
  return text;
}

/// A design's runs on one side of a gate.
struct Side {
  std::span<const double> makespans;
  bool random = false;

  bool has_too_few() const { return random && makespans.size() < kLeastRuns; }
};

void check_runs(const scenarios::Scenario& scenario, const std::string& design, const Side& now, const Side& before,
                const std::string& than) {
  if (!now.has_too_few() && !before.has_too_few()) return;
  throw InputError(
      fmt::format("--runs: {} under {} draws times, and so few runs do not tell a difference from chance: here {}, of {} {}; at "
                  "least {} do, on either side",
                  scenario.name, design, now.makespans.size(), than, before.makespans.size(), kLeastRuns));
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
  for (std::size_t i = 1; i < baselines.size(); ++i) {
    const auto last = baselines.begin() + static_cast<std::ptrdiff_t>(i);
    const auto first = std::ranges::find(baselines.begin(), last, last->scenario, &Baseline::scenario);
    if (first != last)
      refuse(file, fmt::format("[{}].scenario", i),
             fmt::format("'{}' stands twice, first in [{}]; what is compared must have one baseline", last->scenario,
                         first - baselines.begin()));
  }
  return baselines;
}

Slowdown slowdown(std::span<const double> now, std::span<const double> before, bool paired, double confidence) {
  if (paired && now.size() == before.size() && now.size() > 1) return paired_slowdown(now, before, confidence);
  const double scale = std::max(1.0, mean_of(before));
  const double mean = (mean_of(now) - mean_of(before)) / scale;
  const Uncertainty a(now);
  const Uncertainty b(before);
  const double variance = a.variance + b.variance;
  if (variance == 0) return {mean, mean};
  const double freedom = variance * variance / (a.over_freedom + b.over_freedom);
  return {mean, mean - quantile(freedom, confidence) * std::sqrt(variance) / scale};
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

void GateOutcome::add(GateOutcome other) {
  held_to_baseline += other.held_to_baseline;
  held_to_design += other.held_to_design;
  std::ranges::move(other.too_slow, std::back_inserter(too_slow));
  std::ranges::move(other.faster, std::back_inserter(faster));
}

std::string to_text(const GateOutcome& outcome, double fail_above, const std::string& baseline, const std::string& worse_than) {
  const auto slow_of = [&outcome](bool is_baseline) {
    return static_cast<std::size_t>(std::ranges::count_if(
        outcome.too_slow, [is_baseline](const Regression& one) { return (one.than == kTheBaseline) == is_baseline; }));
  };
  const auto line = [fail_above](std::size_t held, std::size_t slow, const std::string& than) {
    const std::string passed = slow == 0 ? std::to_string(held) : fmt::format("{} of {}", held - slow, held);
    return fmt::format("gate: {} {} {} {}", passed, held == 1 ? "design" : "designs",
                       fail_above > 0 ? fmt::format("within {:.12g} % of", 100 * fail_above) : "no slower than", than);
  };
  std::string text;
  if (!baseline.empty()) {
    text = line(outcome.held_to_baseline, slow_of(true), baseline);
    for (const Improvement& one : outcome.faster)
      text += fmt::format("{} {} under {} is {} faster", &one == &outcome.faster.front() ? ";" : ",", one.scenario, one.design,
                          format_percent(one.by));
    if (!outcome.faster.empty()) text += ": renew the baseline?";
  }
  if (!worse_than.empty()) text += (text.empty() ? "" : "\n") + line(outcome.held_to_design, slow_of(false), worse_than);
  return text;
}

Json to_json(const GateOutcome& outcome) {
  Json faster = Json::array();
  for (const Improvement& one : outcome.faster) faster.push_back({{"design", one.design}, {"faster", one.by}});
  return {{"held_to_baseline", outcome.held_to_baseline}, {"held_to_design", outcome.held_to_design}, {"faster", std::move(faster)}};
}

const Baseline* Gate::of(const std::string& scenario) const {
  auto found = std::ranges::find(baselines, scenario, &Baseline::scenario);
  if (found == baselines.end() && scenario.ends_with(kWhatIfSuffix))
    found = std::ranges::find(baselines, scenario.substr(0, scenario.size() - kWhatIfSuffix.size()), &Baseline::scenario);
  return found == baselines.end() ? nullptr : &*found;
}

void Gate::check_common(std::span<const Selection> selections, const std::string& file) const {
  const auto has_others = [this](const Selection& selection) {
    return std::ranges::any_of(selection.designs, [this](const Design& one) { return one.name != worse_than; });
  };
  if (!worse_than.empty() && std::ranges::none_of(selections, has_others))
    throw InputError(
        fmt::format("--fail-if-worse-than: '{}' is the only design that is compared, so nothing would be held to it; "
                    "choose others with --designs",
                    worse_than));
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

/// Each of these may be a false alarm: they share what is allowed (Bonferroni).
std::size_t Gate::held_by_chance(const scenarios::Scenario& scenario, const DesignComparison& comparison) const {
  std::size_t count = 0;
  const Baseline* const baseline = of(scenario.name);
  const auto reference = std::ranges::find(comparison.standings, worse_than, [](const Standing& standing) { return standing.design.name; });
  for (const Standing& standing : comparison.standings) {
    if (baseline != nullptr) {
      const auto before = baseline->designs.find(standing.design.name);
      if (before != baseline->designs.end() && (standing.random || before->second.random == true)) ++count;
    }
    const bool held = reference != comparison.standings.end() && &standing != &*reference;
    if (held && (standing.random || reference->random)) ++count;
  }
  return count;
}

GateOutcome Gate::check(const scenarios::Scenario& scenario, const DesignComparison& comparison) const {
  GateOutcome outcome;
  const double confidence = 1 - kFalseAlarms / static_cast<double>(std::max<std::size_t>(1, held_by_chance(scenario, comparison)));
  const auto hold = [&](const Standing& standing, const std::string& than, const Side& before,
                        const std::map<std::string, double>& path_before, bool paired) {
    check_runs(scenario, standing.design.name, {standing.makespans, standing.random}, before, than);
    const Slowdown by = slowdown(standing.makespans, before.makespans, paired, confidence);
    if (by.low > fail_above)
      outcome.too_slow.push_back({scenario.name, standing.design.name, than, by, grown(path_of(standing), path_before)});
  };
  if (const Baseline* const baseline = of(scenario.name)) {
    for (const Standing& standing : comparison.standings) {
      const auto before = baseline->designs.find(standing.design.name);
      if (before == baseline->designs.end()) continue;
      const bool paired = baseline->seed == comparison.seed;
      hold(standing, kTheBaseline, {before->second.makespans, before->second.random.value_or(standing.random)}, before->second.path_ns,
           paired);
      ++outcome.held_to_baseline;
      if (slowdown(before->second.makespans, standing.makespans, paired, confidence).low > fail_above)
        outcome.faster.push_back(
            {scenario.name, standing.design.name, 1 - mean_of(standing.makespans) / std::max(1.0, mean_of(before->second.makespans))});
    }
  }
  if (worse_than.empty()) return outcome;
  const auto reference = std::ranges::find(comparison.standings, worse_than, [](const Standing& standing) { return standing.design.name; });
  if (reference == comparison.standings.end())
    throw InputError(fmt::format("--fail-if-worse-than: '{}' is none of the designs that are compared", worse_than));
  for (const Standing& standing : comparison.standings) {
    if (&standing == &*reference) continue;
    hold(standing, worse_than, {reference->makespans, reference->random}, path_of(*reference), true);
    ++outcome.held_to_design;
  }
  return outcome;
}

std::vector<std::string> Gate::unmatched(const scenarios::Scenario& scenario, const DesignComparison& comparison) const {
  std::vector<std::string> said;
  if (baselines.empty()) return said;
  const Baseline* const baseline = of(scenario.name);
  if (baseline == nullptr) return {fmt::format("the baseline has no scenario {}: it is held to nothing", scenario.name)};
  if (baseline->machine_hash != scenario.machine_hash) {
    const bool another = !baseline->machine.empty() && baseline->machine != scenario.machine.name;
    said.push_back(fmt::format("{}: the baseline is of {}, so that a difference may be the machine's", scenario.name,
                               another ? fmt::format("machine {}, this of {}", baseline->machine, scenario.machine.name)
                                       : "other constants of machine " + scenario.machine.name));
  }
  std::vector<std::string> only_now;
  std::vector<std::string> only_before;
  for (const Standing& standing : comparison.standings) {
    const auto before = baseline->designs.find(standing.design.name);
    if (before == baseline->designs.end()) {
      only_now.push_back(standing.design.name);
    } else if (const std::string axes = changed_axes(before->second.axes, standing.design); !axes.empty()) {
      said.push_back(fmt::format("{}: the baseline's {} is another design, so that a difference may be the design's: {}", scenario.name,
                                 standing.design.name, axes));
    }
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
