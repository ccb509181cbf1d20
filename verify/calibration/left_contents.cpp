#include "verify/calibration/left_contents.hpp"

#include <algorithm>

#include "gpu/supported/why_unsupported.hpp"
#include "models/runtimes/runtimes.hpp"

namespace tasktwin::verify {

namespace {

using Contents = std::map<std::string, std::vector<std::byte>>;

Contents after_run(const TaskGraph& graph, const Machine& machine, const Design& design, const CalibrationBackend& backend) {
  Contents contents;
  backend.run(graph, machine, design, {.repeats = 1, .stamps = false, .kept_buffers = &contents});
  return contents;
}

/// A graph with the same buffers, of a task that leaves them alone.
TaskGraph idle_graph(const Problem& problem) {
  TaskGraphBuilder builder;
  builder.set_problem(problem);
  builder.add_task("idle", {});
  return std::move(builder).build();
}

}  // namespace

Contents left_contents(const scenarios::Scenario& scenario, const CalibrationBackend& backend) {
  if (scenario.machine.devices.count() > 1) return {};
  std::vector<Design> designs = scenario.designs;
  for (const char* const name : {"static-queues", "cuda-streams"}) designs.push_back(named_design(name));
  const auto runs =
      std::ranges::find_if(designs, [&](const Design& design) { return !gpu::why_unsupported(scenario.graph, scenario.machine, design); });
  if (runs == designs.end()) return {};
  const Contents before = after_run(idle_graph(scenario.graph.problem()), scenario.machine, named_design("static-queues"), backend);
  Contents left = after_run(scenario.graph, scenario.machine, *runs, backend);
  std::erase_if(left, [&before](const auto& buffer) {
    const auto filled = before.find(buffer.first);
    return filled != before.end() && filled->second == buffer.second;
  });
  return left;
}

}  // namespace tasktwin::verify
