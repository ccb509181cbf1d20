#include <filesystem>
#include <functional>
#include <string>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "models/base/error.hpp"
#include "tests/verify/support/cases.hpp"
#include "verify/output/files/atomic_file.hpp"
#include "verify/rerun/rerun_file.hpp"
#include "verify/rerun/rerun_session.hpp"
#include "verify/rerun/rerun_text.hpp"
#include "verify/rerun/rerun_verdict.hpp"

namespace tasktwin::verify {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

constexpr const char* kBegin = R"({"cuda":{"process":7}}
{"range":"step"}
{"iteration":{"number":1,"operations":2,"us":90}}
{"iteration":{"number":2,"operations":2,"us":50}}
{"device":{"name":"Some GPU","cuda_driver":13000,"memory_bytes":1000,"multiprocessors":4,"compute_capability":"9.0"}}
{"tape":{"program_us":50.5,"streams":[{"kind":"legacy","priority":0}],"operations":[{"kind":"memset","stream":0,"after":[],"bytes":64},{"kind":"kernel","stream":0,"after":[0],"name":"_Z4axpyPKfPf","grid":[1,1,1],"block":[32,1,1],"dynamic_shared_bytes":0}]}}
{"schedule":{"name":"as-captured","edges":1,"streams":1,"remarks":[]}}
{"schedule":{"name":"graph","edges":1,"streams":1,"remarks":[]}}
)";
constexpr const char* kMemory =
    R"({"memory":{"allocations":2,"bytes":4194304,"copies_on_host_bytes":0,"changed_bytes":64,"unreproducible_bytes":0,"runs":1,"differing_runs":0}}
)";
constexpr const char* kEqual =
    R"({"check":{"schedule":"graph","runs":5,"differing_runs":0,"bytes":0,"allocations":0,"host_bytes":0,"unreproducible_bytes":0,"places":[]}}
)";
constexpr const char* kTimes = R"({"time":{"schedule":"as-captured","device_us":20,"host_us":25}}
{"time":{"schedule":"graph","device_us":10,"host_us":14}}
{"time":{"schedule":"as-captured","device_us":22,"host_us":27}}
{"time":{"schedule":"graph","device_us":12,"host_us":18}}
)";
constexpr const char* kEnd = R"({"done":true}
{"own":{"us":80}}
{"ended":{"iterations":2,"open":false,"rerun":true}}
)";

/// Runs commands that use no GPU; one of them puts in place what the library would have told.
class RerunSession : public testing::Test {
 protected:
  int rerun(std::vector<std::string> command, RerunSettings settings = {.range = "step"}) {
    settings.command = std::move(command);
    settings.output = output();
    settings.library = "/nowhere";
    settings.schedules = "graph";
    testing::internal::CaptureStderr();
    struct Said {
      std::string& said;
      ~Said() { said = testing::internal::GetCapturedStderr(); }
    } const said{said_};
    return rerun_program(settings);
  }

  std::vector<std::string> tells(const std::string& report, const std::string& then = "true") {
    write_file(folder_ / "report", report);
    return {"bash", "-c", "cp '" + (folder_ / "report").string() + "' \"$TASKTWIN_RERUN_FOLDER\"/7.rerun && " + then};
  }
  std::string why_not(const std::string& report, RerunSettings settings = {.range = "step"}) {
    try {
      rerun(tells(report), std::move(settings));
    } catch (const RunError& error) {
      EXPECT_FALSE(std::filesystem::exists(output()));
      return error.what();
    }
    return "";
  }

  std::filesystem::path output() const { return folder_ / "out.json"; }

  tests::TemporaryFolder folder_;
  std::string said_;
};

TEST_F(RerunSession, WritesWhatWasMeasuredAndSaysItInATable) {
  EXPECT_EQ(rerun(tells(std::string(kBegin) + kMemory + kEqual + kTimes + kEnd)), 0);
  EXPECT_THAT(said_, HasSubstr("range step: 1 kernel, 1 copy or memset on 1 stream, run again on Some GPU"));
  EXPECT_THAT(said_, HasSubstr("graph            1        1  11.000 µs  16.000 µs           0.524          equal"));
  EXPECT_THAT(said_, HasSubstr("the program itself takes 80.000 µs"));
  EXPECT_THAT(said_, HasSubstr("compared bit by bit with what the original order leaves, over 2 allocations (4 MiB)"));
  const RerunFile file = read_rerun_file(output());
  EXPECT_EQ(file.ended, "whole");
  EXPECT_EQ(file.instance, 2U);
  EXPECT_THAT(file.find("graph")->device_us, ElementsAre(10, 12));
  EXPECT_EQ(file.operations.at(1).at("name"), "axpy(float const*, float*)");
  EXPECT_EQ(to_json(file), to_json(read_rerun_file(output())));
}

TEST_F(RerunSession, ShowsWhatWasPredictedBesideWhatWasMeasured) {
  EXPECT_EQ(rerun(tells(std::string(kBegin) + kMemory + kEqual + kTimes + kEnd)), 0);
  RerunFile file = read_rerun_file(output());
  EXPECT_THAT(to_text(file), testing::Not(HasSubstr("predicted")));
  file.machine = "nvidia-h200";
  std::ranges::find(file.schedules, "graph", &RerunSchedule::name)->predicted_us = 17.6;  // 16 with the host
  write_file(folder_ / "predicted.json", to_text(to_json(file)));
  const RerunFile read = read_rerun_file(folder_ / "predicted.json");
  EXPECT_EQ(read.machine, "nvidia-h200");
  EXPECT_THAT(to_text(read), HasSubstr("16.000 µs  17.600 µs  +10.0 %           0.524"));
  EXPECT_THAT(to_text(read), HasSubstr("predicted before, with the host, by a capture of the program and machine nvidia-h200"));
}

TEST_F(RerunSession, PredictionsAreHeldAgainstWhatWasMeasured) {
  EXPECT_EQ(rerun(tells(std::string(kBegin) + kMemory + kEqual + kTimes + kEnd)), 0);
  RerunFile file = read_rerun_file(output());
  EXPECT_THAT([&] { cases_of(file, "step.json"); }, testing::ThrowsMessage<InputError>(HasSubstr("step.json: predicts nothing")));
  file.machine = "nvidia-h200";
  for (RerunSchedule& one : file.schedules) one.predicted_us = one.name == "graph" ? 17.6 : 30;  // 16 with the host
  const auto cases = cases_of(file, "step.json");
  const auto graph = std::ranges::find(cases, "graph", &CaseComparison::design);
  ASSERT_NE(graph, cases.end());
  EXPECT_NEAR(graph->makespan_error, 0.1, 1e-9);
  EXPECT_EQ(graph->scenario, "step");
  const std::string path = (folder_ / "predicted.json").string();
  write_file(path, to_text(to_json(file)));
  testing::internal::CaptureStdout();
  EXPECT_EQ(verify_reruns({.files = {path}, .limit = 0.05}), 1);
  const std::string said = testing::internal::GetCapturedStdout();
  EXPECT_THAT(said, HasSubstr("winner of predicted: graph measured, graph predicted"));
  EXPECT_THAT(said, HasSubstr("FAILS: predicted under graph: makespan error +10.0 % is beyond 5.0 %"));
}

TEST_F(RerunSession, FailsWhereResultsDiffer) {
  const std::string differs =
      R"({"check":{"schedule":"graph","runs":5,"differing_runs":2,"bytes":12,"allocations":1,"host_bytes":0,"unreproducible_bytes":0,"places":[{"operation":1,"allocation":65536,"offset":4096,"bytes":12}]}}
)";
  EXPECT_EQ(rerun(tells(std::string(kBegin) + kMemory + differs + kTimes + kEnd)), 1);
  EXPECT_THAT(said_, HasSubstr("graph: 12 bytes differ of 1 allocation, in 2 of 5 runs\n"));
  EXPECT_THAT(said_, HasSubstr("in allocation 0x10000 from byte 4 096 on, which operation 1 (axpy(float const*, float*)) names last"));
}

TEST_F(RerunSession, TellsWhatIsNotReproducibleByItself) {
  const std::string memory =
      R"({"memory":{"allocations":1,"bytes":4096,"copies_on_host_bytes":0,"changed_bytes":64,"unreproducible_bytes":9,"runs":40,"differing_runs":1}}
)";
  const std::string check =
      R"({"check":{"schedule":"graph","runs":5,"differing_runs":0,"bytes":0,"allocations":0,"host_bytes":0,"unreproducible_bytes":8,"places":[]}}
)";
  EXPECT_EQ(rerun(tells(kBegin + memory + check + kTimes + kEnd)), 0);
  EXPECT_THAT(said_, HasSubstr("equal *"));
  EXPECT_THAT(said_, HasSubstr("over 1 allocation (0 MiB), in 5 runs of each schedule\n"));
  EXPECT_THAT(
      said_,
      HasSubstr(
          "* but for 9 bytes in which the original order differs from itself when it is run again (as with atomics): in 1 of 40 runs\n"));
  EXPECT_EQ(read_rerun_file(output()).find("graph")->check->runs, 5U);
}

TEST(RerunTrace, HasThePredictedTimesBesideTheMeasured) {
  RerunFile file;
  file.streams = Json::array({{{"kind", "legacy"}}});
  file.operations = Json::array({{{"kind", "memset"}, {"stream", 0}}, {{"kind", "kernel"}, {"name", "axpy(float*)"}, {"stream", 0}}});
  file.schedules = {{.name = "chain", .operations_us = {{0, 2}, {3, 8}}, .predicted_operations_us = {{0, 2}, {2.5, 7}}},
                    {.name = "graph", .operations_us = {{0, 2}, {-1, -1}}}};
  std::vector<std::string> seen;
  const Json trace = trace_of(file);
  for (const Json& event : trace.at("traceEvents")) {
    if (event.at("name") == "process_name")
      seen.push_back(event.at("args").at("name").get<std::string>());
    else if (event.at("ph") == "X")
      seen.push_back(fmt::format("{} {} {} {}", event.at("pid").get<int>(), event.at("name").get<std::string>(),
                                 event.at("ts").get<double>(), event.at("dur").get<double>()));
  }
  EXPECT_THAT(seen, testing::ElementsAre("chain", "0 memset 0 2", "0 axpy(float*) 3 5", "chain, predicted", "1 memset 0 2",
                                         "1 axpy(float*) 2.5 4.5", "graph", "2 memset 0 2"));
}

TEST_F(RerunSession, PassesTheProgramsExitCodeOn) {
  const std::string report = std::string(kBegin) + kMemory + kEqual + kTimes + kEnd;
  EXPECT_EQ(rerun(tells(report, "exit 7")), 7);
  EXPECT_THAT(said_, HasSubstr("error: 'bash' ended with exit code 7"));
  EXPECT_EQ(read_rerun_file(output()).exit_code, 7);
  EXPECT_EQ(rerun(tells(report, "kill -9 $$")), 137);
  EXPECT_EQ(rerun({"bash", "-c", "exit 5"}), 5);
  EXPECT_THAT(said_, HasSubstr("'bash' did not use CUDA"));
}

TEST_F(RerunSession, KeepsWhatWasMeasuredBeforeTheWatchdogEndedTheProgram) {
  const std::string cut_off = R"({"watchdog":{"schedule":"graph","seconds":5}}
{"time":{"sched)";
  EXPECT_EQ(rerun(tells(std::string(kBegin) + kMemory + kEqual + kTimes + cut_off, "exit 87")), 1);
  EXPECT_THAT(said_, HasSubstr("graph: not run: it did not end within 5 s; the program was ended"));
  const RerunFile file = read_rerun_file(output());
  EXPECT_EQ(file.ended, "watchdog");
  EXPECT_EQ(file.find("as-captured")->device_us.size(), 2U);
}

TEST_F(RerunSession, SaysWhyNothingWasRunAgain) {
  const std::string cuda = "{\"cuda\":{\"process\":7}}\n";
  EXPECT_THAT(why_not(""), HasSubstr("did not use CUDA"));
  EXPECT_THAT(why_not(cuda + R"({"cupti_error":"cuptiSubscribe: busy"})"),
              HasSubstr("CUPTI serves another tool in this process already (cuptiSubscribe: busy)"));
  EXPECT_THAT(why_not(cuda + R"({"ended":{"iterations":0,"open":false,"rerun":false}})"), HasSubstr("named no NVTX range at all"));
  EXPECT_THAT(why_not(cuda + R"({"range":"stpe"})"), HasSubstr("range 'step' was never entered; did you mean 'stpe'?"));
  EXPECT_THAT(why_not(cuda + R"({"range":"step"})"), HasSubstr("range 'step' never ends"));
  EXPECT_THAT(why_not(cuda + R"x({"refused":"a host function (cudaLaunchHostFunc)"})x"),
              HasSubstr("range 'step' cannot be run again: a host function (cudaLaunchHostFunc)"));
  EXPECT_THAT(why_not(cuda + R"({"refused":"managed memory, which kernel _Z4axpyPKfPf, grid 1 uses"})"),
              HasSubstr("which kernel axpy(float const*, float*), grid 1 uses"));
  const std::string once = cuda + R"({"range":"step"}
{"iteration":{"number":1,"operations":2,"us":90}}
)";
  EXPECT_THAT(why_not(once), HasSubstr("the range was there once only"));
  EXPECT_THAT(why_not(once, {.range = "step", .instance = 4}), HasSubstr("--instance 4: the range was there 1 times only"));
  EXPECT_THAT(
      why_not(
          once +
          R"({"iteration":{"number":2,"operations":3,"us":90,"differs_at":2,"before":"nothing","now":"memset of 4 bytes, on stream 0"}})"),
      HasSubstr("the operations changed from each time to the next, 2 times (nothing before, memset of 4 bytes, on stream 0 now)"));
  EXPECT_THAT(why_not(cuda, {}), HasSubstr("nothing was run between two waits for the device"));
}

TEST_F(RerunSession, TellsTheLibraryWhatToDo) {
  const std::string variables = (folder_ / "variables").string();
  EXPECT_THROW(
      rerun(tells("", "env | grep -E 'INJECTION|TASKTWIN_RERUN' > '" + variables + "'"), {.range = "a b", .instance = 3, .check = false}),
      RunError);
  const std::string text = tests::read_text(variables);
  for (const char* set :
       {"CUDA_INJECTION64_PATH=/nowhere", "NVTX_INJECTION64_PATH=/nowhere", "TASKTWIN_RERUN_RANGE=a b", "TASKTWIN_RERUN_INSTANCE=3",
        "TASKTWIN_RERUN_SCHEDULES=graph", "TASKTWIN_RERUN_REPEATS=20", "TASKTWIN_RERUN_CHECK=0", "TASKTWIN_RERUN_CHECKS=5"})
    EXPECT_THAT(text, HasSubstr(set));
}

TEST_F(RerunSession, IsAGate) {
  const std::string report = std::string(kBegin) + kMemory + kEqual + kTimes + kEnd;
  RerunFile before;
  before.schedules.push_back({.name = "graph", .device_us = {10}, .host_us = {10}});
  EXPECT_EQ(rerun(tells(report), {.range = "step", .before = before, .fail_above = 0.2}), 0);
  EXPECT_EQ(rerun(tells(report), {.range = "step", .before = before, .fail_above = 0.05}), 1);
  EXPECT_THAT(said_, HasSubstr("error: graph takes 11.000 µs, 10.0 % more than before (10.000 µs)"));
  before.schedules[0].name = "chain";
  EXPECT_THROW(rerun(tells(report), {.range = "step", .before = before}), InputError);
}

TEST_F(RerunSession, SaysThatNothingWasChecked) {
  EXPECT_EQ(rerun(tells(std::string(kBegin) + kTimes + kEnd), {.range = "step", .check = false}), 0);
  EXPECT_THAT(said_, HasSubstr("results were not checked, and memory was not put back (--no-check)"));
  EXPECT_THAT(said_, Not(HasSubstr("equal")));
  EXPECT_FALSE(read_rerun_file(output()).checked);
}

/// Each field of a file in turn is taken away, or is of another kind: refused with its path, never anything else.
TEST_F(RerunSession, RefusesFilesThatAreNotItsOwn) {
  EXPECT_EQ(rerun(tells(std::string(kBegin) + kMemory + kEqual + kTimes + kEnd)), 0);
  const Json whole = Json::parse(tests::read_text(output()));
  const auto refusal = [this](const Json& json) -> std::string {
    write_file(folder_ / "wrong.json", json.dump());
    try {
      read_rerun_file(folder_ / "wrong.json");
    } catch (const InputError& error) {
      return error.what();
    }
    return "";
  };
  int refused = 0;
  const std::function<void(const Json::json_pointer&)> spoil = [&](const Json::json_pointer& at) {
    const Json& value = whole.at(at);
    if (value.is_object()) {
      for (const auto& [key, inner] : value.items()) spoil(at / key);
    } else if (value.is_array() && !value.empty()) {
      spoil(at / 0);
    }
    if (at.empty()) return;
    Json wrong = whole;
    wrong[at] = value.is_string() ? Json(1.5) : Json("x");
    const std::string said = refusal(wrong);
    if (said.empty()) return;  // kept as it is
    ++refused;
    EXPECT_THAT(said, HasSubstr("'tasktwin rerun' writes such files")) << at;
  };
  spoil(Json::json_pointer());
  EXPECT_GT(refused, 25);
  Json lacks = whole;
  lacks["schedules"][0].erase("device_us");
  EXPECT_THAT(refusal(lacks), HasSubstr("schedules[0].device_us: is missing"));
  Json newer = whole;
  newer["tasktwin_rerun"]["version"] = 2;
  EXPECT_THAT(refusal(newer), HasSubstr("tasktwin_rerun.version: is not 1"));
  EXPECT_THAT(refusal(Json::array()), HasSubstr("the file: is no object"));
  write_file(folder_ / "wrong.json", "{\"tasktwin_rerun\":");
  EXPECT_THAT([this] { read_rerun_file(folder_ / "wrong.json"); }, testing::ThrowsMessage<InputError>(HasSubstr("is no JSON")));
}

}  // namespace
}  // namespace tasktwin::verify
