#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/verify/support/cases.hpp"
#include "tests/verify/support/perfetto_reader.hpp"
#include "tests/verify/support/process.hpp"
#include "tests/verify/support/programs.hpp"
#include "tests/verify/support/strict_json.hpp"

namespace tasktwin::tests {
namespace {

using testing::HasSubstr;

class ExportCommand : public testing::Test {
 protected:
  ExportCommand() { write_text(folder_ / "tiny.yaml", kTinyScenario); }
  std::string at(const std::string& name) const { return in_shell(folder_ / name) + " "; }

  Outcome expect_ok(const std::string& arguments) const {
    Outcome outcome = tasktwin(arguments);
    EXPECT_EQ(outcome.code, 0) << arguments << '\n' << outcome.err;
    return outcome;
  }
  void expect_refused(const std::string& arguments, const std::string& message) const {
    const Outcome outcome = tasktwin(arguments);
    EXPECT_EQ(outcome.code, 2) << arguments;
    EXPECT_THAT(outcome.err, HasSubstr(message));
  }

  TemporaryFolder folder_;
};

TEST_F(ExportCommand, SimulateWritesEveryKindOfFile) {
  const Outcome outcome = expect_ok("simulate " + at("tiny.yaml") + "--designs central-dispatcher --perfetto " + at("t.pftrace") +
                                    "--svg " + at("t.svg") + "--swimlane " + at("lanes") + "--trace " + at("t.json") + "--format json");
  const auto design = strict_json(outcome.out)["designs"][0];
  EXPECT_EQ(design["perfetto_file"], (folder_ / "t.pftrace").string());
  EXPECT_EQ(design["svg_file"], (folder_ / "t.svg").string());
  EXPECT_EQ(design["swimlane_folder"], (folder_ / "lanes").string());
  const auto records = strict_json(read_text(folder_ / "lanes" / "chip_swimlane_records.json"));
  EXPECT_EQ(records["aicore_tasks"].size(), 4U);
  EXPECT_EQ(records["chip_swimlane_level"], 3);
  EXPECT_EQ(records["metadata"]["tasktwin"]["design"], "central-dispatcher");
  EXPECT_THAT(read_text(folder_ / "t.svg"), HasSubstr("tiny: central-dispatcher, on nvidia-h200"));
  if (!has_program("protoc")) return;
  const PerfettoView view = view_perfetto(decode_perfetto(folder_ / "t.pftrace"));
  EXPECT_EQ(view.facts.at("design"), "central-dispatcher");
  EXPECT_EQ(std::ranges::count(view.slices, "task", &PerfettoSlice::category), 4);
}

TEST_F(ExportCommand, VerifyDrawsPredictedAndMeasured) {
  expect_ok("verify --recorded cholesky --designs static-queues --svg " + at("v.svg") + "--perfetto " + at("v.pftrace"));
  const std::string svg = read_text(folder_ / "v.svg");
  EXPECT_LT(svg.find(">predicted: "), svg.find(">measured: "));
  EXPECT_NE(svg.find(">measured: "), std::string::npos);
}

TEST_F(ExportCommand, SeveralDesignsGetAFolderEach) {
  expect_ok("simulate " + at("tiny.yaml") + "--designs static-queues,shared-queue --swimlane " + at("lanes"));
  for (const char* design : {"static-queues", "shared-queue"})
    EXPECT_TRUE(std::filesystem::exists(folder_ / ("lanes." + std::string(design)) / "deps.json")) << design;
}

TEST_F(ExportCommand, AnExistingFolderIsNotShared) {
  std::filesystem::create_directory(folder_ / "lanes");
  expect_ok("simulate " + at("tiny.yaml") + "--designs static-queues,shared-queue --swimlane " + at("lanes"));
  EXPECT_TRUE(std::filesystem::is_empty(folder_ / "lanes"));
  EXPECT_TRUE(std::filesystem::exists(folder_ / "lanes.shared-queue"));
}

TEST_F(ExportCommand, ExportImportExportIsByteIdentical) {
  expect_ok("simulate ascend-bgemm --designs ascend-device-built --swimlane " + at("one"));
  const Outcome imported =
      expect_ok("scenario import swimlane " + at("one/chip_swimlane_records.json") + at("one/deps.json") + "--output " + at("again.yaml"));
  EXPECT_THAT(imported.out, HasSubstr("again: 1 000 tasks"));
  expect_ok("scenario validate " + at("again.yaml"));
  expect_ok("scenario export " + at("again.yaml") + "--swimlane " + at("two"));
  for (const char* file : {"chip_swimlane_records.json", "deps.json"})
    EXPECT_EQ(read_text(folder_ / "one" / file), read_text(folder_ / "two" / file)) << file;
}

TEST_F(ExportCommand, ACaptureReplaysAndRunsUnderOtherDesigns) {
  expect_ok("simulate ascend-bgemm --designs ascend-host-built --swimlane " + at("one"));
  expect_ok("scenario import swimlane " + at("one/chip_swimlane_records.json") + at("one/deps.json") + "--output " + at("again.yaml"));
  const auto designs = strict_json(expect_ok("simulate " + at("again.yaml") + "--format json --timeline " + at("t.csv")).out)["designs"];
  ASSERT_GE(designs.size(), 4U);
  EXPECT_EQ(designs[0]["design"], "replay");
  const auto captured = strict_json(expect_ok("simulate ascend-bgemm --designs ascend-host-built --format json").out)["designs"][0];
  const auto makespan = captured["makespan_ns"].get<double>();
  EXPECT_NEAR(designs[0]["makespan_ns"].get<double>(), makespan, 0.05 * makespan) << "the same placement, order and bodies";
  expect_ok("simulate " + at("again.yaml") + "--designs static-queues --swimlane " + at("other"));
  EXPECT_EQ(read_text(folder_ / "one" / "deps.json"), read_text(folder_ / "other" / "deps.json")) << "the tasks keep their ids";
  EXPECT_NE(read_text(folder_ / "one" / "chip_swimlane_records.json"), read_text(folder_ / "other" / "chip_swimlane_records.json"));
}

TEST_F(ExportCommand, ACapturedRunCanBeLookedAt) {
  expect_ok("simulate " + at("tiny.yaml") + "--designs central-dispatcher --swimlane " + at("one"));
  expect_ok("scenario import swimlane " + at("one/chip_swimlane_records.json") + at("one/deps.json") + "--name mine --output " +
            at("c.yaml"));
  expect_ok("scenario export " + at("c.yaml") + "--dot " + at("c.dot") + "--svg " + at("c.svg") + "--trace " + at("c.json") +
            "--timeline " + at("c.csv") + "--perfetto " + at("c.pftrace"));
  EXPECT_THAT(read_text(folder_ / "c.svg"), HasSubstr("mine: captured, on ascend-a2a3"));
  EXPECT_THAT(read_text(folder_ / "c.csv"), HasSubstr("0,first,spin,sm,"));
  EXPECT_THAT(read_text(folder_ / "c.dot"), HasSubstr("digraph \"mine\""));
}

TEST_F(ExportCommand, AScenarioIsCalledAsItsFileAsFarAsNamesMayBe) {
  write_text(folder_ / "tasks.csv", "name,time_us,predecessors\na,1,\nb,1,a\n");
  const std::string name(120, 'x');
  expect_ok("scenario import " + at("tasks.csv") + "--output " + at("_" + name + ".yaml"));
  EXPECT_THAT(read_text(folder_ / ("_" + name + ".yaml")), HasSubstr("scenario: " + std::string(100, 'x') + "\n"));
  expect_refused("scenario import " + at("tasks.csv") + "--name " + name + " --output " + at("s.yaml"), "at most 100 of them");
}

TEST_F(ExportCommand, WrongUseIsRefused) {
  expect_refused("scenario export " + at("tiny.yaml"), "nothing to export is asked for");
  expect_refused("scenario export " + at("tiny.yaml") + "--svg " + at("t.svg"), "holds no captured run; 'tasktwin simulate ");
  expect_refused("scenario export " + at("tiny.yaml") + "--dot " + at("tiny.yaml"),
                 "--dot '" + (folder_ / "tiny.yaml").string() + "' is also an input");
  expect_refused("scenario import", "FILE is missing");
  expect_refused("scenario import swimlan a b", "swimlan: no such file");
  expect_refused("scenario import swimlane " + at("none.json") + at("none.json") + "--output " + at("s.yaml"), "none.json: no such file");
  write_text(folder_ / "bad.json", "{\"metadata\": 3}");
  expect_refused("scenario import swimlane " + at("bad.json") + at("bad.json") + "--output " + at("s.yaml"),
                 "bad.json: metadata: must be an object, not number");
  EXPECT_FALSE(std::filesystem::exists(folder_ / "s.yaml"));
  expect_refused("scenario import swimlane " + at("bad.json") + at("bad.json") + "--output " + at("bad.json"), "is also an input");
  expect_refused("verify --claims --svg " + at("t.svg"), "--claims excludes --svg");
}

TEST_F(ExportCommand, AnImportedCaptureIsNotOverwritten) {
  expect_ok("simulate " + at("tiny.yaml") + "--designs shared-queue --swimlane " + at("one"));
  expect_ok("scenario import swimlane " + at("one/chip_swimlane_records.json") + at("one/deps.json") + "--output " + at("c.yaml"));
  const std::string before = read_text(folder_ / "one" / "chip_swimlane_records.json");
  expect_refused("scenario export " + at("c.yaml") + "--swimlane " + at("one"), "is also an input");
  expect_refused("simulate " + at("c.yaml") + "--designs static-queues --swimlane " + at("one"), "is also an input");
  EXPECT_EQ(read_text(folder_ / "one" / "chip_swimlane_records.json"), before);
}

}  // namespace
}  // namespace tasktwin::tests
