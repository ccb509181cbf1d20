#include <algorithm>

#include <gtest/gtest.h>

#include "models/policies/built_in.hpp"
#include "tests/models/graphs.hpp"

namespace tasktwin {
namespace {

using testing_graphs::random_graph;

struct Scheduler {
  const char* name;
  StaticSchedule (*run)(const StaticInputs&);
};

class StaticScheduler : public testing::TestWithParam<Scheduler> {
 protected:
  /// Calls check(inputs, schedule, seed) for many random graphs, workers and costs from `least` on, half of them with costs
  /// of three values only, so that much happens at the same time.
  template <class Check>
  static void for_random_inputs(std::int64_t least, Check check) {
    for (std::uint64_t seed = 0; seed < 300; ++seed) {
      const TaskGraph graph = random_graph({.tasks = 18, .edge_probability = 0.15}, seed);
      const std::uint64_t most = seed % 2 == 0 ? 3 : 20;
      const StaticInputs inputs{graph, 1 + seed % 4,
                                [=](TaskId task, std::size_t worker) -> std::int64_t {
                                  const std::uint64_t drawn = mix(seed ^ (100 * index(task) + worker));
                                  return worker > 0 && drawn % 3 == 0 ? -1 : least + static_cast<std::int64_t>(drawn / 3 % most);
                                },
                                [=](TaskId from, TaskId to, bool same_worker) {
                                  const auto drawn = static_cast<std::int64_t>(mix(seed ^ (index(from) * 31 + index(to))) % most);
                                  return same_worker ? drawn / 2 : drawn;
                                }};
      ASSERT_NO_FATAL_FAILURE(check(inputs, GetParam().run(inputs), seed));
    }
  }
};

TEST_P(StaticScheduler, PlacesEveryTaskOnceWhereItCanRun) {
  for_random_inputs(0, [](const StaticInputs& inputs, const StaticSchedule& schedule, std::uint64_t seed) {
    std::vector<int> seen(inputs.graph.size());
    ASSERT_EQ(schedule.lists.size(), inputs.workers);
    for (std::size_t w = 0; w < inputs.workers; ++w) {
      for (const TaskId task : schedule.lists[w]) {
        ++seen[index(task)];
        ASSERT_EQ(schedule.slots[index(task)].worker, w) << "seed " << seed;
        ASSERT_GE(inputs.cost(task, w), 0) << "seed " << seed;
      }
    }
    ASSERT_TRUE(std::ranges::all_of(seen, [](int times) { return times == 1; })) << "seed " << seed;
  });
}

/// Runs the lists as they are: each worker its next task as soon as it and the inputs are there. Ends with what ran.
std::vector<Slot> run_lists(const StaticInputs& inputs, const FrozenSchedule& lists) {
  std::vector<Slot> slots(inputs.graph.size(), Slot{.finish = -1});
  std::vector<std::size_t> next(lists.size());
  std::vector<std::int64_t> free(lists.size());
  for (bool moved = true; moved;) {
    moved = false;
    for (std::size_t w = 0; w < lists.size(); ++w) {
      if (next[w] == lists[w].size()) continue;
      const TaskId task = lists[w][next[w]];
      std::int64_t start = free[w];
      bool ready = true;
      for (const TaskId before : inputs.graph.predecessors(task)) {
        const Slot& from = slots[index(before)];
        ready &= from.finish >= 0;
        start = std::max(start, from.finish + inputs.communication(before, task, from.worker == w));
      }
      if (!ready) continue;
      slots[index(task)] = {w, start, start + inputs.cost(task, w)};
      free[w] = slots[index(task)].finish;
      ++next[w];
      moved = true;
    }
  }
  return slots;
}

TEST_P(StaticScheduler, ListsNeverDeadlock) {
  for_random_inputs(0, [](const StaticInputs& inputs, const StaticSchedule& schedule, std::uint64_t seed) {
    const std::vector<Slot> ran = run_lists(inputs, schedule.lists);
    ASSERT_TRUE(std::ranges::all_of(ran, [](const Slot& slot) { return slot.finish >= 0; })) << "seed " << seed;
  });
}

TEST_P(StaticScheduler, ListsRunAsPlanned) {
  // From 1 ns on: a task of no length takes no room, so another may be planned around it.
  for_random_inputs(1, [](const StaticInputs& inputs, const StaticSchedule& schedule, std::uint64_t seed) {
    ASSERT_EQ(run_lists(inputs, schedule.lists), schedule.slots) << "seed " << seed;
  });
}

INSTANTIATE_TEST_SUITE_P(All, StaticScheduler,
                         testing::Values(Scheduler{"Heft", heft}, Scheduler{"Cpop", cpop}, Scheduler{"Peft", peft}, Scheduler{"Dls", dls},
                                         Scheduler{"Lookahead", lookahead}, Scheduler{"MinMin", min_min}),
                         [](const auto& test) { return test.param.name; });

}  // namespace
}  // namespace tasktwin
