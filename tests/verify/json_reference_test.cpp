#include <map>
#include <sstream>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/verify/support/cases.hpp"
#include "tests/verify/support/json_page.hpp"
#include "tests/verify/support/process.hpp"
#include "tests/verify/support/strict_json.hpp"
#include "verify/compare/measurement.hpp"
#include "verify/output/text/result_json.hpp"
#include "verify/rerun/rerun_file.hpp"

namespace tasktwin::tests {
namespace {

using nlohmann::json;
using testing::Contains;
using testing::Key;

/// Every shape that results of the commands have, held against docs/reference/json.md. What only a GPU can measure is taken from
/// recordings, or from what the command prints of a measurement.
class JsonReference : public testing::Test {
 protected:
  JsonReference() {
    write_text(folder_ / "tiny.yaml", kTinyScenario);
    write_text(folder_ / "ranks.yaml",
               "scenario: ranks\nmachine: nvidia-h100x2\ngraph:\n  tasks:\n    - {name: slow, time_ns: 90000, device: 0}\n"
               "    - {name: sum, operation: all_reduce, bytes: 1024, group: [0, 1], after: [slow]}\n"
               "designs: [{name: ranks, from: cuda-streams, launching: thread_per_device}]\n");
    write_text(folder_ / "drawn.yaml",
               "scenario: drawn\nmachine: nvidia-h200\ngraph:\n  draws: {time: [[900], [1200]]}\n"
               "  operators: [{name: a, piece: {time_ns: time(0)}}]\ndesigns: [static-queues]\n");
    write_text(folder_ / "unstated.yaml", "machine: unstated\nfrom: ascend-a2a3\ngraph_launch: {launch_ns: 1000}\n");
    std::string tree = read_text("scenarios/suite/tree-10us.yaml");
    write_text(folder_ / "tree.yaml", tree.replace(tree.find("designs: ["), 10, "designs: [{name: unrecorded, from: hybrid}, "));
  }

  std::string file(const std::string& name) const { return "'" + (folder_ / name).string() + "'"; }

  std::string writing_files(std::initializer_list<const char*> options) const {
    std::string text;
    for (const std::string option : options) text += " --" + option + " " + file(option);
    return text;
  }

  json printed(const std::string& arguments, int code = 0) const {
    const Outcome outcome = tasktwin(arguments + " --format json --quiet");
    EXPECT_EQ(outcome.code, code) << arguments << '\n' << outcome.err;
    return outcome.code == code ? strict_json(outcome.out) : json();
  }

  /// Of a design that has become faster than the baseline says.
  json faster_than_baseline() const {
    json baseline = printed("compare " + file("tiny.yaml") + " --designs static-queues --runs 8");
    json& design = baseline["designs"][0];
    design.erase("mean_ns");
    for (json& makespan : design["makespans_ns"]) makespan = 2 * makespan.get<double>();
    write_text(folder_ / "baseline.json", baseline.dump());
    return printed("compare " + file("tiny.yaml") + " --designs static-queues --runs 8 --baseline " + file("baseline.json"));
  }

  static json measured() {
    const scenarios::Scenario scenario = diamond_scenario();
    verify::Json result = verify::measurements_to_json(scenario, {}, "libmine.so");
    verify::Json one =
        verify::measurement_to_json(scenario, scenario.designs.front(), diamond_recording(scenario, scenario.designs.front()));
    for (const char* const written :
         {"timeline_file", "blocks_file", "swimlane_folder", "trace_file", "perfetto_file", "svg_file", "recording"})
      one[written] = "a file";  // by the options of the command
    result["designs"].push_back(one);
    return json::parse(verify::result_to_text(result));
  }

  static json recorded(const std::string& benchmark) {
    const std::string text = read_text("verify/recorded/nvidia-h200/" + benchmark + ".json");
    return json::parse(verify::result_to_text(verify::Json::parse(text)));
  }

  static json calibrated() {
    return json::parse(verify::result_to_text(verify::calibrated_to_json(diamond_scenario().machine, "mine.yaml", "mine.samples.csv")));
  }

  static json calibrated_kernels() {
    scenarios::KernelCosts costs{
        .scenario = "s", .machine = "m", .device = "d", .date = "2026-11-26", .command = "c", .version = "v", .kernels = {}};
    costs.kernels.push_back({.kernel = "scale", .source_hash = "0", .threads = 32, .shared_memory = 0, .cost = {}});
    costs.kernels.front().cost.arithmetic = {{.flops = 1, .ns = 2}};
    return json::parse(verify::result_to_text(verify::kernel_costs_to_json(costs, "s.kernels.yaml")));
  }

  /// A captured program.
  std::string captured() const {
    const Outcome imported =
        tasktwin("scenario import examples/traces/pytorch-right.json.gz --range 'step#3' --output " + file("captured.yaml"));
    EXPECT_EQ(imported.code, 0) << imported.err;
    return file("captured.yaml");
  }

  /// What was measured of one.
  std::string rerun() const {
    verify::RerunFile rerun{.command = {"./program"}, .device = {{"name", "NVIDIA H200"}}, .own_us = {300}};
    rerun.schedules = {{.name = "graph", .device_us = {205}, .host_us = {210}, .predicted_us = 205}};
    write_text(folder_ / "rerun.json", verify::to_json(rerun).dump());
    return file("rerun.json");
  }

  /// Of two designs, of which one comes to no end.
  std::string unending() const {
    write_text(folder_ / "unending.yaml",
               "scenario: unending\nmachine: ascend-a2a3\n"
               "graph: {generator: layered_random, tasks: 400, width: 20, core_type: aiv, min_time_ns: 20000, max_time_ns: 40000}\n"
               "designs: [ascend-device-built, {name: small, from: ascend-device-built, window: 60, spin_limit_us: 1}]\n");
    return file("unending.yaml");
  }

  /// What the command of each heading of the page prints.
  std::map<std::string, std::vector<json>> results() const {
    const std::string runs = " --runs 3 --designs shared-queue,central-dispatcher";
    return {
        {"simulate",
         {printed("simulate " + file("tiny.yaml") + runs + " --timing" +
                  writing_files({"timeline", "blocks", "swimlane", "trace", "perfetto", "svg"})),
          printed("simulate " + file("tiny.yaml") + " --designs shared-queue --policy '" + std::string(TASKTWIN_POLICIES) +
                  "/libbottom_levels.so'"),
          printed("simulate " + file("tiny.yaml") + " --designs shared-queue --scale left=2").at(1), printed("simulate " + captured()),
          printed("simulate " + captured() + " --as graph").at(1), printed("simulate " + file("drawn.yaml") + " --draws"),
          printed("simulate " + file("tiny.yaml") + " --designs shared-queue --without all"), printed("simulate " + unending(), 1)}},
        {"compare",
         {printed("compare " + file("tiny.yaml") + runs),
          printed("compare " + file("tiny.yaml") + " --designs shared-queue --drop left").at(1),
          printed("compare " + captured() + " --rerun " + rerun()),
          printed("compare cholesky --designs static-queues,central-dispatcher --fail-if-worse-than static-queues --runs 5", 1),
          faster_than_baseline()}},
        {"explain",
         {printed("explain " + file("tiny.yaml") + " static-queues central-dispatcher"),
          printed("explain folklore-full-stream cuda-streams central-dispatcher"), printed("explain " + captured()),
          printed("explain " + file("tiny.yaml") + " shared-queue"), printed("explain " + file("ranks.yaml"))}},
        {"advise", {printed("advise examples/traces/pytorch-right.json.gz --range 'step#3'"), printed("advise " + captured())}},
        {"sweep",
         {printed("sweep " + file("tiny.yaml") + " --vary seed=3,4 --vary designs.mailbox_depth=1,99 --designs shared-queue --details")}},
        {"search",
         {printed("search " + file("tiny.yaml") +
                  " --vary seed=3,4 --vary designs.mailbox_depth=1,99 --designs shared-queue,central-dispatcher --method grid"),
          printed("search cholesky --adversary static-queues shared-queue --budget 20 --output " + file("adverse.yaml"))}},
        {"verify",
         {printed("verify --recorded --breakdown " + file("tree.yaml") + writing_files({"trace", "perfetto", "svg"})),
          printed("verify --recorded --limit 100 scratch"), printed("verify --public . noop-chains-laptop partition-h200 no-nextflow"),
          printed("verify --recorded --sensitivity scenarios/suite/tree-10us.yaml --designs layer-barrier")}},
        {"verify --ablate", {printed("verify --recorded --ablate scenarios/suite/tree-10us.yaml --designs layer-barrier")}},
        {"verify --claims", {printed("verify --claims C14 --recorded")}},
        {"run", {measured()}},
        {"run --metg", {recorded("metg")}},
        {"run --saturation", {recorded("saturation")}},
        {"run --launch-costs", {recorded("launch_costs")}},
        {"calibrate", {calibrated()}},
        {"calibrate --kernels", {calibrated_kernels()}},
        {"scenario list", {printed("scenario list")}},
        {"scenario show", {printed("scenario show question-resolver")}},
        {"scenario validate", {printed("scenario validate " + file("tiny.yaml"))}},
        {"design list", {printed("design list")}},
        {"design show", {printed("design show hybrid")}},
        {"design axes", {printed("design axes")}},
        {"design runtimes", {printed("design runtimes")}},
        {"machine list", {printed("machine list")}},
        {"machine show", {printed("machine show nvidia-h200 --design cuda-graph"), printed("machine show " + file("unstated.yaml"))}},
        {"machine constants", {printed("machine constants")}},
        {"machine validate", {printed("machine validate " + file("unstated.yaml")), printed("machine validate dgx-h100x128")}},
    };
  }

  TemporaryFolder folder_;
};

void expect_format(const json& result, const std::string& command) {
  if (result.is_array()) {
    for (const json& one : result) expect_format(one, command);
  } else if (result.is_object()) {
    EXPECT_EQ(result.value("format", ""), verify::kJsonFormat) << command;
  }
}

TEST_F(JsonReference, SaysEveryFieldAndNoOther) {
  const auto documented = documented_fields(read_text("docs/reference/json.md"));
  for (const auto& [command, printed] : results()) {
    ASSERT_THAT(documented, Contains(Key(command))) << "docs/reference/json.md has no section '" << command << "'";
    ObservedFields observed;
    for (const json& result : printed) {
      expect_format(result, command);
      observed.add(result);
    }
    EXPECT_THAT(undocumented(observed, documented.at(command)), testing::IsEmpty())
        << "of '" << command << "': document them in docs/reference/json.md";
    EXPECT_THAT(never_seen(observed, documented.at(command)), testing::IsEmpty())
        << "of '" << command << "': no result has them; take them out of docs/reference/json.md";
  }
}

/// The commands that offer JSON, such as "scenario show", from "tasktwin" on.
std::vector<std::string> commands_with_json(const std::string& command) {
  const std::string help = tasktwin(command + " --help").out;
  std::vector<std::string> found;
  if (help.find("json") != std::string::npos && help.find("--format text|") != std::string::npos) found.push_back(command);
  std::istringstream lines(help);
  bool within = false;
  for (std::string line; std::getline(lines, line);) {
    if (within && line.starts_with("  ") && line.size() > 2 && line[2] != ' ') {
      const std::string name = line.substr(2, line.find(' ', 2) - 2);
      for (std::string& below : commands_with_json(command.empty() ? name : command + " " + name)) found.push_back(std::move(below));
    } else if (within && !line.starts_with("  ")) {
      within = false;
    }
    if (line == "COMMANDS") within = true;
  }
  return found;
}

TEST_F(JsonReference, HasASectionForEachCommandThatPrintsJson) {
  const auto documented = documented_fields(read_text("docs/reference/json.md"));
  const std::vector<std::string> commands = commands_with_json("");
  EXPECT_GE(commands.size(), 17U);
  for (const std::string& command : commands) EXPECT_THAT(documented, Contains(Key(command)));
}

TEST(JsonPage, KnowsFieldsBySharedObjectsAndAnyNames) {
  const auto documented = documented_fields(
      "### part\n| `*_ns` | a time |\n\n## one\n| `a.b[]` | a list |\n| (part) | see [part](#part) |\n| `c[]` | see [part](#part) |\n");
  ObservedFields observed;
  observed.add(json::parse(R"({"format": "x", "a": {"b": []}, "first_ns": 1, "c": [{"last_ns": 2}, {"odd": 3}], "d": null})"));
  EXPECT_THAT(undocumented(observed, documented.at("one")), testing::ElementsAre("c[].odd", "d"));
  EXPECT_THAT(never_seen(observed, documented.at("one")), testing::IsEmpty());
  EXPECT_THAT(never_seen({}, documented.at("one")), testing::ElementsAre("a.b[]", "*_ns", "c[].*_ns"));
}

}  // namespace
}  // namespace tasktwin::tests
