#include "scenarios/generators/spawn_tree.hpp"

#include "models/random.hpp"

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

SpawnTreeParameters parameters_from(const ParameterValues& values) {
  return {.offspring = *from_word<Offspring>(values.word("offspring")),
          .tasks = values.whole("tasks"),
          .branching = values.whole("branching"),
          .probability_ppm = values.whole("probability_ppm"),
          .max_depth = values.whole("max_depth"),
          .body = body_from(values)};
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

Generator spawn_tree_generator() {
  constexpr auto offspring = all_words<Offspring>();
  return {.name = "spawn_tree",
          .meaning = "an unbalanced tree of tasks that spawn tasks, as in Unbalanced Tree Search",
          .parameters =
              with_body({{.name = "offspring",
                          .meaning = "how the number of tasks that a task spawns is distributed",
                          .words = {offspring.begin(), offspring.end()},
                          .word = to_word(Offspring::kBinomial)},
                         {.name = "tasks", .meaning = "tasks, the root included", .min = 1, .max = 1'000'000'000, .value = 10'000},
                         {.name = "branching",
                          .meaning = "tasks that a task spawns, if it does; or on average at the root",
                          .min = 1,
                          .max = 1000,
                          .value = 8},
                         {.name = "probability_ppm",
                          .meaning = "how likely a task spawns any, in millionths, where offspring is binomial",
                          .min = 0,
                          .max = 1'000'000,
                          .value = 124'875},
                         {.name = "max_depth", .meaning = "depth at which none is spawned", .min = 1, .max = 1'000'000, .value = 1000}}),
          .size =
              [](const ParameterValues& values) {
                const auto tasks = values.whole("tasks");
                return GraphSize{tasks, tasks - 1, "tasks " + std::to_string(tasks)};
              },
          .make = [](const ParameterValues& values, std::uint64_t seed) { return make_spawn_tree(parameters_from(values), seed); }};
}

}  // namespace tasktwin::scenarios
