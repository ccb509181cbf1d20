#include "verify/plan/planned_selection.hpp"

#include <utility>

#include <fmt/format.h>

#include "models/base/error.hpp"
#include "models/checks/list_cover.hpp"
#include "models/runtimes/runtimes.hpp"
#include "scenarios/formats/json_file.hpp"
#include "scenarios/load/assemble.hpp"
#include "verify/plan/list_plan.hpp"
#include "verify/predict/admission.hpp"
#include "verify/rerun/plan_file.hpp"

namespace tasktwin::verify {

namespace {

/// When each task begins, as placement `replay` asks for it: any times that are in the order of the lists.
Timeline replayed(const ListPlan& plan) {
  Timeline timeline;
  timeline.tasks.resize(plan.graph.size());
  for (std::int64_t at = 0; const TaskId task : order_of_lists(plan.graph, plan.lists)) timeline.tasks[index(task)].started = at_ns(at++);
  for (std::size_t worker = 0; worker < plan.lists.size(); ++worker) {
    for (const TaskId task : plan.lists[worker]) timeline.tasks[index(task)].core = core_id(worker);
  }
  return timeline;
}

Design follow_lists(const std::string& file, const Json& json, scenarios::Scenario& scenario) {
  ListPlan plan = list_plan_from(file, json, scenario);
  plan.design.replay = file;
  scenario.replays = {{plan.design.name, replayed(plan)}};
  scenario.graph = std::move(plan.graph);
  scenario.needed = std::move(plan.needed);
  return plan.design;
}

Design follow_launches(const std::string& file, scenarios::Scenario& scenario) {
  const PlanFile plan = read_plan_file(file);
  if (!scenario.program)
    throw InputError({file}, fmt::format("is of a program's own launches, but '{}' is of no captured program", scenario.name));
  try {
    scenario.graph = planned_graph(scenario.graph, plan.plan);
  } catch (const InputError& wrong) {
    throw InputError({file}, wrong.what());
  }
  if (scenario.imported) scenario.imported->profiled = true;  // the kernels' times stay those that the program's had
  scenario.program.reset();
  scenario.replays.clear();
  Design design = planned_design(plan.plan);
  design.name = "plan";
  return design;
}

}  // namespace

void follow_plan(const std::string& file, const std::string& designs, std::vector<Selection>& selections) {
  if (selections.size() != 1) throw InputError("--plan: is of one scenario, and several are given");
  if (!designs.empty()) throw InputError("--plan: excludes --designs, for it is a design itself");
  Selection& selection = selections.front();
  const Json json = scenarios::read_json_file(file);
  const bool lists = json.is_object() && json.contains("tasktwin_plan") && json.at("tasktwin_plan").is_object() &&
                     json.at("tasktwin_plan").value("launch", Json()) == kListsWord;
  selection.designs = {lists ? follow_lists(file, json, selection.scenario) : follow_launches(file, selection.scenario)};
  selection.scenario.designs = selection.designs;
  selection.scenario.bases.clear();
  try {
    scenarios::check_runnable(selection.scenario.graph, selection.scenario.machine, selection.designs.front());
    check_admission(selection.scenario, selection.designs.front());
  } catch (const InputError& wrong) {
    throw InputError({file}, wrong.what());
  }
}

}  // namespace tasktwin::verify
