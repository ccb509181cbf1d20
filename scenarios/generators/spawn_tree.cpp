#include "scenarios/generators/spawn_tree.hpp"

#include "models/base/random.hpp"
#include "scenarios/generators/generators.hpp"

namespace tasktwin::scenarios {

namespace {

std::int64_t children(const SpawnTreeParameters& parameters, std::int64_t depth, Random& random) {
  if (depth >= parameters.max_depth) return 0;
  if (parameters.offspring == Offspring::kBinomial)
    return random.between(1, 1'000'000) <= parameters.probability_ppm ? parameters.branching : 0;
  const double mean =
      static_cast<double>(parameters.branching) * (1 - static_cast<double>(depth) / static_cast<double>(parameters.max_depth));
  std::int64_t count = 0;
  while (count < parameters.tasks && random.uniform() < mean / (1 + mean)) ++count;
  return count;
}

}  // namespace

TaskGraph make_spawn_tree(const SpawnTreeParameters& parameters, std::uint64_t seed) {
  struct Open {
    TaskId task;
    std::int64_t to_spawn;
  };
  TaskGraphBuilder builder;
  Random random(seed);
  const auto add = [&](std::int64_t depth) {
    return builder.add_task("node(" + std::to_string(builder.size()) + ")", parameters.body.task(static_cast<std::int32_t>(depth)));
  };
  std::vector<Open> path{{add(0), parameters.tasks}};  // from the root to where the tree grows
  while (static_cast<std::int64_t>(builder.size()) < parameters.tasks) {
    if (path.back().to_spawn == 0) {
      path.pop_back();
      continue;
    }
    --path.back().to_spawn;
    const auto depth = static_cast<std::int64_t>(path.size());
    const TaskId child = add(depth);
    builder.set_spawner(child, path.back().task);
    path.push_back({child, children(parameters, depth, random)});
  }
  return std::move(builder).build();
}

namespace {

void parameters(ParameterTable& table, SpawnTreeParameters& values) {
  table.word("offspring", "how the number of tasks that a task spawns is distributed", values.offspring);
  table.number("tasks", "tasks, the root included", values.tasks, 1, 1'000'000'000);
  table.number("branching", "tasks that a task spawns, if it does; or on average at the root", values.branching, 1, 1000);
  table.number("probability_ppm", "how likely a task spawns any, in millionths, where offspring is binomial", values.probability_ppm, 0,
               1'000'000);
  table.number("max_depth", "depth at which none is spawned", values.max_depth, 1, 1'000'000);
  body_parameters(table, values.body);
}

GraphSize size_of(const SpawnTreeParameters& values) {
  return GraphSize{values.tasks, values.tasks - 1, "tasks " + std::to_string(values.tasks)};
}

}  // namespace

Generator spawn_tree_generator() {
  return generator_of("spawn_tree", "an unbalanced tree of tasks that spawn tasks, as in Unbalanced Tree Search", parameters, size_of,
                      make_spawn_tree);
}

}  // namespace tasktwin::scenarios
