#include "verify/recorded.hpp"

#include <functional>
#include <limits>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "models/error.hpp"
#include "models/random.hpp"
#include "tests/verify/support/cases.hpp"
#include "verify/compressed.hpp"
#include "verify/graph_hash.hpp"
#include "verify/output/json.hpp"
#include "verify/recorded_timeline.hpp"

namespace tasktwin::verify {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::ThrowsMessage;

Timeline random_timeline(Random& random) {
  Timeline timeline;
  timeline.cores.assign(static_cast<std::size_t>(random.between(1, 5)), CoreType::kSm);
  timeline.cores.resize(timeline.cores.size() + static_cast<std::size_t>(random.between(0, 3)), CoreType::kAiv);
  timeline.tasks.resize(static_cast<std::size_t>(random.between(0, 50)));
  for (TaskTimes& times : timeline.tasks) {
    for (const auto phase :
         {&TaskTimes::ready, &TaskTimes::dispatched, &TaskTimes::received, &TaskTimes::started, &TaskTimes::ended, &TaskTimes::published}) {
      if (random.between(0, 3) != 0) times.*phase = at_ns(random.between(-1000, 1'000'000'000'000));
    }
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
  for (std::int64_t i = random.between(0, 9); i > 0; --i)
    timeline.ready_queue.push_back({at_ns(random.between(0, 1000)), static_cast<int>(random.between(0, 99))});
  return timeline;
}

class Recording : public testing::Test {
 protected:
  tests::TemporaryFolder folder_;
  scenarios::Scenario scenario_ = tests::diamond_scenario();
  Design design_ = named_design("shared-queue");
  RecordedCase case_ = tests::diamond_recording(scenario_, design_);
  fs::path facts_ = write_recording(folder_.path(), case_);

  void edit(const std::string& from, const std::string& to) const {
    std::string text = tests::read_text(facts_);
    const std::size_t at = text.find(from);
    ASSERT_NE(at, std::string::npos);
    tests::write_text(facts_, text.replace(at, from.size(), to));
  }
  std::function<void()> reading() const {
    return [this] { read_recording(facts_); };
  }
};

TEST_F(Recording, ComesBackUnchanged) {
  EXPECT_EQ(facts_, folder_ / "two-cores/diamond.shared-queue.json");
  EXPECT_EQ(list_recordings(folder_.path()), std::vector<fs::path>{facts_});
  EXPECT_TRUE(read_recording(facts_) == case_);
  case_.residual.reset();
  EXPECT_TRUE(read_recording(write_recording(folder_.path(), case_)) == case_);
}

TEST_F(Recording, KeepsHowQuickTheHostWas) {
  EXPECT_EQ(read_recording(facts_).host_call, Nanoseconds{0});
  case_.host_call = Nanoseconds{3625.5};
  EXPECT_TRUE(read_recording(write_recording(folder_.path(), case_)) == case_);
  edit("\"host_call_ns\": 3625.5", "\"host_call_ns\": \"soon\"");
  EXPECT_THAT(reading(), ThrowsMessage<InputError>(HasSubstr("field 'host_call_ns' must be a number")));
}

TEST_F(Recording, KeepsTheMostMemoryThatWasInUse) {
  EXPECT_FALSE(read_recording(facts_).peak_memory);
  case_.peak_memory = MemorySample{{}, 5 << 20, 32 << 20};
  EXPECT_TRUE(read_recording(write_recording(folder_.path(), case_)) == case_);
  edit("\"used_bytes\": 5242880", "\"used_bytes\": -1");
  EXPECT_THAT(reading(), ThrowsMessage<InputError>(HasSubstr("field 'peak_memory' must be of 0 bytes or more")));
  edit("\"used_bytes\"", "\"used\"");
  EXPECT_THAT(reading(), ThrowsMessage<InputError>(HasSubstr("field 'peak_memory' must be an object of used_bytes and reserved_bytes")));
}

TEST_F(Recording, IsTheSameBytesEveryTime) {
  const std::string before = tests::read_text(folder_ / "two-cores/diamond.shared-queue.csv.gz");
  write_recording(folder_.path(), case_);
  EXPECT_EQ(tests::read_text(folder_ / "two-cores/diamond.shared-queue.csv.gz"), before);
}

TEST_F(Recording, OfAResultThatIsNotFiniteIsRefused) {
  case_.residual = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THROW(write_recording(folder_.path(), case_), RunError);
}

TEST_F(Recording, FitsItsOwnGraphAndDesign) { EXPECT_NO_THROW(check_recording(read_recording(facts_), scenario_, design_)); }

TEST_F(Recording, OfAnotherGraphIsRefusedWithTheRemedy) {
  TaskGraphBuilder builder;
  for (int i = 0; i < 4; ++i) builder.add_task(std::to_string(i), {});
  scenario_.graph = std::move(builder).build();
  EXPECT_THAT([this] { check_recording(case_, scenario_, design_); },
              ThrowsMessage<InputError>(testing::AllOf(HasSubstr("another graph"), HasSubstr("tasktwin run diamond.yaml"))));
}

TEST_F(Recording, OfAnotherDesignIsRefusedNamingTheAxis) {
  design_.mailbox_depth = 5;
  EXPECT_THAT([this] { check_recording(case_, scenario_, design_); },
              ThrowsMessage<InputError>(HasSubstr("mailbox_depth was 2, but is 5 now")));
}

TEST_F(Recording, OlderThanAnAxisHasItsDefault) {
  RecordedCase old = read_recording(facts_);
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
  edit("\"driver\": \"1.2\"", "\"drivel\": \"1.2\"");
  EXPECT_THAT(reading(), ThrowsMessage<InputError>(HasSubstr("diamond.shared-queue.json: field 'driver' is missing")));
  edit("\"drivel\": \"1.2\"", "\"driver\": 12");
  EXPECT_THAT(reading(), ThrowsMessage<InputError>(HasSubstr("field 'driver' must be a text")));
}

TEST_F(Recording, RefusesTimesThatAreNoTimes) {
  edit("990", "-990");
  EXPECT_THAT(reading(), ThrowsMessage<InputError>(HasSubstr("field 'makespans_ns' must be above 0 ns throughout")));
  edit("-990", "99999999999999999999");
  EXPECT_THAT(reading(), ThrowsMessage<InputError>(HasSubstr("field 'makespans_ns' must be a whole number")));
}

TEST_F(Recording, SaysWhereTheJsonBreaks) {
  edit("{\n  \"format\": 1,", "{\n  \"format\" 1,");
  EXPECT_THAT(reading(), ThrowsMessage<InputError>(HasSubstr("diamond.shared-queue.json:2:")));
}

TEST_F(Recording, RefusesATimelineThatIsDamagedTruncatedOrMissing) {
  const fs::path timeline = folder_ / "two-cores/diamond.shared-queue.csv.gz";
  const std::string packed = tests::read_text(timeline);
  tests::write_text(timeline, packed.substr(0, packed.size() / 2));
  EXPECT_THAT(reading(), ThrowsMessage<InputError>(HasSubstr("not a whole gzip file")));
  tests::write_text(timeline, "");
  EXPECT_THAT(reading(), ThrowsMessage<InputError>(HasSubstr("not a whole gzip file")));
  Timeline other = case_.timeline;
  other.tasks[0].started += Duration{1};
  tests::write_text(timeline, gzip(encode_timeline(other)));
  EXPECT_THAT(reading(), ThrowsMessage<InputError>(HasSubstr("is not the timeline that")));
  fs::remove(timeline);
  EXPECT_THAT(reading(), ThrowsMessage<InputError>(HasSubstr("No such file")));
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
