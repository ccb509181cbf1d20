#include "verify/calibration/probes/micro_graphs.hpp"

#include <algorithm>
#include <optional>
#include <set>
#include <span>
#include <string>

#include "models/base/random.hpp"

namespace tasktwin::verify {

Task spin_task(Duration time) {
  Task task;
  task.kernel = Kernel::kSpin;
  task.cost.time = time;
  return task;
}

Task sized_task(Kernel kernel, std::array<std::int32_t, 4> args, std::int64_t flops, std::int64_t bytes) {
  Task task;
  task.kernel = kernel;
  task.args = args;
  task.cost.flops = {flops};
  task.cost.bytes = {bytes};
  return task;
}

TaskGraph chain_graph(int length, Duration each) {
  TaskGraphBuilder builder;
  for (int i = 0; i < length; ++i) {
    const TaskId task = builder.add_task("link" + std::to_string(i), spin_task(each));
    if (i > 0) builder.add_edge(task_id(index(task) - 1), task);
  }
  return std::move(builder).build();
}

TaskGraph predicated_chains_graph(int chains, int length, Duration each, double probability, Duration first, bool joined) {
  TaskGraphBuilder builder;
  Task task = spin_task(each);
  task.traits = builder.add_traits({.probability = probability});
  const TaskId gate = builder.add_task("gate", spin_task(first));
  for (int i = 0; i < chains * length; ++i) {
    const TaskId id = builder.add_task("link" + std::to_string(i), task);
    builder.add_edge(i < chains ? gate : task_id(index(id) - static_cast<std::size_t>(chains)), id);
  }
  if (joined) {
    const TaskId join = builder.add_task("join", spin_task(Duration{0}));
    for (int i = 0; i < chains; ++i) builder.add_edge(task_id(index(join) - static_cast<std::size_t>(chains - i)), join);
  }
  return std::move(builder).build();
}

TaskGraph predicated_fan_graph(int length, int branches, Duration each, double probability, Duration first) {
  TaskGraphBuilder builder;
  Task task = spin_task(each);
  task.traits = builder.add_traits({.probability = probability});
  TaskId last = builder.add_task("gate", spin_task(first));
  for (int i = 0; i < length; ++i) {
    const TaskId id = builder.add_task("link" + std::to_string(i), task);
    builder.add_edge(last, id);
    last = id;
  }
  std::vector<TaskId> fan;
  for (int i = 0; i < branches; ++i) {
    fan.push_back(builder.add_task("branch" + std::to_string(i), task));
    builder.add_edge(last, fan.back());
  }
  const TaskId join = builder.add_task("join", spin_task(Duration{0}));
  for (const TaskId branch : fan) builder.add_edge(branch, join);
  return std::move(builder).build();
}

TaskGraph independent_graph(int count, const Task& task, const Problem& problem) {
  return independent_graph(std::vector<Task>(static_cast<std::size_t>(count), task), problem);
}

TaskGraph independent_graph(const std::vector<Task>& tasks, const Problem& problem) {
  TaskGraphBuilder builder;
  builder.set_problem(problem);
  for (const Task& task : tasks) builder.add_task("task" + std::to_string(builder.size()), task);
  return std::move(builder).build();
}

TaskGraph joined_graph(int count, const Task& task) {
  TaskGraphBuilder builder;
  for (int i = 0; i < count; ++i) builder.add_task("task" + std::to_string(i), task);
  const TaskId join = builder.add_task("join", spin_task(Duration{0}));
  for (int i = 0; i < count; ++i) builder.add_edge(task_id(static_cast<std::size_t>(i)), join);
  return std::move(builder).build();
}

TaskGraph wave_graph(const std::vector<Task>& tasks, int width, const std::vector<std::vector<Task>>& between, const Problem& problem,
                     const std::vector<Task>& ahead) {
  TaskGraphBuilder builder;
  builder.set_problem(problem);
  Task join;
  join.kernel = Kernel::kEmpty;
  std::vector<TaskId> before;
  const auto add_gate = [&] {
    const TaskId gate = builder.add_task("gate" + std::to_string(builder.size()), join);
    for (const TaskId task : before) builder.add_edge(task, gate);
    before.clear();
    return gate;
  };
  const auto add_wave = [&](std::span<const Task> wave) {
    const TaskId gate = add_gate();
    for (const Task& task : wave) {
      before.push_back(builder.add_task("task" + std::to_string(builder.size()), task));
      builder.add_edge(gate, before.back());
    }
  };
  if (!ahead.empty()) add_wave(ahead);
  for (std::size_t begin = 0; begin < tasks.size(); begin += static_cast<std::size_t>(width)) {
    for (const std::vector<Task>& wave : between) add_wave(wave);
    const std::span wave = std::span(tasks).subspan(begin, std::min(tasks.size() - begin, static_cast<std::size_t>(width)));
    add_wave(wave);
  }
  return std::move(builder).build();
}

TaskGraph stars_graph(int stars, int leaves, Duration each) {
  TaskGraphBuilder builder;
  TaskId opener{};
  for (int star = 0; star < stars; ++star) {
    const std::string name = std::to_string(star);
    const TaskId hub = builder.add_task("hub" + name, spin_task(each));
    if (star > 0) builder.add_edge(opener, hub);
    for (int leaf = 0; leaf < leaves; ++leaf) {
      const TaskId task = builder.add_task("leaf" + name + "." + std::to_string(leaf), spin_task(each));
      builder.add_edge(hub, task);
      if (leaf == 0) opener = task;
    }
  }
  return std::move(builder).build();
}

TaskGraph spawned_tree(int depth, int children, Duration each) {
  TaskGraphBuilder builder;
  std::vector<TaskId> parents{builder.add_task("root", spin_task(each))};
  for (int level = 1; level < depth; ++level) {
    std::vector<TaskId> next;
    for (const TaskId parent : parents) {
      for (int i = 0; i < children; ++i) {
        next.push_back(builder.add_task("node" + std::to_string(builder.size()), spin_task(each)));
        builder.set_spawner(next.back(), parent);
      }
    }
    parents = std::move(next);
  }
  return std::move(builder).build();
}

TaskGraph spawning_graph(int generations, int children, Duration each) {
  TaskGraphBuilder builder;
  TaskId parent = builder.add_task("root", spin_task(each));
  for (int generation = 0; generation < generations; ++generation) {
    TaskId next = parent;
    for (int i = 0; i < children; ++i) {
      const TaskId child = builder.add_task("child" + std::to_string(generation) + "." + std::to_string(i), spin_task(each));
      builder.set_spawner(child, parent);
      if (i == 0) next = child;
    }
    parent = next;
  }
  return std::move(builder).build();
}

namespace {

/// After `gate`, if there is one.
TaskGraph stencil(TaskGraphBuilder builder, std::optional<TaskId> gate, int layers, int width, Duration each) {
  for (int layer = 0; layer < layers; ++layer) {
    for (int column = 0; column < width; ++column) {
      const TaskId task = builder.add_task("cell" + std::to_string(layer) + "." + std::to_string(column), spin_task(each));
      if (layer == 0 && gate) builder.add_edge(*gate, task);
      for (int beside = -1; layer > 0 && beside <= 1; ++beside) {
        if (column + beside < 0 || column + beside >= width) continue;
        builder.add_edge(task_id(index(task) - static_cast<std::size_t>(width - beside)), task);
      }
    }
  }
  return std::move(builder).build();
}

}  // namespace

TaskGraph stencil_graph(int layers, int width, Duration each) { return stencil({}, std::nullopt, layers, width, each); }

TaskGraph stencil_behind_one(int layers, int width, Duration each) {
  TaskGraphBuilder builder;
  const TaskId gate = builder.add_task("gate", spin_task(each));
  return stencil(std::move(builder), gate, layers, width, each);
}

TaskGraph groups_behind_one(const GroupedShape& shape) {
  Random random(shape.seed);
  TaskGraphBuilder builder;
  const TaskId first = builder.add_task("first", spin_task(shape.shortest));
  const auto in_layer = static_cast<std::size_t>(shape.groups * shape.width);
  for (int layer = 0; layer < shape.layers; ++layer) {
    for (std::size_t of = 0; of < in_layer; ++of) {
      const Duration time{random.between(shape.shortest.count(), shape.longest.count())};
      const TaskId task = builder.add_task("node" + std::to_string(builder.size()), spin_task(time));
      if (layer == 0) builder.add_edge(first, task);
      const auto width = static_cast<std::size_t>(shape.width);
      for (std::size_t before = 0; layer > 0 && before < width; ++before)
        builder.add_edge(task_id(index(task) - in_layer - of % width + before), task);
    }
  }
  return std::move(builder).build();
}

TaskGraph layered_graph(const LayeredShape& shape) {
  Random random(shape.seed);
  TaskGraphBuilder builder;
  for (int layer = 0; layer < shape.layers; ++layer) {
    for (int column = 0; column < shape.width; ++column) {
      const Duration time{random.between(shape.shortest.count(), shape.longest.count())};
      const TaskId task = builder.add_task("node" + std::to_string(layer) + "." + std::to_string(column), spin_task(time));
      if (layer == 0) continue;
      std::set<std::int64_t> before;
      while (std::ssize(before) < std::min(shape.predecessors, shape.width)) before.insert(random.between(0, shape.width - 1));
      for (const std::int64_t of : before) builder.add_edge(task_id(static_cast<std::size_t>((layer - 1) * shape.width + of)), task);
    }
  }
  return std::move(builder).build();
}

}  // namespace tasktwin::verify
