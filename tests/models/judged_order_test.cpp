#include "models/dependences/judged_order.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>
#include <set>

#include "models/dependences/moved_waits.hpp"

namespace tasktwin {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

constexpr std::uint64_t kBytes = 256;

/// A program of one thread, call by call.
class ProgramOf {
 public:
  explicit ProgramOf(std::uint32_t streams) {
    program.streams = streams;
    program.threads.resize(1);
  }

  TaskId launch(std::uint32_t stream, const std::vector<std::pair<int, bool>>& buffers) {
    const TaskId task = task_id(accesses.of.size());
    call({.kind = HostCallKind::kLaunch, .stream = stream, .first = task, .tasks = 1});
    accesses.of.emplace_back();
    for (const auto& [buffer, write] : buffers) {
      const std::uint64_t begin = kBytes * static_cast<std::uint64_t>(buffer);
      accesses.of.back().push_back({begin, begin + kBytes, write, 0});
    }
    accesses.unknown.push_back(false);
    accesses.with_host.push_back(false);
    return task;
  }
  std::uint32_t record(std::uint32_t stream) {
    call({.kind = HostCallKind::kRecord, .stream = stream, .record = program.records});
    return program.records++;
  }
  CallPlace wait(std::uint32_t stream, std::uint32_t record) {
    return call({.kind = HostCallKind::kWait, .stream = stream, .record = record});
  }
  CallPlace sync(HostCallKind kind, std::uint32_t stream = 0, std::uint32_t record = kNoRecord) {
    return call({.kind = kind, .stream = stream, .record = record});
  }
  CallPlace call(const HostCall& one) {
    const CallPlace at{0, static_cast<std::uint32_t>(program.threads[0].calls.size())};
    program.threads[0].calls.push_back(one);
    program.order.push_back(at);
    return at;
  }

  JudgedOrder judged() const { return judge_order(program, accesses, true_dependences(accesses)); }

  HostProgram program;
  TaskAccesses accesses;
};

OrderVerdict verdict(const JudgedOrder& judged, const CallPlace& call) {
  return std::ranges::find(judged.waits, call, &JudgedWait::call)->verdict;
}

TEST(TrueDependences, AreThoseOfReadsAndWrites) {
  ProgramOf of(1);
  of.launch(0, {{0, true}});
  of.launch(0, {{0, false}, {1, true}});
  of.launch(0, {{0, false}, {2, true}});
  of.launch(0, {{0, true}});
  of.launch(0, {{3, true}});
  using enum DependenceKind;
  EXPECT_THAT(true_dependences(of.accesses),
              ElementsAre(Dependence{task_id(0), task_id(1), kReadAfterWrite, 0}, Dependence{task_id(0), task_id(2), kReadAfterWrite, 0},
                          Dependence{task_id(1), task_id(3), kWriteAfterRead, 0}, Dependence{task_id(2), task_id(3), kWriteAfterRead, 0}));
}

TEST(TrueDependences, GoByTheBytesThatBothTouch) {
  TaskAccesses accesses{
      .of = {{{0, 100, true, 1}}, {{200, 300, true, 1}}, {{50, 250, false, 1}}, {{120, 180, true, 1}}, {{99, 100, true, 2}}},
      .unknown = std::vector(5, false),
      .with_host = std::vector(5, false)};
  using enum DependenceKind;
  EXPECT_THAT(true_dependences(accesses),
              ElementsAre(Dependence{task_id(0), task_id(2), kReadAfterWrite, 50}, Dependence{task_id(1), task_id(2), kReadAfterWrite, 200},
                          Dependence{task_id(2), task_id(3), kWriteAfterRead, 120}, Dependence{task_id(2), task_id(4), kReuse, 99}));
}

TEST(TrueDependences, OfATaskOfWhichNothingIsKnownAreOnAllAndOfAllOnIt) {
  ProgramOf of(1);
  of.launch(0, {{0, true}});
  of.launch(0, {{1, true}});
  of.launch(0, {});
  of.accesses.unknown[2] = true;
  of.launch(0, {{0, false}});
  of.launch(0, {{2, true}});
  using enum DependenceKind;
  const auto found = true_dependences(of.accesses);
  std::set<std::pair<std::size_t, std::size_t>> pairs;
  for (const Dependence& one : found) pairs.emplace(index(one.before), index(one.after));
  EXPECT_EQ(pairs, (std::set<std::pair<std::size_t, std::size_t>>{{0, 2}, {1, 2}, {0, 3}, {2, 3}, {2, 4}}));
}

/// Before → after, of tasks that each touch one range.
std::vector<std::pair<std::size_t, std::size_t>> pairs_of(const std::vector<TaskAccess>& touched, bool own_memory) {
  TaskAccesses accesses;
  for (const TaskAccess& one : touched) accesses.of.push_back({one});
  accesses.unknown.assign(touched.size(), false);
  std::vector<std::pair<std::size_t, std::size_t>> pairs;
  for (const Dependence& one : true_dependences(accesses, own_memory)) pairs.emplace_back(index(one.before), index(one.after));
  return pairs;
}

TEST(TrueDependences, GoAwayWithMemoryThatIsGivenOutAgain) {
  const std::vector<TaskAccess> touched{{0, 256, true, kTensorLife | 1}, {0, 256, true, kTensorLife | 2}, {0, 256, false, kTensorLife | 2}};
  EXPECT_THAT(pairs_of(touched, false), ElementsAre(std::pair(0u, 1u), std::pair(1u, 2u)));
  EXPECT_THAT(pairs_of(touched, true), ElementsAre(std::pair(1u, 2u)));
  EXPECT_THAT(pairs_of({{0, 256, true, 1}, {0, 256, true, 2}}, true), IsEmpty());
}

TEST(TrueDependences, AreSeenBehindMemoryOfWhichNoTensorIsNamed) {
  // What writes the whole allocation may write either tensor in it, and hides neither.
  const std::vector<TaskAccess> touched{
      {0, 256, true, kTensorLife | 1}, {0, 256, true, kTensorLife | 2}, {0, 1024, true, 1}, {0, 256, false, kTensorLife | 1}};
  EXPECT_THAT(pairs_of(touched, true), ElementsAre(std::pair(0u, 2u), std::pair(1u, 2u), std::pair(0u, 3u), std::pair(2u, 3u)));
}

TEST(JudgedOrder, TellsWhichWaitsAreNeeded) {
  ProgramOf of(3);
  of.launch(0, {{0, true}});
  const std::uint32_t written = of.record(0);
  const CallPlace needed = of.wait(1, written);
  of.launch(1, {{0, false}, {1, true}});
  const CallPlace implied = of.wait(1, written);
  const CallPlace useless = of.wait(2, written);
  of.launch(2, {{5, true}});
  const JudgedOrder judged = of.judged();
  EXPECT_EQ(verdict(judged, implied), OrderVerdict::kImplied);
  EXPECT_EQ(verdict(judged, useless), OrderVerdict::kOrderOnly);
  // Of two that say the same either may go, but not both.
  EXPECT_EQ(verdict(judged, needed), OrderVerdict::kNeeded);
  EXPECT_THAT(judged.removable, ElementsAre(implied, useless));
}

TEST(JudgedOrder, LeavesOneOfTwoWaitsThatSayTheSame) {
  ProgramOf of(2);
  of.launch(0, {{0, true}});
  const std::uint32_t first = of.record(0);
  const std::uint32_t second = of.record(0);
  of.wait(1, first);
  of.wait(1, second);
  of.launch(1, {{0, false}});
  EXPECT_THAT(of.judged().removable, SizeIs(1));
}

TEST(JudgedOrder, KeepsWaitsOfAHostThatMayReadWhatItWaitsFor) {
  ProgramOf of(1);
  of.launch(0, {{0, true}});
  const CallPlace useless = of.sync(HostCallKind::kDeviceSync);
  of.launch(0, {{0, false}, {1, true}});
  of.accesses.with_host[1] = true;
  const CallPlace copied = of.sync(HostCallKind::kStreamSync);
  of.launch(0, {{2, true}});
  const CallPlace last = of.sync(HostCallKind::kDeviceSync);
  const JudgedOrder judged = of.judged();
  EXPECT_EQ(verdict(judged, useless), OrderVerdict::kImplied);
  EXPECT_EQ(verdict(judged, copied), OrderVerdict::kHost);
  EXPECT_EQ(verdict(judged, last), OrderVerdict::kHost);
  EXPECT_THAT(judged.removable, ElementsAre(useless));
}

TEST(JudgedOrder, OfAHostThatMayWaitForWhatItReadsOrNotIsUnknown) {
  ProgramOf of(1);
  of.launch(0, {{0, true}});
  of.accesses.unknown[0] = true;
  const CallPlace kernel = of.sync(HostCallKind::kStreamSync);
  of.launch(0, {{1, true}});
  of.accesses.unknown[1] = true;
  of.accesses.with_host[1] = true;
  const CallPlace copied = of.sync(HostCallKind::kStreamSync);
  of.launch(0, {{2, true}});
  const JudgedOrder judged = of.judged();
  EXPECT_EQ(verdict(judged, kernel), OrderVerdict::kUnknown);
  EXPECT_EQ(verdict(judged, copied), OrderVerdict::kHost);
  EXPECT_THAT(judged.removable, testing::IsEmpty());
}

TEST(JudgedOrder, IsUnknownWhereATaskMayTouchAnything) {
  ProgramOf of(2);
  of.launch(0, {{0, true}});
  const CallPlace wait = of.wait(1, of.record(0));
  of.launch(1, {});
  of.accesses.unknown[1] = true;
  const JudgedOrder judged = of.judged();
  EXPECT_EQ(verdict(judged, wait), OrderVerdict::kUnknown);
  EXPECT_THAT(judged.removable, IsEmpty());
}

TEST(JudgedOrder, IsUnknownWhereWhatIsWaitedForIs) {
  ProgramOf of(2);
  of.launch(0, {{0, true}});
  const CallPlace wait = of.wait(1, kNoRecord);
  of.launch(1, {{1, true}});
  const JudgedOrder judged = of.judged();
  EXPECT_EQ(verdict(judged, wait), OrderVerdict::kUnknown);
  EXPECT_THAT(judged.removable, IsEmpty());
}

TEST(JudgedOrder, OfARaceHoldsBothSidesAgainstWhatFollows) {
  ProgramOf of(3);
  of.launch(0, {{0, true}});
  of.launch(1, {{0, true}});  // nothing orders the two
  const CallPlace wait = of.wait(2, of.record(0));
  of.launch(2, {{0, false}});
  EXPECT_EQ(verdict(of.judged(), wait), OrderVerdict::kNeeded);
}

TEST(JudgedOrder, KeepsWaitsBeforeMemoryIsGivenBack) {
  ProgramOf of(2);
  const TaskId user = of.launch(0, {{0, true}});
  const CallPlace wait = of.wait(1, of.record(0));
  const std::array frees{FreedMemory{of.program.order.size(), 1, {user}}};
  const auto judged = judge_order(of.program, of.accesses, true_dependences(of.accesses), frees);
  EXPECT_EQ(verdict(judged, wait), OrderVerdict::kNeeded);
}

TEST(JudgedOrder, KnowsTheLegacyDefaultStream) {
  ProgramOf of(2);
  of.launch(1, {{0, true}});
  const CallPlace wait = of.wait(0, of.record(1));
  of.launch(0, {{0, false}});
  EXPECT_EQ(verdict(of.judged(), wait), OrderVerdict::kNeeded);
  of.accesses.orders = {StreamOrder::kLegacy, StreamOrder::kBlocking};
  EXPECT_EQ(verdict(of.judged(), wait), OrderVerdict::kImplied);
}

TEST(JudgedOrder, CountsWhatNeighboursInAStreamShare) {
  ProgramOf of(1);
  of.launch(0, {{0, true}});
  of.launch(0, {{0, false}, {1, true}});
  of.launch(0, {{2, true}});
  const JudgedOrder judged = of.judged();
  EXPECT_EQ(judged.neighbours.needed, 1u);
  EXPECT_EQ(judged.neighbours.order_only, 1u);
}

TEST(WithoutCalls, KeepsTheHostsTimeAndDropsRecordsThatNothingWaitsFor) {
  ProgramOf of(2);
  of.launch(0, {{0, true}});
  const std::uint32_t record = of.record(0);
  of.program.threads[0].calls.back().own = Duration{30};
  const CallPlace wait = of.wait(1, record);
  of.program.threads[0].calls.back().own = Duration{12};
  of.program.threads[0].calls.back().call = Duration{500};
  of.launch(1, {{1, true}});
  const HostProgram kept = without_calls(of.program, std::array{wait});
  ASSERT_THAT(kept.threads[0].calls, SizeIs(2));
  EXPECT_EQ(kept.threads[0].calls[1].own, Duration{42});
  EXPECT_EQ(kept.threads[0].calls[1].call, Duration{0});
  EXPECT_THAT(kept.order, ElementsAre(CallPlace{0, 0}, CallPlace{0, 1}));
}

// A slow oracle: which task comes before which, as sets.

/// By task: all that come before it, as the calls say without those that are gone.
std::vector<std::set<std::size_t>> before_each(const HostProgram& program, const std::set<CallPlace>& gone) {
  std::vector<std::set<std::size_t>> streams(program.streams);
  std::vector<std::set<std::size_t>> records(program.records);
  std::set<std::size_t> host;
  std::vector<std::set<std::size_t>> before;
  for (const CallPlace& at : program.order) {
    const HostCall& call = program.call(at);
    std::set<std::size_t>& stream = streams[call.stream];
    if (call.kind == HostCallKind::kLaunch) {
      stream.insert(host.begin(), host.end());
      before.push_back(stream);
      stream.insert(index(call.first));
    } else if (call.kind == HostCallKind::kRecord) {
      records[call.record] = stream;
    } else if (gone.contains(at)) {
      continue;
    } else if (call.kind == HostCallKind::kWait) {
      stream.insert(records[call.record].begin(), records[call.record].end());
    } else if (call.kind == HostCallKind::kEventSync) {
      host.insert(records[call.record].begin(), records[call.record].end());
    } else if (call.kind == HostCallKind::kStreamSync) {
      host.insert(stream.begin(), stream.end());
    } else {
      for (const auto& one : streams) host.insert(one.begin(), one.end());
    }
  }
  return before;
}

/// All pairs of tasks that share memory that one of them writes.
std::vector<std::pair<std::size_t, std::size_t>> conflicting_pairs(const TaskAccesses& accesses) {
  std::vector<std::pair<std::size_t, std::size_t>> pairs;
  const auto meet = [](const TaskAccess& one, const TaskAccess& other) {
    return one.begin < other.end && other.begin < one.end && (one.write || other.write);
  };
  for (std::size_t later = 0; later < accesses.of.size(); ++later) {
    for (std::size_t earlier = 0; earlier < later; ++earlier) {
      const bool conflict = std::ranges::any_of(accesses.of[later], [&](const TaskAccess& one) {
        return std::ranges::any_of(accesses.of[earlier], [&](const TaskAccess& other) { return meet(one, other); });
      });
      if (conflict) pairs.emplace_back(earlier, later);
    }
  }
  return pairs;
}

TEST(WithWaitBehind, HasAStreamWaitForAnEarlierTaskAlone) {
  ProgramOf of(2);
  const TaskId first = of.launch(0, {{0, false}});
  const TaskId last = of.launch(0, {{1, true}});
  const CallPlace wait = of.wait(1, of.record(0));
  of.program.threads[0].calls.back().own = Duration{12};
  const TaskId after = of.launch(1, {{0, true}});
  const HostProgram moved = with_wait_behind(of.program, wait, first, {.record = Duration{100}, .wait = Duration{200}});
  const auto before = before_each(moved, {});
  EXPECT_TRUE(before[index(after)].contains(index(first)));
  EXPECT_FALSE(before[index(after)].contains(index(last)));
  ASSERT_THAT(moved.threads[0].calls, SizeIs(5));  // the old record is gone
  EXPECT_EQ(moved.threads[0].calls[1].kind, HostCallKind::kRecord);
  EXPECT_EQ(moved.threads[0].calls[3].own, Duration{12});
}

TEST(WithWaitBehind, OfACallThatBlocksIsAboutThatTask) {
  ProgramOf of(1);
  const TaskId first = of.launch(0, {{0, true}});
  of.launch(0, {{1, true}});
  const CallPlace sync = of.sync(HostCallKind::kDeviceSync);
  const HostProgram moved = with_wait_behind(of.program, sync, first, {.record = Duration{100}, .wait = {}});
  ASSERT_THAT(moved.threads[0].calls, SizeIs(4));
  EXPECT_EQ(moved.threads[0].calls[1].call, Duration{100});
  EXPECT_EQ(moved.threads[0].calls[3].kind, HostCallKind::kEventSync);
  EXPECT_EQ(moved.threads[0].calls[3].record, moved.threads[0].calls[1].record);
}

/// A random program: of each dependence between streams a wait, but for some (races), and waits that nothing needs.
struct Planted {
  ProgramOf of;
  std::set<CallPlace> needless;
};

Planted planted_program(std::uint32_t seed) {
  std::mt19937 random(seed);
  const auto below = [&random](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
  const auto streams = static_cast<std::uint32_t>(2 + below(4));
  Planted planted{ProgramOf(streams), {}};
  ProgramOf& of = planted.of;
  const int buffers = 3 + below(12);
  const int tasks = 5 + below(40);
  std::vector<std::uint32_t> stream_of;
  for (int i = 0; i < tasks; ++i) {
    const auto stream = static_cast<std::uint32_t>(below(static_cast<int>(streams)));
    std::vector<std::pair<int, bool>> touched;
    for (int k = 0; k <= below(3); ++k) touched.emplace_back(below(buffers), below(3) == 0);
    // What it needs, found by trying it.
    ProgramOf tried = of;
    tried.launch(stream, touched);
    std::set<std::size_t> needs;
    for (const Dependence& one : true_dependences(tried.accesses)) {
      if (index(one.after) == stream_of.size()) needs.insert(index(one.before));
    }
    for (const std::size_t need : needs) {
      if (before_each(tried.program, {}).back().contains(need) || below(12) == 0) continue;
      if (below(5) == 0) {
        of.sync(HostCallKind::kStreamSync, stream_of[need]);
      } else {
        of.wait(stream, of.record(stream_of[need]));
      }
      tried = of;
      tried.launch(stream, touched);
    }
    if (below(4) == 0) {
      const auto other = static_cast<std::uint32_t>(below(static_cast<int>(streams)));
      const CallPlace at = below(3) == 0 ? of.sync(HostCallKind::kEventSync, 0, of.record(other)) : of.wait(stream, of.record(other));
      planted.needless.insert(at);
    }
    of.launch(stream, touched);
    stream_of.push_back(stream);
  }
  of.launch(0, {});
  return planted;
}

TEST(JudgedOrder, OfAThousandProgramsNothingNeededGoesAndNeedlessAndRacesAreFound) {
  std::size_t needless = 0;
  std::size_t found = 0;
  std::size_t replaced = 0;
  for (std::uint32_t seed = 0; seed < 1000; ++seed) {
    const Planted planted = planted_program(seed);
    const HostProgram& program = planted.of.program;
    const auto dependences = true_dependences(planted.of.accesses);
    const JudgedOrder judged = judge_order(program, planted.of.accesses, dependences);
    const auto whole = before_each(program, {});
    const auto ordered = [&](const auto& before, const Dependence& one) { return before[index(one.after)].contains(index(one.before)); };
    const auto conflicts = conflicting_pairs(planted.of.accesses);
    const auto all_ordered = [&](const std::set<CallPlace>& gone) {
      const auto before = before_each(program, gone);
      return std::ranges::all_of(conflicts, [&](const auto& pair) {
        return !whole[pair.second].contains(pair.first) || before[pair.second].contains(pair.first);
      });
    };
    for (const Dependence& one : judged.unordered) EXPECT_FALSE(ordered(whole, one)) << seed;
    EXPECT_GE(judged.ordered.size() + judged.unordered.size(), dependences.size()) << seed;
    for (const Dependence& one : judged.ordered) EXPECT_TRUE(ordered(whole, one)) << seed;
    EXPECT_EQ(static_cast<std::size_t>(std::ranges::count_if(dependences, [&](const Dependence& one) { return !ordered(whole, one); })),
              judged.unordered.size())
        << seed;
    EXPECT_TRUE(all_ordered({judged.removable.begin(), judged.removable.end()})) << seed;
    for (const JudgedWait& wait : judged.waits) {
      EXPECT_EQ(wait.verdict == OrderVerdict::kNeeded, !all_ordered({wait.call})) << seed;
    }
    // A planted wait may be needed all the same, where a race has none of its own.
    for (const CallPlace& at : planted.needless) {
      if (!all_ordered({at})) continue;
      ++needless;
      const OrderVerdict said = verdict(judged, at);
      found += said == OrderVerdict::kImplied || said == OrderVerdict::kOrderOnly ? 1 : 0;
    }
    // A needed wait gives way to the orders that it is needed for: nothing is lost.
    for (const JudgedWait& wait : judged.waits) {
      if (wait.needs.empty()) continue;
      ++replaced;
      const auto before = before_each(with_orders(program, std::array{ReplacedWait{wait.call, wait.needs}}, {}), {});
      EXPECT_TRUE(std::ranges::all_of(conflicts, [&](const auto& pair) {
        return !whole[pair.second].contains(pair.first) || before[pair.second].contains(pair.first);
      })) << seed;
    }
    if (seed % 10 != 0) continue;
    for (const JudgedWait& wait : judged.waits) {  // none that could go with the others stays
      std::set<CallPlace> gone(judged.removable.begin(), judged.removable.end());
      if (wait.verdict != OrderVerdict::kHost && gone.insert(wait.call).second) {
        EXPECT_FALSE(all_ordered(gone)) << seed;
      }
    }
  }
  EXPECT_GT(needless, 2000u);
  EXPECT_GT(replaced, 1000u);
  EXPECT_GE(10 * found, 9 * needless) << found << " of " << needless;
}

}  // namespace
}  // namespace tasktwin
