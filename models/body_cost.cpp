#include "models/body_cost.hpp"

#include <algorithm>

#include "models/random.hpp"

namespace tasktwin {

namespace {

Nanoseconds arithmetic_time(const KernelCost& kernel, double flops) {
  if (kernel.arithmetic.empty() || flops <= 0) return Nanoseconds{0};
  KernelCost::Point before{};
  KernelCost::Point after = kernel.arithmetic.front();
  for (std::size_t i = 1; i < kernel.arithmetic.size() && flops > after.flops; ++i) {
    before = after;
    after = kernel.arithmetic[i];
  }
  const double slope = (after.ns - before.ns) / (after.flops - before.flops);
  return Nanoseconds{before.ns + slope * (flops - before.flops)};
}

}  // namespace

Duration BodyCost::alone(const Machine& machine) const {
  const double rate = std::min(machine.constants.core_bandwidth, machine.constants.memory_bandwidth);
  const Duration transfer = bytes.count > 0 && rate > 0 ? round_ns(Nanoseconds{static_cast<double>(bytes.count) / rate}) : Duration{0};
  return std::max(fixed, transfer) + overhead;
}

BodyCost body_cost(const Machine& machine, const Task& task, TaskId id, std::uint64_t seed) {
  const KernelCost& kernel = machine.kernel_cost(task.kernel);
  Nanoseconds time = task.cost.time;
  if (task.cost.sigma_ns > 0) {
    Random random(mix(seed) ^ index(id));
    time = std::max(Nanoseconds{0}, time + Nanoseconds{task.cost.sigma_ns * random.normal()});
  }
  const Nanoseconds arithmetic = arithmetic_time(kernel, static_cast<double>(task.cost.flops.count));
  return {round_ns(kernel.overhead), round_ns(time + arithmetic), task.cost.bytes};
}

std::vector<Duration> expected_durations(const TaskGraph& graph, const Machine& machine) {
  std::vector<Duration> durations;
  durations.reserve(graph.size());
  for (std::size_t i = 0; i < graph.size(); ++i) {
    Task mean = graph[task_id(i)];
    mean.cost.sigma_ns = 0;
    durations.push_back(body_cost(machine, mean, task_id(i), 0).alone(machine));
  }
  return durations;
}

}  // namespace tasktwin
