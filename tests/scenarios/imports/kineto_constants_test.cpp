// What is measured in traces of Kineto: times around kernels, and the room that blocks take.
#include <algorithm>

#include <gmock/gmock.h>

#include "scenarios/importers/importers.hpp"
#include "scenarios/load/scenario.hpp"
#include "scenarios/scenario_writer/import_scenario.hpp"
#include "tests/scenarios/imports/kineto_text.hpp"

namespace tasktwin::scenarios {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

TEST(KinetoConstants, ConstantsAreMeansOfEnoughOccasionsWithoutTheExtremes) {
  KinetoText few;
  KinetoText enough;
  for (int i = 0; i < 9; ++i) {
    if (i < 4) few.launch("k", i + 1, 7, 100 + 100 * i, 108 + 100 * i, 10);
    enough.launch("k", i + 1, 7, 100 + 100 * i, 108 + 100 * i + (i == 0 ? 50 : 0), 10);
  }
  EXPECT_THAT(imported(few.text()).constants, IsEmpty());
  const std::vector<MeasuredConstant> constants = imported(enough.text()).constants;
  ASSERT_EQ(constants.size(), 2u);
  EXPECT_EQ(constants[0].key, "streams.launch_latency_ns");
  EXPECT_EQ(constants[0].value, 8000);
  EXPECT_EQ(constants[1].key, "host_calls.launch_ns");
}

TEST(KinetoConstants, AMeanFarAboveTheMedianIsOfSomethingElseBesides) {
  KinetoText text;
  for (int i = 0; i < 12; ++i) text.launch("k", i + 1, 7, 100 + 1000 * i, 100 + 1000 * i + (i % 3 == 0 ? 500 : 8), 10);
  const std::vector<MeasuredConstant> constants = imported(text.text()).constants;
  ASSERT_FALSE(constants.empty());
  EXPECT_EQ(constants[0].key, "streams.launch_latency_ns");
  EXPECT_EQ(constants[0].value, 8000);
  EXPECT_STREQ(constants[0].statistic(), "median of");
}

/// Launches of one graph of ten nodes, in whose gaps `between` says what is, in µs; later nodes each a little after the one before.
Imported with_gaps_in_graphs(const std::vector<double>& between) {
  KinetoText text;
  double now = 100;
  for (int launch = 1; launch <= 3; ++launch) {
    text.call("cudaGraphLaunch", launch, now, 20);
    double start = now + 30;
    for (std::size_t i = 0; i < 10; ++i) {
      text.kernel("n", launch, 7, start, 10, ",\"graph node id\":" + std::to_string(i));
      start += 10 + between[i % between.size()];
    }
    now = start + 100;
  }
  return imported(text.text());
}

bool has_graph_gap(const Imported& run) {
  return std::ranges::find(run.constants, "graph_launch.gap_ns", &MeasuredConstant::key) != run.constants.end();
}

TEST(KinetoConstants, GapsThatHaveSomethingInBetweenAreNotTaken) {
  const Imported usual = with_gaps_in_graphs({1, 2, 1});
  EXPECT_TRUE(has_graph_gap(usual));
  EXPECT_THAT(usual.remarks, testing::Not(Contains(HasSubstr("is not taken from the file"))));
  const Imported long_ones = with_gaps_in_graphs({195});
  EXPECT_FALSE(has_graph_gap(long_ones)) << "no gap is so long by itself";
  EXPECT_THAT(long_ones.remarks, Contains(HasSubstr("graph_launch.gap_ns is not taken from the file, but from the machine: of 27 occasions "
                                                    "(node end to start of the node behind it) a quarter are below 195, half below 195 and "
                                                    "a quarter above 195 us")));
  const Imported several_kinds = with_gaps_in_graphs({2, 2, 40, 30, 35});
  EXPECT_FALSE(has_graph_gap(several_kinds)) << "a quarter of them are far shorter";
  EXPECT_THAT(several_kinds.remarks, Contains(HasSubstr("graph_launch.gap_ns is not taken from the file")));
}

TEST(KinetoConstants, KernelsThatOverlapInTheirStreamAreCounted) {
  KinetoText text;
  text.launch("a", 1, 7, 100, 120, 1000).launch("b", 2, 7, 106, 1000, 500).launch("c", 3, 7, 112, 1500, 10);
  EXPECT_THAT(imported(text.text()).remarks,
              Contains("1 kernel begins before what its stream has ahead of it has ended, as of programmatic launches: taken one after the "
                       "other"));
}

TEST(KinetoConstants, LatenciesThatNoLaunchTakesAreNotTaken) {
  KinetoText text;
  for (int i = 0; i < 12; ++i) text.launch("k", i + 1, 7, 100 + 10'000 * i, 100 + 10'000 * i + 5000, 10);
  const Imported run = imported(text.text());
  EXPECT_EQ(std::ranges::find(run.constants, "streams.launch_latency_ns", &MeasuredConstant::key), run.constants.end());
  EXPECT_THAT(run.remarks, Contains(HasSubstr("streams.launch_latency_ns is not taken from the file")));
}

TEST(KinetoConstants, ACopyThatWaitedForItsEngineSaysNothingOfItsLatency) {
  KinetoText text;
  for (int i = 0; i < 6; ++i) {
    const double at = 100 + 1000 * i;
    text.call("cudaMemcpyAsync", 2 * i + 1, at, 3).copy("Memcpy HtoD (Pinned -> Device)", 2 * i + 1, 7, at + 8, 200);
    text.call("cudaMemcpyAsync", 2 * i + 2, at + 20, 3).copy("Memcpy HtoD (Pinned -> Device)", 2 * i + 2, 8, at + 208, 50);
  }
  const auto constants = imported(text.text()).constants;
  const auto latency = std::ranges::find(constants, "copies.latency_ns", &MeasuredConstant::key);
  ASSERT_NE(latency, constants.end());
  EXPECT_EQ(latency->occasions, 6);
  EXPECT_EQ(latency->value, 8000);
}

TEST(KinetoConstants, TheCostOfLaunchingIsTheMedianOfCallsThatLaunchAKernelAndDoNothingElse) {
  KinetoText text;
  for (int i = 0; i < 8; ++i) {
    const double at = 100 + 1000 * i;
    const bool blocked = i == 3;
    text.call("cudaLaunchKernel", 2 * i + 1, at,
              i == 7    ? 500
              : blocked ? 90
                        : 4 + i)
        .kernel("k", 2 * i + 1, 7, at + (i == 7 ? 490 : 8), 10);
    text.call("cudaMemcpy", 2 * i + 2, at + 600, 300).copy("Memcpy DtoH (Device -> Pageable)", 2 * i + 2, 7, at + 610, 280);
  }
  const auto constants = imported(text.text()).constants;
  const auto launch = std::ranges::find(constants, "host_calls.launch_ns", &MeasuredConstant::key);
  ASSERT_NE(launch, constants.end());
  EXPECT_EQ(launch->occasions, 7);
  EXPECT_EQ(launch->value, 8000);  // of 4, 5, 6, 8, 9, 10 and 90 us
  EXPECT_STREQ(launch->statistic(), "median of");
}

TEST(KinetoConstants, GapsThatTheRunDoesNotShowAreTheMachinesLessWhatItsKernelsAndAProfilerHaveAroundBlocks) {
  const Machine shipped = load_machine("nvidia-h200");
  const Machine machine = import_machine(imported(two_kernels().text()), "nvidia-h200");
  const double shorter = static_cast<double>(kAroundBlocks.count()) + shipped.launched_kernels->around.count();
  EXPECT_DOUBLE_EQ(machine.streams->gap.count(), shipped.streams->gap.count() - shorter);
  EXPECT_DOUBLE_EQ(machine.streams->event_gap.count(), shipped.streams->event_gap.count() - shorter);
  EXPECT_DOUBLE_EQ(machine.graph_launch->gap.count(), std::max(0.0, shipped.graph_launch->gap.count() - shorter));
}

TEST(KinetoConstants, CopiesKnowForHowLongAnotherMovedBytesTheOtherWay) {
  KinetoText text;
  text.call("cudaMemcpyAsync", 1, 0, 5).copy("Memcpy HtoD (Pinned -> Device)", 1, 7, 10, 100);
  text.call("cudaMemcpyAsync", 2, 20, 5).copy("Memcpy DtoH (Device -> Pinned)", 2, 13, 60, 200);
  text.call("cudaMemcpyAsync", 3, 40, 5).copy("Memcpy HtoD (Pinned -> Device)", 3, 7, 120, 70);
  const Imported run = imported(text.text());
  ASSERT_TRUE(run.program);
  EXPECT_THAT(run.program->beside, ElementsAre(0.5, 0.6, 1));
}

TEST(KinetoConstants, FootprintIsThatOfTheBlocksThatWereSideBySide) {
  const Imported run = imported(KinetoText().call("cudaLaunchKernel", 1, 0, 1).kernel("k", 1, 7, 5, 5, ",\"shared memory\":1024").text());
  const TaskTraits& traits = run.graph.traits(task_id(0));
  EXPECT_EQ(traits.blocks, 4);
  EXPECT_EQ(traits.threads, 128);
  EXPECT_EQ(traits.registers, 32);
  EXPECT_EQ(traits.shared_memory, 1024);
}

/// The one block a multiprocessor that stands for those of a grid of `each` blocks a multiprocessor, of 32 threads and so many bytes each.
TaskTraits grid_of(int each, const std::string& capability, int shared_memory, int registers = 16) {
  KinetoText text;
  text.call("cudaLaunchKernel", 1, 0, 1);
  text.event("kernel", "k", 5, 5,
             "\"device\":0,\"stream\":7,\"correlation\":1,\"grid\":[" + std::to_string(132 * each) +
                 ",1,1],\"block\":[32,1,1],\"registers per thread\":" + std::to_string(registers) +
                 ",\"shared memory\":" + std::to_string(shared_memory),
             7, 0);
  std::string file = text.text();
  file.insert(file.find("\"numSms\""), capability);
  return imported(file).graph.traits(task_id(0));
}

/// How many blocks of a grid of 100 a multiprocessor were side by side there.
std::int64_t side_by_side(const std::string& capability, int shared_memory) {
  return grid_of(100, capability, shared_memory).shared_memory / shared_memory;
}

TEST(KinetoConstants, NoMoreBlocksAreSideBySideThanTheCapabilityAllows) {
  EXPECT_EQ(side_by_side("", 64), 32);
  EXPECT_EQ(side_by_side("\"computeMajor\":9,\"computeMinor\":0,", 64), 32);
  EXPECT_EQ(side_by_side("\"computeMajor\":8,\"computeMinor\":9,", 64), 24);
  EXPECT_EQ(side_by_side("\"computeMajor\":8,\"computeMinor\":6,", 64), 16);
}

TEST(KinetoConstants, EachBlockSideBySideTakesWhatTheHardwareReserves) {
  // 228 KiB hold 22 blocks of 10 KiB, and 20 where each takes one KiB more.
  EXPECT_EQ(side_by_side("\"computeMajor\":9,\"computeMinor\":0,", 10240), 20);
  EXPECT_EQ(side_by_side("\"computeMajor\":7,\"computeMinor\":0,", 10240), 22);
}

TEST(KinetoConstants, AKernelOfMoreBlocksThanThereIsRoomForLeavesNone) {
  // A multiprocessor holds 32 blocks, which are 1024 threads: with 32 there is no room for another, with 33 not until some end.
  EXPECT_EQ(grid_of(32, "", 0).threads, 2048);
  EXPECT_EQ(grid_of(33, "", 0).threads, 2048);
  EXPECT_EQ(grid_of(16, "", 0).threads, 1024);
  // Room by threads; a block of 64 registers a thread has half as many in place of twice the threads.
  EXPECT_EQ(grid_of(16, "", 0, 64).registers, 32);
  EXPECT_LE(grid_of(33, "", 0, 40).registers * 2048, 65536);
}

/// A wide kernel beside one that holds some multiprocessors had the others: on all of them it would come in two waves of that time.
TEST(KinetoConstants, AKernelBesideOthersKeepsTheMultiprocessorsThatItHad) {
  const auto kernel = [](int stream, int correlation, double ts, double dur, int blocks, int threads) {
    return "{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"k" + std::to_string(correlation) +
           "\",\"pid\":0,\"tid\":" + std::to_string(stream) + ",\"ts\":" + std::to_string(ts) + ",\"dur\":" + std::to_string(dur) +
           ",\"args\":{\"device\":0,\"context\":1,\"stream\":" + std::to_string(stream) +
           ",\"correlation\":" + std::to_string(correlation) + ",\"grid\":[" + std::to_string(blocks) + ",1,1],\"block\":[" +
           std::to_string(threads) + ",1,1],\"registers per thread\":64}}";
  };
  const std::string calls =
      KinetoText().call("cudaLaunchKernel", 1, 100, 5).call("cudaLaunchKernel", 2, 110, 5).call("cudaLaunchKernel", 3, 120, 5).text();
  std::string text = calls;
  text.insert(text.rfind("\n]}"), ",\n" + kernel(8, 1, 115, 900, 20, 1024) + ",\n" + kernel(7, 2, 125, 400, 4096, 512) + ",\n" +
                                      kernel(7, 3, 1100, 300, 4096, 512));
  const Imported run = imported(text);
  EXPECT_EQ(run.graph.traits(task_id(0)).blocks, 20);
  EXPECT_EQ(run.graph.traits(task_id(1)).blocks, 112);
  EXPECT_EQ(run.graph.traits(task_id(2)).blocks, 132);  // alone
  EXPECT_THAT(run.remarks, Contains(HasSubstr("1 kernel ran beside others that held multiprocessors")));
}

}  // namespace
}  // namespace tasktwin::scenarios
