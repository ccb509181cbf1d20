#include "models/runtimes/runtimes.hpp"
#include "verify/bench/metg/saturation.hpp"

#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "models/base/error.hpp"
#include "tests/verify/support/metg_worlds.hpp"
#include "tests/verify/support/strict_json.hpp"

namespace tasktwin::verify {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using namespace std::chrono_literals;

SaturationPlan small_plan() {
  SaturationPlan plan;
  plan.dispatchers = {1, 2};
  plan.depths = {1, 4};
  plan.lengths = {500ns, 20us};
  return plan;
}

TEST(SaturationPlan, VariesWhatTheMachineAllows) {
  Machine machine = tests::small_machine();
  EXPECT_THAT(saturation_plan(machine).dispatchers, ElementsAre(1, 2, 4, 8));
  machine.control_cores.count = 3;
  EXPECT_THAT(saturation_plan(machine).dispatchers, ElementsAre(1, 2));
  EXPECT_EQ(saturation_plan(machine).lengths.front(), 100ns);
  EXPECT_EQ(saturation_plan(machine).lengths.back(), 20us);
}

TEST(MeasureSaturation, CountsTasksAMicrosecondBesideTheSimulators) {
  const SaturationResult result = measure_saturation(small_plan(), tests::small_machine(), tests::simulated_backend());
  ASSERT_EQ(result.points.size(), 8U);
  EXPECT_EQ(result.workers, 8);
  for (const SaturationPoint& point : result.points) {
    ASSERT_TRUE(point.measured_per_us && point.predicted_per_us);
    EXPECT_DOUBLE_EQ(*point.measured_per_us, *point.predicted_per_us);
    EXPECT_LT(*point.measured_per_us, 8 / 0.5);  // no more than the bodies allow
    if (point.length == 20us) {
      EXPECT_NEAR(*point.measured_per_us, 8 / 20.0, 0.1);  // long tasks: the workers are the limit
    }
  }
  EXPECT_EQ(result.points[0].dispatchers, 1);
  EXPECT_EQ(result.points[0].mailbox_depth, 1);
  EXPECT_EQ(result.points[1].length, 20us);
  EXPECT_EQ(result.points[2].mailbox_depth, 4);
}

TEST(MeasureSaturation, KeepsWhatIsRefusedOrFails) {
  BenchBackend backend = tests::simulated_backend();
  const auto simulated = backend.run;
  backend.why_unsupported = [](const TaskGraph&, const Machine&, const Design& design) -> std::optional<std::string> {
    return design.dispatchers == 2 ? std::optional<std::string>("too many") : std::nullopt;
  };
  backend.run = [&](const TaskGraph& graph, const Machine& machine, const Design& design, const gpu::RunOptions& options) {
    if (design.mailbox_depth == 4) throw RunError("no progress");
    return simulated(graph, machine, design, options);
  };
  const SaturationResult result = measure_saturation(small_plan(), tests::small_machine(), backend);
  EXPECT_THAT(result.refusals, ElementsAre("dispatchers 2, mailbox_depth 1: too many", "dispatchers 2, mailbox_depth 4: too many"));
  EXPECT_THAT(result.faults, ElementsAre("dispatchers 1, mailbox_depth 4: no progress"));
  EXPECT_TRUE(result.points[0].measured_per_us);
  EXPECT_FALSE(result.points[2].measured_per_us);
  EXPECT_THAT(saturation_text(result, tests::some_provenance()), HasSubstr("failed, dispatchers 1, mailbox_depth 4: no progress"));
}

TEST(MeasureSaturation, NeedsAControlCore) {
  Machine machine = tests::small_machine();
  machine.control_cores.count = 0;
  EXPECT_THROW(measure_saturation(saturation_plan(machine), machine, tests::simulated_backend()), InputError);
}

TEST(SaturationFiles, ReadBackAsTheyWereMeasured) {
  SaturationResult result;
  result.workers = 8;
  result.design = named_design("central-dispatcher");
  result.points = {{1, 2, 500ns, 34.25, 40.5}, {1, 2, 20us, std::nullopt, 0.4}};
  EXPECT_EQ(saturation_csv(result),
            "dispatchers,mailbox_depth,length_us,measured_tasks_per_us,predicted_tasks_per_us\n"
            "1,2,0.500,34.250,40.500\n"
            "1,2,20.000,,0.400\n");
  const nlohmann::json json = tests::strict_json(to_text(saturation_json(result, tests::some_provenance())));
  EXPECT_EQ(json.at("points").at(0).at("measured_tasks_per_us"), 34.25);
  EXPECT_TRUE(json.at("points").at(1).at("measured_tasks_per_us").is_null());
  const Plot plot = saturation_plot(result, "GPU");
  ASSERT_EQ(plot.panels.size(), 1U);
  EXPECT_EQ(plot.panels[0].series.size(), 2U);
  EXPECT_DOUBLE_EQ(plot.y_max, 42);
  const std::string text = saturation_text(result, tests::some_provenance());
  EXPECT_THAT(text, HasSubstr("34.2 /µs"));
  EXPECT_THAT(text, HasSubstr("+18.2 %"));
}

}  // namespace
}  // namespace tasktwin::verify
