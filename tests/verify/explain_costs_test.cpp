// Random graphs under named designs on the shipped machines: the path's causes sum up, and the one that is named as costliest is.
#include <numeric>

#include <gtest/gtest.h>

#include "models/error.hpp"
#include "models/random.hpp"
#include "scenarios/scenario.hpp"
#include "verify/explanation.hpp"

namespace tasktwin::verify {
namespace {

constexpr std::uint64_t kCases = 60;

/// Layers of tasks, each behind one or two of the layer before; kernels of one or many blocks where grids are launched.
TaskGraph random_layers(Random& random, CoreType first, CoreType second, bool grids) {
  TaskGraphBuilder builder;
  const auto layers = static_cast<int>(random.between(3, 12));
  const auto width = static_cast<int>(random.between(2, 24));
  const std::int64_t longest = random.between(2'000, 60'000);
  for (int layer = 0; layer < layers; ++layer) {
    for (int i = 0; i < width; ++i) {
      Task task;
      task.cost.time = Duration{random.between(1'000, longest)};
      task.core_type = random.uniform() < 0.5 ? first : second;
      TaskTraits traits;
      if (grids && random.uniform() < 0.4) traits.blocks = static_cast<int>(random.between(2, 400));
      task.traits = builder.add_traits(traits);
      const TaskId id = builder.add_task("t" + std::to_string(layer) + "-" + std::to_string(i), task);
      for (std::int64_t edge = layer == 0 ? 0 : random.between(1, 2); edge > 0; --edge)
        builder.add_edge(task_id(static_cast<std::size_t>((layer - 1) * width + random.between(0, width - 1))), id);
    }
  }
  return std::move(builder).build();
}

scenarios::Scenario random_scenario(std::uint64_t number) {
  Random random(number + 1);
  scenarios::Scenario scenario;
  scenario.name = "case " + std::to_string(number);
  const Design& design = named_designs()[number % named_designs().size()];
  const bool ascend = design.name.starts_with("ascend");
  scenario.machine = scenarios::load_machine(ascend ? "ascend-a2a3" : "nvidia-h200");
  const bool grids = design.driver == Driver::kStreams || design.driver == Driver::kCudaGraph;
  scenario.graph =
      ascend ? random_layers(random, CoreType::kAic, CoreType::kAiv, false) : random_layers(random, CoreType::kSm, CoreType::kSm, grids);
  scenario.designs = {design};
  return scenario;
}

TEST(Costs, OfTheCauseThatIsNamedAreAtLeastHalfGainedWithoutIt) {
  for (std::uint64_t number = 0; number < kCases; ++number) {
    const scenarios::Scenario scenario = random_scenario(number);
    const Design& design = scenario.designs.front();
    const DesignAccount one = account(scenario, design, number);
    EXPECT_EQ(std::accumulate(one.path.by_cause.begin(), one.path.by_cause.end(), Duration{}), one.makespan) << number;
    EXPECT_LE(one.path.of(PathCause::kRest), one.makespan / 50) << number << " " << design.name;
    const std::vector<CauseCost> costs = cause_costs(scenario, design, one.path, one.makespan, number);
    ASSERT_FALSE(costs.empty()) << number;
    EXPECT_GE(2 * costs.front().gain, costs.front().on_path)
        << number << " " << design.name << " " << to_word(costs.front().cause) << " of " << to_ns(one.makespan);
  }
}

}  // namespace
}  // namespace tasktwin::verify
