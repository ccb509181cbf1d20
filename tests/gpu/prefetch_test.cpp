// Workers that load inputs of tasks to come, on a GPU.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "models/base/error.hpp"
#include "models/cost/prefetch.hpp"
#include "models/runtimes/runtimes.hpp"
#include "tests/gpu/executor_cases.hpp"
#include "tests/gpu/problem_graphs.hpp"

namespace tasktwin::gpu {
namespace {

using namespace std::chrono_literals;

class Prefetch : public OnTheGpu {
 protected:
  static Design ahead(int tasks, Notification notification = Notification::kCounter) {
    Design design = quickly_placed(named_design("static-queues"));
    design.prefetch = tasks;
    design.notification = notification;
    return design;
  }
};

/// Every other task streams, of 0 to five pages and some bytes more.
TaskGraph streams_and_spins(std::size_t tasks, std::uint64_t seed) {
  const TaskGraph plain = random_graph(tasks, 200, 1us, seed);
  Random random(seed);
  TaskGraphBuilder builder;
  for (std::size_t i = 0; i < plain.size(); ++i) {
    Task task = plain[task_id(i)];
    if (i % 2 == 0) {
      task.kernel = Kernel::kStream;
      task.cost = {.bytes = {random.between(0, 90'000)}};
    }
    builder.add_task(std::string(plain.name(task_id(i))), task);
  }
  for (std::size_t i = 0; i < plain.size(); ++i) {
    for (const TaskId next : plain.successors(task_id(i))) builder.add_edge(task_id(i), next);
  }
  return std::move(builder).build();
}

TEST_F(Prefetch, GetsTheNumbersOfDecodeStepsRight) {
  for (const DecodeProblem& model : kDecodeCases) {
    const TaskGraph graph = uneven_decode(model);
    ASSERT_GT(page_ring(graph, machine_).pages, 0);
    for (const Notification notification : {Notification::kCounter, Notification::kFlag}) {
      for (const int tasks : {1, 3, kMaxPrefetch}) {
        const Measurement measured = run(graph, machine_, ahead(tasks, notification), {.repeats = 1, .order_checks = 3});
        EXPECT_EQ(measured.ordering_violations, 0);
        ASSERT_TRUE(measured.residual.has_value());
        EXPECT_LE(*measured.residual, measured.residual_limit) << "hidden " << model.hidden << ", prefetch " << tasks;
        EXPECT_EQ(stamp_fault(graph, measured.timeline, true), "");
      }
    }
  }
}

TEST_F(Prefetch, KeepsTheOrderOfTasksThatStreamAndOthers) {
  const TaskGraph graph = streams_and_spins(20'000, 7);
  for (const int workers : {1, 5, 132}) {
    const Measurement measured = run(graph, machine_of(workers, ahead(2)), ahead(2), {.repeats = 1});
    EXPECT_EQ(measured.ordering_violations, 0) << workers;
    EXPECT_EQ(stamp_fault(graph, measured.timeline, true), "") << workers;
  }
}

TEST_F(Prefetch, ChangesNothingForTilesThatOthersWrite) {
  const TaskGraph graph = scenarios::make_cholesky({.tiles = 8, .tile_size = 64});
  const Measurement measured = run(graph, machine_, ahead(4), {.repeats = 1});
  EXPECT_EQ(measured.ordering_violations, 0);
  EXPECT_LE(measured.residual.value(), measured.residual_limit);
}

TEST_F(Prefetch, RunsAMillionTasks) {
  const TaskGraph graph = streams_and_spins(1'000'000, 9);
  EXPECT_EQ(run(graph, machine_, ahead(2), {.repeats = 1, .stamps = false}).ordering_violations, 0);
}

TEST_F(Prefetch, EndsAStuckRunWithPagesLoaded) {
  TaskGraphBuilder builder;
  for (int i = 0; i < 400; ++i) builder.add_task("t" + std::to_string(i), {.cost = {.bytes = {100'000}}, .kernel = Kernel::kStream});
  const TaskGraph graph = std::move(builder).build();
  try {
    run(graph, machine_, ahead(4), {.repeats = 1, .watchdog = 300ms, .never_released = {task_id(5)}});
    ADD_FAILURE() << "the run ended by itself";
  } catch (const RunError& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr("waits for task 't5'"));
  }
  EXPECT_EQ(run(chain(20), machine_, ahead(1), {.repeats = 1}).ordering_violations, 0) << "the device is usable afterwards";
}

}  // namespace
}  // namespace tasktwin::gpu
