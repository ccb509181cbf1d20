#include "verify/rerun/plan_file.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "models/base/error.hpp"
#include "models/cost/body_cost.hpp"
#include "models/graph/graph_copy.hpp"
#include "models/program/stream_plan.hpp"
#include "models/runtimes/runtimes.hpp"
#include "scenarios/files/text_file.hpp"
#include "scenarios/formats/json_file.hpp"
#include "verify/rerun/json_field.hpp"

namespace tasktwin::verify {

namespace {

using gpu::rerun::Edges;
using gpu::rerun::Plan;
using gpu::rerun::PlannedOperation;

/// Edges that others imply are looked for in graphs of at most this many tasks: it takes a bit for each pair.
constexpr std::size_t kMostReduced = 40'000;
constexpr std::string_view kWriter = "'tasktwin simulate --plan-out' writes such files";

std::string_view kind_of(const TaskGraph& graph, TaskId id) {
  const Operation operation = graph[id].operation;
  // A copy within the device is work like a kernel's, and goes by the name that CUPTI's records have.
  if (operation == Operation::kKernel) return graph.name(id).starts_with("Memcpy ") ? "copy" : "kernel";
  if (operation == Operation::kMemset) return "memset";
  if (is_copy(operation)) return "copy";
  throw InputError(fmt::format("task '{}' is {}: a plan is of kernels, copies and memsets", graph.name(id), to_word(operation)));
}

PlannedOperation operation_of(const TaskGraph& graph, TaskId id) {
  PlannedOperation one{.operation = static_cast<int>(index(id)), .kind = std::string(kind_of(graph, id)), .after = {}};
  if (one.kind == "kernel") one.blocks = static_cast<std::uint64_t>(graph.traits(id).blocks);
  return one;
}

Edges edges_of(const TaskGraph& graph) {
  Edges edges(graph.size());
  for (std::size_t i = 0; i < graph.size(); ++i) {
    for (const TaskId before : graph.predecessors(task_id(i))) edges[i].push_back(static_cast<int>(index(before)));
  }
  return graph.size() <= kMostReduced ? gpu::rerun::reduced(edges) : edges;
}

/// CUDA counts down from 0, the least urgent.
int cuda_priority(std::uint8_t level, int levels) { return static_cast<int>(level) - (levels - 1); }

/// CUDA's range is smaller, and the device's own.
constexpr int kMostUrgent = -100;

PlannedOperation read_operation(const JsonField& field) {
  field.has_only({"operation", "kind", "name", "blocks", "stream", "priority", "after"});
  PlannedOperation one{.operation = field.at("operation").integer(),
                       .kind = field.at("kind").text(),
                       .blocks = field.at("blocks").count(),
                       .stream = field.at("stream").integer(),
                       .priority = field.at("priority").integer(),
                       .after = {}};
  if (one.kind != "kernel" && one.kind != "copy" && one.kind != "memset" && one.kind != "graph")
    field.at("kind").refuse(fmt::format("is '{}', none of kernel, copy, memset, graph", one.kind));
  if (one.priority > 0 || one.priority < kMostUrgent) field.at("priority").refuse(fmt::format("is none from {} to 0", kMostUrgent));
  for (const JsonField& before : field.at("after").list()) {
    if (std::ranges::find(one.after, before.integer()) != one.after.end()) before.refuse("occurs twice");
    one.after.push_back(before.integer());
  }
  return one;
}

}  // namespace

Plan graph_plan(const TaskGraph& graph) {
  const Edges edges = edges_of(graph);
  Plan plan;
  for (std::size_t i = 0; i < graph.size(); ++i) {
    plan.operations.push_back(operation_of(graph, task_id(i)));
    plan.operations.back().after = edges[i];
  }
  return plan;
}

Plan graph_plan(const TaskGraph& graph, const HostProgram& program) {
  Plan plan;
  std::vector<int> launch(graph.size(), 0);
  for (const auto& at : program.order) {
    const HostCall& call = program.call(at);
    if (call.kind != HostCallKind::kLaunch || call.tasks == 0) continue;
    PlannedOperation one = call.graph || call.tasks > 1 ? PlannedOperation{.kind = "graph", .after = {}} : operation_of(graph, call.first);
    one.operation = static_cast<int>(plan.operations.size());
    for (std::size_t i = 0; i < call.tasks; ++i) launch[index(call.first) + i] = one.operation;
    plan.operations.push_back(std::move(one));
  }
  Edges edges(plan.operations.size());
  for (std::size_t i = 0; i < graph.size(); ++i) {
    std::vector<int>& own = edges[static_cast<std::size_t>(launch[i])];
    for (const TaskId before : graph.predecessors(task_id(i))) {
      const int other = launch[index(before)];
      if (other != launch[i] && std::ranges::find(own, other) == own.end()) own.push_back(other);
    }
  }
  if (edges.size() <= kMostReduced) edges = gpu::rerun::reduced(edges);
  for (std::size_t i = 0; i < edges.size(); ++i) plan.operations[i].after = std::move(edges[i]);
  return plan;
}

Plan plan_of(const scenarios::Scenario& scenario, const Design& design) {
  const TaskGraph& graph = scenario.graph;
  const RuntimeId runtime = runtime_of(design).id;
  if (!design.sets.empty())
    throw InputError(
        fmt::format("design '{}' has sets of cores ('{}'), of which a plan says nothing: a program's kernels run on all of them",
                    design.name, design.sets.front().name));
  if (runtime == RuntimeId::kCudaGraph) return graph_plan(graph);
  if (runtime != RuntimeId::kCudaStreams) {
    throw InputError(
        fmt::format("design '{}' launches no kernels into streams, and no CUDA graph: a plan is of 'cuda-graph', "
                    "'cuda-streams' and designs made from them",
                    design.name));
  }
  const Edges edges = edges_of(graph);
  const int levels = scenario.machine.launch_limits.priorities;
  const std::vector<std::uint8_t> urgency = launch_levels(graph, design, planned_durations(graph, scenario.machine), levels);
  Plan plan{.graph = false, .operations = {}};
  for (const StreamLaunch& launch : plan_streams(graph, design)) {
    PlannedOperation one = operation_of(graph, launch.task);
    one.stream = static_cast<int>(launch.stream);
    if (design.stream_priorities != StreamPriorities::kNone && one.kind == "kernel")
      one.priority = cuda_priority(urgency[index(launch.task)], levels);
    one.after = edges[index(launch.task)];
    plan.operations.push_back(std::move(one));
  }
  return plan;
}

TaskGraph planned_graph(const TaskGraph& graph, const Plan& plan) {
  if (plan.operations.size() != graph.size()) {
    throw InputError(fmt::format("the plan has {} operations, the captured iteration {} tasks", plan.operations.size(), graph.size()));
  }
  // Tasks in the plan's order, which designs launch them in.
  TaskGraphBuilder builder;
  std::vector<TaskId> place(graph.size());
  for (const PlannedOperation& one : plan.operations) {
    const auto original = static_cast<std::size_t>(one.operation);
    place[original] = copy_task(builder, graph, task_id(original), [&one](TaskId /*id*/, Task& task, TaskTraits& traits) {
      task.priority = -one.priority;  // CUDA's lower ones are more urgent
      traits.stream = one.stream;
    });
  }
  for (const PlannedOperation& one : plan.operations) {
    for (const int before : one.after)
      builder.add_edge(place[static_cast<std::size_t>(before)], place[static_cast<std::size_t>(one.operation)]);
  }
  copy_buffer_names(builder, graph);
  return std::move(builder).build();
}

Design planned_design(const Plan& plan) {
  Design design = named_design(plan.graph ? "cuda-graph" : "cuda-streams");
  if (plan.graph) return design;
  design.stream_granularity = StreamGranularity::kHinted;
  design.streams = static_cast<int>(plan.streams());
  if (std::ranges::any_of(plan.operations, [](const PlannedOperation& one) { return one.priority != 0; }))
    design.stream_priorities = StreamPriorities::kTask;
  return design;
}

PlanFile plan_file_of(const scenarios::Scenario& scenario, const Design& design) {
  return {.from = fmt::format("{} of {}", design.name, scenario.name),
          .own_memory = scenario.imported && scenario.imported->own_memory,
          .plan = plan_of(scenario, design)};
}

Json to_json(const PlanFile& file, const TaskGraph& graph) {
  Json operations = Json::array();
  for (const PlannedOperation& one : file.plan.operations) {
    operations.push_back({{"operation", one.operation},
                          {"kind", one.kind},
                          {"name", graph.kernel_name(task_id(static_cast<std::size_t>(one.operation)))},
                          {"blocks", one.blocks},
                          {"stream", one.stream},
                          {"priority", one.priority},
                          {"after", one.after}});
  }
  return {{"tasktwin_plan",
           {{"version", kPlanVersion},
            {"launch", file.plan.graph ? "graph" : "streams"},
            {"own_memory", file.own_memory},
            {"from", file.from}}},
          {"operations", operations}};
}

PlanFile read_plan_file(const std::filesystem::path& path) {
  const std::string name = path.string();
  const Json json = scenarios::parse_json(name, scenarios::read_text_file(name));
  const JsonField root(name, kWriter, "", json);
  const JsonField head = root.at("tasktwin_plan");
  if (head.raw().is_object() && head.raw().value("launch", Json()) == kListsWord)
    head.at("launch").refuse(
        "is 'lists', which workers of a resident kernel follow ('tasktwin run --plan'); a program's own kernels are "
        "launched by graph or streams");
  if (head.at("version").integer() != kPlanVersion) head.at("version").refuse(fmt::format("is not {}", kPlanVersion));
  root.has_only({"tasktwin_plan", "operations"});
  head.has_only({"version", "launch", "own_memory", "from"});
  PlanFile file;
  const std::string launch = head.at("launch").text();
  if (launch != "graph" && launch != "streams") head.at("launch").refuse(fmt::format("is '{}', neither graph nor streams", launch));
  file.plan.graph = launch == "graph";
  file.own_memory = head.at("own_memory").flag();
  file.from = head.at("from").text();
  for (const JsonField& one : root.at("operations").list()) file.plan.operations.push_back(read_operation(one));
  if (file.plan.operations.empty()) root.at("operations").refuse("has none");
  if (const std::string fault = fault_of(file.plan); !fault.empty()) root.at("operations").refuse(fault);
  return file;
}

}  // namespace tasktwin::verify
