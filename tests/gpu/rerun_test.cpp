#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <sys/wait.h>
#include <unistd.h>

#include "gpu/executor.hpp"

namespace tasktwin::tests {
namespace {

using Json = nlohmann::json;
using testing::HasSubstr;

/// Programs that know nothing of tasktwin, iterations of which are run again on this GPU.
class RerunPrograms : public testing::Test {
 protected:
  void SetUp() override {
    if (const auto why = gpu::why_no_gpu()) GTEST_SKIP() << *why;
    folder_ = std::filesystem::temp_directory_path() / ("tasktwin-rerun-" + std::to_string(::getpid()));
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override {
    std::error_code ignored;
    if (!folder_.empty()) std::filesystem::remove_all(folder_, ignored);
  }

  /// The exit code; the program's own output is in `out_`, what the command said in `err_`.
  int run(const std::string& command) {
    const int status = std::system((command + " > " + (folder_ / "out").string() + " 2> " + (folder_ / "err").string()).c_str());
    out_ = read(folder_ / "out");
    err_ = read(folder_ / "err");
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }
  int rerun(const std::string& options, const std::string& program) {
    std::filesystem::remove(folder_ / "out.json");
    const int code = run(std::string(TASKTWIN_EXECUTABLE) + " rerun --repeats 3 " + options + " -o " + (folder_ / "out.json").string() +
                         " -- " TASKTWIN_RERUN_PROGRAMS "/" + program);
    if (std::filesystem::exists(folder_ / "out.json")) file_ = Json::parse(read(folder_ / "out.json"));
    return code;
  }
  Json schedule(const std::string& name) const {
    for (const Json& one : file_.at("schedules")) {
      if (one.at("schedule") == name) return one;
    }
    ADD_FAILURE() << "no schedule " << name;
    return {};
  }
  void expect_equal(const std::string& name) const {
    const Json one = schedule(name);
    EXPECT_EQ(one.at("device_us").size(), 3U) << name << one.at("not_run");
    if (name == "as-captured") return;
    EXPECT_TRUE(one.at("check").at("equal").get<bool>()) << name << one.at("check");
  }

  static std::string read(const std::filesystem::path& path) {
    std::ifstream stream(path);
    return std::string(std::istreambuf_iterator<char>(stream), {});
  }

  std::filesystem::path folder_;
  std::string out_, err_;
  Json file_;
};

TEST_F(RerunPrograms, LeaveTheSameUnderEachSchedule) {
  EXPECT_EQ(rerun("--range measured --designs chain,graph,streams:2,streams:4", "stream_pipeline --rounds 2 --measured 3"), 0) << err_;
  EXPECT_THAT(out_, HasSubstr("right 1"));
  for (const char* name : {"as-captured", "chain", "graph", "streams:2", "streams:4"}) expect_equal(name);
  EXPECT_EQ(file_.at("operations").size(), 12U * 5 + 2);
  EXPECT_EQ(file_.at("memory").at("unreproducible_bytes"), 0);
}

/// The cut lets a kernel begin before the memset ahead of it, which then wipes out what it left.
TEST_F(RerunPrograms, ShowAWrongOrderByItsResults) {
  EXPECT_EQ(rerun("--range measured --designs graph,cut:7", "stream_pipeline --rounds 2 --measured 3"), 1) << err_;
  expect_equal("graph");
  EXPECT_FALSE(schedule("cut:7").at("check").at("equal").get<bool>());
  EXPECT_THAT(err_, HasSubstr("bytes differ of"));
  EXPECT_THAT(out_, HasSubstr("right 1"));  // what it left is put back
}

TEST_F(RerunPrograms, AreCutWhereTheyWaitForTheDeviceWithoutARange) {
  EXPECT_EQ(rerun("--designs graph", "graph_diamonds --as events --diamonds 5 --rounds 4"), 0) << err_;
  EXPECT_EQ(file_.at("operations").size(), 20U);
  expect_equal("graph");
  EXPECT_EQ(schedule("graph").at("edges"), 24);
}

TEST_F(RerunPrograms, MayLaunchGraphsThemselves) {
  EXPECT_EQ(rerun("--designs chain,graph", "graph_diamonds --as captured --diamonds 5 --rounds 4"), 0) << err_;
  EXPECT_EQ(file_.at("operations").at(0).at("kind"), "graph");
  for (const char* name : {"chain", "graph"}) expect_equal(name);
}

/// Kinds of memory and order in which a rerun could go wrong; each program ends as it does by itself.
TEST_F(RerunPrograms, GoOnAsIfNothingHadBeen) {
  for (const std::string what : {"plain", "pointers", "zero-copy", "round-trip", "in-place", "fork", "exec", "branches"}) {
    ASSERT_EQ(run(TASKTWIN_RERUN_PROGRAMS "/odd_ranges_static --what " + what), 0);
    const std::string alone = out_;
    EXPECT_EQ(rerun("--range odd --designs chain,graph", "odd_ranges_static --what " + what), 0) << what << err_;
    EXPECT_EQ(out_, alone) << what;
    for (const char* name : {"chain", "graph"}) expect_equal(name);
  }
}

TEST_F(RerunPrograms, PassTheirExitCodeOn) {
  EXPECT_EQ(rerun("--range odd", "odd_ranges_static --what plain --exit 7"), 7) << err_;
  expect_equal("graph");
}

/// It ends after the iteration was run again, or before: what was measured is kept, and the program's end is its own.
TEST_F(RerunPrograms, MayEndInTheMiddle) {
  EXPECT_EQ(rerun("--range odd", "odd_ranges_static --what exit --at 2"), 5) << err_;
  expect_equal("graph");
  EXPECT_EQ(rerun("--range odd", "odd_ranges_static --what crash --at 2"), 128 + SIGSEGV) << err_;
  EXPECT_THAT(err_, HasSubstr("was ended by signal 11"));
  expect_equal("graph");
  EXPECT_EQ(rerun("--range odd", "odd_ranges_static --what exit --at 0"), 5);
  EXPECT_THAT(err_, HasSubstr("ended with exit code 5"));
  EXPECT_EQ(rerun("--range odd", "odd_ranges_static --what crash --at 0"), 128 + SIGSEGV);
}

/// What it frees inside of the range stays until that has been run again, where the call passes through the dynamic linker.
TEST_F(RerunPrograms, MayFreeMemoryMeanwhile) {
  ASSERT_EQ(run(TASKTWIN_RERUN_PROGRAMS "/odd_ranges_shared --what free"), 0) << err_;
  const std::string alone = out_;
  EXPECT_EQ(rerun("--range odd", "odd_ranges_shared --what free"), 0) << err_;
  EXPECT_EQ(out_, alone);
  expect_equal("graph");
  EXPECT_EQ(file_.at("program").at("frees_kept"), 1);
}

/// Branches in one stream: by their memory none waits for another.
TEST_F(RerunPrograms, GoByWhatTheyNeed) {
  EXPECT_EQ(rerun("--range odd --designs graph,dependences,streams:4", "odd_ranges_static --what branches"), 0) << err_;
  for (const char* name : {"graph", "dependences", "streams:4"}) expect_equal(name);
  const auto takes = [this](const char* name) { return schedule(name).at("median_us").get<double>(); };
  EXPECT_LT(takes("dependences"), 0.5 * takes("graph"));
}

/// With records of the device: in a graph of what they need branches run side by side.
TEST_F(RerunPrograms, TellWhenEachOperationRan) {
  const std::string trace = (folder_ / "trace.json").string();
  EXPECT_EQ(rerun("--range odd --designs graph,dependences,streams:4 --trace " + trace, "odd_ranges_static --what branches"), 0) << err_;
  for (const char* name : {"as-captured", "graph", "dependences", "streams:4"}) {
    const Json one = schedule(name);
    ASSERT_EQ(one.at("operations_us").size(), 27U) << name;
    std::size_t beside = 0;
    for (std::size_t i = 0; i < 27; ++i) {
      const Json& span = one.at("operations_us").at(i);
      EXPECT_GE(span.at(0), 0) << name << i;
      EXPECT_GT(span.at(1), span.at(0)) << name << i;
      for (const int before : file_.at("operations").at(i).at("after").get<std::vector<int>>())
        beside += one.at("operations_us").at(static_cast<std::size_t>(before)).at(1) > span.at(0) ? 1 : 0;
    }
    const bool in_order = std::string(name) == "as-captured" || std::string(name) == "graph";
    EXPECT_EQ(beside == 0, in_order) << name;
  }
  EXPECT_EQ(Json::parse(read(trace)).at("traceEvents").size(), 4U * (2 + 27));
}

TEST_F(RerunPrograms, ShowWhatTheirKernelsDo) {
  const std::string effects = (folder_ / "effects.yaml").string();
  ASSERT_EQ(rerun("--range odd --effects-out " + effects, "odd_ranges_static --what branches"), 0) << err_;
  EXPECT_THAT(
      read(effects),
      HasSubstr("program::axpy(float const*, float*, float, int, int)\"\n    pointers: [read, read_write]\n    at: [[0, 0], [1, 0]]\n"));
  EXPECT_THAT(read(effects), HasSubstr("program::add(float const*, float const*, float*, int)\"\n    pointers: [read, read, write]\n"));
  EXPECT_EQ(rerun("--range odd --designs dependences --effects " + effects, "odd_ranges_static --what branches"), 0) << err_;
  expect_equal("dependences");
}

TEST_F(RerunPrograms, FollowAPlan) {
  const std::string capture = (folder_ / "capture.json").string();
  const std::string scenario = (folder_ / "capture.yaml").string();
  const std::string plan = (folder_ / "plan.json").string();
  const std::string program = TASKTWIN_RERUN_PROGRAMS "/odd_ranges_static --what branches";
  ASSERT_EQ(run(TASKTWIN_EXECUTABLE " capture --range odd -o " + capture + " -- " + program), 0) << err_;
  ASSERT_EQ(run(TASKTWIN_EXECUTABLE " scenario import " + capture + " --range 'odd#4' --dependences needed --output " + scenario), 0)
      << err_;
  ASSERT_EQ(run(TASKTWIN_EXECUTABLE " simulate " + scenario + " --streams 4 --as streams --plan-out " + plan), 0) << err_;
  EXPECT_EQ(rerun("--range odd --plan " + plan, "odd_ranges_static --what branches"), 0) << err_;
  expect_equal("plan");
  EXPECT_EQ(schedule("plan").at("streams"), 4);
  EXPECT_EQ(rerun("--range odd --plan " + plan, "odd_ranges_static --what plain"), 0) << err_;
  EXPECT_THAT(err_, HasSubstr("plan: not run: the plan has 27 operations, the iteration 2"));
}

TEST_F(RerunPrograms, RunTheBestPlansOfASearch) {
  const std::string capture = (folder_ / "capture.json").string();
  const std::string scenario = (folder_ / "capture.yaml").string();
  const std::string output = (folder_ / "verified.json").string();
  const std::string program = TASKTWIN_RERUN_PROGRAMS "/odd_ranges_static --what branches";
  ASSERT_EQ(run(TASKTWIN_EXECUTABLE " capture --range odd -o " + capture + " -- " + program), 0) << err_;
  ASSERT_EQ(run(TASKTWIN_EXECUTABLE " scenario import " + capture + " --range 'odd#4' --dependences needed --output " + scenario), 0)
      << err_;
  ASSERT_EQ(run(TASKTWIN_EXECUTABLE " search " + scenario +
                " --designs cuda-streams,cuda-graph --vary designs.cuda-streams.streams=1,2,4 --vary "
                "designs.cuda-streams.stream_granularity=list_scheduled --verify 3 --range odd --program '" +
                program + "' --output " + output),
            0)
      << err_;
  for (const char* plan : {"verified.plan-1.json", "verified.plan-2.json", "verified.plan-3.json"}) EXPECT_THAT(out_, HasSubstr(plan));
  file_ = Json::parse(read(output));
  for (const char* name : {"plan", "plan:2", "plan:3"}) {
    EXPECT_TRUE(schedule(name).at("check").at("equal").get<bool>()) << name;
    EXPECT_GT(schedule(name).at("predicted_us"), 0) << name;
  }
}

TEST_F(RerunPrograms, AreRefusedByName) {
  const auto expect_refused = [this](const std::string& what, const std::string& said) {
    EXPECT_EQ(rerun("--range odd", "odd_ranges_static --what " + what), 1) << what;
    EXPECT_THAT(err_, HasSubstr(said)) << what;
    EXPECT_THAT(out_, HasSubstr("digest")) << what;
    EXPECT_FALSE(std::filesystem::exists(folder_ / "out.json")) << what;
  };
  expect_refused("host-function", "cannot be run again: a host function (cudaLaunchHostFunc)");
  expect_refused("free", "memory is freed inside of the range (cudaFree)");
  expect_refused("module", "a module is unloaded inside of the range");
  expect_refused("context", "it uses several devices or contexts");
  expect_refused("managed", "managed memory, which kernel");
  expect_refused("never-ends", "range 'odd' never ends");
  EXPECT_EQ(rerun("", "graph_diamonds --as nodes --rounds 4"), 1);
  EXPECT_THAT(err_, HasSubstr("cannot be run again: a host function in a graph that it launches"));
  expect_refused("changes", "the operations changed from each time to the next");
}

TEST_F(RerunPrograms, AreEndedWhereAScheduleNeverEnds) {
  EXPECT_EQ(rerun("--range odd --designs graph,chain", "odd_ranges_static --what spin"), 1) << err_;
  EXPECT_EQ(file_.at("tasktwin_rerun").at("ended"), "watchdog");
  EXPECT_TRUE(schedule("graph").at("check").at("equal").get<bool>());
  EXPECT_THAT(err_, HasSubstr("chain: not run: it did not end within 5 s"));
}

TEST_F(RerunPrograms, AreEndedWhereAKernelOfAWrongOrderFails) {
  EXPECT_EQ(rerun("--range odd --designs cut:3", "odd_ranges_static --what out-of-bounds"), 1) << err_;
  EXPECT_EQ(file_.at("tasktwin_rerun").at("ended"), "failed");
  EXPECT_THAT(err_, HasSubstr("cut:3: not run: "));
}

}  // namespace
}  // namespace tasktwin::tests
