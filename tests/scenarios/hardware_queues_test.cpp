// Streams of a captured program that share hardware queues.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <string>
#include <vector>

#include "scenarios/scenario_writer/import_scenario.hpp"
#include "sim/simulator.hpp"
#include "tests/scenarios/imports/kineto_text.hpp"

namespace tasktwin {
namespace {

using scenarios::ImportDesign;
using scenarios::Imported;
using scenarios::KinetoText;
using testing::ElementsAre;
using testing::HasSubstr;

/// Four streams of two kernels of a millisecond each in two hardware queues, launched stream by stream: in each queue the third kernel
/// comes once the second has started, so that two of the four streams begin a millisecond late.
std::string four_streams(const std::array<int, 4>& queues) {
  KinetoText text;
  int correlation = 0;
  for (int stream = 0; stream < 4; ++stream) {
    const bool late = stream >= 2 && queues[static_cast<std::size_t>(stream)] >= 0;
    for (int nth = 0; nth < 2; ++nth) {
      const double launched = 10.0 * correlation++;
      const double start = (late ? 1020 : 10 + launched) + 1002.0 * nth;
      text.call("cudaLaunchKernel", correlation, launched, 5)
          .kernel("k", correlation, 20 + stream, start, 1000, ",\"channel\":" + std::to_string(queues[static_cast<std::size_t>(stream)]));
    }
  }
  return text.text();
}

double as_captured_us(const Imported& run, const std::string& name, int queues) {
  for (const ImportDesign& one : scenarios::import_designs(run)) {
    if (one.design.name != name) continue;
    Design design = one.design;
    if (queues > 0) design.hardware_queues = queues;
    const std::vector<Duration> times = stated_times(run.graph);
    const Machine machine = scenarios::import_machine(run, "nvidia-h200");
    const Timeline timeline = sim::simulate(run.graph, machine, design, {.bodies = times, .program = &*run.program}).timeline;
    return static_cast<double>(timeline.makespan().count()) / 1e3;
  }
  return 0;
}

TEST(HardwareQueues, OfACaptureAreThoseOfTheReplay) {
  const Imported run = scenarios::imported(four_streams({5, 3, 5, 3}));
  EXPECT_EQ(run.hardware_queues, 2);
  EXPECT_THAT(run.remarks, testing::Contains(HasSubstr("the streams went through 2 hardware queues")));
  EXPECT_THAT(scenarios::import_designs(run).front().yaml, HasSubstr("hardware_queues: 2"));
  for (const char* const name : {"as-captured", "events"}) {
    EXPECT_NEAR(as_captured_us(run, name, 0), 3030, 40) << name;
    EXPECT_NEAR(as_captured_us(run, name, 32), 2080, 60) << name << ": a queue for each";
  }
}

/// Stream 1 of the file is in the queue of stream 2, and not as by their numbers.
TEST(HardwareQueues, AreThoseOfEachStreamWhateverItsNumber) {
  const Imported run = scenarios::imported(four_streams({5, 5, 3, 3}));
  std::vector<int> queues;
  for (std::size_t i = 0; i < run.graph.size(); ++i) queues.push_back(run.graph.traits(task_id(i)).stream % run.hardware_queues);
  EXPECT_THAT(queues, ElementsAre(0, 0, 0, 0, 1, 1, 1, 1));
}

TEST(HardwareQueues, AreNotKnownWhereEachStreamHasOneOrTheFileHasNone) {
  EXPECT_EQ(scenarios::imported(four_streams({0, 1, 2, 3})).hardware_queues, 0);
  EXPECT_EQ(scenarios::imported(four_streams({-1, -1, -1, -1})).hardware_queues, 0);
}

}  // namespace
}  // namespace tasktwin
