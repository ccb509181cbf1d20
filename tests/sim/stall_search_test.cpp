// The search for groups that hold each other's cores, against all orders of small graphs, tried one by one, and against simulated runs.
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "models/base/error.hpp"
#include "models/base/random.hpp"
#include "models/checks/meetings.hpp"
#include "models/checks/stalls.hpp"
#include "models/runtimes/runtimes.hpp"
#include "sim/simulator.hpp"
#include "tests/sim/small_worlds.hpp"

namespace tasktwin::sim {
namespace {

/// Kernels on cores that each hold one block, in every order in which blocks can come.
class AllOrders {
 public:
  AllOrders(const TaskGraph& graph, int cores) : graph_(graph), cores_(cores), groups_(meeting_groups(graph)) {}

  bool some_hang() { return hangs(std::vector<int>(graph_.size(), 0)); }

 private:
  static constexpr int kDone = -1;
  using State = std::vector<int>;  ///< by task: blocks on cores, or that it is done

  bool hangs(State state) {
    for (const auto& [number, group] : groups_) {  // a group that is whole ends
      bool whole = true;
      for (const TaskId task : group) whole = whole && state[index(task)] == graph_.traits(task).blocks;
      if (!whole) continue;
      for (const TaskId task : group) state[index(task)] = kDone;
    }
    const auto [known, is_new] = seen_.emplace(state, false);
    if (!is_new) return known->second;
    int taken = 0;
    bool done = true;
    for (const int blocks : state) {
      taken += blocks == kDone ? 0 : blocks;
      done = done && blocks == kDone;
    }
    bool moved = false;
    bool hung = false;
    for (std::size_t i = 0; i < graph_.size() && taken < cores_; ++i) {
      const TaskId task = task_id(i);
      if (state[i] == kDone || !begins(state, task)) continue;
      const TaskTraits& traits = graph_.traits(task);
      const bool meets = traits.co_resident != 0 && groups_.contains(traits.co_resident);
      if (meets && state[i] == traits.blocks) continue;
      State next = state;
      next[i] = meets ? state[i] + 1 : kDone;
      moved = true;
      hung = hung || hangs(next);
    }
    hung = hung || (!moved && !done);
    return seen_[state] = hung;
  }
  bool begins(const State& state, TaskId task) const {
    for (const TaskId before : graph_.predecessors(task)) {
      if (state[index(before)] != kDone) return false;
    }
    return true;
  }

  const TaskGraph& graph_;
  int cores_;
  std::map<int, std::vector<TaskId>> groups_;
  std::map<State, bool> seen_;
};

TaskGraph random_meetings(Random& random) {
  TaskGraphBuilder builder;
  const auto tasks = static_cast<std::size_t>(random.between(3, 7));
  for (std::size_t i = 0; i < tasks; ++i) {
    const std::uint32_t traits = builder.add_traits({.blocks = static_cast<int>(random.between(1, 2)),
                                                     .stream = static_cast<int>(i),
                                                     .co_resident = static_cast<int>(random.between(0, 3))});
    builder.add_task("t" + std::to_string(i), {.cost = {.time = Duration{random.between(1, 50)}}, .traits = traits});
    for (std::size_t from = 0; from < i; ++from) {
      if (random.uniform() < 0.12) builder.add_edge(task_id(from), task_id(i));
    }
  }
  return std::move(builder).build();
}

TEST(StallSearch, FindsWhatSomeOrderOfBlocksShows) {
  Random random(7);
  int hang = 0;
  int end = 0;
  for (int i = 0; i < 4000; ++i) {
    const TaskGraph graph = random_meetings(random);
    const auto cores = static_cast<int>(random.between(2, 6));
    const Machine machine = plain_machine(cores);
    const Design design = named_design("cuda-graph");
    const bool hangs = AllOrders(graph, cores).some_hang();
    const bool found = !find_stalls({graph, machine, design, {}}).empty();
    ASSERT_EQ(found, hangs) << "graph " << i << " on " << cores << " cores";
    (hangs ? hang : end)++;
  }
  EXPECT_GT(hang, 300);
  EXPECT_GT(end, 300);
}

TEST(StallSearch, KnowsOfEverySimulatedRunThatHangs) {
  Random random(11);
  int hung = 0;
  for (int i = 0; i < 1500; ++i) {
    const TaskGraph graph = random_meetings(random);
    Machine machine = plain_machine(static_cast<int>(random.between(2, 6)));
    machine.host_calls->launch = Nanoseconds{5};
    Design design = named_design(i % 2 == 0 ? "cuda-graph" : "cuda-streams");
    if (design.driver == Driver::kStreams) {
      design.streams = 7;
      design.stream_granularity = StreamGranularity::kHinted;
    }
    try {
      simulate(graph, machine, design);
    } catch (const InputError&) {
      EXPECT_TRUE(certain_stall({graph, machine, design, {}})) << i;
    } catch (const RunError& error) {
      ++hung;
      EXPECT_FALSE(possible_stalls(graph, machine, design).empty()) << i << " " << error.what();
      EXPECT_NE(std::string(error.what()).find("in some orders the run hangs"), std::string::npos) << error.what();
    }
  }
  EXPECT_GT(hung, 20);
}

}  // namespace
}  // namespace tasktwin::sim
