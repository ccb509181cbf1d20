#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "models/body_cost.hpp"
#include "models/footprint.hpp"
#include "sim/cores/shared_cores.hpp"

namespace tasktwin::sim {

/// What a body of that cost, in blocks as its task states them, takes of a core that it shares.
inline BodyShare body_share(const Machine& machine, const TaskGraph& graph, TaskId task, const BodyCost& cost) {
  const double one_core = machine.memory->core_bandwidth;
  return {.issue = issue_share(machine.kernel_cost(graph[task].kernel), footprint(graph.traits(task)).threads),
          .reading = cost.bytes.count > 0 && one_core > 0 ? cost.alone_rate(*machine.memory) / one_core : 0};
}

/// The drawn cost of every task's body, on each core type that it may run on.
class BodyCosts {
 public:
  /// `given`: SimulationOptions::bodies. Throws InputError if a body would take longer than the simulation's clock resolves.
  BodyCosts(const TaskGraph& graph, const Machine& machine, std::uint64_t seed, std::span<const Duration> given = {});

  /// Of the tasks `original` alone, which `part` numbers anew; a body whose predicate does not hold (by original TaskId) costs
  /// its overhead only, where it is run at all.
  BodyCosts of(std::span<const TaskId> original, const TaskGraph& part, const std::vector<bool>& holds) const;

  const BodyCost& operator[](TaskId task) const { return own_[index(task)]; }
  const BodyCost& on(TaskId task, CoreType type) const {
    return other_.empty() || graph_->traits(task).other_type != type ? own_[index(task)] : other_[index(task)];
  }
  bool same_everywhere() const { return other_.empty(); }
  /// Overhead and fixed part together: the whole of a body that moves no bytes.
  Duration fixed(TaskId task) const { return fixed_[index(task)]; }
  bool any_bytes() const { return any_bytes_; }
  /// Whether bodies' times are as they were seen, with what others on their cores do to them.
  bool given() const { return given_; }
  /// Whether the task's predicate holds.
  bool holds(TaskId task) const { return holds_.empty() || holds_[index(task)]; }

 private:
  explicit BodyCosts(const TaskGraph& graph) : graph_(&graph) {}

  const TaskGraph* graph_;
  std::vector<BodyCost> own_;    ///< by TaskId
  std::vector<Duration> fixed_;  ///< by TaskId; a third of own_, so that more of it stays in a cache
  std::vector<BodyCost> other_;  ///< by TaskId, on TaskTraits::other_type; empty where no task has one
  std::vector<bool> holds_;      ///< by TaskId; empty where all do
  bool any_bytes_ = false;
  bool given_ = false;
};

}  // namespace tasktwin::sim
