#include "models/program/captured_copy.hpp"

#include <algorithm>
#include <cmath>

#include "models/cost/body_cost.hpp"

namespace tasktwin {

std::optional<Bytes> captured_bytes(const TaskGraph& graph, const Machine& machine, const HostProgram& program, TaskId task) {
  const Operation operation = graph[task].operation;
  const Duration time = graph[task].cost.time;
  if (graph.traits(task).pageable || !touches_host_memory(operation) || time <= Duration{0}) return std::nullopt;
  const double rate = transfer_rate(machine, operation, false);
  if (rate <= 0) return std::nullopt;
  const double beside = program.beside.empty() ? 0 : program.beside[index(task)];
  const double alone = 1 - beside * (1 - share_beside_other_way(machine, operation));
  return Bytes{std::max<std::int64_t>(1, std::llround(static_cast<double>(to_ns(time)) * alone * rate))};
}

}  // namespace tasktwin
