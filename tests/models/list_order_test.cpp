#include "models/checks/list_order.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <regex>

#include "models/base/error.hpp"
#include "models/runtimes/runtimes.hpp"
#include "tests/models/graphs.hpp"

namespace tasktwin {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Optional;
using testing::ThrowsMessage;
using testing_graphs::graph_of;
using testing_graphs::random_graph;

constexpr TaskId t(std::size_t i) { return task_id(i); }

TEST(ListDeadlock, NothingWhereListsAndEdgesAgree) {
  EXPECT_EQ(list_deadlock(graph_of({1, 1, 1}, {{0, 1}, {1, 2}}), {{t(0), t(2)}, {t(1)}}), std::nullopt);
  EXPECT_EQ(list_deadlock(TaskGraph{}, {}), std::nullopt);
}

TEST(ListDeadlock, TellsTheShortestCycleAndWhyEachWaits) {
  EXPECT_EQ(list_deadlock(graph_of({1, 1}, {{0, 1}}), {{t(1), t(0)}}),
            "the lists and the edges wait for each other in a cycle: 't0' waits for 't1' (which stands before it in the list of core 0), "
            "'t1' waits for 't0' (an edge)");
  // t1 waits for t3 over t0 and for t0 itself; t3 waits for t2, which stands behind t1.
  EXPECT_THAT(
      list_deadlock(graph_of({1, 1, 1, 1}, {{0, 1}, {2, 3}}), {{t(1), t(2)}, {t(3), t(0)}}),
      Optional(AllOf(
          HasSubstr("'t1' waits for 't0' (an edge)"), HasSubstr("'t0' waits for 't3' (which stands before it in the list of core 1)"),
          HasSubstr("'t3' waits for 't2' (an edge)"), HasSubstr("'t2' waits for 't1' (which stands before it in the list of core 0)"))));
}

TEST(ListDeadlock, PassesOverWhatStandsBetweenTwoPlacesOfOneList) {
  EXPECT_EQ(list_deadlock(graph_of({1, 1, 1, 1, 1}, {{0, 1}}), {{t(4)}, {t(1), t(2), t(3), t(0)}}),
            "the lists and the edges wait for each other in a cycle: 't0' waits for 't1' (which stands before it in the list of core 1), "
            "'t1' waits for 't0' (an edge)");
}

TEST(ListDeadlock, ALongCycleIsCutShort) {
  // Task 2i is awaited by 2i + 1, which stands first on core i + 1; 2i stands second on core i.
  constexpr std::size_t kCores = 100;
  TaskGraphBuilder builder;
  for (std::size_t i = 0; i < 2 * kCores; ++i) builder.add_task("t" + std::to_string(i), {});
  FrozenSchedule lists(kCores);
  for (std::size_t i = 0; i < kCores; ++i) {
    builder.add_edge(t(2 * i), t(2 * i + 1));
    lists[(i + 1) % kCores].insert(lists[(i + 1) % kCores].begin(), t(2 * i + 1));
    lists[i].push_back(t(2 * i));
  }
  EXPECT_THAT(list_deadlock(std::move(builder).build(), lists), Optional(HasSubstr(", … (179 more), ")));
}

/// Runs the lists step by step, as a check that is slow and plain.
bool comes_to_an_end(const TaskGraph& graph, const FrozenSchedule& lists) {
  std::vector<bool> done(graph.size());
  std::vector<bool> listed(graph.size());
  for (const auto& list : lists) {
    for (const TaskId task : list) listed[index(task)] = true;
  }
  std::vector<std::size_t> next(lists.size());
  const auto can = [&](TaskId task) {
    return std::ranges::all_of(graph.predecessors(task), [&](TaskId p) { return bool(done[index(p)]); });
  };
  for (bool moved = true; moved;) {
    moved = false;
    for (std::size_t core = 0; core < lists.size(); ++core) {
      if (next[core] == lists[core].size() || !can(lists[core][next[core]])) continue;
      done[index(lists[core][next[core]++])] = moved = true;
    }
    for (std::size_t i = 0; i < graph.size(); ++i) {
      if (listed[i] || done[i] || !can(t(i))) continue;
      done[i] = moved = true;
    }
  }
  return std::ranges::all_of(done, std::identity{});
}

/// What is wrong with a cycle in words: each wait must be one, and each must begin where the last one ended.
std::string untruth(const std::string& text, const TaskGraph& graph, const FrozenSchedule& lists) {
  static const std::regex step(R"('t(\d+)' waits for 't(\d+)' \((an edge|which stands before it in the list of core (\d+))\))");
  std::vector<std::size_t> ends;
  std::size_t first = 0;
  for (auto at = std::sregex_iterator(text.begin(), text.end(), step); at != std::sregex_iterator(); ++at) {
    const std::size_t waiting = std::stoul((*at)[1]);
    const std::size_t awaited = std::stoul((*at)[2]);
    if (ends.empty()) first = waiting;
    if (!ends.empty() && ends.back() != waiting) return "broken at t" + std::to_string(waiting);
    ends.push_back(awaited);
    if ((*at)[4].length() == 0) {
      if (!std::ranges::any_of(graph.predecessors(t(waiting)), [awaited](TaskId p) { return index(p) == awaited; }))
        return "no edge: " + at->str();
    } else {
      const auto& list = lists.at(std::stoul((*at)[4]));
      const auto place = [&list](std::size_t task) { return std::ranges::find(list, t(task)); };
      if (place(waiting) == list.end() || place(awaited) >= place(waiting)) return "no such place: " + at->str();
    }
  }
  if (ends.empty()) return "no steps";
  return ends.back() == first ? "" : "not closed";
}

TEST(ListDeadlock, AgreesWithRunningRandomListsAndNamesOnlyWaitsThatAreThere) {
  int deadlocks = 0;
  int ends = 0;
  for (std::uint64_t seed = 0; seed < 4000; ++seed) {
    Random random(seed);
    const TaskGraph graph =
        random_graph({.tasks = static_cast<std::size_t>(random.between(1, 14)), .edge_probability = 0.2 * random.uniform()}, seed);
    FrozenSchedule lists(static_cast<std::size_t>(random.between(1, 4)));
    std::vector<TaskId> order = graph.topological_order();
    const auto swaps = random.between(0, 4);  // few, so that many lists are sound
    for (int i = 0; i < swaps; ++i) {
      const auto any = [&] { return static_cast<std::size_t>(random.between(0, static_cast<std::int64_t>(order.size()) - 1)); };
      std::swap(order[any()], order[any()]);
    }
    for (const TaskId task : order) {
      if (random.uniform() < 0.9) lists[static_cast<std::size_t>(random.next() % lists.size())].push_back(task);
    }
    const auto deadlock = list_deadlock(graph, lists);
    ASSERT_EQ(deadlock.has_value(), !comes_to_an_end(graph, lists)) << seed;
    ++(deadlock ? deadlocks : ends);
    ASSERT_EQ(deadlock ? untruth(*deadlock, graph, lists) : "", "") << seed << ": " << deadlock.value_or("");
  }
  EXPECT_GT(deadlocks, 500);
  EXPECT_GT(ends, 500);
}

TEST(ListFault, NamesWhatTheListsLackOrRepeat) {
  const TaskGraph graph = graph_of({1, 1, 1}, {});
  const auto fault = [&](const FrozenSchedule& lists, ListCover cover = ListCover::kAll) { return list_fault(graph, lists, 2, cover); };
  EXPECT_EQ(fault({{t(0), t(1)}, {t(2)}}), std::nullopt);
  EXPECT_EQ(fault({{t(0), t(1), t(2)}}), std::nullopt);
  EXPECT_EQ(fault({{t(0)}, {t(1)}, {t(2)}}), "there are 3 lists, but 2 worker(s)");
  EXPECT_EQ(fault({{t(0)}, {t(2)}}), "task 't1' is in no list");
  EXPECT_EQ(fault({{t(0)}, {t(2)}}, ListCover::kSome), std::nullopt);
  EXPECT_EQ(fault({{t(0), t(1), t(0)}, {t(2)}}), "task 't0' is twice in the list of core 0");
  EXPECT_EQ(fault({{t(0), t(1)}, {t(2), t(1)}}, ListCover::kSome), "task 't1' is in the lists of cores 0 and 1");
  EXPECT_EQ(fault({{t(0), t(1)}, {t(2), t(3)}}), "the list of core 1 has task number 3, but the graph has 3 tasks");
}

TEST(ProveLists, RefusesFaultsCyclesAndWindowsThatAreTooSmall) {
  const TaskGraph graph = graph_of({1, 1, 1, 1}, {{0, 1}});
  Design design = named_design("static-queues");
  EXPECT_NO_THROW(prove_lists(graph, design, {{t(0), t(1)}, {t(2), t(3)}}, 2));
  EXPECT_THAT(
      [&] {
        prove_lists(graph, design, {{t(0), t(1)}, {t(2)}}, 2);
      },
      ThrowsMessage<InputError>("design 'static-queues': task 't3' is in no list"));
  EXPECT_THAT(
      [&] {
        prove_lists(graph, design, {{t(1), t(0)}, {t(2), t(3)}}, 2);
      },
      ThrowsMessage<InputError>(HasSubstr("'t1' waits for 't0' (an edge)")));
  design.graph_build = GraphBuild::kDevice;
  design.window = 2;
  EXPECT_NO_THROW(prove_lists(graph, design, {{t(0), t(1)}, {t(2), t(3)}}, 2));
  EXPECT_THAT(
      [&] {
        prove_lists(graph, design, {{t(0), t(3), t(1)}, {t(2)}}, 2);
      },
      ThrowsMessage<InputError>(HasSubstr("a window of 2 tasks is too small")));
}

}  // namespace
}  // namespace tasktwin
