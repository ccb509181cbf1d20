#include "verify/c_interface/tasktwin.h"

#include <algorithm>
#include <numeric>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "models/base/error.hpp"
#include "models/base/internal_error.hpp"
#include "models/bounds/prediction_interval.hpp"
#include "models/runtimes/runtimes.hpp"
#include "scenarios/designs/designs.hpp"
#include "scenarios/document/document.hpp"
#include "scenarios/machine_files/load_machine.hpp"
#include "scenarios/machine_files/machine_file.hpp"
#include "sim/estimate/estimate.hpp"

using namespace tasktwin;

struct tasktwin_machine {
  Machine machine;
};

struct tasktwin_graph {
  TaskGraph graph;
  std::vector<tasktwin_task> tasks;  ///< as given
};

struct tasktwin_estimate {
  sim::Estimate estimate;
};

namespace {

thread_local std::string last_error;

int failed(int code, const std::string& what) {
  last_error = what;
  return code;
}

/// Nothing that is thrown leaves the library.
template <class Call>
int guarded(const Call& call) {
  try {
    return call();
  } catch (const InputError& error) {
    return failed(TASKTWIN_WRONG_INPUT, error.what());
  } catch (const RunError& error) {
    return failed(TASKTWIN_CANNOT_RUN, error.what());
  } catch (const std::exception& error) {
    return failed(TASKTWIN_FAULT, error.what());
  } catch (...) {
    return failed(TASKTWIN_FAULT, "an exception of an unknown type");
  }
}

template <class Make>
auto made(const Make& make) -> decltype(make()) {
  decltype(make()) object = nullptr;
  guarded([&] {
    object = make();
    return 0;
  });
  return object;
}

void check_pointer(const void* pointer, const char* name) {
  if (pointer == nullptr) throw InputError(std::string(name) + ": is NULL");
}

template <class Value>
Value in_range(Value value, Value least, Value most, const std::string& path) {
  if (value >= least && value <= most) return value;
  throw InputError(path + ": is " + std::to_string(value) + "; must be " + std::to_string(least) + " to " + std::to_string(most));
}

constexpr std::int64_t kMostBytes = 1'000'000'000'000'000;

Machine machine_of(const std::string& text) {
  const bool is_name = text.find_first_of(":\n") == std::string::npos;
  Machine machine = is_name ? scenarios::load_machine(text) : scenarios::machine_from(scenarios::parse_document("machine", text));
  machine.provenance.clear();  // where constants come from: nobody asks here, and each estimate would copy it
  return machine;
}

Design read_design(const std::string& text) {
  const auto named = std::ranges::find(named_designs(), text, &Design::name);
  if (named != named_designs().end()) return *named;
  const scenarios::Document document = scenarios::parse_document("design", text);
  const scenarios::Node& root = document.root;
  if (root.kind == scenarios::Node::Kind::kText) return named_design(root.text);
  if (root.kind != scenarios::Node::Kind::kMap)
    throw InputError("design: is " + scenarios::describe(root) +
                     "; must be a name, or a map such as {from: static-queues, mailbox_depth: 2}");
  if (!document.faults.empty()) throw InputError("design: " + document.faults.front().message);
  const scenarios::Node* const from = root.find("from");
  Design design = from ? named_design(from->text) : Design{};
  design.name = root.find("name") ? root.find("name")->text : "the design";
  for (std::size_t i = 0; i < root.keys.size(); ++i) {
    const std::string& key = root.keys[i].text;
    if (key != "from" && key != "name") scenarios::set_axis(design, key, root.items[i]);
  }
  return design;
}

/// A compiler opens many estimates under one design.
const Design& design_of(const std::string& text) {
  thread_local std::optional<std::pair<std::string, Design>> last;
  if (!last || last->first != text) last.emplace(text, read_design(text));
  return last->second;
}

Task task_of(const tasktwin_task& given, const std::string& path) {
  return {.cost = {.time = Duration{in_range(given.time_ns, std::int64_t{0}, sim::kLongestTime.count(), path + ".time_ns")},
                   .bytes = {in_range(given.bytes, std::int64_t{0}, kMostBytes, path + ".bytes")}},
          .priority = given.priority,
          .core_type =
              static_cast<CoreType>(in_range(given.core_type, std::int32_t{TASKTWIN_SM}, std::int32_t{TASKTWIN_AIV}, path + ".core_type"))};
}

/// A timeline in which the tasks of each core start in the order of their places, and after what they wait for; none where some task
/// states no core. Throws InputError for a task that waits for one behind it.
std::optional<Timeline> lists_of(std::span<const tasktwin_task> tasks, const TaskGraph& graph) {
  if (std::ranges::any_of(tasks, [](const tasktwin_task& task) { return task.core < 0 || task.place < 0; })) return std::nullopt;
  std::vector<std::size_t> by_place(tasks.size());
  std::iota(by_place.begin(), by_place.end(), std::size_t{0});
  std::ranges::stable_sort(by_place, {}, [&](std::size_t i) { return std::pair(tasks[i].core, tasks[i].place); });
  std::vector<std::size_t> next(tasks.size(), tasks.size());  // in its list
  std::vector<std::size_t> waits(tasks.size());
  for (std::size_t i = 0; i < tasks.size(); ++i) waits[i] = graph.in_degree(task_id(i));
  for (std::size_t i = 1; i < by_place.size(); ++i) {
    if (tasks[by_place[i - 1]].core != tasks[by_place[i]].core) continue;
    next[by_place[i - 1]] = by_place[i];
    ++waits[by_place[i]];
  }
  std::vector<std::size_t> order;
  const auto told = [&](std::size_t task) {
    if (--waits[task] == 0) order.push_back(task);
  };
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    if (waits[i] == 0) order.push_back(i);
  }
  Timeline timeline;
  timeline.tasks.resize(tasks.size());
  for (std::size_t started = 0; started < order.size(); ++started) {
    const std::size_t task = order[started];
    timeline.tasks[task].core = core_id(static_cast<std::size_t>(tasks[task].core));
    timeline.tasks[task].started = at_ns(static_cast<std::int64_t>(started));
    for (const TaskId successor : graph.successors(task_id(task))) told(index(successor));
    if (next[task] < tasks.size()) told(next[task]);
  }
  if (order.size() == tasks.size()) return timeline;
  const auto stuck = static_cast<std::size_t>(std::ranges::find_if(waits, [](std::size_t left) { return left > 0; }) - waits.begin());
  throw InputError("tasks[" + std::to_string(stuck) + "].place: on core " + std::to_string(tasks[stuck].core) +
                   " it waits for a task that stands behind it, or for one that waits for such a task");
}

TaskGraph graph_of(std::span<const tasktwin_task> tasks, std::span<const tasktwin_edge> edges) {
  TaskGraphBuilder builder;
  for (std::size_t i = 0; i < tasks.size(); ++i)
    builder.add_task("t" + std::to_string(i), task_of(tasks[i], "tasks[" + std::to_string(i) + "]"));
  for (std::size_t i = 0; i < edges.size(); ++i) {
    for (const auto& [end, name] : {std::pair{edges[i].from, "from"}, std::pair{edges[i].to, "to"}}) {
      if (end >= tasks.size())
        throw InputError("edges[" + std::to_string(i) + "]." + name + ": is " + std::to_string(end) + "; there are " +
                         std::to_string(tasks.size()) + " tasks, from 0");
    }
    builder.add_edge(TaskId{edges[i].from}, TaskId{edges[i].to});
  }
  return std::move(builder).build();
}

void make(sim::Estimate& estimate, const tasktwin_change& change) {
  const TaskId task{change.task};
  switch (change.kind) {
    case TASKTWIN_SET_TIME:
      return estimate.set_time(task, Duration{change.value});
    case TASKTWIN_SET_PRIORITY:
      return estimate.set_priority(
          task, static_cast<std::int32_t>(in_range(change.value, std::int64_t{INT32_MIN}, std::int64_t{INT32_MAX}, "value")));
    case TASKTWIN_ADD_EDGE:
      return estimate.add_edge(task, TaskId{change.other});
    case TASKTWIN_REMOVE_EDGE:
      return estimate.remove_edge(task, TaskId{change.other});
    case TASKTWIN_MOVE:
      return estimate.move(task, CoreId{change.other},
                           static_cast<std::size_t>(in_range(change.value, std::int64_t{0}, std::int64_t{UINT32_MAX}, "value")));
    default:
      throw InputError("kind: is " + std::to_string(change.kind) + "; must be 0 (TASKTWIN_SET_TIME) to 4 (TASKTWIN_MOVE)");
  }
}

}  // namespace

int tasktwin_abi(void) { return TASKTWIN_ABI; }

const char* tasktwin_error(void) { return last_error.c_str(); }

tasktwin_machine* tasktwin_new_machine(const char* text) {
  return made([&] {
    check_pointer(text, "text");
    return new tasktwin_machine{machine_of(text)};
  });
}

void tasktwin_free_machine(tasktwin_machine* machine) { delete machine; }

tasktwin_graph* tasktwin_new_graph(const tasktwin_task* tasks, size_t task_count, const tasktwin_edge* edges, size_t edge_count) {
  return made([&] {
    if (task_count > 0) check_pointer(tasks, "tasks");
    if (edge_count > 0) check_pointer(edges, "edges");
    const std::span all(tasks, task_count);
    return new tasktwin_graph{graph_of(all, {edges, edge_count}), {all.begin(), all.end()}};
  });
}

void tasktwin_free_graph(tasktwin_graph* graph) { delete graph; }

tasktwin_estimate* tasktwin_new_estimate(const tasktwin_graph* graph, const tasktwin_machine* machine, const char* design, uint64_t seed) {
  return made([&] {
    check_pointer(graph, "graph");
    check_pointer(machine, "machine");
    check_pointer(design, "design");
    Design under = design_of(design);
    std::optional<Timeline> lists;
    if (to_word(under.placement) == "replay") {
      lists = lists_of(graph->tasks, graph->graph);
      if (!lists) throw InputError("placement 'replay' needs 'core' and 'place' of each task, which are 0 or more");
      if (under.replay.empty()) under.replay = "the places of the tasks";
    }
    return new tasktwin_estimate{{graph->graph, machine->machine, std::move(under), seed, lists ? &*lists : nullptr}};
  });
}

void tasktwin_free_estimate(tasktwin_estimate* estimate) { delete estimate; }

int tasktwin_run(tasktwin_estimate* estimate, tasktwin_result* result) {
  return guarded([&] {
    check_pointer(estimate, "estimate");
    check_pointer(result, "result");
    const Duration makespan = estimate->estimate.makespan();
    *result = {.makespan_ns = makespan.count(), .low_ns = 0, .high_ns = 0, .recordings = 0, .simulated = estimate->estimate.simulated()};
    if (makespan <= Duration{0}) return 0;  // of a graph without tasks
    const PredictionInterval interval = prediction_interval(estimate->estimate.design(), makespan);
    result->low_ns = interval.low_ns;
    result->high_ns = interval.high_ns;
    result->recordings = interval.cases;
    return 0;
  });
}

int tasktwin_critical(tasktwin_estimate* estimate, uint32_t* tasks, size_t room) {
  return guarded([&] {
    check_pointer(estimate, "estimate");
    if (room > 0) check_pointer(tasks, "tasks");
    const std::vector<TaskId> critical = estimate->estimate.critical();
    std::transform(critical.begin(), critical.begin() + static_cast<std::ptrdiff_t>(std::min(room, critical.size())), tasks,
                   [](TaskId task) { return static_cast<std::uint32_t>(task); });
    return static_cast<int>(critical.size());
  });
}

int tasktwin_edit(tasktwin_estimate* estimate, const tasktwin_change* changes, size_t count) {
  return guarded([&] {
    check_pointer(estimate, "estimate");
    if (count > 0) check_pointer(changes, "changes");
    for (std::size_t i = 0; i < count; ++i) {
      try {
        make(estimate->estimate, changes[i]);
      } catch (const InputError& error) {
        throw InputError("changes[" + std::to_string(i) + "]: " + error.what());
      }
    }
    return 0;
  });
}

int tasktwin_settle(tasktwin_estimate* estimate, int keep) {
  return guarded([&] {
    check_pointer(estimate, "estimate");
    keep != 0 ? estimate->estimate.keep() : estimate->estimate.undo();
    return 0;
  });
}
