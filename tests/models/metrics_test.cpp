#include "models/explain/metrics.hpp"

#include <algorithm>
#include <numeric>

#include <gtest/gtest.h>

#include "tests/models/graphs.hpp"
#include "tests/models/random_run.hpp"

namespace tasktwin {
namespace {

using testing_graphs::graph_of;
using testing_graphs::random_graph;
using testing_graphs::random_run;

/// Oracle: counts, in each nanosecond, who does what.
struct Ticks {
  std::vector<double> core_busy;
  std::vector<double> dispatcher_busy;
  double overhead = 0;
  double queue = 0;
};

Ticks count_ticks(const TaskGraph& graph, const Timeline& timeline) {
  Ticks ticks{std::vector<double>(timeline.cores.size()), std::vector<double>(timeline.dispatchers.size())};
  for (TimePoint now{}; now < TimePoint{timeline.makespan()}; now += Duration{1}) {
    std::vector<bool> busy(timeline.cores.size());
    std::vector<int> ready(kCoreTypeCount);
    for (std::size_t i = 0; i < graph.size(); ++i) {
      const TaskTimes& times = timeline.tasks[i];
      if (times.started <= now && now < times.ended) busy[index(times.core)] = true;
      bool is_ready = is_present(times.ready) ? times.ready <= now : true;
      if (!is_present(times.ready)) {
        for (const TaskId before : graph.predecessors(task_id(i))) is_ready &= finish(timeline.tasks[index(before)]) <= now;
      }
      if (is_ready && now < times.started) ++ready[static_cast<std::size_t>(graph[task_id(i)].core_type)];
    }
    for (std::size_t type = 0; type < kCoreTypeCount; ++type) {
      int idle = 0;
      for (std::size_t c = 0; c < busy.size(); ++c) idle += !busy[c] && static_cast<std::size_t>(timeline.cores[c]) == type ? 1 : 0;
      ticks.overhead += std::min(idle, ready[type]);
    }
    for (std::size_t c = 0; c < busy.size(); ++c) ticks.core_busy[c] += busy[c] ? 1 : 0;
    for (std::size_t d = 0; d < timeline.dispatchers.size(); ++d) {
      for (const Span& span : timeline.dispatchers[d]) ticks.dispatcher_busy[d] += span.begin <= now && now < span.end ? 1 : 0;
    }
    int length = 0;
    for (const QueueSample& sample : timeline.ready_queue) length = sample.time <= now ? sample.length : length;
    ticks.queue += length;
  }
  return ticks;
}

/// The busiest core of a type over the mean of its type, or over the longest body there.
double imbalance(const Timeline& timeline, const Ticks& ticks) {
  double largest = 0;
  for (const CoreType type : {CoreType::kSm, CoreType::kAic}) {
    double sum = 0;
    double most = 0;
    double count = 0;
    double longest = 0;
    for (std::size_t c = 0; c < timeline.cores.size(); ++c) {
      if (timeline.cores[c] != type) continue;
      ++count;
      sum += ticks.core_busy[c];
      most = std::max(most, ticks.core_busy[c]);
      for (const TaskTimes& times : timeline.tasks) {
        if (index(times.core) == c) longest = std::max(longest, static_cast<double>((times.ended - times.started).count()));
      }
    }
    if (most > 0) largest = std::max(largest, most / std::max(sum / count, longest) - 1);
  }
  return largest;
}

void expect_as_counted(const TaskGraph& graph, const Timeline& timeline) {
  const Metrics metrics = measure(graph, timeline);
  const Ticks ticks = count_ticks(graph, timeline);
  const auto makespan = static_cast<double>(timeline.makespan().count());
  const auto cores = static_cast<double>(timeline.cores.size());
  const double busy = std::accumulate(ticks.core_busy.begin(), ticks.core_busy.end(), 0.0);

  EXPECT_EQ(metrics.makespan, timeline.makespan());
  for (std::size_t c = 0; c < timeline.cores.size(); ++c) EXPECT_NEAR(metrics.core_busy_shares[c], ticks.core_busy[c] / makespan, 1e-12);
  for (std::size_t d = 0; d < timeline.dispatchers.size(); ++d) {
    EXPECT_NEAR(metrics.dispatcher_busy_shares[d], ticks.dispatcher_busy[d] / makespan, 1e-12);
  }
  EXPECT_NEAR(metrics.core_busy_share, busy / makespan / cores, 1e-12);
  EXPECT_NEAR(metrics.load_imbalance, imbalance(timeline, ticks), 1e-12);
  EXPECT_NEAR(metrics.overhead_share, ticks.overhead / makespan / cores, 1e-12);
  EXPECT_NEAR(metrics.mean_queue_length, ticks.queue / makespan, 1e-12);
  const auto longest = std::ranges::max_element(timeline.ready_queue, {}, &QueueSample::length);
  EXPECT_EQ(metrics.max_queue_length, longest->length);
}

TEST(Metrics, AreWhatCountingEveryNanosecondGives) {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    const TaskGraph graph = random_graph({.tasks = 14, .edge_probability = 0.2, .core_types = 2}, seed);
    expect_as_counted(graph, random_run(graph, true, seed));
    expect_as_counted(graph, random_run(graph, false, seed));
    if (HasFailure()) FAIL() << "seed " << seed;
  }
}

TEST(Metrics, OfOneTaskByHand) {
  // Two cores; ready at 10, runs 30 to 80 on core 0, published at 100. Both idle for 20 ns, but one task is ready: 20 of 200.
  const TaskGraph graph = graph_of({50}, {});
  Timeline timeline;
  timeline.tasks = {{.ready = at_ns(10), .started = at_ns(30), .ended = at_ns(80), .published = at_ns(100), .core = core_id(0)}};
  timeline.cores = {CoreType::kSm, CoreType::kSm};
  timeline.dispatchers = {{{at_ns(10), at_ns(20)}, {at_ns(90), at_ns(95)}}};
  timeline.ready_queue = {{at_ns(10), 1}, {at_ns(20), 0}};
  const Metrics metrics = measure(graph, timeline);
  EXPECT_EQ(metrics.makespan, Duration{100});
  EXPECT_DOUBLE_EQ(metrics.core_busy_shares[0], 0.5);
  EXPECT_DOUBLE_EQ(metrics.core_busy_share, 0.25);
  EXPECT_DOUBLE_EQ(metrics.load_imbalance, 0) << "one task cannot be spread";
  EXPECT_DOUBLE_EQ(metrics.dispatcher_busy_share, 0.15);
  EXPECT_DOUBLE_EQ(metrics.overhead_share, 0.1);
  EXPECT_DOUBLE_EQ(metrics.mean_queue_length, 0.1);
  EXPECT_EQ(metrics.max_queue_length, 1);
}

TEST(Metrics, CountATaskOnEachOfItsCores) {
  // Two blocks, 10 to 60 on core 0 and 10 to 40 on core 1: 80 of 200 ns. The other task did not come to be.
  const TaskGraph graph = graph_of({50, 50}, {});
  Timeline timeline;
  timeline.tasks = {{.ready = at_ns(10), .started = at_ns(10), .ended = at_ns(60), .published = at_ns(100), .core = core_id(0)}, {}};
  timeline.cores = {CoreType::kSm, CoreType::kSm};
  timeline.blocks = {{TaskId{0}, CoreId{0}, at_ns(10), at_ns(60), at_ns(100)}, {TaskId{0}, CoreId{1}, at_ns(10), at_ns(40), at_ns(80)}};
  const Metrics metrics = measure(graph, timeline);
  EXPECT_DOUBLE_EQ(metrics.core_busy_share, 0.4);
  EXPECT_DOUBLE_EQ(metrics.load_imbalance, 0) << "nothing is busy for longer than the longest body";
  EXPECT_DOUBLE_EQ(metrics.overhead_share, 0);
}

TEST(Metrics, TwoTasksBehindEachOtherBesideAnIdleCoreAreAnImbalance) {
  // 100 and 50 ns on core 0; apart, the busiest would have 100.
  const TaskGraph graph = graph_of({100, 50}, {});
  Timeline timeline;
  timeline.tasks = {{.started = at_ns(0), .ended = at_ns(100), .core = core_id(0)},
                    {.started = at_ns(100), .ended = at_ns(150), .core = core_id(0)}};
  timeline.cores = {CoreType::kSm, CoreType::kSm};
  EXPECT_DOUBLE_EQ(measure(graph, timeline).load_imbalance, 0.5);
}

TEST(Metrics, OfStreamsAreThoseOfComputeCores) {
  // One stream, two blocks side by side on core 1 of four, and a copy, which takes no core.
  TaskGraphBuilder builder;
  builder.add_task("kernel", {.cost = {.time = Duration{100}}, .traits = builder.add_traits({.blocks = 2})});
  builder.add_task("copy", {.cost = {.bytes = {1}}, .operation = Operation::kCopyH2d});
  const TaskGraph graph = std::move(builder).build();
  Timeline timeline;
  timeline.on_streams = true;
  timeline.cores = {CoreType::kSm};
  timeline.compute_cores.assign(4, CoreType::kSm);
  timeline.tasks = {{.started = at_ns(0), .ended = at_ns(100), .core = core_id(0)},
                    {.started = at_ns(100), .ended = at_ns(200), .core = core_id(0)}};
  timeline.blocks = {{TaskId{0}, CoreId{1}, at_ns(0), at_ns(80), kAbsent}, {TaskId{0}, CoreId{1}, at_ns(20), at_ns(100), kAbsent}};
  EXPECT_DOUBLE_EQ(measure(graph, timeline).core_busy_share, 0.125);
  timeline.blocks.clear();  // not observed: a core for each of its blocks
  EXPECT_DOUBLE_EQ(measure(graph, timeline).core_busy_share, 0.25);
}

TEST(Metrics, OfNothingAreZero) {
  Timeline timeline;
  timeline.cores = {CoreType::kSm};
  const Metrics metrics = measure(TaskGraph{}, timeline);
  EXPECT_EQ(metrics.makespan, Duration{0});
  EXPECT_EQ(metrics.core_busy_share, 0);
  EXPECT_EQ(metrics.overhead_share, 0);
}

TEST(Metrics, AControlCoreIsBusyWithinTheMakespanOnly) {
  const TaskGraph graph = graph_of({100}, {});
  Timeline timeline;
  timeline.cores = {CoreType::kSm};
  timeline.tasks.resize(1);
  timeline.tasks[0].started = TimePoint{};
  timeline.tasks[0].ended = at_ns(100);
  timeline.tasks[0].core = core_id(0);
  timeline.dispatchers = {{{at_ns(50), at_ns(170)}, {at_ns(200), at_ns(300)}}};
  EXPECT_DOUBLE_EQ(measure(graph, timeline).dispatcher_busy_share, 0.5);
}

}  // namespace
}  // namespace tasktwin
