// Random graphs under named designs on the shipped machines: the path's causes sum up, and the one that is named as costliest is.
#include <algorithm>
#include <array>
#include <numeric>
#include <string>

#include <gtest/gtest.h>

#include "models/base/error.hpp"
#include "models/base/random.hpp"
#include "models/runtimes/runtimes.hpp"
#include "scenarios/document/document.hpp"
#include "scenarios/load/scenario_document.hpp"
#include "verify/explain/explanation.hpp"

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

scenarios::Scenario written(const std::string& tasks, const std::string& design, const std::string& machine = "nvidia-h100") {
  return scenarios::scenario_from(scenarios::parse_document(
      "held.yaml", "scenario: held\nmachine: " + machine + "\ngraph:\n  tasks:\n" + tasks + "designs:\n  - " + design + "\n"));
}

/// A cause that holds a run up on purpose: `least` of its path, mostly because of `holder`, half of which a run without it gains.
struct Held {
  const char* what;
  std::string tasks;
  std::string design;
  PathCause cause;
  double least;
  std::string holder;
  std::string machine = "nvidia-h100";
  bool gains = true;  ///< else what comes in its place costs as much
};

std::string one_after_another(int count, const char* fields) {
  std::string all;
  for (int i = 0; i < count; ++i) all += "    - {name: small-" + std::to_string(i) + ", " + fields + "}\n";
  return all;
}

class CausesOnPurpose : public testing::TestWithParam<Held> {};

TEST_P(CausesOnPurpose, AreNamedWithTheirHolders) {
  const Held& held = GetParam();
  const scenarios::Scenario scenario = written(held.tasks, held.design, held.machine);
  const DesignAccount one = account(scenario, scenario.designs.front(), 1);
  EXPECT_EQ(std::accumulate(one.path.by_cause.begin(), one.path.by_cause.end(), Duration{}), one.makespan);
  EXPECT_GE(static_cast<double>(to_ns(one.path.of(held.cause))), held.least * static_cast<double>(to_ns(one.makespan)));
  EXPECT_EQ(one.holders[static_cast<std::size_t>(held.cause)], held.holder);
  const std::vector<CauseCost> costs = cause_costs(scenario, scenario.designs.front(), one.path, one.makespan, 1);
  const auto named = std::ranges::find(costs, held.cause, &CauseCost::cause);
  if (!held.gains) return;
  ASSERT_NE(named, costs.end());
  EXPECT_GE(2 * named->gain, named->on_path);
}

INSTANTIATE_TEST_SUITE_P(
    All, CausesOnPurpose,
    testing::Values(Held{"LegacyDefaultStream",
                         "    - {name: long, time_ns: 300000, stream: 1}\n    - {name: short, time_ns: 300000, stream: 0}\n",
                         "{name: legacy, from: cuda-streams, stream_granularity: hinted, streams: 2, default_stream: legacy}",
                         PathCause::kStream, 0.4, "long"},
                    Held{"CopiesWithinAGraph",
                         "    - {name: root, time_ns: 1000}\n"
                         "    - {name: first, operation: copy_h2d, bytes: 100000000, after: [root]}\n"
                         "    - {name: second, operation: copy_h2d, bytes: 100000000, after: [root]}\n",
                         "{name: graph, from: cuda-graph}", PathCause::kCopyEngine, 0.4, "first", "nvidia-h100", false},
                    Held{"CudaFree",
                         "    - {name: get, operation: alloc, buffer: x, bytes: 1048576, stream: 0}\n"
                         "    - {name: long, time_ns: 20000000, blocks: 1, stream: 1}\n"
                         "    - {name: give, operation: free, buffer: x, stream: 0, after: [get]}\n"
                         "    - {name: late, time_ns: 20000000, blocks: 1, stream: 2}\n",
                         "{name: malloc, from: cuda-streams, stream_granularity: hinted, streams: 4, allocator: malloc}",
                         PathCause::kHostBlocked, 0.4, "long"},
                    Held{"FullStream",
                         "    - {name: giant, time_ns: 20000000, blocks: 1, stream: 0}\n" +
                             one_after_another(1100, "time_ns: 1000, blocks: 1, stream: 0") +
                             "    - {name: late, time_ns: 20000000, blocks: 1, stream: 1}\n",
                         "{name: full, from: cuda-streams, stream_granularity: hinted, streams: 2}", PathCause::kHostBlocked, 0.3, "giant"},
                    Held{"Replays", "    - {name: only, time_ns: 200000, blocks: 1}\n", "{name: again, from: cuda-graph, replays: 10}",
                         PathCause::kReplays, 0.85, "", "nvidia-h100", false},
                    Held{"HostBuild", one_after_another(2000, "time_ns: 1000, core_type: aic"),
                         "{name: built, from: ascend-host-built, host_build: timed}", PathCause::kSubmit, 0.5, "", "ascend-a2a3"},
                    Held{"BytesBetweenDevices",
                         "    - {name: make, time_ns: 20000, device: 0}\n"
                         "    - {name: use, time_ns: 20000, device: 1, after: [{task: make, bytes: 100000000}]}\n",
                         "{name: two, from: cuda-streams}", PathCause::kTransfer, 0.5, "", "nvidia-h100x4"}),
    [](const auto& param_info) { return std::string(param_info.param.what); });

TEST(Costs, AreKnownOfKernelsInStreamsByType) {
  const scenarios::Scenario scenario = scenarios::load_scenario("shares");
  for (const Design& design : scenario.designs) {
    const DesignAccount one = account_with_costs(scenario, design, 1);
    EXPECT_TRUE(one.unknown_costs.empty()) << design.name;
    EXPECT_FALSE(one.costs.empty()) << design.name;
  }
}

TEST(Costs, ThatNoRunShowsAreNotLeftOut) {
  const scenarios::Scenario scenario =
      written("    - {name: only, time_ns: 200000, blocks: 1}\n", "{name: again, from: cuda-graph, replays: 10}");
  const DesignAccount one = account_with_costs(scenario, scenario.designs.front(), 1);
  ASSERT_EQ(one.unknown_costs.size(), 1u);
  EXPECT_EQ(one.unknown_costs[0].cause, PathCause::kReplays);
  EXPECT_NE(one.unknown_costs[0].why.find("replays"), std::string::npos);
}

/// Three cores take three of six tasks past the queue; behind them the order counts, in the same round.
TEST(Orders, OfARoundBeginWithWhatCoresHaveNext) {
  std::string tasks = "    - {name: load, time_ns: 5000}\n";
  for (int i = 0; i < 5; ++i) tasks += "    - {name: scan-" + std::to_string(i) + ", time_ns: 6000, after: [load]}\n";
  tasks += "    - {name: plan, time_ns: 4000, after: [load]}\n    - {name: solve, time_ns: 14000, after: [plan]}\n";
  const scenarios::Scenario scenario = written(tasks, "{name: own, from: central-dispatcher, dispatchers: 1, order: critical_path}",
                                               "{from: nvidia-h200, compute_cores: [{type: sm, count: 4}]}");
  const DesignAccount one = account(scenario, scenario.designs.front(), 1);
  EXPECT_EQ(one.order.choices, 5u);
  EXPECT_EQ(one.order.passed, 3u);
  EXPECT_NE(orders(std::array{&one}).find("past the ready queue"), std::string::npos);
}

TEST(Orders, OfSeveralQueuesPassNone) {
  const scenarios::Scenario scenario =
      written(one_after_another(400, "time_ns: 1000"), "{name: own, from: work-stealing, order: longest}", "nvidia-h200");
  const DesignAccount one = account(scenario, scenario.designs.front(), 1);
  EXPECT_FALSE(one.order.one_queue);
  EXPECT_EQ(one.order.passed, 0u);
  EXPECT_NE(orders(std::array{&one}).find("several queues"), std::string::npos);
}

TEST(Replays, LeaveTheLastRunItsCauses) {
  const std::string tasks =
      "    - {name: a, time_ns: 200000, blocks: 1, stream: 0}\n    - {name: b, time_ns: 200000, blocks: 1, stream: 1, after: [a]}\n";
  const std::string design = "{name: syncs, from: cuda-streams, stream_granularity: hinted, streams: 2, stream_wait: device_sync";
  const scenarios::Scenario once = written(tasks, design + "}");
  const scenarios::Scenario often = written(tasks, design + ", replays: 3}");
  const DesignAccount one = account(once, once.designs.front(), 1);
  const DesignAccount three = account(often, often.designs.front(), 1);
  const auto near = [&](PathCause cause) {
    EXPECT_NEAR(static_cast<double>(to_ns(three.path.of(cause))), static_cast<double>(to_ns(one.path.of(cause))), 20'000) << to_word(cause);
  };
  near(PathCause::kBody);
  near(PathCause::kLaunch);
  near(PathCause::kHostBlocked);
  EXPECT_GE(three.path.of(PathCause::kReplays), 1.8 * one.makespan);
}

TEST(Replays, CountInSharesAndBounds) {
  const scenarios::Scenario once = written("    - {name: only, time_ns: 200000, blocks: 1}\n", "{name: once, from: cuda-graph}");
  const scenarios::Scenario often =
      written("    - {name: only, time_ns: 200000, blocks: 1}\n", "{name: often, from: cuda-graph, replays: 10}");
  const DesignAccount one = account(once, once.designs.front(), 1);
  const DesignAccount ten = account(often, often.designs.front(), 1);
  EXPECT_EQ(ten.bounds.highest(), 10 * one.bounds.highest());
  EXPECT_GE(ten.core_busy_share, one.core_busy_share);
  EXPECT_LE(ten.over_bound, one.over_bound);
  EXPECT_GE(ten.over_bound, 1);
}

}  // namespace
}  // namespace tasktwin::verify
