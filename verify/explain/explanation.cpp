#include "verify/explain/explanation.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "models/base/error.hpp"
#include "models/policies/policy_call.hpp"
#include "models/runtimes/runtimes.hpp"
#include "verify/explain/cause_words.hpp"
#include "verify/explain/hypothetical.hpp"
#include "verify/explain/phrases.hpp"
#include "verify/output/text/bounds_output.hpp"
#include "verify/output/text/text_table.hpp"
#include "verify/predict/run_statistics.hpp"

namespace tasktwin::verify {

namespace {

/// Smaller shares of a difference are left to the table.
constexpr double kWorthSaying = 0.1;

/// By PathCause, the task that delayed the path longest, or several of like names.
std::array<std::string, kPathCauseCount> main_holders(const TaskGraph& graph, const ObservedPath& path) {
  struct Group {
    Duration time{};
    std::set<TaskId> tasks;
  };
  std::array<std::map<std::string, Group>, kPathCauseCount> groups;
  for (const PathSegment& segment : path.segments) {
    if (!has_holder(segment.cause)) continue;
    Group& group = groups[static_cast<std::size_t>(segment.cause)][without_digits(graph.name(segment.task))];
    group.time += segment.end - segment.begin;
    group.tasks.insert(segment.task);
  }
  std::array<std::string, kPathCauseCount> holders;
  for (std::size_t cause = 0; cause < kPathCauseCount; ++cause) {
    if (groups[cause].empty()) continue;
    const auto& [name, group] = *std::ranges::max_element(groups[cause], {}, [](const auto& entry) { return entry.second.time; });
    holders[cause] = group.tasks.size() == 1 ? std::string(graph.name(*group.tasks.begin())) : name;
  }
  return holders;
}

}  // namespace

double DesignAccount::idle_share(IdleCause cause) const { return share(idle.of(cause), idle.total()); }
double DesignAccount::task_core_share() const { return all_cores > 0 ? static_cast<double>(cores) / static_cast<double>(all_cores) : 1; }
double DesignAccount::busy_share() const { return share(idle.busy, idle.total()); }
double DesignAccount::busiest_control_share() const { return control_shares.empty() ? 0 : std::ranges::max(control_shares); }

namespace {

/// "1.0 µs less". A run that takes longer without a cause has met another order of its tasks: the cause costs nothing, and saves nothing.
std::string how_much_less(Duration gain) { return gain > Duration{} ? format_us(gain) + " less" : "no less"; }

/// Of a gain less than this part of what is gone, something else takes its place.
constexpr double kLittle = 0.1;
/// A cause of that part of the path is spoken of whether or not a run gains without it.
constexpr double kMuchOfPath = 0.2;

bool brings_little(const CauseCost& cost) { return share(cost.gain, cost.on_path) < kLittle; }

/// Those worth saying, the largest first: three, and all that are large.
std::vector<std::pair<PathCause, Duration>> largest_causes(const ObservedPath& path, Duration makespan) {
  constexpr std::size_t kMost = 3;
  std::vector<std::pair<PathCause, Duration>> causes;
  for (const auto& [cause, word] : Words<PathCause>::entries) {
    if (share(path.of(cause), makespan) >= kWorthSaying) causes.emplace_back(cause, path.of(cause));
  }
  std::ranges::stable_sort(causes, std::greater{}, [](const auto& one) { return one.second; });
  while (causes.size() > kMost && share(causes.back().second, makespan) < kMuchOfPath) causes.pop_back();
  return causes;
}

PathCause largest_cause(const Hypothetical& run, const Timeline& timeline, std::uint64_t seed, PathCause besides) {
  const ObservedPath path = path_of(run.scenario, run.design, timeline, seed);
  PathCause largest = PathCause::kRest;
  for (const auto& [cause, word] : Words<PathCause>::entries) {
    if (cause != besides && path.of(cause) > path.of(largest)) largest = cause;
  }
  return largest;
}

}  // namespace

CauseCosts all_cause_costs(const scenarios::Scenario& scenario, const Design& design, const ObservedPath& path, Duration makespan,
                           std::uint64_t seed) {
  CauseCosts costs;
  for (const auto& [cause, on_path] : largest_causes(path, makespan)) {
    try {
      if (cause == PathCause::kStream && design.stream_wait == StreamWait::kProgram)
        throw InputError("the program itself has put its work into streams");
      const Hypothetical imagined = without(scenario, design, cause);
      const Timeline timeline = imagined.timeline(seed);
      CauseCost cost{cause, on_path, makespan - timeline.makespan()};
      if (brings_little(cost)) cost.instead = largest_cause(imagined, timeline, seed, cause);
      costs.known.push_back(cost);
    } catch (const PolicyError&) {
      throw;
    } catch (const InputError& refusal) {
      costs.unknown.push_back({cause, on_path, refusal.what()});
    } catch (const RunError& failure) {
      costs.unknown.push_back({cause, on_path, failure.what()});
    }
  }
  std::erase_if(costs.unknown, [makespan](const UnknownCost& cost) { return share(cost.on_path, makespan) < kMuchOfPath; });
  std::ranges::stable_sort(costs.known, std::greater{}, &CauseCost::gain);
  return costs;
}

std::vector<CauseCost> cause_costs(const scenarios::Scenario& scenario, const Design& design, const ObservedPath& path, Duration makespan,
                                   std::uint64_t seed) {
  return all_cause_costs(scenario, design, path, makespan, seed).known;
}

namespace {

/// By name and cause, the longest first: time of the host on the path, and what the run gains without it.
std::vector<HostCallCost> named_costs(const scenarios::Scenario& scenario, const Design& design, const ObservedPath& path,
                                      Duration makespan, std::uint64_t seed, std::span<const PathCause> causes, const char* no_name) {
  constexpr std::size_t kMost = 5;
  constexpr double kWorthNaming = 0.01;
  const auto name_of = [&](const PathSegment& segment) -> std::string {
    if (segment.call == 0 && segment.cause == PathCause::kHostCall && calls_itself(scenario, design))
      return std::string(call_of_design(scenario, design, segment.task));
    const std::string& name = scenario.program->names[segment.call];
    return name.empty() ? no_name : name;
  };
  std::map<std::pair<PathCause, std::string>, std::pair<Duration, const PathSegment*>> times;
  for (const PathSegment& segment : path.segments) {
    if (std::ranges::find(causes, segment.cause) == causes.end()) continue;
    auto& [time, first] = times.try_emplace({segment.cause, name_of(segment)}, Duration{}, &segment).first->second;
    time += segment.end - segment.begin;
  }
  std::vector<std::pair<std::pair<PathCause, std::string>, std::pair<Duration, const PathSegment*>>> longest;
  for (const auto& [named, spent] : times) {
    if (share(spent.first, makespan) >= kWorthNaming) longest.emplace_back(named, spent);
  }
  std::ranges::stable_sort(longest, std::greater{}, [](const auto& one) { return one.second.first; });
  if (longest.size() > kMost) longest.resize(kMost);
  std::vector<HostCallCost> costs;
  for (const auto& [named, spent] : longest)
    costs.push_back({.name = named.second,
                     .cause = named.first,
                     .on_path = spent.first,
                     .gain = makespan - without_call(scenario, design, *spent.second).makespan(seed)});
  return costs;
}

bool names_ranges(const HostProgram& program) {
  return std::ranges::any_of(program.threads, [](const HostThread& thread) {
    return std::ranges::any_of(thread.calls, [](const HostCall& call) { return !call.ranges.empty(); });
  });
}

}  // namespace

std::vector<HostCallCost> host_call_costs(const scenarios::Scenario& scenario, const Design& design, const ObservedPath& path,
                                          Duration makespan, std::uint64_t seed) {
  return named_costs(scenario, design, path, makespan, seed, std::array{PathCause::kHostCall, PathCause::kHostSync}, "(not named)");
}

std::vector<HostCallCost> host_range_costs(const scenarios::Scenario& scenario, const Design& design, const ObservedPath& path,
                                           Duration makespan, std::uint64_t seed) {
  if (!scenario.program || !names_ranges(*scenario.program)) return {};
  return named_costs(scenario, design, path, makespan, seed, std::array{PathCause::kHostOwn}, "(in no range)");
}

DesignAccount account_with_costs(const scenarios::Scenario& scenario, const Design& design, std::uint64_t seed) {
  DesignAccount one = account(scenario, design, seed);
  CauseCosts costs = all_cause_costs(scenario, design, one.path, one.makespan, seed);
  one.costs = std::move(costs.known);
  one.unknown_costs = std::move(costs.unknown);
  one.calls = host_call_costs(scenario, design, one.path, one.makespan, seed);
  one.ranges = host_range_costs(scenario, design, one.path, one.makespan, seed);
  return one;
}

DesignAccount account(const scenarios::Scenario& scenario, const Design& design, std::uint64_t seed) {
  const Prediction prediction = predict(scenario, design, seed, true);
  return account(scenario, prediction, assess(scenario, prediction));
}

DesignAccount account(const scenarios::Scenario& scenario, const Prediction& prediction, const Assessment& assessment) {
  const Timeline& timeline = prediction.timeline;
  const ObservedPath path = path_of(scenario, prediction.design, timeline, prediction.seed);
  const IdleTime idle = idle_of(scenario, prediction.design, timeline);
  check_sum("core time", idle.total(), static_cast<std::int64_t>(timeline.body_cores().size()) * timeline.makespan(), scenario,
            prediction.design);
  return {.design = prediction.design,
          .makespan = assessment.metrics.makespan,
          .path = path,
          .holders = main_holders(scenario.graph, path),
          .late = late_waits(scenario.graph, path),
          .idle = idle,
          .cores = timeline.body_cores().size(),
          .all_cores = timeline.core_count(),
          .core_busy_share = assessment.metrics.core_busy_share,
          .roles = timeline.roles,
          .control_shares = assessment.metrics.dispatcher_busy_shares,
          .bounds = assessment.bounds,
          .over_bound = assessment.over_bound,
          .order = order_decisions(scenario.graph, scenario.machine, prediction.design, timeline, prediction.seed)};
}

Explanation::Explanation(DesignAccount a, DesignAccount b, std::vector<std::string> random)
    : a_(std::move(a)), b_(std::move(b)), random_(std::move(random)) {}

/// The tasks that delayed the paths, as far as they are worth naming.
std::string held_up(std::span<const DesignAccount* const> accounts) {
  std::vector<std::string> parts;
  for (const DesignAccount* one : accounts) {
    for (const auto& [cause, word] : Words<PathCause>::entries) {
      const std::string& holder = one->holders[static_cast<std::size_t>(cause)];
      if (holder.empty() || share(one->path.of(cause), one->makespan) < kWorthSaying) continue;
      parts.push_back(fmt::format("under {} {} on {}, mostly because of '{}'", one->design.name, format_us(one->path.of(cause)),
                                  in_words(cause), holder));
    }
    for (const LateWait& wait : one->late) {
      if (share(wait.time, one->makespan) >= kWorthSaying) parts.push_back(fmt::format("under {} {}", one->design.name, in_words(wait)));
    }
  }
  const std::string_view whose = accounts.size() == 1 ? "The path is held up: " : "The paths are held up: ";
  return parts.empty() ? "" : std::string(whose) + join_words(parts) + ".";
}

namespace {

/// Without what is no work itself the design would gain most; null where it gains by none.
const CauseCost* costliest_of(const DesignAccount& account) {
  const auto cost =
      std::ranges::find_if(account.costs, [](const CauseCost& of) { return of.cause != PathCause::kBody && of.gain > Duration{}; });
  return cost == account.costs.end() ? nullptr : &*cost;
}

/// "without it the run takes 1.0 µs less, since bodies take its place".
std::string without_it(const CauseCost& cost) {
  const std::string instead = cost.instead ? fmt::format(", since {} take its place", in_words(*cost.instead)) : "";
  return fmt::format("without it the run takes {}{}", how_much_less(cost.gain), instead);
}

}  // namespace

std::string costliest(std::span<const DesignAccount* const> accounts) {
  std::vector<std::string> parts;
  for (const DesignAccount* one : accounts) {
    if (const CauseCost* cost = costliest_of(*one))
      parts.push_back(fmt::format("{} for {} ({} of its path; {})", in_words(cost->cause), one->design.name, format_us(cost->on_path),
                                  without_it(*cost)));
  }
  return parts.empty() ? "" : "Beside the bodies what costs most is " + join_words(parts) + ".";
}

std::string costs_without_gain(std::span<const DesignAccount* const> accounts) {
  std::vector<std::string> said;
  for (const DesignAccount* one : accounts) {
    const auto part = [one](PathCause cause, Duration time) {
      return fmt::format("{} of the path of {} ({}) is {}", format_percent(share(time, one->makespan)), one->design.name, format_us(time),
                         in_words(cause));
    };
    for (const CauseCost& cost : one->costs) {
      if (brings_little(cost) && share(cost.on_path, one->makespan) >= kMuchOfPath && &cost != costliest_of(*one))
        said.push_back(fmt::format("{}, but {}.", part(cost.cause, cost.on_path), without_it(cost)));
    }
    for (const UnknownCost& cost : one->unknown_costs)
      said.push_back(fmt::format("{}; what the run would gain without it is not simulated: {}.", part(cost.cause, cost.on_path), cost.why));
  }
  return fmt::format("{}", fmt::join(said, " "));
}

namespace {

/// "cudaFree 6.0 s (without 5.9 s less)". A name that comes twice has waited the second time.
std::string listed_cost(const HostCallCost& cost) {
  return fmt::format("{}{} {} (without {})", cost.cause == PathCause::kHostSync ? "waiting in " : "", cost.name, format_us(cost.on_path),
                     how_much_less(cost.gain));
}

/// "Calls of the host on the path of as-captured: cudaFree 6.0 s (without 5.9 s less), …", to the whole of `causes` on the path.
std::string listed_costs(std::span<const DesignAccount* const> accounts, std::vector<HostCallCost> DesignAccount::*listed,
                         std::span<const std::pair<PathCause, const char*>> others, std::string_view what) {
  std::string text;
  for (const DesignAccount* one : accounts) {
    if ((one->*listed).empty()) continue;
    std::vector<std::string> parts;
    for (const HostCallCost& call : one->*listed) parts.push_back(listed_cost(call));
    for (const auto& [cause, name] : others) {
      Duration rest = one->path.of(cause);
      for (const HostCallCost& call : one->*listed) rest -= call.cause == cause ? call.on_path : Duration{0};
      if (rest > Duration{0}) parts.push_back(fmt::format("{} {}", name, format_us(rest)));
    }
    text += fmt::format("{}{} on the path of {}: {}.", text.empty() ? "" : " ", what, one->design.name, join_words(parts));
  }
  return text;
}

}  // namespace

std::string host_calls(std::span<const DesignAccount* const> accounts) {
  constexpr std::array kOthers{std::pair{PathCause::kHostCall, "others"}, std::pair{PathCause::kHostSync, "waiting in others"}};
  return listed_costs(accounts, &DesignAccount::calls, kOthers, "Calls of the host");
}

std::string host_ranges(std::span<const DesignAccount* const> accounts) {
  constexpr std::array kOthers{std::pair{PathCause::kHostOwn, "others"}};
  return listed_costs(accounts, &DesignAccount::ranges, kOthers, "The host between its calls, by the program's range,");
}

std::string orders(std::span<const DesignAccount* const> accounts) {
  std::string text;
  for (const DesignAccount* one : accounts) {
    const OrderDecisions& order = one->order;
    if (order.hand_overs == 0 || one->design.order == TaskOrder::kFifo) continue;
    text += fmt::format("{}Under {} the order '{}' had several ready tasks to choose among at {} of {} hand-overs{}",
                        text.empty() ? "" : " ", one->design.name, to_word(one->design.order), order.choices, order.hand_overs,
                        order.one_queue ? "" : ", in several queues, each of which it orders by itself");
    if (order.passed > 0)
      text += fmt::format(
          "; at {} of these another task went first than the one that the order puts first, as its core had taken it past the "
          "ready queue{}",
          order.passed, one->design.mailbox_depth > 1 ? ", or the first stood behind another task on its own core" : "");
    text += '.';
  }
  return text;
}

std::string control_cores(const DesignAccount& account) {
  const bool host = std::ranges::find(account.roles, ControlRole::kHost) != account.roles.end() || runtime_of(account.design).streams();
  if (account.control_shares.empty()) return fmt::format("{} has no control core", account.design.name);
  return host ? fmt::format("the host of {} is busy for {} of the makespan", account.design.name,
                            format_percent(account.busiest_control_share()))
              : fmt::format("the busiest of {}'s {} control cores is busy for {} of the makespan", account.design.name,
                            account.control_shares.size(), format_percent(account.busiest_control_share()));
}

std::string over_bound(const DesignAccount& account) {
  return fmt::format("{} takes {:.3f} × its highest bound ({}, {})", account.design.name, account.over_bound,
                     highest_bound_name(account.bounds), format_us(account.bounds.highest()));
}

std::vector<std::string> Explanation::sentences() const {
  std::vector<std::string> said;
  const std::array both{&faster(), &slower()};
  for (std::string sentence :
       {verdict(), path_difference(), main_causes(), held_up(both), costliest(both), costs_without_gain(both), host_calls(both),
        host_ranges(both), orders(both), idle_difference(), control_cores(), core_counts(), room()}) {
    if (!sentence.empty()) said.push_back(std::move(sentence));
  }
  if (!random_.empty()) {
    said.push_back(fmt::format("This is one run; the seed draws {}: 'tasktwin compare --runs 30' tells a difference from noise.",
                               join_words(random_)));
  }
  return said;
}

std::string Explanation::verdict() const {
  if (a_.makespan == b_.makespan) return fmt::format("Both designs take {}.", format_us(a_.makespan));
  const Duration gain = slower().makespan - faster().makespan;
  return fmt::format("{} takes {}, {} {}: {} is faster by {} ({}).", faster().design.name, format_us(faster().makespan),
                     slower().design.name, format_us(slower().makespan), faster().design.name, format_us(gain),
                     format_percent(share(gain, slower().makespan)));
}

/// The differences by cause sum up to that of the makespans, since each path tiles its own.
std::string Explanation::path_difference() const {
  struct Difference {
    PathCause cause;
    Duration more;  ///< of the slower
  };
  std::vector<Difference> differences;
  for (const auto& [cause, word] : Words<PathCause>::entries)
    differences.push_back({cause, slower().path.of(cause) - faster().path.of(cause)});
  std::ranges::stable_sort(differences, std::greater{}, &Difference::more);
  const Duration gain = slower().makespan - faster().makespan;
  const auto worth = static_cast<double>(to_ns(gain > Duration{} ? gain : slower().makespan)) * kWorthSaying;
  const auto list = [&](bool more) {
    std::vector<std::string> parts;
    const auto take = [&](const Difference& one) {
      const Duration size = more ? one.more : -one.more;
      if (parts.size() < 3 && size > Duration{} && static_cast<double>(to_ns(size)) >= worth)
        parts.push_back(fmt::format("{} {} on {}", format_us(size), more ? "more" : "less", in_words(one.cause)));
    };
    if (more) {
      for (const Difference& one : differences) take(one);
    } else {
      for (auto one = differences.rbegin(); one != differences.rend(); ++one) take(*one);
    }
    return parts;
  };
  const std::vector<std::string> more = list(true);
  const std::vector<std::string> less = list(false);
  if (more.empty() && less.empty()) return "Along their observed critical paths no cause differs by a tenth of the makespan.";
  std::string text = fmt::format("Along its observed critical path {} spends ", slower().design.name);
  text += join_words(more);
  if (!less.empty()) text += (more.empty() ? "" : ", but ") + join_words(less);
  return text + fmt::format(" than {}.", faster().design.name);
}

std::string Explanation::main_causes() const {
  const auto main = [](const DesignAccount& account) {
    return std::ranges::max_element(Words<PathCause>::entries, {}, [&account](const auto& entry) { return account.path.of(entry.first); })
        ->first;
  };
  const auto percent = [](const DesignAccount& account, PathCause cause) {
    return format_percent(share(account.path.of(cause), account.makespan));
  };
  if (faster().makespan <= Duration{}) return "";
  const PathCause fast = main(faster());
  const PathCause slow = main(slower());
  if (fast == slow)
    return fmt::format("The largest part of both paths is {}: {} under {}, {} under {}.", in_words(fast), percent(faster(), fast),
                       faster().design.name, percent(slower(), slow), slower().design.name);
  return fmt::format("The largest part of the path is {} ({}) under {} and {} ({}) under {}.", in_words(fast), percent(faster(), fast),
                     faster().design.name, in_words(slow), percent(slower(), slow), slower().design.name);
}

std::string Explanation::idle_difference() const {
  if (faster().idle.total() <= Duration{} || slower().idle.total() <= Duration{}) return "";
  const double fast = 1 - faster().task_core_share() * faster().busy_share();
  const double slow = 1 - slower().task_core_share() * slower().busy_share();
  std::string text = fmt::format("The machine's cores run no body for {} of their time under {} and for {} under {}", format_percent(fast),
                                 faster().design.name, format_percent(slow), slower().design.name);
  const auto of_all = [](const DesignAccount& account, IdleCause cause) { return account.task_core_share() * account.idle_share(cause); };
  const auto gap = [&](IdleCause cause) { return of_all(slower(), cause) - of_all(faster(), cause); };
  const auto& [cause, word] =
      *std::ranges::max_element(Words<IdleCause>::entries, {}, [&gap](const auto& entry) { return std::abs(gap(entry.first)); });
  if (std::abs(gap(cause)) >= kWorthSaying * std::max(fast, slow))
    text += fmt::format("; the largest difference is the time in which {}: {} against {}", in_words(cause),
                        format_percent(of_all(faster(), cause)), format_percent(of_all(slower(), cause)));
  return text + ".";
}

std::string Explanation::control_cores() const {
  if (faster().control_shares.empty() && slower().control_shares.empty()) return "";
  std::string text = verify::control_cores(slower()) + ", " + verify::control_cores(faster()) + ".";
  if (text.front() == 't') text.front() = 'T';
  return text;
}

std::string Explanation::core_counts() const {
  if (a_.cores == b_.cores) return "";
  return fmt::format("{} has {} cores for tasks, {} has {}.", faster().design.name, faster().cores, slower().design.name, slower().cores);
}

std::string Explanation::room() const {
  if (faster().over_bound <= 0 || slower().over_bound <= 0) return "";
  return verify::over_bound(faster()) + ", " + verify::over_bound(slower()) + ".";
}

std::string Explanation::table() const {
  TextTable table({"", a_.design.name, b_.design.name, "difference"});
  const auto times = [&table](const std::string& label, Duration a, Duration b) {
    table.add_row({label, format_us(a), format_us(b), (a > b ? "+" : "") + format_us(a - b)});
  };
  const auto shares = [&table](const std::string& label, double a, double b) {
    table.add_row({label, format_percent(a), format_percent(b), format_percent(a - b, true)});
  };
  times("makespan", a_.makespan, b_.makespan);
  for (const auto& [cause, word] : Words<PathCause>::entries) {
    if (a_.path.of(cause) > Duration{} || b_.path.of(cause) > Duration{})
      times(fmt::format("  path: {}", word), a_.path.of(cause), b_.path.of(cause));
  }
  shares("cores busy", a_.core_busy_share, b_.core_busy_share);
  for (const auto& [cause, word] : Words<IdleCause>::entries) {
    if (a_.idle.of(cause) > Duration{} || b_.idle.of(cause) > Duration{})
      shares(fmt::format("  idle: {}", word), a_.task_core_share() * a_.idle_share(cause), b_.task_core_share() * b_.idle_share(cause));
  }
  if (a_.task_core_share() < 1 || b_.task_core_share() < 1)
    shares("  idle: given to control cores", 1 - a_.task_core_share(), 1 - b_.task_core_share());
  if (!a_.control_shares.empty() || !b_.control_shares.empty())
    shares("busiest control core", a_.busiest_control_share(), b_.busiest_control_share());
  times("highest bound", a_.bounds.highest(), b_.bounds.highest());
  table.add_row({"over bound", over_bound_text(a_.over_bound, a_.bounds), over_bound_text(b_.over_bound, b_.bounds), ""});
  return table.to_string();
}

Json account_to_json(const DesignAccount& account) {
  Json path = Json::object();
  for (const auto& [cause, word] : Words<PathCause>::entries) path[fmt::format("{}_ns", word)] = to_ns(account.path.of(cause));
  Json holders = Json::object();
  for (const auto& [cause, word] : Words<PathCause>::entries) {
    const std::string& holder = account.holders[static_cast<std::size_t>(cause)];
    if (!holder.empty()) holders[std::string(word)] = holder;
  }
  Json late = Json::array();
  for (const LateWait& wait : account.late)
    late.push_back({{"last", wait.last}, {"because", wait.because}, {"others_wait_ns", to_ns(wait.time)}});
  Json costs = Json::array();
  for (const CauseCost& cost : account.costs)
    costs.push_back({{"cause", to_word(cost.cause)},
                     {"on_path_ns", to_ns(cost.on_path)},
                     {"gain_ns", to_ns(cost.gain)},
                     {"instead", cost.instead ? Json(to_word(*cost.instead)) : Json(nullptr)}});
  const auto listed = [](const std::vector<HostCallCost>& named) {
    Json list = Json::array();
    for (const HostCallCost& cost : named)
      list.push_back(
          {{"name", cost.name}, {"cause", to_word(cost.cause)}, {"on_path_ns", to_ns(cost.on_path)}, {"gain_ns", to_ns(cost.gain)}});
    return list;
  };
  Json idle = Json::object();
  for (const auto& [cause, word] : Words<IdleCause>::entries) idle[fmt::format("{}_ns", word)] = to_ns(account.idle.of(cause));
  Json control = Json::array();
  for (std::size_t i = 0; i < account.control_shares.size(); ++i) {
    const auto role = i < account.roles.size() ? Json(to_word(account.roles[i])) : Json(nullptr);
    control.push_back({{"role", role}, {"busy_share", account.control_shares[i]}});
  }
  return Json{{"design", account.design.name},
              {"makespan_ns", to_ns(account.makespan)},
              {"path", std::move(path)},
              {"held_by", std::move(holders)},
              {"late", std::move(late)},
              {"costs", std::move(costs)},
              {"host_calls", listed(account.calls)},
              {"host_ranges", listed(account.ranges)},
              {"cores", account.cores},
              {"core_busy_share", account.core_busy_share},
              {"busy_ns", to_ns(account.idle.busy)},
              {"idle", std::move(idle)},
              {"control_cores", std::move(control)},
              {"bounds", bounds_to_json(account.bounds)},
              {"ratio_to_bound", account.over_bound},
              {"resolved_design", design_to_json(account.design)}};
}

Json Explanation::to_json() const {
  return {{"designs", {account_to_json(a_), account_to_json(b_)}},
          {"faster", a_.makespan == b_.makespan ? Json(nullptr) : Json(faster().design.name)},
          {"sentences", sentences()},
          {"random", random_}};
}

Explanation explain(const scenarios::Scenario& scenario, const Design& a, const Design& b, std::uint64_t seed, Progress& progress) {
  std::vector<DesignAccount> accounts;
  std::vector<std::string> random;
  for (const Design* design : {&a, &b}) {
    progress.show(fmt::format("simulating {} under {}", scenario.name, design->name));
    accounts.push_back(account_with_costs(scenario, *design, seed));
    progress.advance();
    for (const std::string& part : random_parts(scenario.graph, scenario.machine, *design)) {
      if (std::ranges::find(random, part) == random.end()) random.push_back(part);
    }
  }
  return {std::move(accounts[0]), std::move(accounts[1]), std::move(random)};
}

}  // namespace tasktwin::verify
