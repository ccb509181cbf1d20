#include "verify/bench/launch_costs/launch_shapes.hpp"

#include <string>

namespace tasktwin::verify {

namespace {

TaskGraphBuilder empty_kernels(int count) {
  Task task;
  task.kernel = Kernel::kEmpty;
  TaskGraphBuilder builder;
  for (int i = 0; i < count; ++i) builder.add_task("kernel" + std::to_string(i), task);
  return builder;
}

TaskId at(int position) { return task_id(static_cast<std::size_t>(position)); }

TaskGraph chain(int nodes) {
  TaskGraphBuilder builder = empty_kernels(nodes);
  for (int i = 1; i < nodes; ++i) builder.add_edge(at(i - 1), at(i));
  return std::move(builder).build();
}

/// Between the first node and the last, where these are a fork and a join; neither of them is of the others.
TaskGraph spread(int nodes, bool fork, bool join) {
  TaskGraphBuilder builder = empty_kernels(nodes);
  for (int i = fork ? 1 : 0; i < (join ? nodes - 1 : nodes); ++i) {
    if (fork) builder.add_edge(at(0), at(i));
    if (join) builder.add_edge(at(i), at(nodes - 1));
  }
  return std::move(builder).build();
}

TaskGraph layers(int nodes) {
  int width = 2;
  while (4 * width * width <= nodes) width *= 2;
  TaskGraphBuilder builder = empty_kernels(nodes);
  for (int i = width; i < nodes; ++i) {
    const int layer = i / width - 1;
    builder.add_edge(at(i - width), at(i));
    builder.add_edge(at(layer * width + (i + 1) % width), at(i));
  }
  return std::move(builder).build();
}

constexpr LaunchShape kShapes[] = {{"chain", chain},
                                   {"fork", [](int nodes) { return spread(nodes, true, false); }},
                                   {"join", [](int nodes) { return spread(nodes, false, true); }},
                                   {"fork-join", [](int nodes) { return spread(nodes, true, true); }},
                                   {"wide", [](int nodes) { return spread(nodes, false, false); }},
                                   {"layers", layers}};

}  // namespace

std::span<const LaunchShape> launch_shapes() { return kShapes; }

}  // namespace tasktwin::verify
