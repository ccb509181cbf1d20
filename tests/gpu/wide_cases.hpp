#pragma once

#include <gtest/gtest.h>

#include <set>

#include "tests/gpu/executor_cases.hpp"

namespace tasktwin::gpu {

/// Wide tasks of 2 to 16 blocks among narrow ones, in steps; each wide one waits for narrow ones and is waited for.
inline TaskGraph wide_and_narrow() {
  TaskGraphBuilder builder;
  std::vector<TaskId> last;
  Random random(15);
  for (int step = 0; step < 20; ++step) {
    std::vector<TaskId> now;
    for (int i = 0; i < 30; ++i) {
      Task task;
      task.cost.time = std::chrono::microseconds{20};
      TaskTraits traits;
      if (i % 6 == 0) traits.blocks = static_cast<int>(random.between(2, 16));
      task.traits = builder.add_traits(traits);
      now.push_back(builder.add_task("s" + std::to_string(step) + "." + std::to_string(i), task));
      for (int before = 0; before < 3 && !last.empty(); ++before)
        builder.add_edge(last[static_cast<std::size_t>(random.between(0, static_cast<std::int64_t>(last.size()) - 1))], now.back());
    }
    last = std::move(now);
  }
  return std::move(builder).build();
}

struct Cohort {
  std::set<CoreId> cores;
  std::size_t blocks = 0;
  TimePoint last_start = kAbsent;
  TimePoint first_end = TimePoint::max();
};

inline Cohort cohort_of(const Timeline& timeline, TaskId task) {
  Cohort cohort;
  for (const BlockTimes& block : timeline.blocks) {
    if (block.task != task) continue;
    ++cohort.blocks;
    cohort.cores.insert(block.core);
    cohort.last_start = std::max(cohort.last_start, block.started);
    cohort.first_end = std::min(cohort.first_end, block.ended);
  }
  return cohort;
}

/// Every block is there, and successors start when all have ended.
inline void expect_blocks(const TaskGraph& graph, const Timeline& timeline, const std::string& what) {
  EXPECT_EQ(stamp_fault(graph, timeline, false), "") << what;
  for (std::size_t i = 0; i < graph.size(); ++i) {
    const int blocks = graph.traits(task_id(i)).blocks;
    if (blocks == 1) continue;
    ASSERT_EQ(cohort_of(timeline, task_id(i)).blocks, static_cast<std::size_t>(blocks)) << what << " " << graph.name(task_id(i));
    for (const BlockTimes& block : timeline.blocks) {
      if (block.task != task_id(i)) continue;
      ASSERT_LE(block.ended, timeline.tasks[i].ended) << what;
      ASSERT_GE(block.started, timeline.tasks[i].started) << what;
    }
  }
}

/// Each block has a core of its own, all were handed over before one started, and none waited for another's end.
inline void expect_gangs(const TaskGraph& graph, const Timeline& timeline, const std::string& what) {
  for (std::size_t i = 0; i < graph.size(); ++i) {
    if (graph.traits(task_id(i)).blocks == 1) continue;
    const Cohort cohort = cohort_of(timeline, task_id(i));
    const TaskTimes& times = timeline.tasks[i];
    EXPECT_EQ(cohort.cores.size(), cohort.blocks) << what << " " << graph.name(task_id(i));
    EXPECT_LT(cohort.last_start, cohort.first_end) << what << " " << graph.name(task_id(i));
    EXPECT_LE(times.dispatched, times.started + Duration{64}) << what << " " << graph.name(task_id(i));  // two steps of the timer
  }
}

}  // namespace tasktwin::gpu
