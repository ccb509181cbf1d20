#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <set>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <unistd.h>

#include "gpu/executor.hpp"

namespace tasktwin::tests {
namespace {

using Json = nlohmann::json;

/// Programs that know nothing of tasktwin, captured on this GPU.
class CapturedPrograms : public testing::Test {
 protected:
  void SetUp() override {
    if (const auto why = gpu::why_no_gpu()) GTEST_SKIP() << *why;
    folder_ = std::filesystem::temp_directory_path() / ("tasktwin-capture-" + std::to_string(::getpid()));
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override {
    std::error_code ignored;
    if (!folder_.empty()) std::filesystem::remove_all(folder_, ignored);
  }

  /// Captures `program` with `arguments` into `file`.
  void capture_into(const std::filesystem::path& file, const std::string& program, const std::string& arguments,
                    const std::string& options) {
    const std::string command = std::string(TASKTWIN_EXECUTABLE) + " capture --quiet " + options + " -o " + file.string() + " -- " +
                                TASKTWIN_CAPTURED_PROGRAMS "/" + program + " " + arguments + " > " + (folder_ / "said").string();
    EXPECT_EQ(std::system(command.c_str()), 0) << command;
  }
  Json capture(const std::string& program, const std::string& arguments, const std::string& options = "") {
    const std::filesystem::path file = folder_ / "out.json";
    capture_into(file, program, arguments, options);
    std::ifstream stream(file);
    return Json::parse(std::string(std::istreambuf_iterator<char>(stream), {}));
  }

  static void expect_whole(const Json& file) {
    EXPECT_EQ(file.at("tasktwin_capture").at("ended"), "normally");
    for (const auto& [what, count] : file.at("tasktwin_capture").at("lost").items()) EXPECT_EQ(count, 0) << what;
  }
  static std::size_t count(const Json& file, const std::string& what) { return file.at("tasktwin_capture").at("counts").at(what); }
  /// Calls that do `op` and are no part of a capture into a graph.
  static Json calls(const Json& file, const std::string& op) {
    Json chosen = Json::array();
    for (const Json& event : file.at("traceEvents")) {
      if (event.contains("args") && event.at("args").value("op", "") == op && !event.at("args").contains("capturing"))
        chosen.push_back(event);
    }
    return chosen;
  }

  std::filesystem::path folder_;
};

TEST_F(CapturedPrograms, EachWaitHasItsRecordOnItsOwnStream) {
  const Json file = capture("graph_diamonds", "--as events --diamonds 5 --rounds 4");
  expect_whole(file);
  std::map<std::int64_t, Json> records;
  for (const Json& record : calls(file, "event_record")) records[record.at("args").at("correlation")] = record;
  const Json waits = calls(file, "stream_wait_event");
  EXPECT_EQ(waits.size(), 2U * 5 * (4 + 3 + 1));
  for (const Json& wait : waits) {
    const auto record = records.find(wait.at("args").at("record"));
    ASSERT_NE(record, records.end());
    EXPECT_EQ(record->second.at("args").at("event"), wait.at("args").at("event"));
    EXPECT_NE(record->second.at("args").at("call_stream"), wait.at("args").at("call_stream"));
  }
}

TEST_F(CapturedPrograms, NoKernelBeginsBeforeItsLaunchAndEachHasItsShape) {
  const Json file = capture("stream_pipeline", "--chunks 6 --rounds 3");
  expect_whole(file);
  std::map<std::int64_t, Json> launches;
  for (const Json& launch : calls(file, "kernel")) launches[launch.at("args").at("correlation")] = launch;
  EXPECT_EQ(launches.size(), count(file, "kernels"));
  for (const Json& event : file.at("traceEvents")) {
    if (event.value("cat", "") != "kernel") continue;
    const Json& launch = launches.at(event.at("args").at("correlation"));
    EXPECT_GE(event.at("ts").get<double>(), launch.at("ts").get<double>());
    for (const char* same : {"grid", "block", "kernel"}) EXPECT_EQ(event.at("args").at(same), launch.at("args").at(same));
    EXPECT_EQ(event.at("args").at("stream"), launch.at("args").at("call_stream"));
    EXPECT_FALSE(launch.at("args").at("pointers").empty());
  }
}

TEST_F(CapturedPrograms, EachNodeThatRunsHasItsDefinitionAndEdges) {
  for (const char* as : {"captured", "nodes"}) {
    const Json file = capture("graph_diamonds", std::string("--as ") + as + " --diamonds 4 --rounds 4");
    expect_whole(file);
    ASSERT_EQ(file.at("tasktwin_capture").at("graphs").size(), 1U);
    const Json& graph = file.at("tasktwin_capture").at("graphs").at(0);
    std::set<std::uint64_t> nodes, connected;
    for (const Json& node : graph.at("nodes")) nodes.insert(node.at("node").get<std::uint64_t>());
    for (const Json& edge : graph.at("edges")) connected.insert({edge.at(0).get<std::uint64_t>(), edge.at(1).get<std::uint64_t>()});
    EXPECT_EQ(nodes, connected) << as;
    std::map<std::int64_t, std::map<std::uint64_t, Json>> replays;
    for (const Json& event : file.at("traceEvents")) {
      if (event.contains("args") && event.at("args").contains("graph node id"))
        replays[event.at("args").at("correlation")][event.at("args").at("graph node id")] = event;
    }
    EXPECT_EQ(replays.size(), count(file, "graph_launches")) << as;
    for (const auto& [launch, ran] : replays) {
      for (const Json& edge : graph.at("edges")) {
        const auto from = ran.find(edge.at(0).get<std::uint64_t>());
        const auto to = ran.find(edge.at(1).get<std::uint64_t>());
        if (from == ran.end() || to == ran.end()) continue;  // a host function, or what joins
        const double end = from->second.at("ts").get<double>() + from->second.at("dur").get<double>();
        EXPECT_GE(to->second.at("ts").get<double>(), end - 0.065);  // both in steps of 32 ns of the device's clock
      }
    }
  }
}

TEST_F(CapturedPrograms, ARangeHasItsOwnCallsAlone) {
  const Json file = capture("graph_diamonds", "--as events --diamonds 5 --rounds 4", "--range measured");
  expect_whole(file);
  EXPECT_EQ(count(file, "kernels"), 20U);
  EXPECT_EQ(calls(file, "kernel").size(), 20U);
  EXPECT_EQ(calls(file, "stream_wait_event").size(), 10U);
}

TEST_F(CapturedPrograms, AProgramThatLeavesIsSaidToHaveLeft) {
  const Json file = capture("stream_pipeline", "--rounds 1 --leave");
  EXPECT_EQ(file.at("tasktwin_capture").at("ended"), "abruptly");
  EXPECT_FALSE(calls(file, "kernel").empty());
}

TEST_F(CapturedPrograms, ThreadsKeepTheirOwnStreamsAndEvents) {
  const Json file = capture("graph_diamonds", "--as events --diamonds 5 --rounds 4 --threads 4");
  expect_whole(file);
  std::map<std::int64_t, std::set<std::int64_t>> streams;
  for (const Json& launch : calls(file, "kernel"))
    streams[launch.at("tid")].insert(launch.at("args").at("call_stream").get<std::int64_t>());
  EXPECT_EQ(streams.size(), 4U);
  std::set<std::int64_t> all;
  for (const auto& [thread, own] : streams) all.insert(own.begin(), own.end());
  EXPECT_EQ(all.size(), 8U);
}

TEST_F(CapturedPrograms, NamesThePlantedRacesAndNoneElse) {
  const auto races = [](const Json& file) {
    std::vector<std::string> all;
    for (const Json& race : file.at("tasktwin_capture").at("races"))
      all.push_back(race.at("kind").get<std::string>() + ": " + race.at("first").at("what").get<std::string>() + ", " +
                    race.at("second").at("what").get<std::string>());
    return all;
  };
  const std::string axpy = "program::axpy(float const*, float*, float, int, int)";
  EXPECT_THAT(races(capture("stream_pipeline", "--rounds 3")), testing::IsEmpty());
  for (const char* as : {"one-stream", "events", "syncs", "captured"})
    EXPECT_THAT(races(capture("graph_diamonds", std::string("--rounds 3 --as ") + as)), testing::IsEmpty()) << as;
  EXPECT_THAT(races(capture("stream_pipeline", "--rounds 3 --missing-wait")),
              testing::Contains("use_without_wait: " + axpy + ", program::add(float const*, float const*, float*, int)"));
  EXPECT_THAT(races(capture("stream_pipeline", "--rounds 3 --use-after-free")),
              testing::ElementsAre("use_after_free: free_async, " + axpy));
  EXPECT_THAT(races(capture("graph_diamonds", "--rounds 3 --as events --missing-wait")),
              testing::Contains("use_without_wait: " + axpy + ", program::add(float const*, float const*, float*, int)"));
  EXPECT_THAT(races(capture("graph_diamonds", "--rounds 3 --as events --use-after-free")),
              testing::Contains("use_after_free: free_async, " + axpy));
}

TEST_F(CapturedPrograms, AMillionKernelsAreCapturedWithoutLoss) {
  const std::filesystem::path file = folder_ / "million.json";
  capture_into(file, "graph_diamonds", "--launches 1000000", "");
  std::ifstream stream(file);
  std::string line;
  while (line.find("\"lost\"") == std::string::npos && std::getline(stream, line)) {
    if (line.find("\"counts\"") != std::string::npos) {
      EXPECT_NE(line.find("\"kernels\":1000500,"), std::string::npos) << line;
    }
  }
  EXPECT_EQ(line.find_first_of("123456789"), std::string::npos) << line;
}

}  // namespace
}  // namespace tasktwin::tests
