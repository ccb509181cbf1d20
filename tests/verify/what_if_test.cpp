#include "verify/explain/what_if.hpp"
#include "models/runtimes/runtimes.hpp"

#include <gmock/gmock.h>

#include "models/base/error.hpp"
#include "tests/scenarios/imports/kineto_text.hpp"
#include "tests/verify/support/cases.hpp"
#include "tests/verify/support/command_folder.hpp"
#include "tests/verify/support/process.hpp"
#include "tests/verify/support/strict_json.hpp"

namespace tasktwin::verify {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

/// first → left, right → last, in streams 0, 0, 1, 0.
Selection lanes() {
  TaskGraphBuilder builder;
  const auto add = [&builder](const char* name, int stream) {
    builder.add_task(name, {.cost = {.time = Duration{5000}}, .traits = builder.add_traits({.stream = stream})});
  };
  add("first", 0);
  add("left", 0);
  add("right", 1);
  add("last", 0);
  for (const auto& [from, to] : {std::pair{0, 1}, std::pair{0, 2}, std::pair{1, 3}, std::pair{2, 3}})
    builder.add_edge(task_id(static_cast<std::size_t>(from)), task_id(static_cast<std::size_t>(to)));
  Selection selection;
  selection.argument = "lanes";
  selection.scenario.name = "lanes";
  selection.scenario.graph = std::move(builder).build();
  selection.scenario.machine = scenarios::load_machine("nvidia-h200");
  selection.designs = {named_design("cuda-streams"), named_design("shared-queue")};
  return selection;
}

Duration makespan(const Selection& selection, std::size_t design = 0) {
  return predict_makespan(selection.scenario, selection.designs.at(design), 1);
}

std::string refusal(const WhatIf& wanted) {
  try {
    what_if(lanes(), wanted);
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

TEST(WhatIf, StandsBehindTheOriginalWithWhatWasChanged) {
  WhatIf wanted;
  wanted.drop = {"right"};
  wanted.scale = {{"left", 2}};
  const std::vector<Selection> both = with_what_if({lanes()}, wanted);
  ASSERT_EQ(both.size(), 2u);
  EXPECT_EQ(both[0].scenario.graph.size(), 4u);
  EXPECT_EQ(both[1].scenario.graph.size(), 3u);
  EXPECT_EQ(both[1].scenario.name, "lanes-what-if");
  EXPECT_THAT(both[1].changes, ElementsAre("1 task of 'right' dropped", "1 task of 'left' with 2 × the work"));
  EXPECT_EQ(with_what_if({lanes()}, {}).size(), 1u);
}

TEST(WhatIf, DesignsOfStreamsFollow) {
  WhatIf wanted;
  wanted.move = {{"*", 0}};
  const Selection serial = what_if(lanes(), wanted);
  ASSERT_EQ(serial.designs.size(), 1u) << "shared-queue has no streams";
  EXPECT_THAT(serial.changes, Contains("without shared-queue, to which --move says nothing"));
  EXPECT_GE(makespan(serial), Duration{20'000}) << "one after the other";
  wanted.move = {{"right", 5}};
  EXPECT_EQ(what_if(lanes(), wanted).designs.front().streams, 6);
  wanted = {};
  wanted.streams = 1;
  EXPECT_GE(makespan(what_if(lanes(), wanted)), Duration{20'000});
  wanted.scale = {{"*", 4}};  // so that what the device does counts, not the host's calls
  const Duration alone = makespan(what_if(lanes(), wanted));
  wanted.streams = 2;
  EXPECT_LT(makespan(what_if(lanes(), wanted)), alone);
}

/// What is moved moves, and all else stays where the design has it.
TEST(WhatIf, AMoveLeavesTheOthersInTheirStreams) {
  TaskGraphBuilder builder;
  for (int i = 0; i < 8; ++i) builder.add_task("t" + std::to_string(i), {.cost = {.time = Duration{100'000}}});
  Selection eight = lanes();
  eight.scenario.graph = std::move(builder).build();
  eight.designs = {named_design("cuda-streams")};
  WhatIf wanted;
  wanted.move = {{"t0", 9}};
  EXPECT_EQ(makespan(what_if(eight, wanted)), makespan(eight)) << "nobody is in stream 9";
  wanted.move = {{"t0", 1}};
  EXPECT_GT(makespan(what_if(eight, wanted)), makespan(eight) + Duration{50'000}) << "behind another";
  Design two = named_design("cuda-streams");
  two.name = "two";
  two.streams = 2;
  eight.designs.push_back(two);
  const Selection made = what_if(eight, wanted);
  ASSERT_EQ(made.designs.size(), 1u);
  EXPECT_THAT(made.changes, Contains(HasSubstr("without two, which gives tasks other streams than cuda-streams")));
}

TEST(WhatIf, AFusionThatIsNoneSaysWhy) {
  TaskGraphBuilder builder;
  for (const auto& [name, blocks] : {std::pair{"prepare", 1}, std::pair{"wide", 264}, std::pair{"next", 264}}) {
    const TaskId task = builder.add_task(name, {.cost = {.time = Duration{1000}}, .traits = builder.add_traits({.blocks = blocks})});
    if (index(task) > 0) builder.add_edge(task_id(index(task) - 1), task);
  }
  Selection selection = lanes();
  selection.scenario.graph = std::move(builder).build();
  selection.designs = {named_design("cuda-streams")};
  WhatIf wanted;
  wanted.fuse = {"*"};
  EXPECT_THAT(what_if(selection, wanted).changes,
              ElementsAre("2 tasks of '*' fused into 1, and 1 pair not, as 'prepare' has blocks 1, 'wide' 264"));
  wanted.drop = {"next"};
  try {
    what_if(selection, wanted);
    ADD_FAILURE();
  } catch (const InputError& refused) {
    EXPECT_THAT(refused.what(), HasSubstr("as nothing else does; 'prepare' has blocks 1, 'wide' 264"));
  }
}

TEST(WhatIf, WaysToLaunchTakeThePlaceOfTheDesigns) {
  for (const auto& [word, meaning] : as_words()) {
    WhatIf wanted;
    wanted.as = std::string(word);
    const Selection made = what_if(lanes(), wanted);
    ASSERT_EQ(made.designs.size(), 1u) << word;
    EXPECT_GT(makespan(made), Duration{15'000}) << word;
    EXPECT_EQ(made.designs.front().driver, word == "graph" ? Driver::kCudaGraph : Driver::kStreams);
  }
}

TEST(WhatIf, ASlowerHostIsSlower) {
  WhatIf wanted;
  wanted.host = 4;
  const Selection slow = what_if(lanes(), wanted);
  EXPECT_GT(makespan(slow), makespan(lanes()));
  EXPECT_EQ(makespan(slow, 1), makespan(lanes(), 1)) << "its workers are resident";
  EXPECT_THAT(slow.changes, ElementsAre("the host takes 4 × as long, which changes nothing under shared-queue"));
}

TEST(WhatIf, AHostAsItIsIsAQuestionToo) {
  WhatIf wanted;
  wanted.host = 1;
  const std::vector<Selection> both = with_what_if({lanes()}, wanted);
  ASSERT_EQ(both.size(), 2u);
  EXPECT_EQ(makespan(both[1]), makespan(both[0]));
  EXPECT_THAT(both[1].changes, ElementsAre("the host takes 1 × as long, which changes nothing under shared-queue"));
  const tests::Outcome outcome = tests::tasktwin("simulate example --designs shared-queue --host 1 --format json");
  EXPECT_EQ(tests::strict_json(outcome.out).size(), 2u) << "a list, as with --scale '*=1'";
}

TEST(WhatIf, RefusalsNameTheOption) {
  WhatIf wanted;
  wanted.drop = {"none"};
  EXPECT_EQ(refusal(wanted), "--drop: no task of 'lanes' goes by 'none'");
  wanted = {};
  wanted.drop = {"*"};
  EXPECT_EQ(refusal(wanted), "--drop: no task would be left");
  wanted = {};
  wanted.insert = {{.name = "x", .after = "nobody"}};
  EXPECT_EQ(refusal(wanted), "--insert: no task goes by 'nobody'");
  wanted = {};
  wanted.fuse = {"left"};
  EXPECT_THAT(refusal(wanted), HasSubstr("--fuse: no chain among 1 task by 'left'; it takes two bodies of one kernel with as many blocks"));
  wanted.fuse = {"none"};
  EXPECT_EQ(refusal(wanted), "--fuse: no task of 'lanes' goes by 'none'");
  wanted = {};
  wanted.as = "graph";
  wanted.streams = 2;
  EXPECT_THAT(refusal(wanted), HasSubstr("--streams: of 'lanes' no selected design launches into streams"));
}

/// A program of two iterations, each of two kernels of 20 us that it launches every 200 us, imported.
class WhatIfOfAProgram : public tests::CommandFolder {
 protected:
  WhatIfOfAProgram() {
    scenarios::KinetoText text;
    for (int i = 0; i < 4; ++i) text.launch(i % 2 == 0 ? "f" : "g", 1 + i, 7, 100 + 200 * i, 110 + 200 * i, 20);
    text.call("cudaMalloc", 9, 150, 10).call("cudaDeviceSynchronize", 10, 720, 40);
    text.range("iteration_0", 90, 380).range("iteration_1", 490, 380);
    tests::write_text(folder_ / "trace.json", text.text());
    imported_ = in_folder("tasktwin scenario import trace.json --output program.yaml");
  }

  tests::Outcome imported_;
};

TEST_F(WhatIfOfAProgram, IsHeldAgainstTheProgram) {
  ASSERT_EQ(imported_.code, 0) << imported_.err;
  const tests::Outcome told = in_folder("tasktwin simulate program.yaml --designs cuda-graph --as graph");
  EXPECT_THAT(told.out, HasSubstr("as it is"));
  EXPECT_THAT(told.out, HasSubstr("here is 1 call that allocates or frees and 1 call that blocks"));
  const nlohmann::json both =
      tests::strict_json(in_folder("tasktwin simulate program.yaml --designs cuda-graph --as graph --format json").out);
  const nlohmann::json& base = both.at(1).at("baseline");
  EXPECT_EQ(base.at("design"), "as-captured");
  EXPECT_EQ(base.at("iterations"), 2);
  EXPECT_NEAR(base.at("makespan_ns").get<double>(), 630e3, 2e3);
  EXPECT_GT(base.at("host_ns").get<double>(), 500e3);
}

/// Launched another way, the program's host still takes its own time between the launches: no cost of launching.
TEST_F(WhatIfOfAProgram, LaunchedAnotherWayHasItsOwnTimeStill) {
  const nlohmann::json one = tests::strict_json(in_folder("tasktwin explain program.yaml events --format json").out);
  const nlohmann::json& events = one.at("designs").at(0);
  const nlohmann::json& path = events.at("path");
  EXPECT_GT(path.at("host_own_ns").get<double>(), 0.7 * events.at("makespan_ns").get<double>());
  EXPECT_LT(path.at("launch_ns").get<double>(), 0.2 * events.at("makespan_ns").get<double>());
  std::int64_t sum = 0;
  for (const auto& [cause, time] : path.items()) sum += time.get<std::int64_t>();
  EXPECT_EQ(sum, events.at("makespan_ns").get<std::int64_t>());
  EXPECT_EQ(events.at("costs").at(0).at("cause"), "host_own");
  EXPECT_GT(events.at("costs").at(0).at("gain_ns").get<double>(), 0.5 * events.at("makespan_ns").get<double>());
}

TEST_F(WhatIfOfAProgram, IsExplainedAndAdvisedOnWithoutItsProfilerToo) {
  const auto makespan = [&](const std::string& more) {
    const tests::Outcome outcome = in_folder("tasktwin explain program.yaml as-captured --format json" + more);
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    return tests::strict_json(outcome.out).at("designs").at(0).at("makespan_ns").get<double>();
  };
  EXPECT_NEAR(makespan(" --unprofiled 100us"), 200e3, 100);  // two iterations
  EXPECT_GT(makespan(""), 300e3);
  const tests::Outcome advised = in_folder("tasktwin advise program.yaml --unprofiled 100us");
  EXPECT_EQ(advised.code, 0) << advised.err;
  EXPECT_THAT(advised.out, Not(HasSubstr("a profiler's part included")));
}

TEST_F(WhatIfOfAProgram, MayRunSeveralTimesAtOnce) {
  const tests::Outcome two = in_folder("tasktwin simulate program.yaml --replicas 2");
  EXPECT_EQ(two.code, 0) << two.err;
  EXPECT_THAT(two.out, AllOf(HasSubstr("2 of it at once, processes that share the device as under MPS"), HasSubstr("2 take "),
                             HasSubstr("as much is done")));
  const nlohmann::json both = tests::strict_json(in_folder("tasktwin simulate program.yaml --replicas 2 --format json").out);
  const auto makespan = [&both](std::size_t at) { return both.at(at).at("designs").at(0).at("makespan_ns").get<double>(); };
  EXPECT_LT(makespan(1), 2 * makespan(0));  // most of it is the host's own time, and each has a host of its own
  EXPECT_GE(makespan(1), makespan(0));
  EXPECT_EQ(in_folder("tasktwin simulate program.yaml --replicas 2 --as graph").code, 2);
  EXPECT_THAT(tests::tasktwin("simulate example --replicas 2").err, HasSubstr("'example' is no captured program"));
}

TEST_F(WhatIfOfAProgram, TakesTheTimeOfAnIterationWithoutTheProfiler) {
  const nlohmann::json both =
      tests::strict_json(in_folder("tasktwin simulate program.yaml --as graph --unprofiled 100us --format json").out);
  EXPECT_NEAR(both.at(1).at("baseline").at("makespan_ns").get<double>(), 200e3, 100);
  EXPECT_THAT(in_folder("tasktwin simulate program.yaml --as graph").out, AllOf(HasSubstr("profiler's"), HasSubstr("--unprofiled")));
  const tests::Outcome given = in_folder("tasktwin simulate program.yaml --as graph --unprofiled 100us");
  EXPECT_THAT(given.out, AllOf(HasSubstr("gain of"), Not(HasSubstr("profiler's")), Not(HasSubstr("--unprofiled"))));
  const tests::Outcome quick = in_folder("tasktwin simulate program.yaml --as graph --unprofiled 10us");
  EXPECT_EQ(quick.code, 2);
  EXPECT_THAT(quick.err, AllOf(HasSubstr("an iteration of"), HasSubstr("even where its host takes no time")));
  const tests::Outcome slow = in_folder("tasktwin simulate program.yaml --unprofiled 500us");
  EXPECT_THAT(slow.out, HasSubstr("with the host's time scaled so that an iteration takes 500.0 µs"));
  EXPECT_THAT(slow.err, HasSubstr("as it was captured, which is less"));
  EXPECT_THAT(given.err, Not(HasSubstr("taken to be slower")));
  EXPECT_EQ(tests::tasktwin("simulate example --as graph --unprofiled 10us").code, 2) << "no captured program";
}

/// Of one stream too.
TEST_F(WhatIfOfAProgram, AsEventsIsTheDesignThatAnImportWrites) {
  const nlohmann::json written = tests::strict_json(in_folder("tasktwin simulate program.yaml --designs events --format json").out);
  const nlohmann::json both = tests::strict_json(in_folder("tasktwin simulate program.yaml --as events --format json").out);
  const nlohmann::json& asked = both.at(1).at("designs").at(0);
  EXPECT_EQ(asked.at("design"), "events");
  EXPECT_EQ(asked.at("makespan_ns"), written.at("designs").at(0).at("makespan_ns"));
  EXPECT_EQ(asked.at("resolved_design"), written.at("designs").at(0).at("resolved_design"));
}

TEST(WhatIfCommand, ShowsBothAndTheChange) {
  const tests::TemporaryFolder folder;
  tests::write_text(folder / "tiny.yaml", tests::kTinyScenario);
  const std::string file = "'" + (folder / "tiny.yaml").string() + "'";
  const tests::Outcome text =
      tests::tasktwin("simulate " + file + " --designs shared-queue --scale 'left=0.5' --insert 'more=2us,after:right,before:last'");
  EXPECT_EQ(text.code, 0) << text.err;
  EXPECT_THAT(text.out, HasSubstr("tiny-what-if: 5 tasks"));
  EXPECT_THAT(text.out, HasSubstr("what if: 'more' of 2000 ns inserted; 1 task of 'left' with 0.5 × the work"));
  EXPECT_THAT(text.out, HasSubstr("as it is"));
  const tests::Outcome json = tests::tasktwin("compare " + file + " --as graph --format json");
  ASSERT_EQ(json.code, 0) << json.err;
  const auto results = tests::strict_json(json.out);
  ASSERT_EQ(results.size(), 2u);
  EXPECT_FALSE(results[0].contains("changes"));
  EXPECT_EQ(results[1]["changes"][0], "as graph: one launch of a CUDA graph");
}

TEST(WhatIfCommand, WrongValuesAreUsageErrors) {
  for (const char* const options :
       {"--scale left", "--scale left=x", "--scale left=-1", "--scale left=nan", "--move left=3", "--move left=stream:-1", "--insert more",
        "--insert more=2", "--insert more=2us,behind:left", "--streams 0", "--as pieces", "--allocator none", "--host 0", "--host fast"}) {
    const tests::Outcome outcome = tests::tasktwin(std::string("simulate example ") + options);
    EXPECT_EQ(outcome.code, 2) << options << '\n' << outcome.err;
  }
}

}  // namespace
}  // namespace tasktwin::verify
