// Random graphs under random designs over all axes: what every explanation must hold.
#include <algorithm>

#include <gtest/gtest.h>

#include "models/base/error.hpp"
#include "models/base/random.hpp"
#include "sim/simulator.hpp"
#include "tests/sim/random_designs.hpp"
#include "verify/explain/explanation.hpp"
#include "verify/predict/run_statistics.hpp"

namespace tasktwin::verify {
namespace {

constexpr std::uint64_t kWorlds = 1500;

/// Calls visit(scenario, world) for the worlds whose design refuses no task and whose run ends.
template <class Visit>
void for_each_world(std::uint64_t first, Visit visit) {
  std::uint64_t ran = 0;
  for (std::uint64_t number = first; ran < kWorlds && !testing::Test::HasFailure(); ++number) {
    const sim::RandomWorld world = sim::random_world(number);
    scenarios::Scenario scenario;
    scenario.graph = world.graph;
    scenario.machine = world.machine;
    if (!world.replayed.tasks.empty()) scenario.replays[world.design.name] = world.replayed;
    try {
      visit(scenario, world);
    } catch (const InputError&) {
      continue;
    } catch (const RunError&) {
      continue;
    }
    ++ran;
  }
}

void expect_tiled(const DesignAccount& account) {
  TimePoint at{};
  Duration sum{};
  for (const PathSegment& segment : account.path.segments) {
    EXPECT_EQ(segment.begin, at);
    EXPECT_LT(segment.begin, segment.end);
    at = segment.end;
  }
  for (const Duration part : account.path.by_cause) sum += part;
  EXPECT_EQ(at, TimePoint{account.makespan});
  EXPECT_EQ(sum, account.makespan);
}

bool is_body(PathCause cause) { return cause == PathCause::kBody || cause == PathCause::kDataWait || cause == PathCause::kCoreWait; }

/// Waits of the path's next task that another caused.
bool is_held_up(PathCause cause) {
  return cause == PathCause::kRoom || cause == PathCause::kHardwareQueue || cause == PathCause::kHostBlocked ||
         cause == PathCause::kHeadOfLine;
}

/// Whether a task without any length was at its time then.
bool has_no_length(const Timeline& timeline, TimePoint at) {
  return std::ranges::any_of(timeline.tasks, [at](const TaskTimes& times) { return times.started == at && times.ended == at; });
}

/// The path may go through tasks that leave no segment on it: one without any length, or, of kernels that started
/// together, those in front.
bool passes_through_others(const Timeline& timeline, Driver driver, TimePoint at) {
  const auto started = [at](const TaskTimes& times) { return times.started == at; };
  const bool launched = driver == Driver::kStreams || driver == Driver::kCudaGraph;
  if (launched && std::ranges::count_if(timeline.tasks, started) > 1) return true;
  return has_no_length(timeline, at);
}

/// Directly, or through events alone.
bool has_edge(const TaskGraph& graph, TaskId before, TaskId after) {
  return std::ranges::any_of(graph.predecessors(after), [&](TaskId one) {
    return one == before || (graph[one].operation == Operation::kEvent && has_edge(graph, before, one));
  });
}

/// A body on the path lies within its task's own, and counts as needed just where the next task on the path has an edge from it.
void expect_true_bodies(const TaskGraph& graph, Driver driver, const Timeline& timeline, const ObservedPath& path) {
  for (std::size_t i = 0; i < path.segments.size(); ++i) {
    const PathSegment& segment = path.segments[i];
    if (!is_body(segment.cause) || graph.traits(segment.task).blocks > 1) continue;  // a block may wait for another of its task
    const TaskTimes& times = timeline.tasks[index(segment.task)];
    EXPECT_GE(segment.begin, times.started);
    EXPECT_LE(segment.end, times.ended);
    std::size_t next = i;
    bool between = false;  // a task without any length that was held up itself, before what came next was
    while (next < path.segments.size() && (path.segments[next].task == segment.task || is_held_up(path.segments[next].cause))) {
      if (is_held_up(path.segments[next].cause)) between = between || has_no_length(timeline, path.segments[next].begin);
      ++next;
    }
    const TimePoint met = path.segments[next - 1].end;
    if (between || passes_through_others(timeline, driver, met)) continue;
    if (next == path.segments.size()) {
      EXPECT_EQ(to_word(segment.cause), to_word(PathCause::kBody)) << "of the last task";
      continue;
    }
    const bool needed = has_edge(graph, segment.task, path.segments[next].task);
    EXPECT_EQ(segment.cause == PathCause::kBody, needed) << graph.name(segment.task) << " before " << graph.name(path.segments[next].task);
  }
}

TEST(Explanations, TileTheMakespanAndSumUpTheCores) {
  for_each_world(1'000'000, [](const scenarios::Scenario& scenario, const sim::RandomWorld& world) {
    const DesignAccount one = account(scenario, world.design, world.seed);
    expect_tiled(one);
    EXPECT_EQ(one.idle.total(), static_cast<std::int64_t>(one.cores) * one.makespan);
    for (const Duration part : one.idle.by_cause) EXPECT_GE(part, Duration{});
    const Prediction prediction = predict(scenario, world.design, world.seed);
    expect_true_bodies(scenario.graph, world.design.driver, prediction.timeline, one.path);
    if (testing::Test::HasFailure()) ADD_FAILURE() << world.describe();
  });
}

TEST(Explanations, HoldWithoutThePhasesThatAMeasurementMayLack) {
  for_each_world(2'000'000, [](const scenarios::Scenario& scenario, const sim::RandomWorld& world) {
    Timeline timeline = predict(scenario, world.design, world.seed).timeline;
    Random random(world.seed);
    for (TaskTimes& times : timeline.tasks) {
      for (TimePoint* phase : {&times.ready, &times.dispatched, &times.received}) {
        if (random.uniform() < 0.3) *phase = kAbsent;
      }
      if (random.uniform() < 0.3) times.dispatcher = kNoDispatcher;
    }
    DesignAccount one;
    one.path = observed_path(scenario.graph, world.design, timeline, {});
    one.makespan = timeline.makespan();
    expect_tiled(one);
    EXPECT_EQ(idle_time(scenario.graph, world.design, timeline).total(),
              static_cast<std::int64_t>(timeline.body_cores().size()) * one.makespan);
    if (testing::Test::HasFailure()) ADD_FAILURE() << world.describe();
  });
}

TEST(RandomParts, AreNoneOnlyWhereEverySeedGivesTheSameRun) {
  std::size_t constant = 0;
  std::size_t differ = 0;
  for_each_world(3'000'000, [&](const scenarios::Scenario& scenario, const sim::RandomWorld& world) {
    const Timeline one = predict(scenario, world.design, world.seed).timeline;
    const Timeline other = predict(scenario, world.design, world.seed + 1).timeline;
    if (random_parts(scenario.graph, scenario.machine, world.design).empty()) {
      ++constant;
      EXPECT_EQ(one, other) << world.describe();
    } else {
      differ += one == other ? 0 : 1;
    }
  });
  EXPECT_GT(constant, 20U);
  EXPECT_GT(differ, 200U);
}

}  // namespace
}  // namespace tasktwin::verify
