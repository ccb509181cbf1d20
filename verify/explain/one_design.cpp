#include "verify/explain/one_design.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "models/runtimes/runtimes.hpp"
#include "verify/explain/cause_words.hpp"
#include "verify/explain/phrases.hpp"
#include "verify/output/text/bounds_output.hpp"
#include "verify/output/text/text_table.hpp"
#include "verify/predict/run_statistics.hpp"

namespace tasktwin::verify {

namespace {

constexpr std::size_t kMostSaid = 3;
constexpr double kWorthNaming = 0.1;      ///< the least share of the makespan of bodies of like names
constexpr double kWorthChanging = 0.001;  ///< the least share of the makespan that a change must bring to be said

/// "Of the bodies on the path 'gemm' takes 30.0 µs and 'norm' 12.0 µs.": those whose names differ in digits alone are one.
std::string bodies_on(const TaskGraph& graph, const ObservedPath& path, Duration makespan) {
  std::map<std::string, std::pair<Duration, std::set<TaskId>>> by_name;
  for (const PathSegment& segment : path.segments) {
    if (segment.cause != PathCause::kBody && segment.cause != PathCause::kBandwidth && segment.cause != PathCause::kWaves) continue;
    auto& [time, tasks] = by_name[without_digits(graph.name(segment.task))];
    time += segment.end - segment.begin;
    tasks.insert(segment.task);
  }
  std::vector<std::pair<Duration, std::string>> longest;
  for (const auto& [name, one] : by_name) {
    const auto& [time, tasks] = one;
    if (share(time, makespan) >= kWorthNaming)
      longest.emplace_back(time, tasks.size() == 1 ? std::string(graph.name(*tasks.begin())) : name);
  }
  std::ranges::stable_sort(longest, std::greater{}, [](const auto& one) { return one.first; });
  if (longest.size() > kMostSaid) longest.resize(kMostSaid);
  std::vector<std::string> parts;
  for (const auto& [time, name] : longest) parts.push_back(fmt::format("'{}'{} {}", name, parts.empty() ? " takes" : "", format_us(time)));
  return parts.empty() ? "" : fmt::format("Of the bodies on the path {}.", join_words(parts));
}

}  // namespace

DesignExplanation::DesignExplanation(DesignAccount account, Changes changes, std::vector<std::string> random, std::string bodies)
    : account_(std::move(account)), changes_(std::move(changes)), random_(std::move(random)), bodies_(std::move(bodies)) {}

std::vector<std::string> DesignExplanation::sentences() const {
  const std::array one{&account_};
  std::vector<std::string> said;
  for (std::string sentence : {main_causes(), bodies_, held_up(one), costliest(one), costs_without_gain(one), host_calls(one),
                               host_ranges(one), orders(one), changes_text()}) {
    if (!sentence.empty()) said.push_back(std::move(sentence));
  }
  std::string rest = fmt::format("The machine's cores run no body for {} of their time", format_percent(1 - account_.core_busy_share));
  if (!account_.control_shares.empty()) rest += "; " + control_cores(account_);
  if (account_.over_bound > 0) rest += "; " + over_bound(account_);
  said.push_back(rest + ".");
  if (!random_.empty()) {
    said.push_back(
        fmt::format("This is one run; the seed draws {}: 'tasktwin compare --runs 30' shows how much runs differ.", join_words(random_)));
  }
  return said;
}

std::string DesignExplanation::main_causes() const {
  std::vector<std::pair<Duration, PathCause>> causes;
  for (const auto& [cause, word] : Words<PathCause>::entries) {
    if (account_.path.of(cause) > Duration{}) causes.emplace_back(account_.path.of(cause), cause);
  }
  std::ranges::stable_sort(causes, std::greater{}, [](const auto& one) { return one.first; });
  if (causes.size() > kMostSaid) causes.resize(kMostSaid);
  std::vector<std::string> parts;
  for (const auto& [time, cause] : causes)
    parts.push_back(fmt::format("{} ({}, {})", in_words(cause), format_us(time), format_percent(share(time, account_.makespan))));
  const std::string verdict = fmt::format("{} takes {}", account_.design.name, format_us(account_.makespan));
  return parts.empty() ? verdict + "."
                       : fmt::format("{}; the largest parts of its observed critical path are {}.", verdict, join_words(parts));
}

std::string DesignExplanation::changes_text() const {
  if (changes_.tried == 0)
    return fmt::format("Changes were not tried: the graph has more than {} tasks, times its devices.", kMostTasksOfChanges);
  const auto list = [this](const std::vector<Change>& changes) {
    std::vector<std::string> parts;
    for (const Change& change : changes) {
      const Duration gain = account_.makespan - change.makespan;
      if (parts.size() < kMostSaid && share(gain, account_.makespan) >= kWorthChanging)
        parts.push_back(fmt::format("{} ({} less, {})", change.what, format_us(gain), format_percent(share(gain, account_.makespan))));
    }
    return parts;
  };
  const bool captured = runtime_of(account_.design).id == RuntimeId::kHostProgram;
  const std::vector<std::string> axes = list(changes_.axes);
  std::string text =
      !axes.empty() ? (captured ? "It would help most to launch it another way, each held against the program with its profiler: "
                                : "Of the design's axes it would help most to have ") +
                          join_words(axes)
      : changes_.is_one_graph ? "It is launched as one graph already, and no other way was tried"
                              : fmt::format("Of {} changes, no {} makes it {} faster by itself", changes_.tried,
                                            captured ? "other way to launch it" : "axis of the design", format_percent(kWorthChanging));
  if (const std::vector<std::string> constants = list(changes_.constants); !constants.empty())
    text += "; of the machine's constants, each at half, " + join_words(constants);
  if (captured && !axes.empty() && changes_.blocking > 1)
    text += fmt::format(
        ". These ways do not block where the program does, here in {} calls: what its host reads then must not decide what it does next",
        changes_.blocking);
  return text + ".";
}

std::string DesignExplanation::table() const {
  TextTable table({"", account_.design.name, "share"});
  table.add_row({"makespan", format_us(account_.makespan), format_percent(1)});
  for (const auto& [cause, word] : Words<PathCause>::entries) {
    if (account_.path.of(cause) > Duration{})
      table.add_row({fmt::format("  path: {}", word), format_us(account_.path.of(cause)),
                     format_percent(share(account_.path.of(cause), account_.makespan))});
  }
  table.add_row({"cores busy", "", format_percent(account_.core_busy_share)});
  for (const auto& [cause, word] : Words<IdleCause>::entries) {
    if (account_.idle.of(cause) > Duration{})
      table.add_row({fmt::format("  idle: {}", word), format_us(account_.idle.of(cause)),
                     format_percent(account_.task_core_share() * account_.idle_share(cause))});
  }
  if (account_.task_core_share() < 1) table.add_row({"  idle: given to control cores", "", format_percent(1 - account_.task_core_share())});
  table.add_row({"highest bound", format_us(account_.bounds.highest()), over_bound_text(account_.over_bound, account_.bounds)});
  return table.to_string();
}

Json DesignExplanation::to_json() const {
  const auto list = [](const std::vector<Change>& changes) {
    Json all = Json::array();
    for (const Change& change : changes) all.push_back({{"what", change.what}, {"makespan_ns", to_ns(change.makespan)}});
    return all;
  };
  return {{"designs", {account_to_json(account_)}},
          {"changes", {{"tried", changes_.tried}, {"axes", list(changes_.axes)}, {"constants", list(changes_.constants)}}},
          {"sentences", sentences()},
          {"random", random_}};
}

DesignExplanation explain(const scenarios::Scenario& scenario, const Design& design, std::uint64_t seed, Progress& progress) {
  progress.show(fmt::format("simulating {} under {}", scenario.name, design.name));
  DesignAccount account = account_with_costs(scenario, design, seed);
  const bool small = scenario.graph.size() * static_cast<std::size_t>(scenario.graph.devices()) <= kMostTasksOfChanges;
  Changes changes = small ? best_changes(scenario, design, account.makespan, seed, progress) : Changes{};
  std::string bodies = bodies_on(scenario.graph, account.path, account.makespan);
  return {std::move(account), std::move(changes), random_parts(scenario.graph, scenario.machine, design), std::move(bodies)};
}

const Design& design_to_explain(const scenarios::Scenario& scenario, std::uint64_t seed, Progress& progress) {
  for (const Design& design : scenario.designs) {
    if (runtime_of(design).id == RuntimeId::kHostProgram) return design;
  }
  const Design* best = nullptr;
  Duration least{};
  for (const Design& design : scenario.designs) {
    progress.show(fmt::format("simulating {} under {}", scenario.name, design.name));
    const Duration makespan = predict_makespan(scenario, design, seed);
    if (best == nullptr || makespan < least) {
      best = &design;
      least = makespan;
    }
  }
  return *best;
}

}  // namespace tasktwin::verify
