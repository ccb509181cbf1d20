#include <algorithm>
#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/verify/support/cases.hpp"
#include "tests/verify/support/process.hpp"
#include "verify/output/text/text_table.hpp"
#include "verify/report/page_text.hpp"

namespace tasktwin::tests {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

std::vector<std::string> lines_of(const std::string& text) {
  std::istringstream stream(text);
  std::vector<std::string> lines;
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

/// `command` and every command below it, as words: "", "scenario", "scenario list", …
std::vector<std::string> commands_from(const std::string& command) {
  std::vector<std::string> all{command};
  bool within = false;
  for (const std::string& line : lines_of(tasktwin(command + " --help").out)) {
    if (within && !line.starts_with("  ")) within = false;
    if (within && line[2] != ' ') {
      for (const std::string& below : commands_from(command + " " + line.substr(2, line.find(' ', 2) - 2))) all.push_back(below);
    }
    if (line == "COMMANDS") within = true;
  }
  return all;
}

/// The lines of one section of a help text, without their indent.
std::vector<std::string> section(const std::string& help, const std::string& heading) {
  std::vector<std::string> result;
  bool within = false;
  for (const std::string& line : lines_of(help)) {
    if (within && !line.starts_with("  ")) break;
    if (within) result.push_back(line.substr(2));
    if (line == heading) within = true;
  }
  return result;
}

TEST(Help, EveryCommandHasAPageOfItsOwn) {
  const std::vector<std::string> commands = commands_from("");
  EXPECT_GE(commands.size(), 13U);
  for (const std::string& command : commands) {
    const Outcome help = tasktwin(command + " --help");
    EXPECT_EQ(help.code, 0) << command;
    EXPECT_EQ(help.err, "") << command;
    EXPECT_THAT(help.out, StartsWith("NAME\n  tasktwin" + command + " – ")) << command;
    for (const char* heading : {"USAGE", "DESCRIPTION", "OPTIONS", "ON THE TERMINAL", "EXIT CODES", "EXAMPLES"}) {
      if (heading == std::string_view("OPTIONS") && command != " simulate") continue;  // some have none but those of the terminal
      EXPECT_FALSE(section(help.out, heading).empty()) << "no " << heading << " in the help of 'tasktwin" << command << "'";
    }
    EXPECT_THAT(section(help.out, "USAGE").front(), StartsWith("tasktwin" + command)) << command;
    // An example stays on one line, however long it is.
    for (const std::string& line : lines_of(help.out.substr(0, help.out.find("\nEXAMPLES\n"))))
      EXPECT_LE(verify::columns(line), verify::kPageColumns) << command << ": " << line;
  }
}

TEST(Help, OfImportsHasAFormatALine) {
  const std::string help = tasktwin("scenario import --help").out;
  EXPECT_EQ(section(help, "USAGE").front(), "tasktwin scenario import [OPTIONS] [FILE...] [COMMAND]");
  EXPECT_THAT(help, HasSubstr("\n    capture: what 'tasktwin capture' wrote\n    kineto: "));
  EXPECT_THAT(help, HasSubstr("\n  --limit PERCENT           refuse"));
  EXPECT_THAT(help, HasSubstr("\n  --device N                only"));
}

TEST(Help, HasTheSyntaxOfOptionsWhole) {
  const std::string help = tasktwin("simulate --help").out;
  EXPECT_THAT(help, HasSubstr("\n  --move PATTERN=stream:N"));
  EXPECT_THAT(help, HasSubstr("\n  --insert NAME=TIME[,after:PATTERN][,before:PATTERN][,stream:N][,device:N][,core_type:TYPE]\n"));
}

TEST(Help, EveryOptionSaysWhatItIsFor) {
  constexpr std::size_t kBeside = 28;  // the column in which meanings begin
  for (const std::string& command : commands_from("")) {
    const std::string help = tasktwin(command + " --help").out;
    const std::vector<std::string> description = section(help, "DESCRIPTION");
    const std::vector<std::string> lines = lines_of(help);
    for (std::size_t i = 0; i < lines.size(); ++i) {
      if (!lines[i].starts_with("  -") || std::ranges::find(description, lines[i].substr(2)) != description.end()) continue;
      const bool beside = lines[i].size() > kBeside && lines[i].substr(kBeside - 2, 2) == "  ";
      const bool below = i + 1 < lines.size() && lines[i + 1].starts_with(std::string(kBeside, ' '));
      EXPECT_TRUE(beside || below) << command << ": " << lines[i];
    }
  }
}

/// Every example that a help text prints, run as it stands in an empty folder; those for a GPU must say that there is none, and
/// those for the report's page that it was not built, where it was not.
TEST(Help, EveryExampleWorks) {
  int examples = 0;
  for (const std::string& command : commands_from("")) {
    for (const std::string& example : section(tasktwin(command + " --help").out, "EXAMPLES")) {
      const TemporaryFolder folder;
      const Outcome outcome = bash(example, folder.path());
      const bool wants_gpu = example.ends_with("# on a GPU");
      const bool wants_page = example.find("--report") != std::string::npos && !verify::report_page();
      EXPECT_EQ(outcome.code, wants_gpu ? 1 : wants_page ? 2 : 0) << example << '\n' << outcome.err;
      if (wants_gpu || wants_page) {
        EXPECT_THAT(outcome.err, StartsWith(wants_gpu ? "error: no GPU: " : "error: --report: this tasktwin was built without")) << example;
        EXPECT_EQ(folder.file_count(), 0U) << example;
      } else {
        EXPECT_EQ(outcome.err, "") << example;
      }
      ++examples;
    }
  }
  EXPECT_GE(examples, 20);
}

TEST(Help, MayBeAskedForInFront) {
  for (const std::string& command : commands_from("")) {
    const Outcome in_front = tasktwin("help" + command);
    EXPECT_EQ(in_front.code, 0) << command;
    EXPECT_EQ(in_front.out, tasktwin(command + " --help").out) << command;
  }
  const Outcome unknown = tasktwin("help simulat");
  EXPECT_EQ(unknown.code, 2);
  EXPECT_THAT(unknown.err, HasSubstr("error: unknown command 'simulat'; did you mean 'simulate'?"));
}

TEST(Help, NoCommandGivesTheThreeMainJobs) {
  const Outcome outcome = tasktwin("");
  EXPECT_EQ(outcome.code, 2);
  EXPECT_EQ(outcome.out, "");
  const TemporaryFolder folder;
  int jobs = 0;
  for (const std::string& line : lines_of(outcome.err)) {
    EXPECT_LE(verify::columns(line), verify::kPageColumns) << line;
    if (!line.starts_with("  ")) continue;
    ++jobs;
    const std::string command = line.substr(line.find("tasktwin "));
    EXPECT_EQ(bash(command, folder.path()).code, 0) << command;
  }
  EXPECT_EQ(jobs, 3);
  std::string unwrapped = outcome.err;
  std::ranges::replace(unwrapped, '\n', ' ');
  EXPECT_THAT(
      unwrapped,
      HasSubstr("commands: scenario, design, machine, simulate, run, verify, compare, explain, advise, sweep, search, calibrate, "));
}

}  // namespace
}  // namespace tasktwin::tests
