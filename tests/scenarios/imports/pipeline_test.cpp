#include <gmock/gmock.h>

#include <algorithm>
#include <vector>

#include "models/graph/critical_path.hpp"
#include "tests/scenarios/imports/reading.hpp"

namespace tasktwin::scenarios {
namespace {

using ::testing::HasSubstr;

struct Times {
  int forward;
  int input;
  int weights;

  /// Of a schedule whose backward passes are split, or of one whose are not.
  std::string table(bool split) const {
    const auto row = [](const char* name, int time) { return std::string(name) + "," + std::to_string(time) + "\n"; };
    return "name,time_ms\n" + row("*F*", forward) + (split ? row("*I*", input) + row("*W*", weights) : row("*B*", input + weights));
  }
};

/// One forward, one backward (1F1B; Narayanan et al., PipeDream, 2019), a row a rank.
std::string one_forward_one_backward(int ranks, int microbatches) {
  std::string text;
  for (int rank = 0; rank < ranks; ++rank) {
    int next = 0;
    const auto forward = [&] { text += std::to_string(rank) + "F" + std::to_string(next++) + ","; };
    while (next < ranks - rank) forward();
    for (int i = 0; i < microbatches; ++i) {
      text += std::to_string(rank) + "B" + std::to_string(i) + ",";
      if (next < microbatches) forward();
    }
    text += '\n';
  }
  return text;
}

/// ZB-H1 (Qi et al., Zero Bubble Pipeline Parallelism, 2023): weights' gradients wait as many microbatches as the rank's number says.
std::string zero_bubble(int ranks, int microbatches) {
  std::string text;
  for (int rank = 0; rank < ranks; ++rank) {
    int next = 0;
    int weights = 0;
    const auto add = [&](char action, int microbatch) { text += std::to_string(rank) + action + std::to_string(microbatch) + ","; };
    while (next < ranks - rank) add('F', next++);
    for (int i = 0; i < microbatches; ++i) {
      add('I', i);
      if (i >= rank) add('W', weights++);
      if (next < microbatches) add('F', next++);
    }
    while (weights < microbatches) add('W', weights++);
    text += '\n';
  }
  return text;
}

/// What a rank waits, in ms: the schedule's length less the work of one rank.
std::int64_t bubble(const std::string& schedule, const Times& times, int microbatches) {
  const TemporaryFile table(times.table(schedule.find('W') != std::string::npos), "times.csv");
  const Imported read = read_as("pipeline", schedule, {.with = table.path()});
  std::vector<Duration> durations;
  for (std::size_t i = 0; i < read.graph.size(); ++i) durations.push_back(read.graph[task_id(i)].cost.time);
  const std::int64_t length = to_ns(std::ranges::max(bottom_levels(read.graph, durations))) / 1'000'000;
  return length - static_cast<std::int64_t>(microbatches) * (times.forward + times.input + times.weights);
}

TEST(PipelineImport, BubblesAreThoseOfTheFormulas) {
  for (const int ranks : {2, 4, 8}) {
    for (const int microbatches : {2 * ranks, 3 * ranks}) {
      for (const Times& times : {Times{10, 10, 10}, Times{10, 12, 8}, Times{7, 9, 6}}) {
        const std::int64_t backward = times.input + times.weights;
        EXPECT_EQ(bubble(one_forward_one_backward(ranks, microbatches), times, microbatches), (ranks - 1) * (times.forward + backward));
        EXPECT_EQ(bubble(zero_bubble(ranks, microbatches), times, microbatches),
                  (ranks - 1) * (times.forward + backward - 2 * times.weights));
      }
    }
  }
}

TEST(PipelineImport, ReadsWhatPyTorchWrites) {
  const Imported read = read_as("pipeline",
                                "0F0,0SEND_F0,,0F1,0RECV_B0,0BW0,0RECV_B1,0BW1\n"
                                "1RECV_F0,1F0,1B0,1SEND_B0,1F1,1B1,1W0,1W1\n");
  EXPECT_EQ(edges_of(read.graph),
            (std::set<std::string>{"0F0>0F1", "0F1>0BW0", "0F0>0BW0", "0BW0>0BW1", "0F1>0BW1", "0F0>1F0", "1F0>1B0", "1B0>0BW0", "1B0>1F1",
                                   "0F1>1F1", "1F1>1B1", "1B1>0BW1", "1B1>1W0", "1B0>1W0", "1W0>1W1", "1B1>1W1"}));
  EXPECT_EQ(time_of(read.graph, "0BW0"), 2'000'000);
  EXPECT_EQ(time_of(read.graph, "1B0"), 1'000'000) << "its weights have a W of their own";
  EXPECT_EQ(read.graph.devices(), 2);
  EXPECT_TRUE(has_remark(read, "5 hand-overs"));
  EXPECT_TRUE(has_remark(read, "times are not in the file"));
  const TemporaryFile table("name,time_ms\n*,5\n", "times.csv");
  EXPECT_FALSE(has_remark(read_as("pipeline", "0F0,0B0\n", {.with = table.path()}), "times are not in the file"));
  const Imported both = read_as("pipeline", "0F0,(0F1;0B0)OVERLAP_F_B,0B1\n");
  EXPECT_EQ(time_of(both.graph, "(0F1;0B0)OVERLAP_F_B"), 3'000'000);
  EXPECT_EQ(edges_of(both.graph), (std::set<std::string>{"0F0>(0F1;0B0)OVERLAP_F_B", "(0F1;0B0)OVERLAP_F_B>0B1"}));
}

TEST(PipelineImport, IsToldFromOtherTables) {
  const TemporaryFile schedule("0F0,0B0\n", "schedule.csv");
  EXPECT_EQ(importer_of(schedule.path()).name, "pipeline");
  const TemporaryFile table("name,time_us\n0F0,5\n", "table.csv");
  EXPECT_EQ(importer_of(table.path()).name, "csv");
}

TEST(PipelineImport, FaultsAreLocated) {
  const auto refused = [](const std::string& text) { return refused_as("pipeline", text); };
  EXPECT_THAT(refused("0F0,0X0\n"), HasSubstr("1:5: is '0X0'; must be a stage"));
  EXPECT_THAT(refused("0F0,0F\n"), HasSubstr("1:5: is '0F'"));
  EXPECT_THAT(refused("0F0,0F99999999999\n"), HasSubstr("1:5: is '0F99999999999'"));
  EXPECT_THAT(refused("2147483647F0\n"), HasSubstr("1:1: is '2147483647F0'; must be a stage"));
  EXPECT_THAT(refused("0F0,(0F1;0SEND_B0)OVERLAP_F_B\n"), HasSubstr("1:5: is '(0F1;0SEND_B0)OVERLAP_F_B'"));
  EXPECT_THAT(refused("0F0\n0F0\n"), HasSubstr("2:1: is '0F0', which line 1 does already"));
  EXPECT_THAT(refused("1F0\n"), HasSubstr("1:1: '1F0' needs the forward pass of stage 0 for microbatch 0, which no rank has"));
  EXPECT_THAT(refused("0F0,0B0\n1F0\n"), HasSubstr("1:5: '0B0' needs the backward pass of stage 1 for microbatch 0"));
  EXPECT_THAT(refused("0F0,0W0\n"), HasSubstr("1:5: '0W0' needs the backward pass of stage 0"));
  EXPECT_THAT(refused("0SEND_F0\n"), HasSubstr("has no action"));
  EXPECT_THAT(refused("0F0,0B0,0F1\n1F0,1F1,1B1,1B0\n"), HasSubstr("cycle")) << "0F1 waits for 0B0, and 1B0 for 1F1";
}

}  // namespace
}  // namespace tasktwin::scenarios
