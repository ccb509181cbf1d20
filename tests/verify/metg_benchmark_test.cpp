#include "verify/bench/metg/metg_benchmark.hpp"

#include <algorithm>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "models/base/error.hpp"
#include "tests/verify/support/metg_worlds.hpp"
#include "verify/bench/metg/bench_patterns.hpp"

namespace tasktwin::verify {
namespace {

using ::testing::HasSubstr;
using namespace std::chrono_literals;

MetgPlan small_plan(std::vector<std::string_view> patterns, std::vector<std::string_view> executors = {}) {
  MetgPlan plan;
  for (const BenchExecutor& one : bench_executors()) {
    if (executors.empty() || std::ranges::find(executors, one.base.name) != executors.end()) plan.executors.push_back(&one);
  }
  plan.patterns = std::move(patterns);
  plan.lengths = {500ns, 1us, 2us, 4us, 8us, 16us, 32us};
  return plan;
}

TEST(BenchExecutors, HaveDesignsThatTheShippedMachineSeats) {
  const Machine machine = scenarios::load_machine("nvidia-h200");
  const int workers = bench_workers(machine);
  EXPECT_GE(workers, 128);
  std::set<std::string> names;
  for (const BenchExecutor& executor : bench_executors()) {
    EXPECT_TRUE(names.insert(executor.base.name).second) << executor.base.name;
    for (const bool independent : {false, true}) {
      const Design design = bench_design(executor, workers, independent);
      EXPECT_NO_THROW(check_design(design, machine)) << design.name;
      const Machine seated = machine_with_workers(machine, design, workers);
      EXPECT_EQ(worker_cores(design, seated).size(), static_cast<std::size_t>(workers)) << design.name;
    }
  }
}

TEST(BenchExecutors, SayInWhatTheyDifferFromTheNamedDesign) {
  for (const BenchExecutor& executor : bench_executors()) {
    EXPECT_EQ(tuned_axes(executor, executor.base), "");
    if (executor.base.name == "static-queues") {
      EXPECT_EQ(tuned_axes(executor, bench_design(executor, 8, false)), "placement round_robin, notification flag");
    }
  }
}

TEST(BenchExecutors, AreRunByTheGpusExecutors) {
  const Machine machine = scenarios::load_machine("nvidia-h200");
  const int workers = bench_workers(machine);
  for (const BenchExecutor& executor : bench_executors()) {
    for (const scenarios::Pattern pattern : {scenarios::Pattern::kTrivial, scenarios::Pattern::kStencil}) {
      const Design design = bench_design(executor, workers, pattern == scenarios::Pattern::kTrivial);
      const TaskGraph graph = scenarios::make_task_bench({.pattern = pattern, .width = 4, .steps = 3, .body = {}}, 1);
      EXPECT_EQ(gpu::why_unsupported(graph, machine_with_workers(machine, design, workers), design), std::nullopt) << design.name;
    }
  }
}

TEST(BenchPatterns, KeepTheirGraphsWithinBounds) {
  for (const Duration length : metg_lengths()) {
    for (const scenarios::Pattern pattern : {scenarios::Pattern::kTrivial, scenarios::Pattern::kRandom, scenarios::Pattern::kAllToAll}) {
      for (const bool host_launched : {false, true}) {
        const auto parameters = bench_parameters(pattern, length, 131, host_launched);
        const auto size = scenarios::task_bench_size(parameters);
        EXPECT_LE(size.tasks, host_launched ? 20'000 : 300'000);
        EXPECT_LE(size.edges, 1'100'000);
        EXPECT_EQ(parameters.body.cost.time, length);
        if (pattern != scenarios::Pattern::kAllToAll) {
          EXPECT_GE(parameters.steps, 100);
        }
      }
    }
  }
}

TEST(BenchPatterns, AreAtLeastTwoMillisecondsOfBodiesWhereTheyMayBe) {
  const auto parameters = bench_parameters(scenarios::Pattern::kStencil, 2us, 131, false);
  EXPECT_GE(parameters.steps * 2us, 2ms);
  EXPECT_LT(parameters.steps * 2us, 2.1ms);
}

TEST(MeasureMetg, FindsWhatTheSimulatedExecutorsPredictOfThemselves) {
  const MetgResult result = measure_metg(small_plan({"trivial", "stencil"}), tests::small_machine(), tests::simulated_backend());
  EXPECT_EQ(result.workers, 8);
  EXPECT_TRUE(result.right());
  EXPECT_EQ(result.cells.size(), 2 * bench_executors().size());
  for (const MetgCell& cell : result.cells) {
    if (cell.executor == "cuda-graph") {
      EXPECT_THAT(cell.refusal, HasSubstr("cuda_graph"));
      EXPECT_TRUE(cell.search.points.empty());
      continue;
    }
    ASSERT_EQ(cell.refusal, "") << cell.executor;
    ASSERT_EQ(cell.predicted_ns.size(), cell.search.points.size());
    for (std::size_t i = 0; i < cell.search.points.size(); ++i) {
      ASSERT_TRUE(cell.predicted_ns[i]) << cell.executor;
      EXPECT_DOUBLE_EQ(*cell.predicted_ns[i], cell.search.points[i].granularity_ns) << cell.executor << ' ' << cell.pattern;
    }
  }
}

TEST(MeasureMetg, CountsGranularityAsWallTimeTimesWorkersOverTasks) {
  BenchBackend backend = tests::simulated_backend();
  backend.run = [](const TaskGraph& graph, const Machine&, const Design&, const gpu::RunOptions&) {
    gpu::Measurement measurement;  // 3 µs a task on each of 8 workers, whatever its length; 1 and 9 are the outliers
    const auto wall = Duration{static_cast<std::int64_t>(graph.size()) / 8 * 3000};
    measurement.makespans = {9 * wall, wall, wall / 3};
    return measurement;
  };
  const MetgResult result = measure_metg(small_plan({"trivial"}, {"static-queues"}), tests::small_machine(), backend);
  ASSERT_EQ(result.cells.size(), 1U);
  for (const LengthPoint& point : result.cells[0].search.points) EXPECT_NEAR(point.granularity_ns, 3000, 1e-6);
  // Equal granularities on both sides of 50 %: the interpolation has nowhere else to go.
  ASSERT_EQ(result.cells[0].search.end, MetgSearch::End::kFound);
  EXPECT_NEAR(result.cells[0].search.metg_ns, 3000, 1e-6);
}

TEST(MeasureMetg, ChecksOrderAtEveryLengthAndOnceWhereTheHostLaunches) {
  std::map<std::string, std::vector<int>> checks;
  BenchBackend backend = tests::simulated_backend();
  const auto simulated = backend.run;
  backend.run = [&](const TaskGraph& graph, const Machine& machine, const Design& design, const gpu::RunOptions& options) {
    checks[design.name].push_back(options.order_checks);
    EXPECT_FALSE(options.stamps);
    gpu::Measurement measurement = simulated(graph, machine, design, options);
    measurement.ordering_violations = options.order_checks;
    return measurement;
  };
  const MetgResult result =
      measure_metg(small_plan({"stencil", "chain"}, {"shared-queue", "cuda-streams"}), tests::small_machine(), backend);
  EXPECT_EQ(std::ranges::count(checks["cuda-streams"], 1), 2);
  EXPECT_EQ(std::ranges::count(checks["shared-queue"], 0), 0);
  EXPECT_EQ(result.find("cuda-streams", "stencil")->ordering_violations, 1);
  const MetgCell& shared = *result.find("shared-queue", "stencil");
  EXPECT_EQ(shared.ordering_violations, static_cast<std::int64_t>(shared.search.points.size()));
  for (const ChainCell& chain : result.chains) EXPECT_EQ(chain.ordering_violations, 1);
  EXPECT_FALSE(result.right());
}

TEST(MeasureMetg, KeepsARunThatFailsAndGoesOn) {
  BenchBackend backend = tests::simulated_backend();
  const auto simulated = backend.run;
  backend.run = [&](const TaskGraph& graph, const Machine& machine, const Design& design, const gpu::RunOptions& options) {
    if (design.name == "static-queues") throw RunError("made no progress");
    return simulated(graph, machine, design, options);
  };
  const MetgResult result =
      measure_metg(small_plan({"trivial", "chain"}, {"static-queues", "shared-queue"}), tests::small_machine(), backend);
  EXPECT_FALSE(result.right());
  EXPECT_EQ(result.find("static-queues", "trivial")->fault, "made no progress");
  EXPECT_EQ(result.find("shared-queue", "trivial")->fault, "");
  EXPECT_FALSE(result.find("shared-queue", "trivial")->search.points.empty());
  ASSERT_EQ(result.chains.size(), 2U);
  EXPECT_EQ(result.chains[0].fault, "made no progress");
  EXPECT_GT(result.chains[1].ns_per_task, 0);
}

TEST(MeasureMetg, RunsEveryExecutorOnTheSameGraphsWithAsManyWorkers) {
  std::set<std::size_t> workers;
  std::map<Duration, std::set<std::size_t>> sizes;
  BenchBackend backend = tests::simulated_backend();
  const auto simulated = backend.run;
  backend.run = [&](const TaskGraph& graph, const Machine& machine, const Design& design, const gpu::RunOptions& options) {
    workers.insert(worker_cores(design, machine).size());
    sizes[graph[TaskId{0}].cost.time].insert(graph.size());
    return simulated(graph, machine, design, options);
  };
  measure_metg(small_plan({"stencil"}, {"central-dispatcher", "static-queues", "shared-queue"}), tests::small_machine(), backend);
  EXPECT_EQ(workers, std::set<std::size_t>{8});
  for (const auto& [length, found] : sizes) EXPECT_EQ(found.size(), 1U) << to_ns(length);
}

TEST(MeasureMetg, SaysWhichDesignRanWhere) {
  const MetgResult result =
      measure_metg(small_plan({"trivial", "stencil", "fft"}, {"shared-queue"}), tests::small_machine(), tests::simulated_backend());
  ASSERT_EQ(result.designs.size(), 2U);
  EXPECT_EQ(result.designs[0].tuned, "claim fixed, claim_size 16, mailbox_depth 4");
  EXPECT_EQ(result.designs[0].patterns, std::vector<std::string>{"trivial"});
  EXPECT_EQ(result.designs[1].tuned, "mailbox_depth 4");
  EXPECT_EQ(result.designs[1].patterns, (std::vector<std::string>{"stencil", "fft"}));
}

TEST(MeasureMetg, PutsAChainAcrossTheWorkers) {
  std::set<CoreId> cores;
  BenchBackend backend = tests::simulated_backend();
  backend.run = [&](const TaskGraph& graph, const Machine& machine, const Design& design, const gpu::RunOptions&) {
    const Timeline timeline = sim::simulate(graph, machine, design).timeline;
    for (std::size_t i = 0; i < graph.size(); ++i) {
      EXPECT_EQ(timeline.tasks[i].core, core_id(i % 8));
      EXPECT_EQ(graph.in_degree(task_id(i)), i == 0 ? 0U : 1U);
    }
    gpu::Measurement measurement;
    measurement.makespans = {timeline.makespan()};
    return measurement;
  };
  const MetgResult result = measure_metg(small_plan({"chain"}, {"static-queues"}), tests::small_machine(), backend);
  ASSERT_EQ(result.chains.size(), 1U);
  EXPECT_DOUBLE_EQ(*result.chains[0].predicted_ns, result.chains[0].ns_per_task);
}

}  // namespace
}  // namespace tasktwin::verify
