#include "tests/oracles/simulation.hpp"

#include <algorithm>

namespace tasktwin::oracles {

Timeline simulate(const TaskGraph& graph, const Machine& machine, const Design& design, std::uint64_t seed) {
  if (design.driver == Driver::kStreams) return simulate_streams(graph, machine, design, seed);
  if (design.release == Release::kDispatcher) return simulate_dispatchers(graph, machine, design, seed);
  if (design.release == Release::kBarrier) return simulate_layer_barrier(graph, machine, design, seed);
  if (design.stealing != Stealing::kOff || (design.ready_queue == ReadyQueue::kPerWorker && !is_static(design.placement)))
    return simulate_work_stealing(graph, machine, design, seed);
  if (design.ready_queue == ReadyQueue::kPerWorker) return simulate_static_queues(graph, machine, design, seed);
  return simulate_shared_queue(graph, machine, design, seed);
}

std::vector<QueueSample> count_queue(const std::vector<TaskTimes>& tasks) {
  TimePoint last{};
  for (const TaskTimes& task : tasks) last = std::max(last, task.dispatched);
  std::vector<QueueSample> samples;
  int before = 0;
  for (TimePoint now{}; now <= last; now += Duration{1}) {
    const auto length =
        static_cast<int>(std::ranges::count_if(tasks, [now](const TaskTimes& task) { return task.ready <= now && now < task.dispatched; }));
    if (length != before) samples.push_back({now, length});
    before = length;
  }
  return samples;
}

}  // namespace tasktwin::oracles
