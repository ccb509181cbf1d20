#include <algorithm>
#include <regex>
#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <unistd.h>

#include "tests/verify/support/cases.hpp"
#include "tests/verify/support/process.hpp"

namespace tasktwin::tests {
namespace {

using testing::HasSubstr;
using testing::Not;

/// Bad usage: `arguments` exit with 2 and say `message` on standard error alone.
void expect_refused(const std::string& arguments, const std::string& message) {
  const Outcome outcome = tasktwin(arguments);
  EXPECT_EQ(outcome.code, 2) << arguments;
  EXPECT_EQ(outcome.out, "") << arguments;
  EXPECT_THAT(outcome.err, HasSubstr("error: " + message)) << arguments;
}

/// A failure outside the input: exit 1, said on standard error.
void expect_failed(const Outcome& outcome, const std::string& message) {
  EXPECT_EQ(outcome.code, 1);
  EXPECT_THAT(outcome.err, HasSubstr("error: " + message));
}

class CommandErrors : public testing::Test {
 protected:
  CommandErrors() { write_text(folder_ / "tiny.yaml", kTinyScenario); }
  std::string tiny(const std::string& more = "") const { return "'" + (folder_ / "tiny.yaml").string() + "' " + more; }

  TemporaryFolder folder_;
};

TEST(Usage, VersionAndHelpAreFine) {
  const Outcome version = tasktwin("--version");
  EXPECT_EQ(version.code, 0);
  EXPECT_TRUE(version.out.starts_with("tasktwin 0."));
  for (const char* arguments : {"--help", "simulate --help", "scenario show --help", "verify -h"}) {
    const Outcome help = tasktwin(arguments);
    EXPECT_EQ(help.code, 0) << arguments;
    EXPECT_THAT(help.out, HasSubstr("\nUSAGE\n")) << arguments;
  }
}

TEST(Usage, ACommandIsNeeded) {
  expect_refused("scenario", "a command is missing after 'tasktwin scenario'; valid: list, show, validate");
  expect_refused("simulate", "SCENARIO is required; see 'tasktwin simulate --help'");
}

TEST(Usage, UnknownWordsGetTheNearest) {
  expect_refused("simulat x", "unknown command 'simulat'; did you mean 'simulate'?");
  expect_refused("scenario lst", "unknown command 'lst'; did you mean 'list'?");
  expect_refused("design show shared-que", "unknown design 'shared-que'; did you mean 'shared-queue'?");
  expect_refused("design axes filll", "unknown axis 'filll'; did you mean 'fill'?");
  expect_refused("simulate cholesky --desings a", "unknown option '--desings'; did you mean '--designs'?");
  expect_refused("design show shared", "unknown design 'shared'; did you mean 'shared-queue'?");
  expect_refused("validate x.yaml", "unknown command 'validate'; did you mean 'scenario validate' or 'machine validate'?");
  expect_refused("--versoin", "unknown option '--versoin'; did you mean '--version'?");
}

TEST_F(CommandErrors, WordsInAnotherOrderAreToldTheirPlace) {
  expect_refused(tiny("simulate"), "unknown command '" + (folder_ / "tiny.yaml").string() + "'; the command, 'simulate', comes first");
  expect_refused(tiny(), "unknown command '" + (folder_ / "tiny.yaml").string() + "'; a command comes first, such as 'tasktwin simulate ");
  expect_refused("explain shared-queue mine " + tiny(), "the scenario comes first: tasktwin explain " + (folder_ / "tiny.yaml").string());
  expect_refused("compare " + tiny("shared-queue mine"), "shared-queue: is a design");
  expect_refused("simulate work-stealing",
                 "work-stealing: is a design, no scenario; the scenario comes first, and --designs takes designs");
  expect_refused("simulate nvidia-h200", "nvidia-h200: is a machine, no scenario; --machine takes it");
  expect_refused("machine show cholesky", "cholesky: is a scenario, no machine");
}

TEST_F(CommandErrors, OptionsSayWhatIsValid) {
  expect_refused("simulate " + tiny("--format xml"), "--format: unknown format 'xml'; valid: text, json");
  expect_refused("simulate " + tiny("--format jsn"), "--format: unknown format 'jsn'; did you mean 'json'?");
  expect_refused("simulate " + tiny("--seed -1"), "--seed: '-1' is not a whole number from 0 to 18446744073709551615");
  expect_refused("simulate " + tiny("--seed 18446744073709551616"), "--seed: '18446744073709551616' is not a whole number");
  expect_refused("simulate " + tiny("--seed 0x10"), "--seed: '0x10' is not a whole number");
  expect_refused("simulate " + tiny("--seed"), "--seed:");
  expect_refused("run " + tiny("--repeats 0"), "--repeats: '0' is not a whole number from 1 to");
  expect_refused("run " + tiny("--watchdog-ms 1.5"), "--watchdog-ms: '1.5' is not a whole number from 1 to");
  expect_refused("verify --limit -3", "--limit: '-3' is not a number of at least 0, in per cent");
  expect_refused("verify --limit nan", "--limit: 'nan' is not a number");
  expect_refused("verify --recorded --live", "--recorded excludes --live");
  expect_refused("simulate " + tiny("--trace ''"), "--trace:");
}

TEST_F(CommandErrors, DesignsAreCheckedByName) {
  expect_refused("simulate " + tiny("--designs shared-queu"),
                 "--designs: unknown design 'shared-queu'; did you mean 'shared-queue'? (valid: cuda-streams,");
  expect_refused("compare " + tiny("--designs shared-queue,nonsense"), "--designs: unknown design 'nonsense'; valid: cuda-streams,");
  expect_refused("simulate " + tiny("--designs shared-queue,shared-queue"), "--designs: 'shared-queue' is named twice");
  expect_refused("simulate " + tiny("--designs shared-queue,"), "--designs: unknown design ''");
  expect_refused("simulate " + tiny("--designs ''"), "--designs: its value is empty");
}

TEST_F(CommandErrors, ExplainTakesOneDesignOrTwo) {
  expect_refused("explain " + tiny("shared-queue,static-queues"), "A: 'shared-queue,static-queues' does not name one design");
  expect_refused("explain " + tiny("shared-queue shared-queue"), "A and B: 'shared-queue' is named twice");
  expect_refused("explain " + tiny("shared-queue static-queue"), "A and B: unknown design 'static-queue'; did you mean 'static-queues'?");
  expect_refused("explain " + tiny("shared-queue cuda-streams,static-queues"), "A and B:");
}

TEST_F(CommandErrors, SweepSaysWhatItCannotVary) {
  expect_refused("sweep " + tiny(), "--vary is required");
  expect_refused("sweep " + tiny("--vary seed"), "--vary: 'seed' names no path");
  expect_refused("sweep " + tiny("--vary seed=1,"), "--vary: 'seed=1,' has an empty value");
  expect_refused("sweep " + tiny("--vary seed=1 --vary seed=2"), "--vary: 'seed' is varied twice");
  expect_refused("sweep " + tiny("--vary sed=1"), "override 'sed=1'");
  expect_refused("sweep " + tiny("--vary designs.mailbox_depth=98,99"), "override 'designs.mailbox_depth=98'");
  expect_refused("sweep " + tiny("--vary seed=1 --format xml"), "--format: unknown format 'xml'; valid: text, csv, json");
  expect_refused("compare " + tiny("--runs 0"), "--runs: '0' is not a whole number from 1 to");
}

TEST_F(CommandErrors, SweepKeepsTheRowOfARunThatComesToAStandstill) {
  write_text(folder_ / "windowed.yaml", R"(scenario: windowed
machine: ascend-a2a3
graph:
  tasks:
    - {name: first, core_type: aic, time_ns: 4000}
    - {name: between, core_type: aic, time_ns: 4000}
    - {name: last, core_type: aic, time_ns: 3000, after: [first]}
designs: [ascend-device-built]
)");
  const Outcome outcome = tasktwin("sweep '" + (folder_ / "windowed.yaml").string() + "' --vary designs.window=2,3 --format csv");
  EXPECT_EQ(outcome.code, 1);
  EXPECT_THAT(outcome.out, HasSubstr("\n2,ascend-device-built,,"));
  EXPECT_THAT(outcome.out, HasSubstr("the smallest window that works is 3"));
  EXPECT_THAT(outcome.out, HasSubstr("\n3,ascend-device-built,1"));
}

TEST_F(CommandErrors, RunRefusesDesignsWithoutAnExecutorByName) {
  expect_refused("run cholesky --designs ascend-host-built", "'cholesky' cannot be run under 'ascend-host-built': sweep 'busy_cores': ");
  expect_refused("run " + tiny(), "'tiny' cannot be run under 'cuda-streams': task 'left' has a sigma: ");
  expect_refused("run " + tiny("--designs ascend-device-built"), "'tiny' cannot be run under 'ascend-device-built': ");
}

TEST_F(CommandErrors, AScenarioFileMustBeThereAndRight) {
  expect_refused("simulate '" + (folder_ / "none.yaml").string() + "'", (folder_ / "none.yaml").string());
  write_text(folder_ / "bad.yaml", std::string(kTinyScenario) + "sede: 4\n");
  expect_refused("simulate '" + (folder_ / "bad.yaml").string() + "'", (folder_ / "bad.yaml").string() + ":");
}

TEST_F(CommandErrors, DesignNamesMayHaveBlanksAround) {
  const Outcome outcome = tasktwin("simulate " + tiny("--designs 'shared-queue, static-queues'"));
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("static-queues"));
}

TEST_F(CommandErrors, ExplainTakesDesignsAsOtherCommandsDo) {
  EXPECT_EQ(tasktwin("explain " + tiny("--designs shared-queue")).out, tasktwin("explain " + tiny("shared-queue")).out);
  EXPECT_EQ(tasktwin("explain " + tiny("--designs shared-queue,static-queues")).out,
            tasktwin("explain " + tiny("shared-queue static-queues")).out);
  expect_refused("explain " + tiny("--designs a,b,c"), "--designs: explain takes one design, or two");
  expect_refused("explain " + tiny("shared-queue --designs static-queues"), "--designs: explain takes one design, or two");
}

TEST_F(CommandErrors, DesignsThatAreNotChosenDoNotRefuseThoseThatAre) {
  const TemporaryFolder folder;
  write_text(folder / "s.yaml",
             "scenario: s\nmachine: {from: nvidia-h200, without: [ready_queues]}\ngraph: {generator: chain}\ndesigns: [static-queues, "
             "shared-queue]\n");
  const std::string file = "'" + (folder / "s.yaml").string() + "'";
  EXPECT_EQ(tasktwin("simulate " + file).code, 2);
  const Outcome chosen = tasktwin("simulate " + file + " --designs static-queues", "COLUMNS=1000");
  EXPECT_EQ(chosen.code, 0) << chosen.err;
  EXPECT_THAT(chosen.err, HasSubstr("designs that are not chosen are refused: "));
  EXPECT_THAT(chosen.err, HasSubstr("design 'shared-queue' needs 'ready_queues'"));
  EXPECT_EQ(tasktwin("simulate " + file + " --designs shared-queue").code, 2);
  EXPECT_EQ(tasktwin("simulate example --designs static-queues").err, "");
}

TEST_F(CommandErrors, ALongListOfChoicesIsNotTold) {
  const Outcome suite = tasktwin("simulate suite/cholesky-33-core");
  EXPECT_EQ(suite.code, 2);
  EXPECT_THAT(suite.err, HasSubstr("did you mean 'suite/cholesky-33-cores'?"));
  EXPECT_THAT(suite.err, HasSubstr("'tasktwin scenario list' names all"));
  EXPECT_THAT(suite.err, testing::Not(HasSubstr("valid: ")));
}

TEST_F(CommandErrors, ValidateSaysThatSourcesWereNotCompiled) {
  EXPECT_THAT(tasktwin("scenario validate examples/own-kernels/own-kernels.yaml").out, HasSubstr("were not compiled"));
  EXPECT_THAT(tasktwin("scenario validate example").out, testing::Not(HasSubstr("compiled")));
}

TEST_F(CommandErrors, ValidateNotesBuffersThatAreTooSmallForWhatBodiesMove) {
  const TemporaryFolder folder;
  write_text(folder / "own.cu", "__device__ void k(const tasktwin::Block& block, float* x) { x[block.thread] = 1; block.sync(); }\n");
  const auto told = [&folder](int count) {
    write_text(folder / "own.yaml",
               "scenario: own\nmachine: nvidia-h200\nbuffers: [{name: x, type: float, count: " + std::to_string(count) +
                   "}]\nkernels:\n  - {name: k, source: own.cu, parameters: [{name: x, type: buffer, value: x}], cost: "
                   "{bytes: 8192}}\ngraph: {tasks: [{name: a, kernel: k}]}\ndesigns: [static-queues]\n");
    const Outcome outcome = tasktwin("scenario validate '" + (folder / "own.yaml").string() + "'");
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    return std::regex_replace(outcome.err, std::regex("\n *"), " ");
  };
  EXPECT_THAT(told(12),
              HasSubstr("a block of task 'a' moves 8192 bytes by its cost, but the buffers among the arguments of kernel 'k' have 48 "
                        "together"));
  EXPECT_THAT(told(2048), testing::Not(HasSubstr("by its cost")));
  for (const char* const shipped : {"examples/own-kernels/own-kernels.yaml", "examples/moe-layer/moe-layer.yaml"})
    EXPECT_THAT(tasktwin(std::string("scenario validate ") + shipped).err, testing::Not(HasSubstr("by its cost"))) << shipped;
}

/// A scenario whose kernel has that source.
std::string with_source(const TemporaryFolder& folder, const std::string& source) {
  write_text(folder / "own.cu", source);
  write_text(folder / "own.yaml",
             "scenario: own\nmachine: nvidia-h200\nkernels:\n  - {name: k, source: own.cu, parameters: [{name: n, type: integer}], cost: "
             "{flops: 5}}\ngraph: {tasks: [{name: a, kernel: k, arguments: {n: 3}}]}\ndesigns: [static-queues]\n");
  return "scenario validate --compile '" + (folder / "own.yaml").string() + "'";
}

const char* const kOwnSource =
    "#include <tasktwin/kernel.hpp>\n__device__ void k(const tasktwin::Block& block, int n) { if (block.index == n) block.sync(); }\n";

bool has_no_compiler(const Outcome& outcome) { return outcome.code == 1 && outcome.err.find("neither is here") != std::string::npos; }

TEST_F(CommandErrors, ValidateCompilesSourcesWithoutAGpu) {
  for (const char* const compiler : {"", "TASKTWIN_NVRTC=/none"}) {
    const Outcome right = tasktwin(with_source(folder_, kOwnSource), compiler);
    if (has_no_compiler(right)) continue;
    EXPECT_EQ(right.code, 0) << right.err;
    EXPECT_THAT(right.out, HasSubstr("own.yaml: valid; the sources of its kernels compile (")) << compiler;
    EXPECT_THAT(right.out, HasSubstr(*compiler == '\0' ? "NV" : "nvcc")) << compiler;
    // An unknown word, and an entry that takes no number.
    const Outcome wrong = tasktwin(with_source(folder_,
                                               "#include <tasktwin/kernel.hpp>\n\n__device__ void k(const tasktwin::Block&) {\n"
                                               "  unknown();\n}\n"),
                                   compiler);
    EXPECT_EQ(wrong.code, 2);
    EXPECT_THAT(wrong.err, HasSubstr("error: " + (folder_ / "own.cu").string() + ":4:1: identifier \"unknown\" is undefined"));
    EXPECT_THAT(wrong.err, HasSubstr("error: " + (folder_ / "own.yaml").string() + ":4:1: too many arguments in function call"));
  }
}

TEST_F(CommandErrors, ValidateSaysThatThereIsNoCompiler) {
  const Outcome outcome = tasktwin(with_source(folder_, kOwnSource), "TASKTWIN_NVRTC=/none PATH=/none");
  EXPECT_EQ(outcome.code, 1);
  EXPECT_THAT(outcome.err, HasSubstr("neither is here"));
}

TEST_F(CommandErrors, ValidateGoesThroughAllFiles) {
  write_text(folder_ / "bad.yaml", std::string(kTinyScenario) + "sede: 4\n");
  const Outcome outcome = tasktwin("scenario validate '" + (folder_ / "bad.yaml").string() + "' " + tiny());
  EXPECT_EQ(outcome.code, 2);
  EXPECT_THAT(outcome.err, HasSubstr("bad.yaml:"));
  EXPECT_THAT(outcome.out, HasSubstr("tiny.yaml: valid"));
}

TEST_F(CommandErrors, AllFaultsOfAFileAreToldEachInALineOfItsOwn) {
  const std::string bad = (folder_ / "bad.yaml").string();
  write_text(bad, std::string(kTinyScenario) + "sede: 4\nquestoin: why\n");
  for (const char* command : {"simulate", "scenario validate", "scenario show"}) {
    const Outcome outcome = tasktwin(std::string(command) + " '" + bad + "'");
    EXPECT_EQ(outcome.code, 2) << command;
    EXPECT_THAT(outcome.err, HasSubstr("sede: unknown key; did you mean 'seed'?")) << command;
    EXPECT_THAT(outcome.err, HasSubstr("questoin: unknown key; did you mean 'question'?")) << command;
    std::istringstream lines(outcome.err);
    int count = 0;
    for (std::string line; std::getline(lines, line); ++count) EXPECT_TRUE(line.starts_with("error: " + bad + ":")) << line;
    EXPECT_EQ(count, 2) << command;
  }
}

TEST_F(CommandErrors, ValidateRefusesWhatASimulationWould) {
  const std::string wide = (folder_ / "wide.yaml").string();
  write_text(wide,
             "scenario: wide\nmachine: nvidia-h200\ngraph:\n  tasks:\n  - {name: a, time_ns: 1000, blocks: 2}\n"
             "designs:\n- shared-queue\n- static-queues\n");
  const Outcome outcome = tasktwin("scenario validate '" + wide + "'");
  EXPECT_EQ(outcome.code, 2);
  EXPECT_THAT(outcome.err, HasSubstr("wide.yaml:8:3: designs[1]: task 'a' occupies several cores, which placement 'heft' cannot freeze"));
}

TEST_F(CommandErrors, SweepsChangeTheSelectedDesignsAlone) {
  const Outcome outcome = tasktwin("sweep " + tiny("--vary designs.dispatchers=1,2 --designs central-dispatcher --format csv"));
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(std::ranges::count(outcome.out, '\n'), 3);
}

TEST_F(CommandErrors, SweepSkipsWhatIsRefusedAndCountsTheReasons) {
  const Outcome outcome = tasktwin("sweep " + tiny("--vary designs.dispatchers=1,2 --format csv"));
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(std::ranges::count(outcome.out, '\n'), 3) << "central-dispatcher alone has dispatchers";
  EXPECT_THAT(outcome.err, HasSubstr("6 of 8 points are skipped, which were refused"));
  EXPECT_THAT(outcome.err, HasSubstr("6 of them: designs 'cuda-streams', 'shared-queue', 'static-queues': dispatchers has no effect here"));
}

TEST_F(CommandErrors, AFullDiskIsSaidPlainly) {
  expect_failed(tasktwin("simulate " + tiny("--designs shared-queue --timeline /dev/full")),
                "cannot write '/dev/full': No space left on device");
  expect_failed(tasktwin("simulate " + tiny("--format json >/dev/full")), "cannot write to standard output: No space left on device");
  expect_failed(tasktwin("--help >/dev/full"), "cannot write to standard output: No space left on device");
}

TEST_F(CommandErrors, NothingIsLeftHalfWrittenWhenTheDiskFillsUp) {
  // A limit on the size of files stands in for a disk that fills up: a trace of some 10 KB does not fit 1 KB.
  const std::string trace = (folder_ / "trace.json").string();
  expect_failed(tasktwin("simulate " + tiny("--designs shared-queue --trace '" + trace + "'"), "ulimit -f 1;"),
                "cannot write '" + trace + "': File too large");
  EXPECT_EQ(folder_.file_count(), 1U) << "only the scenario";
}

TEST_F(CommandErrors, AFolderThatIsMissingOrUnwritableIsSaidPlainly) {
  expect_refused("simulate " + tiny("--designs shared-queue --timeline /no/such/file.csv"),
                 "cannot write '/no/such/file.csv': there is no folder '/no/such'");
  expect_refused("simulate " + tiny("--designs shared-queue --timeline '" + folder_.path().string() + "'"),
                 "cannot write '" + folder_.path().string() + "': it is a folder");
  expect_failed(tasktwin("simulate " + tiny("--designs shared-queue --timeline /proc/file.csv")),
                "cannot write '/proc/file.csv': cannot create a file in '/proc'");
}

TEST_F(CommandErrors, AFolderWithoutWritePermissionIsSaidPlainly) {
  if (::geteuid() == 0) GTEST_SKIP() << "root may write everywhere";
  std::filesystem::create_directory(folder_ / "locked");
  std::filesystem::permissions(folder_ / "locked", std::filesystem::perms::owner_read | std::filesystem::perms::owner_exec);
  expect_failed(tasktwin("simulate " + tiny("--designs shared-queue --timeline '" + (folder_ / "locked/t.csv").string() + "'")),
                "cannot write '");
}

TEST_F(CommandErrors, AnOutputIsNeverAnInput) {
  const std::string before = read_text(folder_ / "tiny.yaml");
  expect_refused("simulate " + tiny("--designs shared-queue --timeline " + tiny()),
                 "--timeline '" + (folder_ / "tiny.yaml").string() + "' is also an input");
  expect_refused("simulate " + tiny("--designs shared-queue --trace scenarios/machines/nvidia-h200.yaml"),
                 "--trace 'scenarios/machines/nvidia-h200.yaml' is also an input");
  EXPECT_EQ(read_text(folder_ / "tiny.yaml"), before);
}

TEST_F(CommandErrors, ATimelineThatADesignReplaysIsAnInput) {
  const std::string timeline = (folder_ / "t.csv").string();
  tasktwin("simulate " + tiny("--designs static-queues --timeline '" + timeline + "'"));
  const std::string before = read_text(timeline);
  const std::string replaying = (folder_ / "replaying.yaml").string();
  write_text(replaying, std::string(kTinyScenario)
                            .replace(std::string(kTinyScenario).find("designs:"), std::string::npos,
                                     "designs:\n- {name: again, from: static-queues, placement: replay, replay: "
                                     "t.csv}\n"));
  expect_refused("simulate '" + replaying + "' --trace '" + timeline + "'", "--trace '" + timeline + "' is also an input");
  EXPECT_EQ(read_text(timeline), before);
}

TEST_F(CommandErrors, AMessageThatCannotBeWrittenKeepsItsExitCode) {
  EXPECT_EQ(tasktwin("simulate nosuch 2>/dev/full").code, 2);
  EXPECT_EQ(tasktwin("simulate nosuch 2>&-").code, 2);
  EXPECT_EQ(tasktwin("--version >/dev/full").code, 1);
}

TEST_F(CommandErrors, NothingInAMessageIsObeyedByATerminal) {
  write_text(folder_ / "red.yaml", std::string(kTinyScenario) + "\"\\e[31mred\": 1\n");
  const Outcome outcome = tasktwin("scenario validate '" + (folder_ / "red.yaml").string() + "'");
  EXPECT_EQ(outcome.code, 2);
  EXPECT_THAT(outcome.err, HasSubstr("the text has a control character"));
  EXPECT_THAT(outcome.err + tasktwin("simulate $'no\\e[31m\\x9bsuch\\x7f'").err, Not(HasSubstr("\033")));
}

TEST_F(CommandErrors, TwoOutputsNeverShareAFile) {
  const std::string file = " '" + (folder_ / "x").string() + "' ";
  expect_refused("simulate " + tiny("--designs shared-queue --timeline" + file + "--trace" + file), "two outputs would be written to");
  expect_refused("simulate " + tiny(tiny("--designs shared-queue --timeline" + file)), "two outputs would be written to");
}

constexpr const char* kWindows =
    "scenario: windows\nmachine: ascend-a2a3\n"
    "graph: {generator: layered_random, tasks: 400, width: 20, core_type: aiv, min_time_ns: 20000, max_time_ns: 40000}\n"
    "designs: [ascend-device-built, {name: other, from: ascend-device-built, ";

TEST_F(CommandErrors, AWindowThatIsTooSmallIsRefusedWhereItStands) {
  write_text(folder_ / "windows.yaml", kWindows + std::string("window: 24}]\n"));
  const std::string file = "'" + (folder_ / "windows.yaml").string() + "'";
  for (const std::string command : {"simulate ", "compare ", "scenario validate "}) {
    const Outcome outcome = tasktwin(command + file);
    EXPECT_EQ(outcome.code, 2) << command;
    EXPECT_THAT(outcome.err, HasSubstr("windows.yaml:4:32: designs[1]: design 'other': a window of 24 tasks is too small")) << command;
  }
  EXPECT_EQ(tasktwin("explain " + file + " ascend-device-built other").code, 2);
  EXPECT_EQ(tasktwin("simulate " + file + " --designs ascend-device-built").code, 0);
}

TEST_F(CommandErrors, ARunThatComesToNoEndCostsTheOthersNothing) {
  write_text(folder_ / "windows.yaml", kWindows + std::string("window: 60, spin_limit_us: 1}, ascend-host-built]\n"));
  const Outcome outcome = tasktwin("simulate '" + (folder_ / "windows.yaml").string() + "'");
  expect_failed(outcome, "windows: design 'other': an orchestrator waited");
  EXPECT_THAT(outcome.out, HasSubstr("ascend-device-built "));
  EXPECT_THAT(outcome.out, HasSubstr("ascend-host-built "));
}

TEST_F(CommandErrors, AMissingGpuIsSaidPlainly) {
  for (const std::string& arguments :
       {std::string("run cholesky"), "verify --live " + tiny(), "calibrate --output '" + (folder_ / "m.yaml").string() + "'"}) {
    const Outcome outcome = tasktwin(arguments);
    expect_failed(outcome, "no GPU: ");
    EXPECT_EQ(outcome.out, "") << arguments;
  }
}

TEST_F(CommandErrors, RunWithoutAGpuWritesNothing) {
  tasktwin("run " + tiny("--record '" + (folder_ / "recorded").string() + "' --trace '" + (folder_ / "t.json").string() + "'"));
  EXPECT_EQ(folder_.file_count(), 1U);
}

}  // namespace
}  // namespace tasktwin::tests
