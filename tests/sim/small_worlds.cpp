#include "tests/sim/small_worlds.hpp"
#include "models/runtimes/runtimes.hpp"
#include "tests/support/counting_axes.hpp"
#include "tests/support/free_machine.hpp"

namespace tasktwin::sim {

TaskGraph small_graph(const std::vector<SmallTask>& tasks, const std::vector<std::pair<std::uint32_t, std::uint32_t>>& edges) {
  TaskGraphBuilder builder;
  for (const SmallTask& small : tasks) {
    Task task;
    task.cost.time = Duration{small.time_ns};
    task.cost.bytes = {small.bytes};
    task.core_type = small.type;
    builder.add_task(small.name, task);
  }
  for (const auto& [from, to] : edges) builder.add_edge(TaskId{from}, TaskId{to});
  return std::move(builder).build();
}

TaskGraph independent(int count, std::int64_t time_ns) {
  std::vector<SmallTask> tasks;
  for (int i = 0; i < count; ++i) tasks.push_back({"t" + std::to_string(i), time_ns});
  return small_graph(tasks);
}

TaskGraph star(std::uint32_t leaves, std::int64_t hub_ns, std::int64_t leaf_ns) {
  std::vector<SmallTask> tasks{{"hub", hub_ns}};
  std::vector<std::pair<std::uint32_t, std::uint32_t>> edges;
  for (std::uint32_t leaf = 1; leaf <= leaves; ++leaf) {
    tasks.push_back({"leaf" + std::to_string(leaf), leaf_ns});
    edges.emplace_back(0, leaf);
  }
  return small_graph(tasks, edges);
}

std::vector<std::int64_t> times(const Timeline& timeline, TimePoint TaskTimes::*phase) {
  std::vector<std::int64_t> all;
  for (const TaskTimes& task : timeline.tasks) all.push_back(to_ns(task.*phase));
  return all;
}

Machine plain_machine(int cores) {
  Machine machine = free_machine();
  machine.name = "plain";
  machine.compute_cores = {{CoreType::kSm, cores}};
  machine.control_cores.count = 1;
  return machine;
}

Design with_depth(const std::string& design, int depth) {
  Design changed = named_design(design);
  changed.mailbox_depth = depth;
  return with_counting_axes(changed);
}

}  // namespace tasktwin::sim
