#pragma once

#include <gtest/gtest.h>

#include <string>

#include "models/base/error.hpp"
#include "tests/gpu/executor_cases.hpp"
#include "tests/models/operation_graphs.hpp"

namespace tasktwin::gpu {

inline constexpr std::int64_t kMiB = 1 << 20;

/// Each chunk is copied in, worked on, set, told of to the host, and copied out.
inline TaskGraph everything(int chunks, std::int64_t bytes, bool pageable) {
  OperationGraph graph;
  for (int i = 0; i < chunks; ++i) {
    graph.chain({graph.transfer(Operation::kCopyH2d, i, bytes, 0, pageable), graph.kernel(i, 5'000),
                 graph.transfer(Operation::kMemset, i, bytes / 2), graph.host(i, 1'000),
                 graph.transfer(Operation::kCopyD2h, i, bytes, 0, pageable)});
  }
  return graph.build();
}

/// Buffers that are allocated, filled, worked on, emptied and freed.
inline TaskGraph buffers(int count, std::int64_t bytes) {
  OperationGraph graph;
  for (int i = 0; i < count; ++i) {
    const auto buffer = static_cast<std::int32_t>(i + 1);
    const std::int64_t each = bytes + 1000 * i;
    graph.chain({graph.alloc(i, buffer, each), graph.transfer(Operation::kCopyH2d, i, each, buffer), graph.kernel(i, 3'000),
                 graph.transfer(Operation::kCopyD2h, i, each, buffer), graph.free(i, buffer)});
  }
  return graph.build();
}

class OperationsOnTheGpu : public OnTheGpu {
 protected:
  void expect_order(const TaskGraph& graph, const Design& design, const std::string& what) {
    const Measurement measured = run(graph, machine_, design, {.repeats = 2, .order_checks = 3});
    EXPECT_EQ(measured.ordering_violations, 0) << what;
    ASSERT_EQ(measured.timeline.tasks.size(), graph.size()) << what;
    for (std::size_t i = 0; i < graph.size(); ++i) {
      const TaskTimes& times = measured.timeline.tasks[i];
      ASSERT_TRUE(is_present(times.ended)) << what << " " << graph.name(task_id(i));
      const bool seen_to_start = !is_transfer(graph[task_id(i)].operation);
      EXPECT_EQ(is_present(times.started), seen_to_start) << what << " " << graph.name(task_id(i));
      for (const TaskId before : graph.predecessors(task_id(i))) {
        if (by_the_host(graph, task_id(i)) || by_the_host(graph, before)) continue;
        const Duration slack{3000};  // events are on the stamps' clock to about a microsecond
        EXPECT_GE(times.ended + slack, measured.timeline.tasks[index(before)].ended) << what << " " << graph.name(task_id(i));
      }
    }
    for (const Duration makespan : measured.makespans) EXPECT_GT(makespan, Duration{0}) << what;
  }

  /// Its times are then the host's, which may begin late.
  static bool by_the_host(const TaskGraph& graph, TaskId task) { return graph[task].operation == Operation::kHost; }

  std::string end_of(const TaskGraph& graph, const Design& design) {
    std::string words = "the run ended by itself";
    try {
      run(graph, machine_, design, {.repeats = 1});
    } catch (const RunError& error) {
      words = error.what();
    }
    EXPECT_EQ(run(buffers(4, kMiB), machine_, hinted_streams(2), {.repeats = 1}).ordering_violations, 0)
        << "the device is usable afterwards";
    return words;
  }
};

}  // namespace tasktwin::gpu
