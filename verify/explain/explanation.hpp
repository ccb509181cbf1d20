#pragma once

#include <array>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "models/explain/idle_time.hpp"
#include "models/explain/observed_path.hpp"
#include "models/explain/order_decisions.hpp"
#include "verify/explain/late_arrivals.hpp"
#include "verify/output/text/json.hpp"
#include "verify/predict/prediction.hpp"
#include "verify/predict/run_path.hpp"

namespace tasktwin::verify {

/// A cause on a run's path, and by how much the run would be shorter without it (hypothetical.hpp): less than its part of the path where
/// something else would then take its place.
struct CauseCost {
  PathCause cause{};
  Duration on_path{};
  Duration gain{};                        ///< below 0 where the run would be longer
  std::optional<PathCause> instead = {};  ///< where the gain is little, the largest part of the path that is then the longest
};

/// A large cause on a run's path whose gain is not known.
struct UnknownCost {
  PathCause cause{};
  Duration on_path{};
  std::string why;  ///< no run can be simulated without it
};

/// What a run would gain without the largest causes on its path.
struct CauseCosts {
  std::vector<CauseCost> known;  ///< the largest gain first
  std::vector<UnknownCost> unknown = {};
};

/// Calls of one name that a captured program's host made on the path, be it as captured or under a design that launches its work another
/// way and then makes those that order nothing.
struct HostCallCost {
  std::string name;   ///< "(not named)" where the capture does not say
  PathCause cause{};  ///< host_call or host_sync
  Duration on_path{};
  Duration gain{};  ///< without them, as CauseCost::gain; what they wait for the device then waits for
};

/// Parts of a captured program, by the innermost of its own ranges, in which the host spent time of its own on the path; cause is host_own.
/// Name "(in no range)" is time outside of them. Empty where the program names no range.
std::vector<HostCallCost> host_range_costs(const scenarios::Scenario& scenario, const Design& design, const ObservedPath& path,
                                           Duration makespan, std::uint64_t seed);

/// Of those that make up a hundredth of the path or more, the five longest.
std::vector<HostCallCost> host_call_costs(const scenarios::Scenario& scenario, const Design& design, const ObservedPath& path,
                                          Duration makespan, std::uint64_t seed);

/// Of the causes that make up a tenth of the path or more the three largest, and all that make up a fifth.
CauseCosts all_cause_costs(const scenarios::Scenario& scenario, const Design& design, const ObservedPath& path, Duration makespan,
                           std::uint64_t seed);
/// Those of which it is known what they cost.
std::vector<CauseCost> cause_costs(const scenarios::Scenario& scenario, const Design& design, const ObservedPath& path, Duration makespan,
                                   std::uint64_t seed);

/// What one design's run says about where its time went.
struct DesignAccount {
  Design design;
  Duration makespan{};
  ObservedPath path;
  std::array<std::string, kPathCauseCount> holders{};  ///< by PathCause: the task that delayed the path longest; empty for none
  std::vector<LateWait> late = {};
  std::vector<CauseCost> costs = {};            ///< where they were asked for
  std::vector<UnknownCost> unknown_costs = {};  ///< likewise
  std::vector<HostCallCost> calls = {};         ///< likewise
  std::vector<HostCallCost> ranges = {};        ///< likewise
  IdleTime idle;
  std::size_t cores = 0;               ///< compute cores that could take tasks
  std::size_t all_cores = 0;           ///< compute cores of the machine
  double core_busy_share = 0;          ///< as in Metrics: of all compute cores of the machine
  std::vector<ControlRole> roles;      ///< by DispatcherId
  std::vector<double> control_shares;  ///< busy, of the makespan, by DispatcherId
  Bounds bounds;
  double over_bound = 0;
  OrderDecisions order = {};

  double idle_share(IdleCause cause) const;
  double busy_share() const;
  /// `cores` of `all_cores`.
  double task_core_share() const;
  /// Of the busiest control core; 0 where there is none.
  double busiest_control_share() const;
};

DesignAccount account(const scenarios::Scenario& scenario, const Design& design, std::uint64_t seed);
/// With `costs`, `calls` and `ranges`.
DesignAccount account_with_costs(const scenarios::Scenario& scenario, const Design& design, std::uint64_t seed);
/// The same of what has been simulated and assessed already. Contract: `prediction` is of `scenario`, its steps recorded.
DesignAccount account(const scenarios::Scenario& scenario, const Prediction& prediction, const Assessment& assessment);

Json account_to_json(const DesignAccount& account);

/// Sentences on what delays the paths of runs, and on what they would gain without; empty where there is nothing worth saying.
std::string held_up(std::span<const DesignAccount* const> accounts);
std::string costliest(std::span<const DesignAccount* const> accounts);
/// The causes of a fifth of a path or more without which a run gains as good as nothing, or nobody can tell what.
std::string costs_without_gain(std::span<const DesignAccount* const> accounts);
std::string host_calls(std::span<const DesignAccount* const> accounts);
std::string host_ranges(std::span<const DesignAccount* const> accounts);
/// What orders other than fifo had to decide.
std::string orders(std::span<const DesignAccount* const> accounts);
/// "the host of as-captured is busy for 98.0 % of the makespan".
std::string control_cores(const DesignAccount& account);
/// "static-queues takes 1.06 × its highest bound (…)".
std::string over_bound(const DesignAccount& account);

/// Why the faster of two designs is faster.
class Explanation {
 public:
  Explanation(DesignAccount a, DesignAccount b, std::vector<std::string> random);

  /// Each follows from the figures; none is printed where they do not show it.
  std::vector<std::string> sentences() const;
  /// Makespan, path by cause, idle time by cause, control cores and bounds, side by side.
  std::string table() const;
  Json to_json() const;

 private:
  const DesignAccount& faster() const { return a_.makespan <= b_.makespan ? a_ : b_; }
  const DesignAccount& slower() const { return a_.makespan <= b_.makespan ? b_ : a_; }

  std::string verdict() const;
  std::string path_difference() const;
  std::string main_causes() const;
  std::string idle_difference() const;
  std::string control_cores() const;
  std::string core_counts() const;
  std::string room() const;

  DesignAccount a_;
  DesignAccount b_;
  std::vector<std::string> random_;
};

/// Simulates `scenario` under both designs. `progress` advances by 2.
Explanation explain(const scenarios::Scenario& scenario, const Design& a, const Design& b, std::uint64_t seed, Progress& progress);

}  // namespace tasktwin::verify
