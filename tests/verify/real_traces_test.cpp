// Traces of real programs; tests/data/README.md tells whose they are.
#include <gmock/gmock.h>

#include <cctype>
#include <cmath>
#include <filesystem>

#include "scenarios/importers/importers.hpp"
#include "scenarios/scenario_writer/import_scenario.hpp"
#include "sim/simulator.hpp"
#include "verify/compare/replay_check.hpp"

namespace tasktwin::verify {
namespace {

struct Traced {
  const char* file;
  const char* format;
  std::size_t tasks;
};

class RealTraces : public testing::TestWithParam<Traced> {};

TEST_P(RealTraces, AreReadWholeAndReplayedWithinThreePerCent) {
  const std::string path = std::string("tests/data/") + GetParam().file;
  EXPECT_EQ(scenarios::importer_of(path).name, GetParam().format);
  const scenarios::Imported run = scenarios::import_file(path, "", {});
  EXPECT_EQ(run.graph.size(), GetParam().tasks);
  ASSERT_TRUE(run.program);
  const Design design = scenarios::import_designs(run).front().design;
  const std::vector<Duration> times = stated_times(run.graph);
  const Timeline replayed =
      sim::simulate(run.graph, scenarios::import_machine(run, "nvidia-h200"), design, {.bodies = times, .program = &*run.program}).timeline;
  const ReplayCheck check = check_replay(run.graph, run.captured, replayed);
  EXPECT_LT(std::abs(check.error()), 0.03) << replay_text(check, run.graph);
  EXPECT_LT(std::abs(check.stream_error()), 0.03) << replay_text(check, run.graph);
}

/// A capture of examples/traces/pytorch_streams.py, and one of it without the wait before the sum.
TEST(PytorchStreams, RaceIsNamedWhereAWaitIsMissing) {
  const auto imported = [](const std::string& name) {
    return scenarios::import_file("examples/traces/" + name, "capture", {.range = "step#3"});
  };
  const testing::Matcher<std::string> race =
      testing::AllOf(testing::StartsWith("race (use_without_wait), 4 times"), testing::HasSubstr("distribution_elementwise"),
                     testing::HasSubstr("reduce_kernel"));
  EXPECT_THAT(imported("pytorch-no-wait.json.gz").remarks, testing::Contains(race));
  const scenarios::Imported right = imported("pytorch-right.json.gz");
  EXPECT_THAT(right.remarks, testing::Not(testing::Contains(testing::StartsWith("race"))));
  ASSERT_TRUE(right.program);
  EXPECT_EQ(right.program->threads.size(), 2U) << "the backward pass is launched by a thread of its own";
}

TEST(PytorchStreams, RunAtAnyPaceOfTheirHostAndOnAnyNumberOfCores) {
  for (const char* const file : {"pytorch-right.json.gz", "pytorch-no-wait.json.gz"}) {
    const scenarios::Imported run = scenarios::import_file(std::string("examples/traces/") + file, "capture", {});
    const Design design = scenarios::import_designs(run).front().design;
    const std::vector<Duration> times = stated_times(run.graph);
    Machine machine = scenarios::import_machine(run, "nvidia-h200");
    const auto makespan = [&](const HostProgram& program) {
      return sim::simulate(run.graph, machine, design, {.bodies = times, .program = &program}).timeline.makespan();
    };
    EXPECT_LT(makespan(scaled(*run.program, 0.5)), makespan(scaled(*run.program, 2))) << file;
    EXPECT_GT(makespan(scaled(*run.program, 0.001)), Duration{}) << file;
    for (const int cores : {1, 2, 3}) {
      machine.compute_cores.front().count = cores;
      EXPECT_GT(makespan(*run.program), Duration{}) << file << ' ' << cores;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Programs, RealTraces,
                         testing::Values(Traced{"programs/branches.four-streams.trace.json.gz", "kineto", 282},
                                         Traced{"programs/branches.one-stream.trace.json.gz", "kineto", 282},
                                         Traced{"programs/diamond.syncs.trace.json.gz", "kineto", 168},
                                         Traced{"programs/encoder.eager.trace.json.gz", "kineto", 252},
                                         Traced{"programs/encoder.graph.trace.json.gz", "kineto", 252},
                                         Traced{"programs/pipeline.one-stream.trace.json.gz", "kineto", 144},
                                         Traced{"programs/pipeline.three-streams.trace.json.gz", "kineto", 144},
                                         Traced{"others/hta-alexnet.json.gz", "kineto", 98},
                                         Traced{"others/hta-event-wait.json.gz", "kineto", 6},
                                         Traced{"others/nsys-saxpy.sqlite", "nsys", 20}),
                         [](const auto& test) {
                           std::string name;
                           for (const char c : std::filesystem::path(test.param.file).filename().string())
                             name += std::isalnum(static_cast<unsigned char>(c)) ? c : '_';
                           return name;
                         });

}  // namespace
}  // namespace tasktwin::verify
