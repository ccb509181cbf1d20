#include "verify/search/search_trial.hpp"

#include <algorithm>
#include <cctype>
#include <functional>
#include <set>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "models/base/error.hpp"
#include "models/design/design.hpp"
#include "models/policies/policy_call.hpp"
#include "models/runtimes/runtimes.hpp"
#include "verify/output/text/json.hpp"
#include "verify/output/text/text_table.hpp"
#include "verify/pool/in_parallel.hpp"
#include "verify/predict/design_names.hpp"
#include "verify/predict/prediction.hpp"
#include "verify/predict/remarks.hpp"
#include "verify/predict/run_bounds.hpp"
#include "verify/predict/run_statistics.hpp"

namespace tasktwin::verify {

namespace {

Json bounds_to_list(const Bounds& bounds) {
  Json list = Json::array();
  for (const auto& [name, value] : bounds.entries()) list.push_back(to_ns(value));
  return list;
}

Bounds bounds_from(const Json& list) {
  const auto at = [&list](std::size_t i) { return Duration{list[i].get<std::int64_t>()}; };
  return {.critical_path = at(0), .area = at(1), .memory = at(2), .head_tail = at(3), .mixed = at(4), .dispatch = at(5)};
}

Json to_list(const std::optional<TrialAssessment>& assessment) {
  if (!assessment) return nullptr;
  return Json::array({bounds_to_list(assessment->bounds), assessment->over_bound, assessment->core_busy_share,
                      assessment->dispatcher_busy_share, assessment->overhead_share, assessment->has_dispatchers});
}

std::optional<TrialAssessment> assessment_from(const Json& list) {
  if (list.is_null()) return std::nullopt;
  return TrialAssessment{bounds_from(list[0]),  list[1].get<double>(), list[2].get<double>(),
                         list[3].get<double>(), list[4].get<double>(), list[5].get<bool>()};
}

std::string result_to_bytes(const TrialResult& result) {
  return to_bytes(Json::array({static_cast<int>(result.outcome), result.why, result.scenario, result.makespans, result.random, result.cores,
                               result.control_cores, result.remarks, to_list(result.assessment)}));
}

Trial trial_from_bytes(std::string_view bytes) {
  const Json json = Json::from_cbor(bytes);
  Trial trial{json[0].get<std::size_t>(),   json[1].get<std::string>(),   json[2].get<std::vector<std::string>>(),
              json[3].get<std::uint64_t>(), json[4].get<std::uint64_t>(), json[5].get<bool>(),
              json[6].get<bool>()};
  if (!json[7].is_null()) trial.limit_ns = json[7].get<double>();
  return trial;
}

/// What no run can beat, by run.
std::vector<Duration> bounds_of_runs(const scenarios::Scenario& scenario, const Design& design, std::uint64_t first, std::uint64_t runs) {
  std::vector<Duration> bounds;
  for (std::uint64_t run = 0; run < runs; ++run) bounds.push_back(bounds_of(scenario, design, scenario.seed + first + run).highest());
  return bounds;
}

double mean_ns(std::span<const Duration> durations) {
  double sum = 0;
  for (const Duration duration : durations) sum += static_cast<double>(to_ns(duration));
  return sum / static_cast<double>(durations.size());
}

/// `known`: bounds by run, where they have been worked out. Bounds and causes of the first run are where `checked`.
void simulate(TrialResult& result, const scenarios::Scenario& scenario, const Design& design, const Trial& trial, std::uint64_t runs,
              std::span<const Duration> known, bool checked) {
  const std::uint64_t seed = scenario.seed + trial.first_run;
  if (trial.remarked) result.remarks = remarks(scenario, design);
  for (std::uint64_t run = 0; run < runs; ++run) {
    const Prediction prediction = predict(scenario, design, seed + run);
    result.makespans.push_back(static_cast<double>(to_ns(prediction.timeline.makespan())));
    const bool is_below = run < known.size() && prediction.timeline.makespan() < known[run];
    if (is_below) bounds_of(scenario, design, seed + run, prediction.timeline.makespan());
    if (run == 0 && checked && !trial.assessed) assess(scenario, prediction);
    if (!trial.assessed || run > 0) continue;
    const Assessment whole = assess(scenario, prediction);
    result.assessment = {.bounds = whole.bounds,
                         .over_bound = whole.over_bound,
                         .core_busy_share = whole.metrics.core_busy_share,
                         .dispatcher_busy_share = whole.metrics.dispatcher_busy_share,
                         .overhead_share = whole.metrics.overhead_share,
                         .has_dispatchers = !prediction.timeline.dispatchers.empty()};
  }
}

}  // namespace

DesignTraits traits_of(const scenarios::Scenario& scenario, const Design& design) {
  return {.random = !random_parts(scenario.graph, scenario.machine, design).empty(),
          .cores = static_cast<int>(worker_cores(design, scenario.machine).size()) / design.workers_per_core,
          .control_cores = dispatcher_count(design, scenario.machine) + design.resolvers + orchestrator_count(design)};
}

TrialRunner::TrialRunner(std::span<const std::string> files, std::span<const std::string> designs) {
  for (const std::string& file : files) {
    scenarios::VariedScenario& scenario = scenarios_.emplace_back(file, designs);
    const std::vector<std::string> names = scenario.design_names();
    try {
      if (!names.empty()) scenario.with({}, names.front());  // so that processes forked later find its parts made
    } catch (const InputError&) {                            // overrides may yet make it one that can run
    }
  }
}

TrialResult TrialRunner::run(const Trial& trial) {
  TrialResult result;
  try {
    const scenarios::Scenario& scenario = scenarios_[trial.scenario].with(trial.overrides, trial.design);
    const Design& design = scenario.designs.front();
    result.scenario = scenario.name;
    const DesignTraits traits = traits_of(scenario, design);
    result.random = traits.random;
    result.cores = traits.cores;
    result.control_cores = traits.control_cores;
    const std::uint64_t runs = result.random ? trial.runs : 1;
    const std::vector<Duration> bounds = trial.limit_ns ? bounds_of_runs(scenario, design, trial.first_run, runs) : std::vector<Duration>();
    // Bounds and causes take a good part of the time of a run.
    constexpr std::size_t kOneIn = 16;
    if (trial.limit_ns && mean_ns(bounds) > *trial.limit_ns)
      result.outcome = TrialOutcome::kPruned;
    else
      simulate(result, scenario, design, trial, runs, bounds, simulated_++ % kOneIn == 0);
  } catch (const PolicyError&) {
    throw;
  } catch (const InputError& refused) {
    result = {.outcome = TrialOutcome::kIllegal, .why = refused.what()};
  } catch (const RunError& failed) {
    result.outcome = TrialOutcome::kNoEnd;
    result.why = failed.what();
    result.makespans.clear();
  }
  return result;
}

std::string TrialRunner::serve(std::string_view request) { return result_to_bytes(run(trial_from_bytes(request))); }

std::string trial_to_bytes(const Trial& trial) {
  return to_bytes(Json::array({trial.scenario, trial.design, trial.overrides, trial.first_run, trial.runs, trial.remarked, trial.assessed,
                               trial.limit_ns ? Json(*trial.limit_ns) : Json(nullptr)}));
}

TrialResult trial_result_from_bytes(std::string_view bytes) {
  const Json json = Json::from_cbor(bytes);
  TrialResult result{static_cast<TrialOutcome>(json[0].get<int>()),
                     json[1].get<std::string>(),
                     json[2].get<std::string>(),
                     json[3].get<std::vector<double>>(),
                     json[4].get<bool>(),
                     json[5].get<int>(),
                     json[6].get<int>(),
                     json[7].get<std::vector<std::string>>()};
  result.assessment = assessment_from(json[8]);
  return result;
}

std::vector<std::string> chosen_designs(const scenarios::VariedScenario& scenario, const std::string& names) {
  const std::vector<std::string> of_file = scenario.design_names();
  if (names.empty() && of_file.empty()) throw InputError("the scenario has no designs of its own; choose some with --designs");
  if (names.empty()) return of_file;
  std::vector<std::string_view> known(of_file.begin(), of_file.end());
  for (const Design& design : named_designs()) {
    if (std::ranges::find(known, design.name) == known.end()) known.push_back(design.name);
  }
  std::vector<std::string> chosen;
  for (const std::string& name : design_names(names)) {
    if (std::ranges::find(known, name) == known.end())
      throw InputError(fmt::format("--designs: unknown design '{}'{}", name, suggest(name, known)));
    if (std::ranges::find(chosen, name) != chosen.end()) throw InputError(fmt::format("--designs: '{}' is named twice", name));
    chosen.push_back(name);
  }
  return chosen;
}

void refuse_left_out(const scenarios::VariedScenario& scenario, std::span<const std::string> chosen, std::string_view path) {
  for (const std::string& name : scenario.design_names()) {
    if (std::ranges::find(chosen, name) == chosen.end() && path.starts_with("designs." + name + "."))
      throw InputError(fmt::format("--vary {}: --designs leaves '{}' out; those chosen are {}", path, name, fmt::join(chosen, ", ")));
  }
}

void run_in_order(Pool& pool, std::size_t count, const std::function<Trial(std::size_t)>& trial,
                  const std::function<void(std::size_t, TrialResult)>& take) {
  ask_in_order(
      pool, count, [&](std::size_t number) { return trial_to_bytes(trial(number)); },
      [&](std::size_t number, const std::string& answer) { take(number, trial_result_from_bytes(answer)); });
}

namespace {

/// A reason cut at its quotes: every second piece is a word in quotes. An apostrophe after a letter is no quote.
std::vector<std::string> pieces_of(const std::string& why) {
  std::vector<std::string> pieces{""};
  for (const char c : why) {
    const bool is_inside = pieces.size() % 2 == 0;
    const bool opens = pieces.back().empty() || std::isalnum(static_cast<unsigned char>(pieces.back().back())) == 0;
    if (c == '\'' && (is_inside || opens))
      pieces.emplace_back();
    else
      pieces.back() += c;
  }
  return pieces;
}

/// "static-queues: order must be …" of "mine.yaml:11:5: designs[0]: design 'static-queues': order must be …": where the design stands is
/// left out, and of a design that does not read an axis all that it does read. Other reasons are whole.
std::pair<std::string, std::string> design_and_why(const std::string& reason) {
  static constexpr std::string_view kDesign = ": design '";
  const std::size_t at = reason.find(kDesign);
  const std::size_t end = at == std::string::npos ? at : reason.find("': ", at + kDesign.size());
  if (end == std::string::npos || reason.substr(0, at).find("designs[") == std::string::npos) return {"", reason};
  const std::string design = reason.substr(at + kDesign.size(), end - at - kDesign.size());
  std::string why = reason.substr(end + 3);
  const std::size_t reads = why.find(", not under '");
  const std::size_t go_on = reads == std::string::npos ? reads : why.find("; leave it out", reads);
  if (go_on != std::string::npos) why.erase(reads, go_on - reads);
  return {design, why};
}

/// Reasons that differ in one quoted word, which may be at several places.
struct Rule {
  std::vector<std::string> pieces;  ///< without that word
  std::set<std::size_t> places;     ///< of it

  auto operator<=>(const Rule&) const = default;
};

Rule rule_without(std::vector<std::string> pieces, const std::string& word) {
  Rule rule;
  for (std::size_t at = 1; at < pieces.size(); at += 2) {
    if (pieces[at] != word) continue;
    pieces[at].clear();
    rule.places.insert(at);
  }
  rule.pieces = std::move(pieces);
  return rule;
}

std::string with_words(const Rule& rule, const std::vector<std::string>& words) {
  std::string text = rule.pieces.front();
  for (std::size_t at = 1; at < rule.pieces.size(); ++at)
    text += '\'' + (rule.places.contains(at) ? fmt::format("{}", fmt::join(words, "'/'")) : rule.pieces[at]);
  return text;
}

}  // namespace

std::size_t Refusals::count() const {
  std::size_t all = 0;
  for (const auto& [why, count] : counts_) all += count;
  return all;
}

std::vector<std::pair<std::string, std::size_t>> Refusals::by_count() const {
  std::map<std::string, std::pair<std::set<std::string>, std::size_t>> by_why;
  for (const auto& [reason, count] : counts_) {
    const auto [design, why] = design_and_why(reason);
    auto& [designs, points] = by_why[why];
    if (!design.empty()) designs.insert(design);
    points += count;
  }
  std::map<std::string, std::size_t> counts;
  for (const auto& [why, group] : by_why) {
    const auto& [designs, points] = group;
    const std::string under =
        designs.empty() ? "" : fmt::format("design{} '{}': ", designs.size() > 1 ? "s" : "", fmt::join(designs, "', '"));
    counts[under + why] += points;
  }
  const auto rules_of = [](const std::string& why) {
    const std::vector<std::string> pieces = pieces_of(why);
    std::vector<std::pair<Rule, std::string>> rules;
    for (std::size_t at = 1; at < pieces.size(); at += 2) rules.emplace_back(rule_without(pieces, pieces[at]), pieces[at]);
    return rules;
  };
  std::map<Rule, std::size_t> reasons;
  for (const auto& [why, count] : counts) {
    for (const auto& [rule, word] : rules_of(why)) ++reasons[rule];
  }
  // Each reason belongs to the rule with the most reasons.
  std::map<Rule, std::pair<std::vector<std::string>, std::size_t>> grouped;
  std::vector<std::pair<std::string, std::size_t>> sorted;
  for (const auto& [why, count] : counts) {
    const auto rules = rules_of(why);
    const auto widest = std::ranges::max_element(rules, {}, [&](const auto& entry) { return reasons[entry.first]; });
    if (widest == rules.end()) {
      sorted.emplace_back(why, count);
      continue;
    }
    auto& [words, points] = grouped[widest->first];
    words.push_back(widest->second);
    points += count;
  }
  for (const auto& [rule, group] : grouped) sorted.emplace_back(with_words(rule, group.first), group.second);
  std::ranges::stable_sort(sorted, std::greater{}, [](const auto& entry) { return entry.second; });
  return sorted;
}

std::string Refusals::to_text(std::size_t of) const {
  constexpr std::size_t kTold = 5;
  if (counts_.empty()) return "";
  std::string text = fmt::format("{} of {} points are skipped, which were refused", format_count(static_cast<std::int64_t>(count())),
                                 format_count(static_cast<std::int64_t>(of)));
  const auto sorted = by_count();
  for (std::size_t i = 0; i < std::min(kTold, sorted.size()); ++i)
    text += fmt::format("\n{} of them: {}", sorted[i].second, sorted[i].first);
  if (sorted.size() > kTold) text += fmt::format("\nand for {} more reasons", sorted.size() - kTold);
  return text;
}

}  // namespace tasktwin::verify
