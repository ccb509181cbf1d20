#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <string_view>

#include "gpu/executor.hpp"
#include "models/base/random.hpp"
#include "models/runtimes/runtimes.hpp"
#include "scenarios/load/scenario.hpp"

namespace tasktwin::gpu {

/// A design for each executor.
inline const std::string kExecutors[] = {
    "central-dispatcher", "static-queues", "shared-queue",        "work-stealing",       "hybrid",         "layer-barrier",
    "cuda-streams",       "cuda-graph",    "device-graph-launch", "dynamic-parallelism", "host-dispatcher"};
inline const std::string kPersistentExecutors[] = {"central-dispatcher", "static-queues", "shared-queue",
                                                   "work-stealing",      "hybrid",        "layer-barrier"};

inline Design design_for(std::string_view executor) { return named_design(executor); }

/// Those that follow frozen lists, by a placement whose cost does not grow with the workers.
inline Design quickly_placed(Design design) {
  if (is_static(design.placement)) design.placement = Placement::kRoundRobin;
  return design;
}

/// An H200 with `workers` compute cores for tasks under `design`, or as many as it has.
inline Machine machine_of(int workers, const Design& design) {
  Machine machine = scenarios::load_machine("nvidia-h200");
  const int all = machine.core_count();
  const int taken = all - static_cast<int>(worker_cores(design, machine).size());
  machine.compute_cores = {{CoreType::kSm, std::min(all, workers + taken)}};
  return machine;
}

/// Tasks "t0", "t1", … of 0 to `longest`, in steps of 1 to 2 `mean_width` tasks, each after up to three of the last two steps.
inline TaskGraph random_graph(std::size_t tasks, std::int64_t mean_width, Duration longest, std::uint64_t seed) {
  Random random(seed);
  TaskGraphBuilder builder;
  std::size_t earlier = 0;  // where the step before the last begins
  std::size_t last = 0;
  std::size_t step = 0;
  while (builder.size() < tasks) {
    earlier = last;
    last = step;
    step = builder.size();
    const std::size_t end = std::min(tasks, step + static_cast<std::size_t>(random.between(1, 2 * mean_width)));
    while (builder.size() < end) {
      Task task;
      task.cost.time = Duration{random.between(0, longest.count())};
      task.priority = static_cast<std::int32_t>(random.between(-100, 100));
      const TaskId id = builder.add_task("t" + std::to_string(builder.size()), task);
      if (step == 0) continue;
      for (auto before = random.between(0, 3); before > 0; --before) {
        const auto from = random.between(static_cast<std::int64_t>(earlier), static_cast<std::int64_t>(step) - 1);
        builder.add_edge(task_id(static_cast<std::size_t>(from)), id);
      }
    }
  }
  return std::move(builder).build();
}

/// Tasks "link0", "link1", … of 1 µs, each after the last.
inline TaskGraph chain(std::size_t length) {
  TaskGraphBuilder builder;
  for (std::size_t i = 0; i < length; ++i) {
    builder.add_task("link" + std::to_string(i), {.cost = {.time = std::chrono::microseconds{1}}});
    if (i > 0) builder.add_edge(task_id(i - 1), task_id(i));
  }
  return std::move(builder).build();
}

/// What is wrong with a stamped run, or nothing: every task started and ended on a core, after its predecessors; where workers
/// stamp all phases, they are there and in order. Stamps of two multiprocessors are held against each other to two steps of the
/// timer.
inline std::string stamp_fault(const TaskGraph& graph, const Timeline& timeline, bool all_phases) {
  constexpr Duration kSlack{64};
  if (timeline.tasks.size() != graph.size()) return std::to_string(timeline.tasks.size()) + " tasks";
  for (std::size_t i = 0; i < graph.size(); ++i) {
    const TaskTimes& times = timeline.tasks[i];
    const auto at = [&](const char* what) { return std::string(graph.name(task_id(i))) + ": " + what; };
    if (!is_present(times.started) || !is_present(times.ended)) return at("not run");
    if (index(times.core) >= timeline.cores.size()) return at("on no core");
    if (times.started > times.ended) return at("ended before it started");
    for (const TaskId before : graph.predecessors(task_id(i))) {
      if (times.started + kSlack < timeline.tasks[index(before)].ended) return at("started before a predecessor ended");
    }
    if (!all_phases) continue;
    if (!is_present(times.dispatched) || !is_present(times.received) || !is_present(times.published)) return at("a phase is missing");
    if (is_present(times.ready) && times.dispatched + kSlack < times.ready) return at("dispatched before it was ready");
    if (times.received + kSlack < times.dispatched) return at("received before it was dispatched");
    if (times.started < times.received) return at("started before it was received");
    if (times.published < times.ended) return at("published before it ended");
  }
  return "";
}

/// Tests that need a GPU, skipped by name without one, and the machine that they run designs on.
class OnTheGpu : public testing::Test {
 protected:
  void SetUp() override {
    if (const auto why = why_no_gpu()) GTEST_SKIP() << *why;
    machine_ = scenarios::load_machine("nvidia-h200");
  }

  Machine machine_;
};

/// For the names of parametrised tests.
inline std::string plain_name(std::string name) {
  std::erase(name, '-');
  return name;
}

}  // namespace tasktwin::gpu
