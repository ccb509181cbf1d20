#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "models/design/own_policy.hpp"
#include "models/policies/policies.hpp"
#include "models/rules/fill.hpp"

namespace tasktwin {

/// Which ready task goes first, asked while the run goes on.
class OnlineOrder {
 public:
  virtual ~OnlineOrder() = default;
  /// The lowest goes first, equal ones in order of arrival.
  virtual double rank(TaskId task, const OrderMoment& moment) = 0;
  /// Whether ranks change while tasks wait; then all that wait in a queue are asked again whenever one is looked for.
  virtual bool changes() const { return false; }
};

// What policies are made from, and what they are given. `parameters` has all that the policy declares.

/// A rank for each task, by TaskId, before the run: the lowest of the ready ones goes first.
using MakeRanks = std::function<std::vector<double>(const PolicyInputs& inputs, const PolicyParameters& parameters)>;
/// For one run.
using MakeOrder = std::function<std::unique_ptr<OnlineOrder>(const PolicyInputs& inputs, const PolicyParameters& parameters)>;
/// For one run; `so_far` is that run up to now, by TaskId, and stays where it is.
using MakePlacement =
    std::function<std::unique_ptr<CorePolicy>(const TaskGraph& graph, std::span<const PastRun> so_far, const PolicyParameters& parameters)>;
/// For each worker its tasks in the order in which it runs them: every task once, in lists that together never deadlock.
using MakeSchedule = std::function<FrozenSchedule(const StaticInputs& inputs, const PolicyParameters& parameters)>;
/// For one run; next_victim is what is asked.
using MakeVictim = std::function<std::unique_ptr<VictimPolicy>(std::uint64_t seed, const PolicyParameters& parameters)>;
/// How many tasks to take of a queue of `there`: 1 to `there`.
using StealSizeRule = std::function<std::uint32_t(std::uint32_t there, const PolicyParameters& parameters)>;
/// Whether a core that holds a block may be given a further one.
using FillRuleOfOwn = std::function<bool(const rules::FillView& view, const PolicyParameters& parameters)>;

struct PolicyParameter {
  std::string name;
  double value = 0;  ///< where a design states none
};

/// A policy that a shared object, or Python, defines.
struct PolicyEntry {
  using Make = std::variant<MakeRanks, MakeOrder, MakePlacement, MakeSchedule, MakeVictim, StealSizeRule, FillRuleOfOwn>;

  std::string name;
  std::vector<PolicyParameter> parameters;
  Make make;
  /// The word of tasktwin's policy whose costs it has: of placements least_loaded or locality, of victims any. Empty for the usual one.
  std::string like = {};
  bool draws = false;  ///< whether it gives other answers for other seeds
};

/// The policies of a shared object. Each name is given once for an axis.
struct PolicyTable {
  std::vector<PolicyEntry> entries;

  PolicyEntry& add(std::string name, PolicyEntry::Make make, std::vector<PolicyParameter> parameters = {}) {
    return entries.emplace_back(PolicyEntry{std::move(name), std::move(parameters), std::move(make)});
  }
};

/// What a shared object with policies and the tasktwin that loads it must agree on: the interface below, and how large the types are that
/// go through it.
struct PolicyAbi {
  std::uint32_t version = 2;  ///< raised whenever the interface changes
  std::uint32_t inputs_size = sizeof(PolicyInputs);
  std::uint32_t graph_size = sizeof(TaskGraph);
  std::uint32_t task_size = sizeof(Task);
  std::uint32_t traits_size = sizeof(TaskTraits);
  std::uint32_t entry_size = sizeof(PolicyEntry);
  std::uint32_t views_size = sizeof(StaticInputs) + sizeof(Candidate) + sizeof(PastRun) + sizeof(OrderMoment) + sizeof(rules::FillView);
  friend bool operator==(const PolicyAbi&, const PolicyAbi&) = default;
};

}  // namespace tasktwin

// What such a shared object defines (examples/policies/ has some): the first, and one of the others or both. Visible also where its other
// symbols are hidden. The object stays loaded until the process ends.
extern "C" {
/// Defined as `const tasktwin::PolicyAbi tasktwin_policy_abi{};`.
[[gnu::visibility("default")]] extern const tasktwin::PolicyAbi tasktwin_policy_abi;

/// Adds its policies to `table`.
[[gnu::visibility("default")]] void tasktwin_policies(tasktwin::PolicyTable& table);

/// One order alone, named `ranks`: gives every task a rank, by TaskId; of the ready tasks the one with the lowest goes first, equal ones in
/// order of arrival. `ranks` comes empty. An exception refuses the graph: what() says why.
[[gnu::visibility("default")]] void tasktwin_rank_tasks(const tasktwin::PolicyInputs& inputs, std::vector<double>& ranks);
}
