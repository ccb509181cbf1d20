#include "models/policies/built_in.hpp"

#include <limits>

#include "models/base/random.hpp"
#include "models/graph/critical_path.hpp"

namespace tasktwin {

namespace {

class Fifo final : public TaskOrderPolicy {
 public:
  std::int64_t key(TaskId, std::uint64_t arrival) const override { return static_cast<std::int64_t>(arrival); }
};

class Lifo final : public TaskOrderPolicy {
 public:
  std::int64_t key(TaskId, std::uint64_t arrival) const override { return -static_cast<std::int64_t>(arrival); }
};

/// An order that depends on the task alone.
class ByTask final : public TaskOrderPolicy {
 public:
  explicit ByTask(std::vector<std::int64_t> keys) : keys_(std::move(keys)) {}
  std::int64_t key(TaskId task, std::uint64_t) const override { return keys_[index(task)]; }

 private:
  std::vector<std::int64_t> keys_;
};

template <class KeyOf>
std::unique_ptr<TaskOrderPolicy> by_task(const TaskGraph& graph, KeyOf key_of) {
  std::vector<std::int64_t> keys;
  keys.reserve(graph.size());
  for (std::size_t i = 0; i < graph.size(); ++i) keys.push_back(key_of(task_id(i)));
  return std::make_unique<ByTask>(std::move(keys));
}

}  // namespace

std::unique_ptr<TaskOrderPolicy> make_fifo(const PolicyInputs&) { return std::make_unique<Fifo>(); }

std::unique_ptr<TaskOrderPolicy> make_lifo(const PolicyInputs&) { return std::make_unique<Lifo>(); }

std::unique_ptr<TaskOrderPolicy> make_random_order(const PolicyInputs& inputs) {
  return by_task(inputs.graph, [&graph = inputs.graph, seed = mix(inputs.seed)](TaskId task) {
    return static_cast<std::int64_t>(mix(seed ^ graph.draw(task)) >> 1);
  });
}

std::unique_ptr<TaskOrderPolicy> make_critical_path_order(const PolicyInputs& inputs) {
  return by_task(inputs.graph,
                 [levels = bottom_levels(inputs.graph, inputs.durations)](TaskId task) { return -levels[index(task)].count(); });
}

std::unique_ptr<TaskOrderPolicy> make_longest_first(const PolicyInputs& inputs) {
  return by_task(inputs.graph, [&inputs](TaskId task) { return -inputs.durations[index(task)].count(); });
}

std::unique_ptr<TaskOrderPolicy> make_shortest_first(const PolicyInputs& inputs) {
  return by_task(inputs.graph, [&inputs](TaskId task) { return inputs.durations[index(task)].count(); });
}

std::unique_ptr<TaskOrderPolicy> make_most_successors_first(const PolicyInputs& inputs) {
  return by_task(inputs.graph, [&inputs](TaskId task) { return -static_cast<std::int64_t>(inputs.graph.out_degree(task)); });
}

std::unique_ptr<TaskOrderPolicy> make_priority_order(const PolicyInputs& inputs) {
  return by_task(inputs.graph, [&inputs](TaskId task) { return -std::int64_t{inputs.graph[task].priority}; });
}

}  // namespace tasktwin
