#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "models/design/design.hpp"
#include "models/runtimes/runtimes.hpp"
#include "scenarios/load/scenario.hpp"
#include "tests/verify/support/cases.hpp"
#include "tests/verify/support/process.hpp"

namespace tasktwin::tests {
namespace {

using testing::Contains;
using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::IsSupersetOf;
using testing::Not;
using testing::StartsWith;

std::vector<std::string> lines_of(const std::string& text) {
  std::istringstream stream(text);
  std::vector<std::string> lines;
  for (std::string line; std::getline(stream, line);) lines.push_back(line.substr(0, line.find('\t')));
  return lines;
}

/// What the executable offers for a line of `words`, the last of them at the cursor.
std::vector<std::string> offered(const std::string& words) {
  const Outcome outcome = tasktwin("__complete " + words);
  EXPECT_EQ(outcome.code, 0) << words;
  EXPECT_EQ(outcome.err, "") << words;
  return lines_of(outcome.out);
}

/// What a new bash offers after it has read the script, COMP_WORDS being `words`.
std::vector<std::string> offered_by_bash(const std::string& words, const std::filesystem::path& folder) {
  const Outcome outcome = bash("set -u; source <(tasktwin completion bash); COMP_WORDS=(" + words +
                                   "); COMP_CWORD=$(( ${#COMP_WORDS[@]} - 1 )); _tasktwin; printf '%s\\n' \"${COMPREPLY[@]}\"",
                               folder);
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  return lines_of(outcome.out);
}

bool installed(const std::string& shell, const std::filesystem::path& folder) { return bash("command -v " + shell, folder).code == 0; }

TEST(Completion, KnowsEveryCommandAndSubcommand) {
  EXPECT_THAT(offered("''"), IsSupersetOf({"scenario", "design", "simulate", "run", "verify", "compare", "explain", "sweep", "calibrate"}));
  EXPECT_THAT(offered("sim"), ElementsAre("simulate"));
  EXPECT_THAT(offered("scenario s"), Contains("show"));
  EXPECT_THAT(offered("help sw"), ElementsAre("sweep"));
  EXPECT_THAT(offered("help simulate ''"), IsEmpty());
  EXPECT_THAT(offered("nonsense"), IsEmpty());
}

TEST(Completion, KnowsEveryOptionOnce) {
  EXPECT_THAT(offered("simulate --"),
              IsSupersetOf({"--designs", "--seed", "--runs", "--format", "--gantt", "--quiet", "--color", "--help"}));
  EXPECT_THAT(offered("simulate --designs x --d"), Not(Contains("--designs"))) << "given already";
  EXPECT_THAT(offered("sweep example --vary seed=1 --v"), Contains("--vary")) << "may be given again";
  EXPECT_THAT(offered("simulate -- --d"), Not(Contains("--designs"))) << "after -- nothing is an option";
}

TEST(Completion, KnowsTheWordsOfOptions) {
  EXPECT_THAT(offered("simulate --format ''"), ElementsAre("text", "json"));
  EXPECT_THAT(offered("simulate --format j"), ElementsAre("json"));
  EXPECT_THAT(offered("simulate --format=j"), ElementsAre("--format=json")) << "as zsh and fish ask";
  EXPECT_THAT(offered("simulate --format = j"), ElementsAre("json")) << "as bash asks";
  EXPECT_THAT(offered("simulate --format ="), ElementsAre("text", "json"));
  EXPECT_THAT(offered("simulate --color n"), ElementsAre("never"));
  EXPECT_THAT(offered("simulate --bandwidth-solver ''"), Contains("simgrid"));
  EXPECT_THAT(offered("run --metg --patterns trivial,ch"), ElementsAre("trivial,chain"));
  EXPECT_THAT(offered("run --metg --executors static"), ElementsAre("static-queues"));
  EXPECT_THAT(offered("completion ''"), ElementsAre("bash", "zsh", "fish"));
  EXPECT_THAT(offered("sweep example --vary designs.mail"), ElementsAre("designs.mailbox_depth="));
  EXPECT_THAT(offered("calibrate --machine nv"), Contains("nvidia-h200"));
}

/// Nothing here is written down twice: help and completion read the same declarations.
TEST(Completion, OffersTheWordsThatHelpShowsForEveryOption) {
  int checked = 0;
  for (const std::string& command : offered("''")) {
    std::istringstream help(tasktwin(command + " --help").out);
    for (std::string line; std::getline(help, line);) {
      std::istringstream words(line);
      std::string option;
      std::string type;
      words >> option >> type;
      if (!option.starts_with("--") || type.find('|') == std::string::npos) continue;
      std::string joined;
      for (const std::string& word : offered(command + " " + option + " ''")) joined += (joined.empty() ? "" : "|") + word;
      EXPECT_EQ(joined, type) << command << ' ' << option;
      ++checked;
    }
  }
  EXPECT_GE(checked, 10);
}

TEST(Completion, KnowsScenariosAndFiles) {
  const std::vector<std::string> scenarios = scenarios::shipped_scenarios();
  ASSERT_FALSE(scenarios.empty());
  EXPECT_THAT(offered("simulate ''"), IsSupersetOf(scenarios));
  EXPECT_THAT(offered("simulate chol"), ElementsAre("cholesky", ":files"));
  EXPECT_THAT(offered("compare example chol"), ElementsAre("cholesky", ":files")) << "another one";
  EXPECT_THAT(offered("simulate example --trace ''"), ElementsAre(":files"));
  EXPECT_THAT(offered("run example --record ''"), ElementsAre(":dirs"));
  EXPECT_THAT(offered("verify --claims C1"), IsSupersetOf({"C1", "C10", "C14"}));
}

TEST(Completion, KnowsNamedDesignsAndTheScenariosOwn) {
  std::vector<std::string> named;
  for (const Design& design : named_designs()) named.push_back(design.name);
  EXPECT_THAT(offered("simulate example --designs ''"), IsSupersetOf(named));
  EXPECT_THAT(offered("simulate example --designs critical"), ElementsAre("critical-path-first"));
  EXPECT_THAT(offered("simulate --designs critical"), IsEmpty()) << "no scenario, so only named ones";
  EXPECT_THAT(offered("simulate example --designs shared-queue,static"), ElementsAre("shared-queue,static-queues"));
  EXPECT_THAT(offered("simulate example --designs shared-queue,shared"), IsEmpty()) << "given already";
  EXPECT_THAT(offered("explain example static-queues central"), ElementsAre("central-dispatcher"));
  EXPECT_THAT(offered("design show shared"), ElementsAre("shared-queue"));
  EXPECT_THAT(offered("design show shared-queue ''"), IsEmpty()) << "it takes one";
  EXPECT_THAT(offered("design axes graph_s"), ElementsAre("graph_source"));
  EXPECT_THAT(offered("explain example a b ''"), IsEmpty()) << "there is no fourth argument";
  EXPECT_THAT(offered("simulate /no/such.yaml --designs shared"), ElementsAre("shared-queue")) << "a file that is not there";
}

TEST(Completion, WorksInBash) {
  const TemporaryFolder folder;
  write_text(folder / "mine.yaml", kTinyScenario);
  write_text(folder / "min e.yaml", kTinyScenario);
  std::filesystem::create_directory(folder / "minutes");
  const auto in_bash = [&](const std::string& words) { return offered_by_bash(words, folder.path()); };
  EXPECT_THAT(in_bash("tasktwin sim"), ElementsAre("simulate"));
  EXPECT_THAT(in_bash("tasktwin simulate chol"), ElementsAre("cholesky"));
  EXPECT_THAT(in_bash("tasktwin simulate min"), testing::UnorderedElementsAre("mine.yaml", "min e.yaml", "minutes"));
  EXPECT_THAT(in_bash("tasktwin run cholesky --record min"), ElementsAre("minutes"));
  EXPECT_THAT(in_bash("tasktwin compare mine.yaml --designs stat"), ElementsAre("static-queues"));
  EXPECT_THAT(in_bash("tasktwin compare mine.yaml --format = js"), ElementsAre("json"));
  EXPECT_THAT(in_bash("tasktwin compare mine.yaml --format ="), ElementsAre("text", "json"));
  EXPECT_THAT(in_bash("tasktwin simulate --"), Each(StartsWith("--"))) << "no meanings";
}

TEST(Completion, WorksInZsh) {
  const TemporaryFolder folder;
  if (!installed("zsh", folder.path())) GTEST_SKIP() << "no zsh";
  // Stand-ins for what the completion system itself would do with the candidates.
  write_text(folder / "ask.zsh", R"(compdef() { :; }
_describe() { print -rl -- "${(@P)2}"; }
_files() { print -r -- "files $*"; }
source <(tasktwin completion zsh)
ask() { words=("$@"); CURRENT=$#; _tasktwin; }
ask tasktwin simulate --form
ask tasktwin simulate --format=j
ask tasktwin simulate chol
)");
  const Outcome outcome = bash("zsh -f ask.zsh", folder.path());
  EXPECT_EQ(outcome.err, "");
  EXPECT_EQ(outcome.out, "--format:how to print results; text by default\n--format=json\ncholesky\nfiles \n");
}

TEST(Completion, WorksInFish) {
  const TemporaryFolder folder;
  if (!installed("fish", folder.path())) GTEST_SKIP() << "no fish";
  write_text(folder / "ask.fish", R"(tasktwin completion fish | source
complete -C 'tasktwin simulate --form'
complete -C 'tasktwin simulate --format=j'
complete -C 'tasktwin explain chol'
complete -C 'tasktwin compare example --designs critical'
)");
  const Outcome outcome = bash("HOME=$PWD fish --no-config ask.fish", folder.path());
  EXPECT_EQ(outcome.err, "");
  EXPECT_EQ(outcome.out, "--format\thow to print results; text by default\n--format=json\ncholesky\ncritical-path-first\n");
}

}  // namespace
}  // namespace tasktwin::tests
