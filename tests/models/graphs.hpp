#pragma once

#include <initializer_list>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "models/base/random.hpp"
#include "models/graph/task_graph.hpp"

namespace tasktwin::testing_graphs {

/// Tasks "t0", "t1", … of the given times, and edges between their positions.
inline TaskGraph graph_of(const std::vector<std::int64_t>& times_ns, std::initializer_list<std::pair<std::size_t, std::size_t>> edges) {
  TaskGraphBuilder builder;
  for (const std::int64_t time : times_ns) {
    builder.add_task("t" + std::to_string(builder.size()), {.cost = {.time = Duration{time}}});
  }
  for (const auto& [from, to] : edges) builder.add_edge(task_id(from), task_id(to));
  return std::move(builder).build();
}

struct RandomGraph {
  std::size_t tasks = 7;
  double edge_probability = 0.3;
  std::int64_t longest_ns = 9;  ///< times are uniform from 0
  int core_types = 1;
};

/// Ids are shuffled against the direction of the edges, so that no algorithm can lean on their order.
inline TaskGraph random_graph(const RandomGraph& shape, std::uint64_t seed) {
  Random random(seed);
  std::vector<std::size_t> position(shape.tasks);
  std::iota(position.begin(), position.end(), std::size_t{0});
  for (std::size_t i = shape.tasks; i > 1; --i) std::swap(position[i - 1], position[static_cast<std::size_t>(random.next() % i)]);
  TaskGraphBuilder builder;
  for (std::size_t i = 0; i < shape.tasks; ++i) {
    Task task;
    task.cost.time = Duration{random.between(0, shape.longest_ns)};
    task.core_type = static_cast<CoreType>(random.between(0, shape.core_types - 1));
    builder.add_task("t" + std::to_string(i), task);
  }
  for (std::size_t from = 0; from < shape.tasks; ++from) {
    for (std::size_t to = from + 1; to < shape.tasks; ++to) {
      if (random.uniform() < shape.edge_probability) builder.add_edge(task_id(position[from]), task_id(position[to]));
    }
  }
  return std::move(builder).build();
}

inline std::vector<Duration> times_of(const TaskGraph& graph) {
  std::vector<Duration> times;
  for (const Task& task : graph.tasks()) times.push_back(task.cost.time);
  return times;
}

}  // namespace tasktwin::testing_graphs
