#include "scenarios/swimlane/swimlane_deps.hpp"

#include <algorithm>
#include <limits>
#include <unordered_set>

#include "models/graph/task_graph.hpp"
#include "scenarios/document/file_limits.hpp"
#include "scenarios/files/quoted.hpp"

namespace tasktwin::scenarios {

namespace {

constexpr std::size_t kKernelSlots = 3;  // aic, aiv0, aiv1
constexpr std::int64_t kMostBlocks = 1'000'000;
constexpr std::int64_t kMostKernels = std::numeric_limits<std::int32_t>::max();
constexpr std::size_t kLongestName = 4096;

/// A name that messages and tables can show.
std::string name_of(const JsonPlace& place) {
  std::string name = place.text();
  const bool printable = std::ranges::none_of(name, [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7F; });
  if (name.empty() || name.size() > kLongestName || !printable) {
    place.refuse("is " + in_quotes(name) + "; must be 1 to " + std::to_string(kLongestName) + " printable bytes");
  }
  return name;
}

SwimlaneTask task_from(const JsonPlace& place) {
  SwimlaneTask task;
  task.id = place.at("task_id").id();
  const JsonPlace kernels = place.at("kernel_ids").list();
  if (kernels.size() != kKernelSlots) {
    kernels.refuse("has " + std::to_string(kernels.size()) + " entries; must have 3: aic, aiv0, aiv1, each a kernel or -1");
  }
  std::int64_t kernel = -1;
  std::int64_t active = 0;
  for (std::size_t slot = 0; slot < kKernelSlots; ++slot) {
    const std::int64_t id = kernels[slot].whole(-1, kMostKernels);
    if (id < 0) continue;
    if (active++ == 0) kernel = id;
  }
  const auto blocks = place.find("block_num");
  task.parts = active * (blocks ? blocks->whole(0, kMostBlocks) : 1);
  const auto name = place.find("name");
  task.name = name ? name_of(*name) : (kernel < 0 ? "" : "k" + std::to_string(kernel) + "/") + std::to_string(task.id);
  return task;
}

/// Whether an edge makes its successor wait. Older files, and those of graphs that the host builds, do not say: there all do.
bool orders(const JsonPlace& edge) {
  const auto flags = edge.find("flags");
  if (!flags || flags->list().size() == 0) return true;
  bool waits = false;
  for (std::size_t i = 0; i < flags->size(); ++i) waits |= (*flags)[i].text() == "wait";
  return waits;
}

void read_edges(SwimlaneDeps& deps, const JsonPlace& edges) {
  const auto position = [&deps](const JsonPlace& id) {
    const auto found = deps.by_id.find(id.id());
    if (found == deps.by_id.end()) id.refuse("is " + std::to_string(id.id()) + ", which no task has as its task_id");
    return found->second;
  };
  for (std::size_t i = 0; i < edges.size(); ++i) {
    const JsonPlace edge = edges[i];
    const std::uint32_t before = position(edge.at("pred"));
    const std::uint32_t after = position(edge.at("succ"));
    if (before == after) edge.refuse("makes task " + std::to_string(deps.tasks[after].id) + " wait for itself");
    if (orders(edge)) deps.tasks[after].after.push_back(before);
  }
  for (SwimlaneTask& task : deps.tasks) {
    std::ranges::sort(task.after);
    const auto repeated = std::ranges::unique(task.after);
    task.after.erase(repeated.begin(), repeated.end());
  }
}

/// Finds a cycle, too, and names it.
void put_in_order(SwimlaneDeps& deps, const JsonPlace& edges) {
  TaskGraphBuilder builder;
  for (const SwimlaneTask& task : deps.tasks) builder.add_task(task.name, {});
  for (std::uint32_t i = 0; i < deps.tasks.size(); ++i) {
    for (const std::uint32_t before : deps.tasks[i].after) builder.add_edge(task_id(before), task_id(i));
  }
  try {
    const TaskGraph graph = std::move(builder).build();
    for (const TaskId task : graph.topological_order()) deps.order.push_back(static_cast<std::uint32_t>(index(task)));
  } catch (const InputError& cycle) {
    edges.refuse(cycle.what());
  }
}

}  // namespace

SwimlaneDeps read_swimlane_deps(const JsonPlace& root) {
  SwimlaneDeps deps;
  const JsonPlace tasks = root.at("tasks").list();
  if (static_cast<std::int64_t>(tasks.size()) > kMaxTasks) tasks.refuse("has more than " + std::to_string(kMaxTasks) + " entries");
  std::unordered_set<std::string> names;
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    deps.tasks.push_back(task_from(tasks[i]));
    const SwimlaneTask& task = deps.tasks.back();
    if (!deps.by_id.emplace(task.id, static_cast<std::uint32_t>(i)).second)
      tasks[i].at("task_id").refuse("is " + std::to_string(task.id) + ", which a task before it has already");
    if (!names.insert(task.name).second) tasks[i].refuse("the name " + in_quotes(task.name) + " stands twice");
  }
  const JsonPlace edges = root.at("edges").list();
  read_edges(deps, edges);
  put_in_order(deps, edges);
  return deps;
}

}  // namespace tasktwin::scenarios
