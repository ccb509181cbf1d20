#include "scenarios/load/assemble.hpp"

#include <algorithm>
#include <utility>

#include "models/base/error.hpp"
#include "models/checks/mechanisms.hpp"
#include "models/design/design_parts.hpp"
#include "models/program/buffers.hpp"
#include "models/runtimes/prologues_ahead.hpp"
#include "scenarios/files/quoted.hpp"
#include "scenarios/machine_files/machine_file.hpp"
#include "scenarios/tasks/demands.hpp"

namespace tasktwin::scenarios {

namespace {

std::string task_path(TaskId id) { return "graph.tasks[" + std::to_string(index(id)) + "]"; }

void check_graph(const TaskGraph& graph, const Machine& machine) {
  if (const auto fault = buffer_fault(graph)) throw InputError(task_path(fault->task) + ": " + fault->why);
  if (const auto impossible = impossible_task(graph, machine))
    throw InputError(task_path(impossible->task) + "." + std::string(impossible->field) + ": " + impossible->why(graph));
  check_total_time(graph, machine);
}

}  // namespace

void check_runnable(const TaskGraph& graph, const Machine& machine, const Design& design) {
  check_design(design, machine);
  check_mechanisms(design, machine, graph);
  check_graph(graph, machine);
  check_seats(graph, machine, design);
  check_parts(graph, design);
  check_prologues(graph, design);
}

Scenario assemble(std::string name, TaskGraph graph, Machine machine, std::vector<Design> designs, std::uint64_t seed) {
  for (std::size_t i = 0; i < designs.size(); ++i) {
    const std::string path = "designs[" + std::to_string(i) + "]: ";
    const auto before = designs.begin() + static_cast<std::ptrdiff_t>(i);
    if (std::ranges::find(designs.begin(), before, designs[i].name, &Design::name) != before)
      throw InputError(path + "the name " + in_quotes(designs[i].name) + " stands twice; designs need names of their own");
    check_runnable(graph, machine, designs[i]);
  }
  if (designs.empty()) check_graph(graph, machine);
  Scenario scenario;
  scenario.name = std::move(name);
  scenario.graph = std::move(graph);
  scenario.machine = std::move(machine);
  scenario.machine_hash = machine_hash(scenario.machine);
  scenario.designs = std::move(designs);
  scenario.listed = true;
  scenario.seed = seed;
  return scenario;
}

}  // namespace tasktwin::scenarios
