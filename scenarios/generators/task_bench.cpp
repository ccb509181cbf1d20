#include "scenarios/generators/task_bench.hpp"

#include <bit>

#include "models/base/random.hpp"
#include "scenarios/generators/generators.hpp"
#include "scenarios/generators/parts/distinct.hpp"

namespace tasktwin::scenarios {

namespace {

std::int64_t points(const TaskBenchParameters& parameters, std::int64_t step) {
  if (parameters.pattern != Pattern::kTree || step >= 62) return parameters.width;
  return std::min(parameters.width, std::int64_t{1} << step);
}

/// 2^d of the fft pattern at `step` >= 1. A single point has no neighbours: ceil(log2 1) = 0 counts as 1.
std::int64_t fft_distance(std::int64_t width, std::int64_t step) {
  const std::int64_t levels = std::max<std::int64_t>(1, std::bit_width(static_cast<std::uint64_t>(width - 1)));
  return std::int64_t{1} << ((step - 1) % levels);
}

/// The points of the step before that `point` waits for, ascending.
std::vector<std::int64_t> predecessors(const TaskBenchParameters& parameters, std::int64_t step, std::int64_t point, Random& random) {
  const std::int64_t width = points(parameters, step - 1);
  std::vector<std::int64_t> found;
  const auto add = [&](std::int64_t candidate) {
    if (candidate >= 0 && candidate < width) found.push_back(candidate);
  };
  switch (parameters.pattern) {
    case Pattern::kTrivial:
      break;
    case Pattern::kStencil:
      for (const std::int64_t offset : {-1, 0, 1}) add(point + offset);
      break;
    case Pattern::kFft:
      for (const std::int64_t sign : {-1, 0, 1}) add(point + sign * fft_distance(parameters.width, step));
      break;
    case Pattern::kTree:
      add(point / 2);
      break;
    case Pattern::kRandom:
      found = distinct(random, std::min(parameters.predecessors, width), width);
      break;
    case Pattern::kAllToAll:
      for (std::int64_t i = 0; i < width; ++i) add(i);
      break;
  }
  return found;
}

std::int64_t edges_into_step(const TaskBenchParameters& parameters, std::int64_t step) {
  const std::int64_t width = parameters.width;
  switch (parameters.pattern) {
    case Pattern::kTrivial:
      return 0;
    case Pattern::kStencil:
      return 3 * width - 2;
    case Pattern::kFft:
      return 3 * width - 2 * std::min(width, fft_distance(width, step));
    case Pattern::kTree:
      return points(parameters, step);
    case Pattern::kRandom:
      return width * std::min(parameters.predecessors, width);
    case Pattern::kAllToAll:
      return width * width;
  }
  return 0;
}

}  // namespace

GraphSize task_bench_size(const TaskBenchParameters& parameters) {
  GraphSize size{points(parameters, 0), 0, {}};
  for (std::int64_t step = 1; step < parameters.steps; ++step) {
    size.tasks += points(parameters, step);
    size.edges += edges_into_step(parameters, step);
  }
  size.formula = "pattern " + std::string(to_word(parameters.pattern)) + ", width " + std::to_string(parameters.width) + " x steps " +
                 std::to_string(parameters.steps);
  size.body_ns = static_cast<double>(size.tasks) * static_cast<double>(to_ns(parameters.body.cost.time));
  return size;
}

TaskGraph make_task_bench(const TaskBenchParameters& parameters, std::uint64_t seed) {
  TaskGraphBuilder builder;
  Random random(seed);
  std::size_t first_before = 0;
  for (std::int64_t step = 0; step < parameters.steps; ++step) {
    const std::size_t first = builder.size();
    for (std::int64_t point = 0; point < points(parameters, step); ++point) {
      const std::string name = "point(" + std::to_string(step) + "," + std::to_string(point) + ")";
      const TaskId task = builder.add_task(name, parameters.body.task(static_cast<std::int32_t>(step)));
      if (step == 0) continue;
      for (const std::int64_t from : predecessors(parameters, step, point, random)) {
        builder.add_edge(task_id(first_before + static_cast<std::size_t>(from)), task);
      }
    }
    first_before = first;
  }
  return std::move(builder).build();
}

namespace {

void parameters(ParameterTable& table, TaskBenchParameters& values) {
  table.word("pattern", "what a point waits for in the step before", values.pattern);
  table.number("width", "points of a step", values.width, 1, 1'000'000);
  table.number("steps", "steps", values.steps, 1, 1'000'000);
  table.number("predecessors", "of a point, where the pattern is random", values.predecessors, 1, 1000);
  body_parameters(table, values.body);
}

}  // namespace

Generator task_bench_generator() {
  return generator_of("task_bench", "a grid of points by steps with one of Task Bench's dependence patterns", parameters, task_bench_size,
                      make_task_bench);
}

}  // namespace tasktwin::scenarios
