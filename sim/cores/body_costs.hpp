#pragma once

#include <cstdint>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

#include "models/cost/body_cost.hpp"
#include "models/cost/footprint.hpp"
#include "models/run/as_run.hpp"
#include "sim/cores/shared_cores.hpp"

namespace tasktwin::sim {

/// What a body of that cost, run by that many threads, takes of a core that it shares.
inline BodyShare body_share(const AsRun& machine, Kernel kernel, int threads, const BodyCost& cost) {
  const double one_core = machine.memory->core_bandwidth;
  return {.issue = issue_share(machine.kernel_cost(kernel), threads),
          .reading = cost.bytes.count > 0 && one_core > 0 ? cost.alone_rate(*machine.memory) / one_core : 0};
}

/// The same in blocks as its task states them.
inline BodyShare body_share(const AsRun& machine, const TaskGraph& graph, TaskId task, const BodyCost& cost) {
  return body_share(machine, graph[task].kernel, footprint(graph.traits(task)).threads, cost);
}

/// The drawn cost of every task's body, on each core type that it may run on.
class BodyCosts {
 public:
  /// `given`: SimulationOptions::bodies. Throws InputError if a body would take longer than the simulation's clock resolves.
  BodyCosts(const TaskGraph& graph, const AsRun& machine, std::uint64_t seed, std::span<const Duration> given = {});

  /// Of the tasks `original` alone, which `part` renumbers; a body whose predicate does not hold (by original TaskId) costs
  /// its overhead only, where it is run at all.
  BodyCosts of(std::span<const TaskId> original, const TaskGraph& part, const std::vector<bool>& holds) const;

  /// The same of `graph`, in which `changed` alone have other costs, at the same seed. Contract: none was given, and all exist.
  BodyCosts changed_in(const TaskGraph& graph, std::span<const TaskId> changed, const AsRun& machine, std::uint64_t seed) const;

  BodyCost operator[](TaskId task) const {
    const Duration overhead = overhead_[index(task)];
    BodyCost cost{.overhead = overhead, .fixed = fixed_[index(task)] - overhead};
    if (any_drawn()) std::tie(cost.bytes, cost.rate) = drawn_[index(task)];
    return cost;
  }
  BodyCost on(TaskId task, CoreType type) const {
    return other_.empty() || graph_->traits(task).other_type != type ? (*this)[task] : other_[index(task)];
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

  bool any_drawn() const { return !drawn_.empty(); }
  void add(const BodyCost& cost);

  const TaskGraph* graph_;
  std::vector<Duration> fixed_;                  ///< by TaskId, with the overhead
  std::vector<Duration> overhead_;               ///< by TaskId
  std::vector<std::pair<Bytes, double>> drawn_;  ///< by TaskId: BodyCost::bytes and rate; empty where no body moves bytes
  std::vector<BodyCost> other_;                  ///< by TaskId, on TaskTraits::other_type; empty where no task has one
  std::vector<bool> holds_;                      ///< by TaskId; empty where all do
  bool any_bytes_ = false;
  bool given_ = false;
};

}  // namespace tasktwin::sim
