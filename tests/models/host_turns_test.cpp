// Threads of a captured program that wait for each other.
#include <gmock/gmock.h>

#include "models/explain/host_turns.hpp"
#include "tests/models/host_programs.hpp"

namespace tasktwin {
namespace {

/// One thread calls at 100, 210 and 320, is blocked there until 400, and returns at 420; the other calls at 450, and has waited for that.
HostProgram by_turns() {
  HostProgramBuilder calls(1);
  calls.call({.kind = HostCallKind::kLaunch, .first = task_id(0), .tasks = 1, .within = {{1, Duration{80}}}}, 100, 10, 0);
  calls.launch(1, 0, 100, 10, 0);
  calls.call({.kind = HostCallKind::kDeviceSync, .name = 2}, 100, 20, 0);
  calls.call({.kind = HostCallKind::kLaunch, .first = task_id(2), .tasks = 1, .ranges = {{3, Duration{450}}}}, 450, 10, 1);
  return calls.build();
}

HostStep step(std::uint32_t thread, std::uint32_t call, int own, int began, int waited, int ended) {
  const auto at = [](int time) { return TimePoint{Duration{time}}; };
  return {.thread = thread, .call = call, .own = at(own), .began = at(began), .waited = at(waited), .ended = at(ended)};
}

std::vector<HostStep> steps() {
  return {step(0, 0, 0, 100, 100, 110), step(0, 1, 110, 210, 210, 220), step(0, 2, 220, 320, 400, 420), step(1, 0, 0, 450, 450, 460)};
}

TEST(HostTurns, AreWhereAThreadMakesNoCallWhileAnotherMakesSeveral) {
  const HostTurns turns = host_turns(by_turns(), steps());
  ASSERT_TRUE(turns.of_call[1][0]);
  EXPECT_EQ(turns.of_call[1][0]->waited, Duration{420});
  EXPECT_EQ(turns.of_call[1][0]->thread, 0u);
  EXPECT_EQ(turns.of_call[1][0]->first, 0u);
  EXPECT_EQ(turns.of_call[1][0]->last, 2u);
  for (const auto& turn : turns.of_call[0]) EXPECT_FALSE(turn);
  EXPECT_EQ(turns.blocked[0][2], Duration{80});
}

TEST(HostTurns, AreNotWhereAThreadCallsSomethingMeanwhileOrTheOtherSeldom) {
  HostProgram busy = by_turns();
  busy.threads[1].calls[0].within = {{1, Duration{100}}};  // more than it has after the other's last call
  EXPECT_FALSE(host_turns(busy, steps()).any());
  std::vector<HostStep> early = steps();
  early[3] = step(1, 0, 0, 300, 300, 310);
  EXPECT_FALSE(host_turns(by_turns(), early).any()) << "two calls";
  HostProgram nobody = by_turns();
  nobody.threads[0].name = "(not in the file)";
  EXPECT_FALSE(host_turns(nobody, steps()).any());
}

TEST(HostTurns, AreNotOfThreadsThatCallAtTheSameInstant) {
  HostProgramBuilder calls(1);
  for (const std::uint32_t thread : {0u, 1u}) {
    for (int i = 0; i < 3; ++i) calls.call({.kind = HostCallKind::kRecord, .record = 0}, i == 0 ? 100 : 0, 0, thread);
  }
  std::vector<HostStep> at_once;
  for (const std::uint32_t thread : {0u, 1u}) {
    for (std::uint32_t i = 0; i < 3; ++i) at_once.push_back(step(thread, i, i == 0 ? 0 : 100, 100, 100, 100));
  }
  EXPECT_FALSE(host_turns(calls.build(), at_once).any()) << "each would have waited for the other";
}

TEST(HostTurns, AreWithinAProcess) {
  HostProgram program = by_turns();
  program.threads[1].process = 1;
  EXPECT_FALSE(host_turns(program, steps()).any());
}

TEST(HostTurns, LendTheRangeInWhichAThreadWaits) {
  const HostTurns turns = host_turns(by_turns(), steps());
  const HostProgram lent = with_lent_ranges(by_turns(), turns);
  ASSERT_EQ(lent.threads[1].calls[0].ranges.size(), 1u);
  EXPECT_EQ(lent.threads[1].calls[0].ranges[0].time, Duration{30});
  ASSERT_EQ(lent.threads[0].calls[0].ranges.size(), 1u);
  EXPECT_EQ(lent.threads[0].calls[0].ranges[0].name, 3u);
  EXPECT_EQ(lent.threads[0].calls[0].ranges[0].time, Duration{20}) << "80 are a call's";
}

TEST(HostTurns, AreShorterByWhatTheOtherThreadNoLongerDoes) {
  const HostTurns turns = host_turns(by_turns(), steps());
  const HostProgram lent = with_lent_ranges(by_turns(), turns);
  const auto own_of_last = [&](HostPart part, std::optional<std::uint32_t> name = {}) {
    return without(lent, turns, part, name).threads[1].calls[0].own;
  };
  EXPECT_EQ(own_of_last(HostPart::kCall, 1), Duration{450 - 80});
  EXPECT_EQ(own_of_last(HostPart::kLaunch), Duration{450 - 20});
  EXPECT_EQ(own_of_last(HostPart::kSync), Duration{450 - 100});
  EXPECT_EQ(own_of_last(HostPart::kOwn), Duration{420 - 220}) << "and its own 30";
  EXPECT_EQ(own_of_last(HostPart::kOwn, 3), Duration{420 - 220});
  EXPECT_EQ(own_of_last(HostPart::kOwn, 7), Duration{450}) << "nothing is in that range";
}

}  // namespace
}  // namespace tasktwin
