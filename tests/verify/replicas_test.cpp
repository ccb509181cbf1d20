#include "verify/explain/replicas.hpp"

#include <algorithm>
#include <set>
#include <vector>

#include <gtest/gtest.h>

namespace tasktwin::verify {
namespace {

/// Two launches into two streams, of which the second waits for a record of the first, and a wait for the device.
Replicas two_of_a_program() {
  TaskGraphBuilder builder;
  builder.add_task("a", {.cost = {.time = Duration{100}}});
  builder.add_task("b", {.cost = {.time = Duration{100}}, .traits = builder.add_traits({.stream = 1})});
  builder.add_edge(task_id(0), task_id(1), {64});
  HostProgram program;
  program.streams = 2;
  program.records = 1;
  program.threads.resize(1);
  program.threads[0].calls = {{.kind = HostCallKind::kLaunch, .call = Duration{5}, .first = task_id(0), .tasks = 1},
                              {.kind = HostCallKind::kRecord, .record = 0},
                              {.kind = HostCallKind::kWait, .stream = 1, .record = 0},
                              {.kind = HostCallKind::kLaunch, .call = Duration{5}, .stream = 1, .first = task_id(1), .tasks = 1},
                              {.kind = HostCallKind::kDeviceSync, .own = Duration{7}, .call = Duration{3}}};
  for (std::uint32_t i = 0; i < 5; ++i) program.order.emplace_back(0, i);
  return replicated(std::move(builder).build(), program, 2, 0);
}

TEST(Replicas, HaveThreadsStreamsAndRecordsOfTheirOwn) {
  const Replicas made = two_of_a_program();
  ASSERT_EQ(made.graph.size(), 4u);
  EXPECT_EQ(made.graph.name(task_id(0)), "a");
  EXPECT_EQ(made.graph.name(task_id(1)), "a (2)");
  EXPECT_EQ(made.graph.name(task_id(3)), "b (2)");
  EXPECT_EQ(*made.graph.predecessors(task_id(2)).begin(), task_id(0));
  EXPECT_EQ(*made.graph.predecessors(task_id(3)).begin(), task_id(1));
  EXPECT_EQ(made.graph.traits(task_id(1)).stream, 2);
  EXPECT_EQ(made.graph.traits(task_id(3)).stream, 3);
  ASSERT_EQ(made.program.threads.size(), 2u);
  EXPECT_EQ(made.program.threads[0].process, 0u);
  EXPECT_EQ(made.program.threads[1].process, 1u);
  EXPECT_EQ(made.program.streams, 4u);
  EXPECT_EQ(made.program.records, 2u);
  const std::vector<HostCall>& second = made.program.threads[1].calls;
  EXPECT_EQ(second[0].first, task_id(1));
  EXPECT_EQ(second[1].record, 1u);
  EXPECT_EQ(second[2].stream, 3u);
  EXPECT_EQ(second[2].record, 1u);
}

TEST(Replicas, WaitForTheirOwnStreamsWhereTheProgramWaitsForTheDevice) {
  const std::vector<HostCall> second = two_of_a_program().program.threads[1].calls;
  ASSERT_EQ(second.size(), 6u);
  EXPECT_EQ(second[4].kind, HostCallKind::kStreamSync);
  EXPECT_EQ(second[4].stream, 2u);
  EXPECT_EQ(second[4].own, Duration{7});
  EXPECT_EQ(second[4].call, Duration{0});
  EXPECT_EQ(second[5].kind, HostCallKind::kStreamSync);
  EXPECT_EQ(second[5].stream, 3u);
  EXPECT_EQ(second[5].own, Duration{0});
  EXPECT_EQ(second[5].call, Duration{3});
}

/// A launch into each of `streams` streams, in so many copies: by copy, the streams of its launches.
std::vector<std::vector<std::uint32_t>> streams_of_copies(std::uint32_t streams, std::uint32_t count, std::uint32_t queues) {
  TaskGraphBuilder builder;
  HostProgram program;
  program.streams = streams;
  program.threads.resize(1);
  for (std::uint32_t i = 0; i < streams; ++i) {
    builder.add_task("t" + std::to_string(i), {.traits = builder.add_traits({.stream = static_cast<int>(i)})});
    program.threads[0].calls.push_back({.kind = HostCallKind::kLaunch, .stream = i, .first = task_id(i), .tasks = 1});
    program.order.emplace_back(0, i);
  }
  const Replicas made = replicated(std::move(builder).build(), program, count, queues);
  std::vector<std::vector<std::uint32_t>> found(count);
  for (std::uint32_t copy = 0; copy < count; ++copy) {
    for (const HostCall& call : made.program.threads[copy].calls) {
      EXPECT_LT(call.stream, made.program.streams);
      EXPECT_EQ(made.graph.traits(call.first).stream, static_cast<int>(call.stream));
      found[copy].push_back(call.stream);
    }
  }
  return found;
}

TEST(Replicas, HaveHardwareQueuesOfTheirOwnThatStreamsShareAsInTheProgram) {
  for (const std::uint32_t streams : {1u, 3u, 4u, 5u, 9u}) {
    for (const std::uint32_t queues : {1u, 2u, 4u}) {
      constexpr std::uint32_t kCount = 3;
      const auto copies = streams_of_copies(streams, kCount, queues);
      const std::uint32_t all = kCount * std::min(queues, streams);
      std::set<std::uint32_t> used;
      for (std::uint32_t copy = 0; copy < kCount; ++copy) {
        std::set<std::uint32_t> own;
        for (std::uint32_t s = 0; s < streams; ++s) {
          own.insert(copies[copy][s] % all);
          for (std::uint32_t other = 0; other < s; ++other) {
            EXPECT_EQ(copies[copy][s] % all == copies[copy][other] % all, s % queues == other % queues) << streams << ' ' << queues;
            EXPECT_NE(copies[copy][s], copies[copy][other]);
          }
        }
        for (const std::uint32_t queue : own) EXPECT_TRUE(used.insert(queue).second) << "of another copy: " << queue;
      }
    }
  }
}

}  // namespace
}  // namespace tasktwin::verify
