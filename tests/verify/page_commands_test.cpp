#include <algorithm>
#include <cstdlib>
#include <optional>
#include <span>
#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/structure/markdown.hpp"
#include "tests/verify/support/cases.hpp"
#include "tests/verify/support/process.hpp"
#include "verify/report/page_text.hpp"

namespace tasktwin::tests {
namespace {

using testing::HasSubstr;

constexpr std::string_view kOnAGpu = "# on a GPU";
constexpr std::string_view kLeftOut = "…";

std::vector<std::string> lines_of(const std::string& text) {
  std::istringstream stream(text);
  std::vector<std::string> lines;
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

/// What a line of commands must exit with here, where GPUs are hidden and the report's page may not have been built.
int expected_code(const std::string& text) {
  if (text.find(kOnAGpu) != std::string::npos) return 1;
  return text.find("--report") != std::string::npos && !verify::report_page() ? 2 : 0;
}

/// The page's commands as one session in an empty home, as its reader has it. `make` does nothing in it: what the tests run in is what
/// it makes. Of each block of commands, by its number, standard output and error go to files of that name in `outputs`.
std::string session(const Page& page, const std::filesystem::path& outputs) {
  std::string script = "set -eo pipefail\nHOME=$PWD\nmake() { :; }\n";
  for (std::size_t i = 0; i < page.blocks.size(); ++i) {
    if (page.blocks[i].language != "sh") continue;
    const std::string name = (outputs / std::to_string(i)).string();
    script += "exec >'" + name + ".out' 2>'" + name + ".err'\n";
    for (const std::string& line : lines_of(page.blocks[i].text)) {
      const int code = expected_code(line);
      script += code == 0
                    ? line + '\n'
                    : "if " + line + "\nthen echo 'must not succeed here' >&2; exit 1\nelse [ $? -eq " + std::to_string(code) + " ]\nfi\n";
    }
  }
  return script;
}

/// Whether `printed` is what `shown` says, in which a line "…" stands for any number of lines.
bool shows(std::span<const std::string> shown, std::span<const std::string> printed) {
  if (shown.empty()) return printed.empty();
  if (shown.front() == kLeftOut && shows(shown.subspan(1), printed)) return true;
  if (printed.empty() || (shown.front() != kLeftOut && shown.front() != printed.front())) return false;
  return shows(shown.front() == kLeftOut ? shown : shown.subspan(1), printed.subspan(1));
}

bool shows(const std::string& shown, const std::string& printed) { return shows(lines_of(shown), lines_of(printed)); }

/// `shown` as it would be now: of what is printed as many lines from the beginning as stand before what it leaves out, and as many from the
/// end as stand behind. Unchanged where it leaves out several parts.
std::string shown_anew(const std::string& shown, const std::string& printed) {
  const std::vector<std::string> old = lines_of(shown);
  std::vector<std::string> lines = lines_of(printed);
  const auto left_out = std::ranges::find(old, kLeftOut);
  if (left_out != old.end()) {
    const auto before = left_out - old.begin();
    const auto behind = old.end() - left_out - 1;
    if (std::ranges::count(old, kLeftOut) > 1 || before + behind > std::ssize(lines)) return shown;
    lines.erase(lines.begin() + before, lines.end() - behind);
    lines.emplace(lines.begin() + before, kLeftOut);
  }
  std::string text;
  for (const std::string& line : lines) text += line + '\n';
  return text;
}

void rewrite(const Page& page, const CodeBlock& block, const std::string& printed) {
  std::string text = read_text(page.path);
  const std::string fenced = "```text\n" + block.text + "```\n";
  const std::size_t at = text.find(fenced);
  ASSERT_NE(at, std::string::npos) << fenced;
  text.replace(at, fenced.size(), "```text\n" + shown_anew(block.text, printed) + "```\n");
  write_text(page.path, text);
}

class PageCommands : public testing::TestWithParam<const char*> {};

/// Every block in `sh` runs, those marked for a GPU say that there is none, and a block in `text` is what the one before it prints;
/// UPDATE_GOLDENS=1 rewrites these.
TEST_P(PageCommands, RunAndPrintWhatThePageShows) {
  const Page page = read_page(GetParam());
  const TemporaryFolder home;
  const TemporaryFolder outputs;
  const Outcome outcome = bash(session(page, outputs.path()), home.path());
  const auto output = [&outputs](std::size_t block, const char* stream) { return outputs / (std::to_string(block) + stream); };
  std::optional<std::size_t> commands;
  for (std::size_t i = 0; i < page.blocks.size(); ++i) {
    const CodeBlock& block = page.blocks[i];
    const std::string place = page.path.string() + ":" + std::to_string(block.line) + ":\n" + block.text;
    if (block.language == "sh") {
      if (!std::filesystem::exists(output(i, ".err"))) break;
      commands = i;
      if (block.text.find(kOnAGpu) != std::string::npos) {
        EXPECT_THAT(read_text(output(i, ".err")), HasSubstr("error: no GPU: ")) << place;
      }
    } else if (block.language == "text") {
      ASSERT_TRUE(commands) << "output of nothing: " << place;
      const std::size_t of = commands.value_or(i);
      const std::string printed = read_text(output(of, ".out"));
      if (expected_code(page.blocks[of].text) != 0) continue;
      if (std::getenv("UPDATE_GOLDENS") != nullptr) {
        rewrite(page, block, printed);
      } else {
        EXPECT_TRUE(shows(block.text, printed)) << place << "but prints:\n" << printed;
      }
    }
  }
  ASSERT_TRUE(commands) << "no commands";
  EXPECT_EQ(outcome.code, 0) << "stopped in:\n" << page.blocks[*commands].text << read_text(output(*commands, ".err"));
}

/// "docs/first-review.md" as a name of a test: "first_review".
std::string page_name(const testing::TestParamInfo<const char*>& page) {
  std::string name = std::filesystem::path(page.param).stem().string();
  std::ranges::replace(name, '-', '_');
  return name;
}

INSTANTIATE_TEST_SUITE_P(Of, PageCommands,
                         testing::Values("README.md", "docs/first-review.md", "docs/using.md", "docs/measuring.md", "docs/claims.md",
                                         "docs/import.md", "docs/search.md", "docs/placement.md", "docs/plan.md", "docs/gate.md",
                                         "docs/questions.md", "docs/json.md"),
                         page_name);

TEST(PageOutput, IsWrittenAnewButForWhatIsLeftOut) {
  EXPECT_EQ(shown_anew("a\nb\n", "c\n"), "c\n");
  EXPECT_EQ(shown_anew("a\n…\n", "b\nc\nd\n"), "b\n…\n");
  EXPECT_EQ(shown_anew("…\na\n", "b\nc\nd\n"), "…\nd\n");
  EXPECT_EQ(shown_anew("a\n…\nb\n", "1\n2\n3\n4\n"), "1\n…\n4\n");
  EXPECT_EQ(shown_anew("a\n…\nb\n…\n", "1\n2\n"), "a\n…\nb\n…\n");
  EXPECT_EQ(shown_anew("a\n…\nb\n", "1\n"), "a\n…\nb\n");
}

TEST(PageOutput, IsComparedLineByLineButForWhatIsLeftOut) {
  EXPECT_TRUE(shows("a\nb\n", "a\nb\n"));
  EXPECT_FALSE(shows("a\n", "a\nb\n"));
  EXPECT_FALSE(shows("a\nb\n", "a\n"));
  EXPECT_TRUE(shows("a\n…\nc\n", "a\nb\nb\nc\n"));
  EXPECT_TRUE(shows("…\nc\n", "c\nb\nc\n"));
  EXPECT_TRUE(shows("a\n…\n", "a\nb\n"));
  EXPECT_FALSE(shows("a\n…\nc\n", "a\nc\nb\n"));
  EXPECT_FALSE(shows("…\nb\n…\nc\n", "a\nc\n"));
}

}  // namespace
}  // namespace tasktwin::tests
