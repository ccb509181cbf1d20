// Simulates a shipped scenario's graph in a task order of one's own, and in the order that the design has by itself.
#include <cstdio>
#include <exception>
#include <vector>

#include "models/design/design.hpp"
#include "models/policies/task_ranks.hpp"
#include "models/runtimes/runtimes.hpp"
#include "scenarios/load/scenario.hpp"
#include "sim/simulator.hpp"

using namespace tasktwin;

namespace {

/// A task is the more urgent the more tasks wait for it, directly or by a task in between. The lowest rank goes first.
std::vector<double> ranks(const TaskGraph& graph) {
  std::vector<double> ranks;
  for (std::size_t i = 0; i < graph.size(); ++i) {
    double waiting = 0;
    for (const TaskId next : graph.successors(task_id(i))) waiting += 1 + static_cast<double>(graph.out_degree(next));
    ranks.push_back(-waiting);
  }
  return ranks;
}

}  // namespace

int main() try {
  const scenarios::Scenario scenario = scenarios::load_scenario("cholesky");
  Design design = named_design("shared-queue");
  const Timeline by_design = sim::simulate(scenario.graph, scenario.machine, design).timeline;

  design.order = TaskOrder::kPriority;
  const TaskGraph ordered = with_ranks(scenario.graph, ranks(scenario.graph));
  const Timeline by_ranks = sim::simulate(ordered, scenario.machine, design).timeline;

  std::printf("as the design has it %9lld ns\n", static_cast<long long>(to_ns(by_design.makespan())));
  std::printf("in its own order     %9lld ns\n", static_cast<long long>(to_ns(by_ranks.makespan())));
  return 0;
} catch (const std::exception& error) {
  std::fprintf(stderr, "error: %s\n", error.what());
  return 1;
}
