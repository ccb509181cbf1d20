#include "verify/recordings/recorded_cases.hpp"

#include <algorithm>
#include <functional>
#include <limits>
#include <set>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "models/base/error.hpp"
#include "models/base/random.hpp"
#include "models/runtimes/runtimes.hpp"
#include "tests/verify/support/cases.hpp"
#include "verify/output/files/compressed.hpp"
#include "verify/output/text/json.hpp"
#include "verify/predict/graph_hash.hpp"
#include "verify/recordings/recorded_timeline.hpp"

namespace tasktwin::verify {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::HasSubstr;
using testing::ThrowsMessage;

Timeline random_timeline(Random& random) {
  Timeline timeline;
  timeline.cores.assign(static_cast<std::size_t>(random.between(1, 5)), CoreType::kSm);
  timeline.cores.resize(timeline.cores.size() + static_cast<std::size_t>(random.between(0, 3)), CoreType::kAiv);
  timeline.tasks.resize(static_cast<std::size_t>(random.between(0, 50)));
  for (TaskTimes& times : timeline.tasks) {
    std::int64_t now = random.between(-1000, 1'000'000'000'000);
    for (const auto phase :
         {&TaskTimes::ready, &TaskTimes::dispatched, &TaskTimes::received, &TaskTimes::started, &TaskTimes::ended, &TaskTimes::published}) {
      if (random.between(0, 3) != 0) times.*phase = at_ns(now += random.between(0, 1000));
    }
    if (!is_present(times.started)) times.ended = kAbsent;
    if (!is_present(times.ended)) times.started = kAbsent;
    if (random.between(0, 3) != 0)
      times.core = core_id(static_cast<std::size_t>(random.between(0, static_cast<std::int64_t>(timeline.cores.size()) - 1)));
    if (random.between(0, 3) != 0) times.dispatcher = dispatcher_id(static_cast<std::size_t>(random.between(0, 7)));
  }
  timeline.dispatchers.resize(static_cast<std::size_t>(random.between(0, 4)));
  for (auto& spans : timeline.dispatchers) {
    std::int64_t now = 0;
    for (std::int64_t i = random.between(0, 5); i > 0; --i) {
      const std::int64_t begin = now + random.between(0, 100);
      now = begin + random.between(0, 100);
      spans.push_back({at_ns(begin), at_ns(now)});
    }
  }
  const auto tasks = static_cast<std::int64_t>(timeline.tasks.size());
  for (std::int64_t i = 0, now = random.between(-9, 9); i < 9; ++i)
    timeline.ready_queue.push_back({at_ns(now += random.between(0, 99)), static_cast<int>(random.between(0, tasks))});
  return timeline;
}

class Recording : public testing::Test {
 protected:
  tests::TemporaryFolder folder_;
  scenarios::Scenario scenario_ = tests::diamond_scenario();
  Design design_ = named_design("shared-queue");
  RecordedCase case_ = tests::diamond_recording(scenario_, design_);
  fs::path cases_ = write_recording(folder_.path(), case_);
  fs::path timeline_ = folder_ / "two-cores/diamond.shared-queue.csv.gz";

  void edit(const std::string& from, const std::string& to) const {
    std::string text = tests::read_text(cases_);
    const std::size_t at = text.find(from);
    ASSERT_NE(at, std::string::npos);
    tests::write_text(cases_, text.replace(at, from.size(), to));
  }
  /// The only case.
  RecordedCase read(const fs::path& cases) const {
    std::vector<RecordingFacts> all = read_recordings(cases);
    EXPECT_EQ(all.size(), 1U);
    return with_timeline(std::move(all.at(0)), scenario_.graph.size());
  }
  std::function<void()> reading() const {
    return [this] { read(cases_); };
  }
};

TEST_F(Recording, ComesBackUnchanged) {
  EXPECT_EQ(cases_, folder_ / "two-cores/cases.jsonl");
  EXPECT_EQ(list_recordings(folder_.path()), std::vector<fs::path>{cases_});
  EXPECT_TRUE(read(cases_) == case_);
  case_.residual.reset();
  EXPECT_TRUE(read(write_recording(folder_.path(), case_)) == case_);
}

TEST_F(Recording, KeepsHowQuickTheHostWas) {
  EXPECT_EQ(read(cases_).host_call, Nanoseconds{0});
  case_.host_call = Nanoseconds{3625.5};
  EXPECT_TRUE(read(write_recording(folder_.path(), case_)) == case_);
  edit("\"host_call_ns\":3625.5", "\"host_call_ns\":\"soon\"");
  EXPECT_THAT(reading(), ThrowsMessage<InputError>(HasSubstr("host_call_ns: is '\"soon\"'; must be a number, 0.0 to 1e+15")));
}

TEST_F(Recording, KeepsTheMostMemoryThatWasInUse) {
  EXPECT_FALSE(read(cases_).peak_memory);
  case_.peak_memory = MemorySample{{}, 5 << 20, 32 << 20};
  EXPECT_TRUE(read(write_recording(folder_.path(), case_)) == case_);
  edit("\"used_bytes\":5242880", "\"used_bytes\":-1");
  EXPECT_THAT(reading(), ThrowsMessage<InputError>(HasSubstr("peak_memory.used_bytes: is '-1'; must be a whole number, 0 to")));
  edit("\"used_bytes\"", "\"used\"");
  EXPECT_THAT(reading(), ThrowsMessage<InputError>(HasSubstr(
                             "peak_memory: has an unknown key 'used'; did you mean 'used_bytes'? (valid: used_bytes, reserved_bytes)")));
}

TEST_F(Recording, WithoutItsTimelineKeepsQuantilesOfStartsByLayer) {
  for (std::size_t i = 0; i < 4; ++i) case_.timeline.tasks[i].started = at_ns(static_cast<std::int64_t>(100 * i * i));
  case_.timeline.tasks[3].ended = at_ns(2000);
  const RecordedCase kept = without_timeline(case_, scenario_.graph);
  const RecordedStarts starts{
      {StartQuantiles{0, 0, 0, 0, 0}, StartQuantiles{100, 175, 250, 325, 400}, StartQuantiles{900, 900, 900, 900, 900}},
      count_inversions(scenario_.graph, case_.timeline)};
  EXPECT_EQ(kept.starts, std::optional(starts));
  ASSERT_TRUE(fs::exists(timeline_));
  EXPECT_TRUE(read(write_recording(folder_.path(), kept)) == kept);
  EXPECT_FALSE(fs::exists(timeline_)) << "of the recording before";
  EXPECT_NO_THROW(check_recording(kept, scenario_, design_));

  edit("\"starts_ns\":[", "\"starts_ns\":[null, ");
  EXPECT_THAT([&] { check_recording(read(cases_), scenario_, design_); },
              ThrowsMessage<InputError>(HasSubstr("has the starts of 4 layers, while the graph has 3")));
  edit(R"("starts_ns":[)", R"("timeline_hash":"0123456789abcdef","starts_ns":[)");
  EXPECT_THAT(reading(), ThrowsMessage<InputError>(HasSubstr("timeline_hash: excludes starts_ns")));
}

TEST_F(Recording, OfStartsThatGoBackIsRefused) {
  write_recording(folder_.path(), without_timeline(case_, scenario_.graph));
  edit("\"starts_ns\":[", "\"starts_ns\":[[5, 4, 6, 7, 8], ");
  EXPECT_THAT(reading(), ThrowsMessage<InputError>(HasSubstr("starts_ns[0][1]: is '4'; must be a whole number, 5 to")));
  edit("[5, 4, 6, 7, 8]", "[5, 6, 7, 8]");
  EXPECT_THAT(reading(), ThrowsMessage<InputError>(HasSubstr("starts_ns[0]: must be five times in ns, or null")));
}

TEST_F(Recording, IsTheSameBytesEveryTime) {
  const std::string before = tests::read_text(timeline_);
  write_recording(folder_.path(), case_);
  EXPECT_EQ(tests::read_text(timeline_), before);
}

TEST_F(Recording, OfAResultThatIsNotFiniteIsRefused) {
  case_.residual = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THROW(write_recording(folder_.path(), case_), RunError);
}

TEST_F(Recording, FitsItsOwnGraphAndDesign) { EXPECT_NO_THROW(check_recording(read(cases_), scenario_, design_)); }

TEST_F(Recording, OfAnotherGraphIsRefusedWithTheRemedy) {
  TaskGraphBuilder builder;
  for (int i = 0; i < 4; ++i) builder.add_task(std::to_string(i), {});
  scenario_.graph = std::move(builder).build();
  EXPECT_THAT([this] { check_recording(case_, scenario_, design_); },
              ThrowsMessage<InputError>(AllOf(HasSubstr("another graph"), HasSubstr("tasktwin run diamond.yaml"))));
}

TEST_F(Recording, OfAnotherDesignIsRefusedNamingTheAxis) {
  design_.mailbox_depth = 5;
  EXPECT_THAT([this] { check_recording(case_, scenario_, design_); },
              ThrowsMessage<InputError>(HasSubstr("mailbox_depth was 2, but is 5 now")));
}

TEST_F(Recording, OfADesignWithSetsKeepsThem) {
  design_.sets = {{.name = "part", .cores = {0, 31}, .streams = {}, .kinds = {}, .layers = {}}};
  case_.axes = design_to_json(design_).dump();
  const RecordedCase again = read(write_recording(folder_.path(), case_));
  EXPECT_NO_THROW(check_recording(again, scenario_, design_));
  Design other = design_;
  other.sets.front().cores = {0, 47};
  EXPECT_THAT([&] { check_recording(again, scenario_, other); }, ThrowsMessage<InputError>(HasSubstr("sets was [")));
  other.sets.clear();
  EXPECT_THAT([&] { check_recording(again, scenario_, other); }, ThrowsMessage<InputError>(HasSubstr("but is unknown now")));
  case_.axes = design_to_json(other).dump();
  EXPECT_THAT([&] { check_recording(case_, scenario_, design_); }, ThrowsMessage<InputError>(HasSubstr("sets was not stated")));
}

TEST_F(Recording, OlderThanAnAxisHasItsDefault) {
  RecordedCase old = read(cases_);
  Json axes = Json::parse(old.axes);
  ASSERT_EQ(axes.erase("stealing"), 1U);
  old.axes = axes.dump();
  EXPECT_NO_THROW(check_recording(old, scenario_, design_));
  Design thief = design_;
  thief.stealing = Stealing::kHalf;
  EXPECT_THAT([&] { check_recording(old, scenario_, thief); },
              testing::ThrowsMessage<InputError>(testing::HasSubstr("stealing was \"off\", but is \"half\" now")));
}

TEST_F(Recording, NamesTheFieldThatIsMissingOrWrong) {
  edit("\"driver\":\"1.2\"", "\"drivel\":\"1.2\"");
  EXPECT_THAT(reading(), ThrowsMessage<InputError>(HasSubstr("cases.jsonl:2: has an unknown key 'drivel'; did you mean 'driver'?")));
  edit("\"drivel\":\"1.2\"", "\"driver\":12");
  EXPECT_THAT(reading(), ThrowsMessage<InputError>(HasSubstr("driver: must be text, not number")));
}

TEST_F(Recording, RefusesTimesThatAreNoTimes) {
  edit("990", "-990");
  EXPECT_THAT(reading(), ThrowsMessage<InputError>(HasSubstr("makespans_ns[0]: is '-990'; must be a whole number, 1 to 90000000000000")));
  edit("-990", "99999999999999999999");
  EXPECT_THAT(reading(), ThrowsMessage<InputError>(HasSubstr("the number '99999999999999999999' is beyond 64 bits")));
}

TEST_F(Recording, RefusesTimesWhoseSumsOverflow) {
  edit("1000,", "9223372036854775807,");
  EXPECT_THAT(reading(), ThrowsMessage<InputError>(HasSubstr("makespans_ns[1]: is '9223372036854775807'; must be a whole number")));
  edit("9223372036854775807,", "1000,");
  edit("1120", "9223372036854775807");
  EXPECT_THAT(reading(), ThrowsMessage<InputError>(HasSubstr("stamped_makespans_ns[1]: is")));
}

TEST_F(Recording, RefusesFactsThatCannotBe) {
  const std::string whole = tests::read_text(cases_);
  const auto refused = [&](const std::string& from, const std::string& to) {
    edit(from, to);
    std::string what;
    try {
      read(cases_);
    } catch (const InputError& wrong) {
      what = wrong.what();
    }
    tests::write_text(cases_, whole);
    return what;
  };
  const std::string machine = R"("machine":"two-cores",)";
  EXPECT_THAT(refused(machine, machine + machine), AllOf(HasSubstr("jsonl:2:"), HasSubstr("the key 'machine' stands twice in an object")));
  EXPECT_THAT(refused(R"({"scenario":"diamond")", R"({"scenario":1e400)"), HasSubstr(":2:13: the number '1e400' is beyond 64 bits"));
  EXPECT_THAT(refused(machine, machine + "\"zz\":" + std::string(105'000, '[') + ","), HasSubstr("is nested deeper than"));
  EXPECT_THAT(refused(machine, machine + "\"makespan_ns\":[1],"), HasSubstr("did you mean 'makespans_ns'?"));
  EXPECT_THAT(refused(machine, machine + "\"host_call_ns\":-5,"), HasSubstr("host_call_ns: is '-5'"));
  EXPECT_THAT(refused("\"ordering_violations\":", "\"ordering_violations\":-1"), HasSubstr("ordering_violations: is"));
  EXPECT_THAT(refused("\"makespans_ns\":[", "\"makespans_ns\":[0.5, "), HasSubstr("makespans_ns[0]: is '0.5'"));
  EXPECT_THAT(refused("\"count\":2", "\"count\":2000000"), HasSubstr("cores[0].count: is '2000000'"));
  EXPECT_THAT(refused("\"timeline_hash\":\"", "\"timeline_hash\":\"x"), HasSubstr("must be a hash of 16 hexadecimal digits"));
  EXPECT_THAT(refused("\"driver\":\"", "\"driver\":\"\xff"), HasSubstr("UTF-8"));
  EXPECT_EQ(refused(machine, " " + machine), "");
}

TEST_F(Recording, IsOfTheCaseItsNameSays) {
  case_.design = "static-queues";
  EXPECT_THAT([this] { check_recording(case_, scenario_, design_); }, ThrowsMessage<InputError>(HasSubstr("is not of 'diamond' under")));
}

TEST_F(Recording, UnpacksNoMoreThanItsTasksCanMake) {
  const std::string bomb(64 << 20, '0');
  tests::write_text(timeline_, gzip(bomb));
  EXPECT_THAT(reading(), ThrowsMessage<InputError>(HasSubstr("csv.gz:1:1: should begin with 'tasks,4'")));
  tests::write_text(timeline_, gzip("tasks,4\n" + bomb));
  EXPECT_THAT(reading(), ThrowsMessage<InputError>(HasSubstr("unpacks to more than 4 tasks can make")));
  tests::write_text(timeline_, gzip("tasks,4000000\n" + bomb));
  EXPECT_THAT(reading(), ThrowsMessage<InputError>(HasSubstr("should begin with 'tasks,4'")));
  tests::write_text(timeline_, gzip(encode_timeline(case_.timeline)) + "more");
  EXPECT_THAT(reading(), ThrowsMessage<InputError>(HasSubstr("has bytes behind the end")));
}

TEST_F(Recording, SaysWhereTheJsonBreaks) {
  edit("{\"scenario\":", "{\"scenario\" ");
  EXPECT_THAT(reading(), ThrowsMessage<InputError>(testing::ContainsRegex("cases.jsonl:2:[0-9]+: is no JSON: .*expected ':'")));
}

TEST_F(Recording, WhoseLastLineIsTornIsRefusedAtThatLine) {
  const std::string text = tests::read_text(cases_);
  tests::write_text(cases_, text.substr(0, text.size() - 10));
  EXPECT_THAT(reading(), ThrowsMessage<InputError>(HasSubstr("cases.jsonl:2:")));
  EXPECT_THROW(write_recording(folder_.path(), case_), InputError) << "nothing is added to it";
  tests::write_text(cases_, "");
  EXPECT_THAT(reading(), ThrowsMessage<InputError>(HasSubstr("cases.jsonl:1:1: is no JSON")));
}

TEST_F(Recording, OfAnotherFormatIsRefused) {
  edit("\"format\":2", "\"format\":3");
  EXPECT_THAT(reading(), ThrowsMessage<InputError>(HasSubstr("cases.jsonl:1: format: is '3'; must be a whole number, 2 to 2")));
}

TEST_F(Recording, ThatStandsTwiceIsRefusedAtItsSecondLine) {
  const std::string text = tests::read_text(cases_);
  tests::write_text(cases_, text + text.substr(text.find('\n') + 1));
  EXPECT_THAT(reading(), ThrowsMessage<InputError>(HasSubstr("cases.jsonl:3: is of 'diamond' under 'shared-queue', as line 2 is")));
}

TEST_F(Recording, TakesThePlaceOfTheOneBeforeAndLeavesTheOthers) {
  RecordedCase other = tests::diamond_recording(scenario_, named_design("static-queues"));
  other.makespans = {Duration{77}};
  write_recording(folder_.path(), other);
  const std::string before = tests::read_text(cases_);
  case_.date = "2025-01-01";
  write_recording(folder_.path(), case_);
  const std::vector<RecordingFacts> all = read_recordings(cases_);
  ASSERT_EQ(all.size(), 2U);
  EXPECT_EQ(all[0].recorded.date, "2025-01-01");
  EXPECT_TRUE(with_timeline(all[1], scenario_.graph.size()) == other);
  const auto last_line = [](const std::string& text) { return text.substr(text.rfind("{\"scenario\"")); };
  EXPECT_EQ(last_line(tests::read_text(cases_)), last_line(before));
}

TEST_F(Recording, SaysOfItsDesignOnlyWhatIsNotAsByDefault) {
  const std::string text = tests::read_text(cases_);
  EXPECT_EQ(std::ranges::count(text, '\n'), 2) << "a case a line";
  const Json axes = Json::parse(text.substr(text.find('\n')))["axes"];
  EXPECT_EQ(axes["mailbox_depth"], 2);
  EXPECT_FALSE(axes.contains("steal_batch"));
  const Json defaults = design_to_json(Design{});
  for (const auto& [axis, value] : axes.items()) EXPECT_NE(value, defaults[axis]) << axis;
}

TEST_F(Recording, KeepsItsMeaningWhenADefaultChanges) {
  edit("\"steal_batch\":4", "\"steal_batch\":7");  // in the first line
  EXPECT_THAT([this] { check_recording(read(cases_), scenario_, design_); },
              ThrowsMessage<InputError>(HasSubstr("steal_batch was 7, but is 4 now")));
  design_.steal_batch = 7;
  EXPECT_NO_THROW(check_recording(read(cases_), scenario_, design_));
  write_recording(folder_.path(), tests::diamond_recording(scenario_, named_design("static-queues")));
  EXPECT_NO_THROW(check_recording(read_recordings(cases_)[0].recorded, scenario_, design_)) << "nor when a case is added by another build";
}

TEST_F(Recording, RefusesATimelineThatIsDamagedTruncatedOrMissing) {
  const std::string packed = tests::read_text(timeline_);
  tests::write_text(timeline_, packed.substr(0, packed.size() / 2));
  EXPECT_THAT(reading(), ThrowsMessage<InputError>(HasSubstr("not a whole gzip file")));
  tests::write_text(timeline_, "");
  EXPECT_THAT(reading(), ThrowsMessage<InputError>(HasSubstr("not a whole gzip file")));
  Timeline other = case_.timeline;
  other.tasks[0].started += Duration{1};
  tests::write_text(timeline_, gzip(encode_timeline(other)));
  EXPECT_THAT(reading(), ThrowsMessage<InputError>(HasSubstr("is not the timeline that")));
  fs::remove(timeline_);
  EXPECT_THAT(reading(), ThrowsMessage<InputError>(HasSubstr("no such file")));
}

TEST(RecordedTimeline, ComesBackUnchangedWhateverIsAbsent) {
  Random random(21);
  for (int round = 0; round < 100; ++round) {
    const Timeline timeline = random_timeline(random);
    EXPECT_TRUE(decode_timeline(encode_timeline(timeline), timeline.cores, "t") == timeline);
  }
}

TEST(RecordedTimeline, NeverCrashesOnDamagedText) {
  Random random(22);
  const std::string whole = encode_timeline(tests::diamond_timeline());
  int refused = 0;
  for (int round = 0; round < 2000; ++round) {
    std::string text = whole;
    for (std::int64_t i = random.between(1, 3); i > 0; --i) {
      text[static_cast<std::size_t>(random.between(0, static_cast<std::int64_t>(text.size()) - 1))] =
          static_cast<char>(random.between(0, 255));
    }
    try {
      decode_timeline(text, {CoreType::kSm, CoreType::kSm}, "t");
    } catch (const InputError&) {
      ++refused;
    }
  }
  EXPECT_GT(refused, 1000);
}

TEST(RecordedTimeline, RefusesWhatIsOutOfOrder) {
  const auto refused = [](const std::string& tasks, const std::string& spans, const std::string& samples) {
    const auto rows = [](const std::string& text) { return std::to_string(std::ranges::count(text, '\n')); };
    const std::string text = "tasks," + rows(tasks) +
                             "\nready_ns,dispatched_ns,received_ns,started_ns,ended_ns,published_ns,core,dispatcher\n" + tasks +
                             "dispatcher_spans," + rows(spans) + "\ndispatcher,begin_ns,length_ns\n" + spans + "ready_queue," +
                             rows(samples) + "\ntime_ns,length\n" + samples;
    try {
      decode_timeline(text, {CoreType::kSm}, "t");
    } catch (const InputError& wrong) {
      return std::string(wrong.what());
    }
    return std::string();
  };
  EXPECT_EQ(refused("1,2,3,4,5,6,0,0\n", "0,1,2\n0,0,0\n", "1,1\n0,0\n"), "");
  EXPECT_EQ(refused("1,20,,-15,5,6,0,0\n", "", ""), "") << "the host's call may return after the start";
  EXPECT_THAT(refused("1,2,3,4,-5,6,0,0\n", "", ""), HasSubstr("t:3:"));
  EXPECT_THAT(refused("1,2,3,4,-5,6,0,0\n", "", ""), HasSubstr("the task is ended at 5 ns, before it is started, at 10 ns"));
  EXPECT_THAT(refused("1,2,3,-4,5,6,0,0\n", "", ""), HasSubstr("before it is received"));
  EXPECT_THAT(refused("9,,,-2,4,6,0,0\n", "", ""), HasSubstr("the task is started at 7 ns, before it is ready, at 9 ns"));
  EXPECT_THAT(refused("9,,,2,4,-1,0,0\n", "", ""), HasSubstr("the task is published at 14 ns, before it is ended, at 15 ns"));
  EXPECT_THAT(refused("1,2,3,4,,,0,0\n", "", ""), HasSubstr("a task that starts must end"));
  EXPECT_THAT(refused("9000000000000000,,,,,,,\n", "", ""), HasSubstr("is out of range"));
  EXPECT_THAT(refused("", "0,5,-2\n", ""), HasSubstr("t:5:8: 3 ns is before the time before it, by 2 ns"));
  EXPECT_THAT(refused("", "0,5,2\n0,-1,2\n", ""), HasSubstr("is before the time before it"));
  EXPECT_THAT(refused("1,2,3,4,5,6,0,0\n", "", "5,1\n-1,0\n"), HasSubstr("is before the time before it"));
  EXPECT_THAT(refused("1,2,3,4,5,6,0,0\n", "", "5,2\n"), HasSubstr("queue length 2 is not one of 0 to 1"));
}

TEST(RecordedTimeline, NamesLineAndColumn) {
  EXPECT_THAT(
      [] {
        decode_timeline("tasks,1\nready_ns,dispatched_ns,received_ns,started_ns,ended_ns,published_ns,core,dispatcher\n1,2,x,,,,,\n", {},
                        "t");
      },
      ThrowsMessage<InputError>("t:3:7: time 'x' is not a whole number"));
  EXPECT_THAT(
      [] {
        decode_timeline("tasks,1\nready_ns,dispatched_ns,received_ns,started_ns,ended_ns,published_ns,core,dispatcher\n,,,1,2,,7,\n",
                        {CoreType::kSm}, "t");
      },
      ThrowsMessage<InputError>(HasSubstr("core 7 is not one of 0 to 0")));
}

TEST(GraphHash, ChangesWithEveryTaskAndEdgeButNotWithNames) {
  const auto build = [](const char* name, int ns, bool edge, std::int64_t bytes) {
    TaskGraphBuilder builder;
    Task task;
    task.cost.time = Duration{ns};
    task.cost.bytes = {bytes};
    builder.add_task(name, task);
    builder.add_task("z", {});
    if (edge) builder.add_edge(task_id(0), task_id(1));
    return graph_hash(std::move(builder).build());
  };
  const std::string base = build("a", 1, true, 0);
  EXPECT_EQ(base.size(), 16U);
  EXPECT_EQ(build("b", 1, true, 0), base);
  EXPECT_NE(build("a", 2, true, 0), base);
  EXPECT_NE(build("a", 1, false, 0), base);
  EXPECT_NE(build("a", 1, true, 1), base);
}

TEST(GraphHash, ChangesWithWhatOnlySomeTasksHave) {
  const auto hash_with = [](const TaskTraits& traits, bool spawned, std::int64_t bytes) {
    TaskGraphBuilder builder;
    const TaskId first = builder.add_task("first", {});
    Task second;
    second.traits = builder.add_traits(traits);
    const TaskId id = builder.add_task("second", second);
    if (spawned) {
      builder.set_spawner(id, first);
    } else {
      builder.add_edge(first, id, Bytes{bytes});
    }
    return graph_hash(std::move(builder).build());
  };
  TaskTraits wide;
  wide.blocks = 2;
  TaskTraits chance;
  chance.probability = 0.5;
  TaskTraits sampled;
  sampled.samples = {Duration{5}};
  TaskTraits two_types;
  two_types.other_type = CoreType::kAiv;
  const std::set<std::string> hashes{hash_with({}, false, 0),       hash_with({}, true, 0),      hash_with({}, false, 7),
                                     hash_with(wide, false, 0),     hash_with(chance, false, 0), hash_with(sampled, false, 0),
                                     hash_with(two_types, false, 0)};
  EXPECT_EQ(hashes.size(), 7U);
}

TEST(Fnv1a, IsTheCommonHash) {
  Fnv1a hash;
  hash.add("foobar");
  EXPECT_EQ(hash.to_string(), "85944171f73967e8");
}

}  // namespace
}  // namespace tasktwin::verify
