#include "models/explain/idle_time.hpp"

#include <gtest/gtest.h>

#include "models/runtimes/runtimes.hpp"
#include "tests/models/graphs.hpp"
#include "tests/models/path_worlds.hpp"
#include "tests/models/random_run.hpp"

namespace tasktwin {
namespace {

using testing_graphs::graph_of;
using testing_graphs::random_graph;
using testing_graphs::random_run;
using testing_graphs::times_of;

constexpr DispatcherId kFirst{0};

Timeline on_cores(std::size_t cores, std::vector<TaskTimes> tasks) {
  Timeline timeline;
  timeline.tasks = std::move(tasks);
  timeline.cores.assign(cores, CoreType::kSm);
  return timeline;
}

void expect_idle(const IdleTime& idle, std::int64_t busy, std::int64_t no_ready_work, std::int64_t dispatch, std::int64_t notification,
                 std::int64_t tail) {
  EXPECT_EQ(idle.busy, Duration{busy});
  EXPECT_EQ(idle.of(IdleCause::kNoReadyWork), Duration{no_ready_work});
  EXPECT_EQ(idle.of(IdleCause::kDispatch), Duration{dispatch});
  EXPECT_EQ(idle.of(IdleCause::kNotification), Duration{notification});
  EXPECT_EQ(idle.of(IdleCause::kTail), Duration{tail});
}

TEST(IdleTime, OfAChainIsItsHopsAndTheOtherCoresTail) {
  const TaskGraph graph = graph_of({100, 100}, {{0, 1}});
  const Timeline timeline =
      on_cores(2, {times_of({0, 10, 15, 20, 120, 130}, 0, kFirst), times_of({150, 160, 165, 170, 270, 280}, 0, kFirst)});
  // Core 0: 10 not handed over, 10 on the way, 100 busy, 30 nothing ready, 10 not handed over, 10 on the way, 100 busy, 10 tail.
  // Core 1: idle throughout; 20 of that while a task waited to be handed over.
  expect_idle(idle_time(graph, Design{}, timeline), 200, 30, 20 + 20, 20, 10 + 260);
}

TEST(IdleTime, OfAFrozenListCountsItsOwnTasksOnly) {
  // t1 is ready at 0 and waits on core 1 for its list's t0 until 100; core 0's list is done at 50, and t1 is not for it.
  const TaskGraph graph = graph_of({100, 100, 50}, {});
  const Timeline timeline =
      on_cores(2, {times_of({0, 0, 0, 0, 100, 100}, 1), times_of({0, 110, 110, 110, 210, 210}, 1), times_of({0, 0, 0, 0, 50, 50}, 0)});
  expect_idle(idle_time(graph, named_design("static-queues"), timeline), 250, 0, 10, 0, 160);
  // Under a shared queue it is: ready and not taken until 110.
  expect_idle(idle_time(graph, named_design("shared-queue"), timeline), 250, 0, 10 + 60, 0, 100);
}

TEST(IdleTime, CountsATaskOnEachOfItsCores) {
  const TaskGraph graph = graph_of({100}, {});
  Timeline timeline = on_cores(2, {times_of({0, 0, 10, 10, 120, 120}, 0, kFirst)});
  timeline.blocks = {{TaskId{0}, CoreId{0}, at_ns(10), at_ns(110), at_ns(120)}, {TaskId{0}, CoreId{1}, at_ns(20), at_ns(120), at_ns(120)}};
  expect_idle(idle_time(graph, Design{}, timeline), 200, 0, 0, 10 + 20, 10);
}

/// Two clusters of an AIC and two AIV cores. b needs an AIC core, which both have none of until 100, and is handed over at 115; c behind it
/// would have had its two AIV cores all the time.
TEST(IdleTime, IsGangUntilTheCoresOfATaskOfSeveralAreIdle) {
  TaskGraphBuilder builder;
  const std::uint32_t all = builder.add_traits({.aic = 1, .aiv = 2, .parts = {Duration{100}, Duration{20}, Duration{20}}});
  const std::uint32_t two = builder.add_traits({.aic = 0, .aiv = 2, .parts = {Duration{10}, Duration{10}}});
  builder.add_task("a", {.cost = {.time = Duration{100}}, .core_type = CoreType::kMix, .traits = all});
  builder.add_task("e", {.cost = {.time = Duration{100}}, .core_type = CoreType::kAic});
  builder.add_task("b", {.cost = {.time = Duration{100}}, .core_type = CoreType::kMix, .traits = all});
  builder.add_task("c", {.cost = {.time = Duration{10}}, .core_type = CoreType::kMix, .traits = two});
  const TaskGraph graph = std::move(builder).build();
  Timeline timeline = on_cores(6, {times_of({0, 0, 0, 0, 100, 100}, 0, kFirst), times_of({0, 0, 0, 0, 100, 100}, 1, kFirst),
                                   times_of({0, 115, 120, 120, 220, 220}, 0, kFirst), times_of({0, 116, 120, 120, 130, 130}, 4, kFirst)});
  timeline.cores = {CoreType::kAic, CoreType::kAic, CoreType::kAiv, CoreType::kAiv, CoreType::kAiv, CoreType::kAiv};
  const auto block = [&timeline](std::uint32_t task, std::uint32_t core, std::int64_t started, std::int64_t ended) {
    timeline.blocks.push_back({TaskId{task}, CoreId{core}, at_ns(started), at_ns(ended), at_ns(ended)});
  };
  for (const auto& [task, started] : {std::pair{0U, 0}, std::pair{2U, 120}}) {
    block(task, 0, started, started + 100);
    for (const std::uint32_t core : {2U, 3U}) block(task, core, started, started + 20);
  }
  for (const std::uint32_t core : {4U, 5U}) block(3, core, 120, 130);
  for (const Gang gang : {Gang::kTogether, Gang::kApart}) {
    Design design;
    design.gang = gang;
    const IdleTime idle = idle_time(graph, design, timeline);
    EXPECT_EQ(idle.of(IdleCause::kGang), Duration{2 * 80 + 2 * 100});
    EXPECT_EQ(idle.of(IdleCause::kDispatch), Duration{15 + 15 + 2 * 15 + 2 * 16});
    EXPECT_EQ(idle.of(IdleCause::kNotification), Duration{5 + 2 * 5 + 2 * 4});
    EXPECT_EQ(idle.of(IdleCause::kNoReadyWork), Duration{0});
  }
}

TEST(IdleTime, OfTasksThatDidNotComeToBeIsNoneOfTheirs) {
  const TaskGraph graph = graph_of({100, 100}, {});
  expect_idle(idle_time(graph, Design{}, on_cores(1, {times_of({0, 0, 0, 0, 100, 100}, 0), TaskTimes{}})), 100, 0, 0, 0, 0);
}

/// Oracle: looks, in each nanosecond, at what each core does.
IdleTime count_ticks(const TaskGraph& graph, const Design& design, const Timeline& timeline) {
  const bool own = is_static(design.placement);
  IdleTime idle;
  for (std::size_t core = 0; core < timeline.cores.size(); ++core) {
    for (TimePoint now{}; now < TimePoint{timeline.makespan()}; now += Duration{1}) {
      bool busy = false;
      bool on_way = false;
      bool available = false;
      bool later = false;
      for (std::size_t i = 0; i < graph.size(); ++i) {
        const TaskTimes& times = timeline.tasks[i];
        TimePoint ready = is_present(times.ready) ? times.ready : TimePoint{};
        if (!is_present(times.ready)) {
          for (const TaskId before : graph.predecessors(task_id(i))) ready = std::max(ready, finish(timeline.tasks[index(before)]));
        }
        const TimePoint handed = std::max(ready, is_present(times.dispatched) ? times.dispatched : times.started);
        const bool mine = index(times.core) == core;
        busy |= mine && times.started <= now && now < times.ended;
        on_way |= mine && handed <= now && now < times.started;
        available |= (own ? mine : timeline.cores[index(times.core)] == timeline.cores[core]) && ready <= now && now < handed;
        later |= mine && now < times.ended;
      }
      if (busy) {
        idle.busy += Duration{1};
      } else {
        const IdleCause cause = on_way      ? IdleCause::kNotification
                                : available ? IdleCause::kDispatch
                                : later     ? IdleCause::kNoReadyWork
                                            : IdleCause::kTail;
        idle.by_cause[static_cast<std::size_t>(cause)] += Duration{1};
      }
    }
  }
  return idle;
}

TEST(IdleTime, IsWhatCountingEveryNanosecondGives) {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    const TaskGraph graph = random_graph({.tasks = 14, .edge_probability = 0.2, .core_types = 2}, seed);
    Timeline timeline = random_run(graph, seed % 2 == 0, seed);
    Random random(seed);
    if (seed % 3 != 0) {
      for (TaskTimes& times : timeline.tasks) times.dispatched = times.started - Duration{random.between(0, 3)};
    }
    for (const char* name : {"shared-queue", "static-queues"}) {
      const Design& design = named_design(name);
      const IdleTime idle = idle_time(graph, design, timeline);
      const IdleTime ticks = count_ticks(graph, design, timeline);
      EXPECT_EQ(idle.busy, ticks.busy) << name << " seed " << seed;
      EXPECT_EQ(idle.by_cause, ticks.by_cause) << name << " seed " << seed;
      EXPECT_EQ(idle.total(), static_cast<std::int64_t>(timeline.cores.size()) * timeline.makespan());
    }
    if (HasFailure()) break;
  }
}

}  // namespace
}  // namespace tasktwin
