#include <string>
#include <vector>

#include "models/checks/remarks.hpp"
#include "models/cost/body_cost.hpp"
#include "models/runtimes/runtimes.hpp"

namespace tasktwin {

namespace {

bool share_cores_for_nothing(const TaskGraph& graph, const Machine& machine) {
  const std::vector<Duration> durations = planned_durations(graph, machine);
  Duration all{};
  Duration without_share{};
  for (std::size_t i = 0; i < graph.size(); ++i) {
    const Task& task = graph[task_id(i)];
    if (task.operation != Operation::kKernel) continue;
    all += durations[i];
    const bool takes_share =
        machine.kernel_cost(task.kernel).issue > 0 || task.cost.bytes.count > 0 || !graph.input_bytes(task_id(i)).empty();
    if (!takes_share) without_share += durations[i];
  }
  return 2 * without_share > all;
}

}  // namespace

std::vector<std::string> worker_remarks(const TaskGraph& graph, const Machine& machine, const Design& design) {
  if (design.workers_per_core < 2 || !runtime_of(design).resident() || !share_cores_for_nothing(graph, machine)) return {};
  const std::string workers = std::to_string(design.workers_per_core);
  return {"workers_per_core " + workers + ": bodies of a stated time take no share of their core, so that " + workers +
          " at once are as quick there as one; kernels that compute or read slow each other down, which bodies of kernel 'fma' and "
          "'stream' do"};
}

}  // namespace tasktwin
