#include <bit>

#include <fmt/format.h>

#include "models/base/error.hpp"
#include "models/graph/events.hpp"
#include "models/runtimes/runtimes.hpp"
#include "verify/plan/list_plan.hpp"
#include "verify/plan/plan_fields.hpp"
#include "verify/rerun/plan_file.hpp"

namespace tasktwin::verify {

Json plan_arguments(const TaskGraph& graph, TaskId id) {
  const Task& task = graph[id];
  if (is_own(task.kernel)) {
    const auto& own = std::get<OwnKernels>(graph.problem());
    const OwnKernel& kernel = own.kernels[own_index(task.kernel)];
    const ArgumentRow& row = own.arguments[static_cast<std::size_t>(task.args[0])];
    Json arguments = Json::object();
    for (std::size_t i = 0; i < kernel.parameters.size(); ++i) {
      Json& value = arguments[kernel.parameters[i].name];
      switch (kernel.parameters[i].type) {
        case ArgumentType::kInteger:
          value = std::bit_cast<std::int32_t>(row[i]);
          break;
        case ArgumentType::kFloat:
          value = std::bit_cast<float>(row[i]);
          break;
        case ArgumentType::kBuffer:
          value = own.buffers[row[i]].name;
          break;
      }
    }
    return arguments;
  }
  if (runs_in_any_block(task.kernel)) return nullptr;
  return task.args;
}

std::vector<const AxisField*> plan_axes() {
  std::vector<const AxisField*> axes;
  for (const AxisField& field : axis_fields()) {
    const bool of_lists = field.name == "ready_queue" || field.name == "placement" || states_runtime(field.name);
    if (!of_lists && find_use(runtime_of(named_design("static-queues")), field.name) != nullptr) axes.push_back(&field);
  }
  return axes;
}

namespace {

Json waits_of(const TaskGraph& graph, TaskId task) {
  Json after = Json::array();
  for (const TaskId before : graph.predecessors(task)) after.push_back(graph.name(before));
  return after;
}

Json task_json(const TaskGraph& graph, TaskId id) {
  Json one{{"task", graph.name(id)}, {"kernel", graph.kernel_name(id)}};
  if (Json arguments = plan_arguments(graph, id); !arguments.is_null()) one["arguments"] = std::move(arguments);
  one["after"] = waits_of(graph, id);
  return one;
}

}  // namespace

Json list_plan_json(const scenarios::Scenario& scenario, const Design& design) {
  if (runtime_of(design).id != RuntimeId::kStaticQueues) {
    throw InputError(fmt::format(
        "design '{}' has no fixed list for each worker: a plan of lists is of 'static-queues' and designs made from it", design.name));
  }
  if (scenario.machine.devices.count() > 1)
    throw InputError(fmt::format("machine '{}' has several devices: a plan of lists is of one", scenario.machine.name));
  const TaskGraph& graph = scenario.graph;
  const FrozenSchedule lists = frozen_schedule(graph, scenario.machine, design, scenario.replayed(design));
  Json axes = Json::object();
  for (const AxisField* const field : plan_axes()) {
    if (field->is_default(design)) continue;
    axes[std::string(field->name)] = field->is_word() ? Json(field->word(design)) : Json(design.*field->number);
  }
  Json events = Json::array();
  for (std::size_t i = 0; i < graph.size(); ++i) {
    if (is_event(graph[task_id(i)])) events.push_back({{"event", graph.name(task_id(i))}, {"after", waits_of(graph, task_id(i))}});
  }
  Json workers = Json::array();
  for (std::size_t worker = 0; worker < lists.size(); ++worker) {
    Json tasks = Json::array();
    for (const TaskId task : lists[worker]) tasks.push_back(task_json(graph, task));
    workers.push_back({{"worker", worker}, {"tasks", std::move(tasks)}});
  }
  return {
      {"tasktwin_plan",
       {{"version", kPlanVersion}, {"launch", kListsWord}, {"from", fmt::format("{} of {}", design.name, scenario.name)}, {"axes", axes}}},
      {"events", std::move(events)},
      {"workers", std::move(workers)}};
}

}  // namespace tasktwin::verify
