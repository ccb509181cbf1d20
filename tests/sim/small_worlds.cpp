#include "tests/sim/small_worlds.hpp"

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

Machine plain_machine(int cores) {
  Machine machine;
  machine.name = "plain";
  machine.compute_cores = {{CoreType::kSm, cores}};
  machine.control_cores.count = 1;
  return machine;
}

Design with_depth(const std::string& design, int depth) {
  Design changed = named_design(design);
  changed.mailbox_depth = depth;
  return changed;
}

}  // namespace tasktwin::sim
