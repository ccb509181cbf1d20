// Random graphs under random designs over all axes: what must hold for every timeline.
#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string_view>

#include "models/base/error.hpp"
#include "models/bounds/bounds.hpp"
#include "models/checks/task_window.hpp"
#include "models/design/design_parts.hpp"
#include "models/policies/policies.hpp"
#include "models/run/as_run.hpp"
#include "models/run/outcome.hpp"
#include "sim/simulator.hpp"
#include "tests/sim/invariants.hpp"
#include "tests/sim/random_designs.hpp"

namespace tasktwin::sim {
namespace {

constexpr std::uint64_t kChunks = 10;
constexpr int kPairsAChunk = 1000;

Simulation run(const RandomWorld& world) {
  return simulate(
      world.graph, world.machine, world.design,
      {.seed = world.seed, .record_steps = world.seed % 2 == 0, .replayed = world.replayed.tasks.empty() ? nullptr : &world.replayed});
}

/// Of the part of the graph that exists.
bool window_is_too_small(const RandomWorld& world) {
  const TaskGraph graph = with_gates(world.graph, world.design).value_or(world.graph);
  const GraphPart part = existing_part(graph, draw_outcome(graph, world.seed));
  if (!in_list_order(world.design)) return window_deadlock(part.graph, world.design).has_value();
  Timeline replayed;
  for (const TaskId task : part.original) {
    if (!world.replayed.tasks.empty()) replayed.tasks.push_back(world.replayed.tasks[index(task)]);
  }
  return window_deadlock(part.graph, world.design,
                         frozen_schedule(part.graph, as_run(world.design, world.machine).constants(), world.design, &replayed))
      .has_value();
}

void expect_steps_in_order(const RandomWorld& world, const Timeline& timeline) {
  for (const auto& steps : timeline.steps) {
    for (std::size_t i = 0; i < steps.size(); ++i) {
      ASSERT_LT(steps[i].begin, steps[i].end) << world.describe();
      if (i == 0) continue;
      ASSERT_LE(steps[i - 1].end, steps[i].begin) << world.describe();
    }
  }
}

class DesignSpace : public testing::TestWithParam<std::uint64_t> {};

TEST_P(DesignSpace, EveryTimelineHoldsTheInvariants) {
  int ran = 0;
  for (std::uint64_t number = GetParam() << 32; ran < kPairsAChunk; ++number) {
    const RandomWorld world = random_world(number);
    Timeline timeline;
    try {
      timeline = run(world).timeline;
    } catch (const InputError&) {
      continue;  // the design refuses a task of the graph, by name
    } catch (const RunError& standstill) {
      if (world.design.spin_limit_us > 0 && std::string_view(standstill.what()).find("spin_limit_us") != std::string_view::npos) continue;
      ASSERT_TRUE(window_is_too_small(world)) << world.describe() << "\n" << standstill.what();
      ++ran;
      continue;
    } catch (const std::exception& broken) {
      FAIL() << world.describe() << "\n" << broken.what();
    }
    ++ran;
    ASSERT_FALSE(window_is_too_small(world)) << world.describe();
    const auto breach = first_breach(world, timeline);
    ASSERT_FALSE(breach) << world.describe() << "\n" << *breach;
    const Bounds bounds = run_bounds(world.graph, world.machine, world.design, world.seed);
    ASSERT_LE(bounds.highest(), timeline.makespan()) << world.describe() << "\n" << bounds.highest_name();
    expect_steps_in_order(world, timeline);
  }
}

TEST_P(DesignSpace, SameSeedSameTimeline) {
  for (std::uint64_t number = GetParam() << 32; number < (GetParam() << 32) + 50; ++number) {
    const RandomWorld world = random_world(number);
    try {
      const Timeline first = run(world).timeline;
      ASSERT_EQ(first, run(world).timeline) << world.describe();
    } catch (const InputError&) {
    } catch (const RunError&) {
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Chunks, DesignSpace, testing::Range<std::uint64_t>(0, kChunks));

TEST(DesignSpaceCoverage, EveryWordOfEveryAxisIsDrawnAndRun) {
  std::map<std::pair<std::string_view, std::string_view>, int> runs;
  for (std::uint64_t number = 0; number < 14000; ++number) {
    const RandomWorld world = random_world(number);
    try {
      run(world);
    } catch (const std::exception&) {
      continue;
    }
    for (const AxisField& field : axis_fields()) {
      if (field.is_word()) ++runs[{field.name, field.word(world.design)}];
    }
  }
  // Random worlds have one device; tests/sim/devices_test.cpp has several.
  const std::set<std::string_view> of_several_devices{"device_placement", "peer_data", "collective", "launching"};
  for (const AxisField& field : axis_fields()) {
    if (of_several_devices.contains(field.name)) continue;
    for (const std::string_view word : simulated_words(field)) EXPECT_GE((runs[{field.name, word}]), 20) << field.name << " " << word;
  }
}

}  // namespace
}  // namespace tasktwin::sim
