// Threads take turns at the engine, and a run that is ended leaves nothing for the next.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <thread>
#include <vector>

#include "models/base/error.hpp"
#include "sim/simulator.hpp"
#include "tests/sim/random_designs.hpp"
#include "tests/sim/small_worlds.hpp"

namespace tasktwin::sim {
namespace {

/// Nothing for a world whose design refuses its graph.
std::optional<Timeline> timeline_of(const RandomWorld& world) {
  try {
    return simulate(world.graph, world.machine, world.design,
                    {.seed = world.seed, .replayed = world.replayed.tasks.empty() ? nullptr : &world.replayed})
        .timeline;
  } catch (const InputError&) {
  } catch (const RunError&) {
  }
  return std::nullopt;
}

TEST(Simulate, GivesSeveralThreadsAtOnceWhatItGivesOne) {
  constexpr std::uint64_t kWorlds = 300;
  std::vector<std::optional<Timeline>> alone;
  for (std::uint64_t number = 0; number < kWorlds; ++number) alone.push_back(timeline_of(random_world(number)));
  std::vector<std::uint64_t> differing(4, 0);
  {
    std::vector<std::jthread> threads;
    for (std::uint64_t& differs : differing) {
      threads.emplace_back([&differs, &alone] {
        for (std::uint64_t number = 0; number < kWorlds; ++number) differs += timeline_of(random_world(number)) == alone[number] ? 0 : 1;
      });
    }
  }
  EXPECT_THAT(differing, testing::Each(0));
}

TEST(Simulate, EndsWhereItIsInterruptedAndTheNextRunIsRight) {
  const TaskGraph graph = independent(60'000, 100);
  const Machine machine = plain_machine(4);
  const Design design = with_depth("central-dispatcher", 1);
  const Timeline expected = simulate(graph, machine, design).timeline;
  int asked = 0;
  EXPECT_THROW(simulate(graph, machine, design, {.interrupted = [&asked] { return ++asked == 3; }}), RunError);
  EXPECT_EQ(asked, 3);
  EXPECT_EQ(simulate(graph, machine, design, {.interrupted = [] { return false; }}).timeline, expected);
}

TEST(Simulate, RefusesToStartAnotherRunBeforeItHasEnded) {
  const TaskGraph graph = independent(60'000, 100);
  const Machine machine = plain_machine(4);
  const Design design = with_depth("central-dispatcher", 1);
  bool refused = false;
  const auto start_another = [&] {
    try {
      simulate(graph, machine, design);
    } catch (const RunError&) {
      refused = true;
    }
    return refused;
  };
  EXPECT_THROW(simulate(graph, machine, design, {.interrupted = start_another}), RunError);
  EXPECT_TRUE(refused);
}

}  // namespace
}  // namespace tasktwin::sim
