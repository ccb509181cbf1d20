#include <filesystem>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "models/base/names.hpp"
#include "models/bounds/bounds.hpp"
#include "models/machine/fields/field.hpp"
#include "models/run/timeline.hpp"
#include "tests/structure/markdown.hpp"
#include "tests/verify/support/cases.hpp"
#include "tests/verify/support/process.hpp"
#include "verify/explain/cause_words.hpp"
#include "verify/output/timelines/timeline_csv_output.hpp"

namespace tasktwin::tests {
namespace {

using testing::Contains;
using testing::HasSubstr;

constexpr const char* kPage = "docs/concepts.md";

std::set<std::string> defined() {
  const Page page = read_page(kPage);
  return {page.code.begin(), page.code.end()};
}

std::vector<std::string> split(const std::string& text, const std::string& divider) {
  std::vector<std::string> parts;
  std::size_t begin = 0;
  for (std::size_t end = 0; end != std::string::npos; begin = end + divider.size()) {
    end = text.find(divider, begin);
    parts.push_back(text.substr(begin, end - begin));
  }
  return parts;
}

/// The headings of text tables: the line above each rule, whose columns are two blanks apart.
std::vector<std::string> headings(const std::string& printed) {
  std::vector<std::string> found;
  std::istringstream lines(printed);
  std::string before;
  for (std::string line; std::getline(lines, line); before = line) {
    if (line.size() < 10 || line.find_first_not_of('-') != std::string::npos) continue;
    for (std::string column : split(before, "  ")) {
      column.erase(0, column.find_first_not_of(' '));
      if (!column.empty()) found.push_back(column);
    }
  }
  return found;
}

std::vector<std::string> columns_of(const std::string& arguments) {
  const Outcome outcome = tasktwin(arguments + " --quiet", "COLUMNS=400");
  EXPECT_EQ(outcome.code, 0) << arguments << '\n' << outcome.err;
  std::vector<std::string> columns = headings(outcome.out);
  EXPECT_FALSE(columns.empty()) << arguments << '\n' << outcome.out;
  return columns;
}

TEST(ConceptsPage, DefinesEveryCauseInBothOfItsForms) {
  const std::set<std::string> words = defined();
  const std::string page = read_text(kPage);
  for (const auto& [cause, word] : Words<PathCause>::entries) {
    EXPECT_THAT(words, Contains(std::string(word)));
    EXPECT_THAT(page, HasSubstr("| " + std::string(verify::in_words(cause)) + " |"));
  }
  for (const auto& [cause, word] : Words<IdleCause>::entries) {
    EXPECT_THAT(words, Contains(std::string(word)));
    EXPECT_THAT(page, HasSubstr("| " + std::string(verify::in_words(cause)) + " |"));
  }
}

TEST(ConceptsPage, DefinesEveryBound) {
  const std::set<std::string> words = defined();
  for (const auto& [name, value] : Bounds{}.entries()) EXPECT_THAT(words, Contains(std::string(name)));
}

TEST(ConceptsPage, DefinesTheColumnsOfTimelines) {
  const std::set<std::string> words = defined();
  for (const std::string_view header : {verify::kTimelineCsvHeader, verify::kBlocksCsvHeader})
    for (const std::string& column : split(std::string(header), ",")) EXPECT_THAT(words, Contains(column));
}

TEST(ConceptsPage, DefinesEveryPartThatAMachineCanBeImaginedWithout) {
  const std::set<std::string> words = defined();
  for (const auto& [group, word] : Words<CostGroup>::entries) EXPECT_THAT(words, Contains("without " + std::string(word)));
}

/// Of every command that prints tables without a GPU; a column that is headed by what varies is `hop_ns` here.
TEST(ConceptsPage, DefinesEveryColumnOfTheCommandsTables) {
  std::set<std::string> words = defined();
  words.insert({"static-queues", "shared-queue", "hop_ns", "mailbox_depth"});
  for (const auto& [cause, word] : Words<PathCause>::entries) words.insert(std::string(word));
  for (const std::string arguments : {
           "simulate example --designs shared-queue --runs 3 --without all",
           "simulate example --designs shared-queue --scale left=2",
           "compare example --designs static-queues,shared-queue --runs 3",
           "explain example static-queues shared-queue",
           "sweep example --designs shared-queue --vary machine.device_mailboxes.hop_ns=200,800 --details --runs 3",
           "search example --designs shared-queue --vary designs.mailbox_depth=1,2 --method grid --runs 3",
           "scenario show example",
           "verify --recorded --breakdown --sensitivity suite/cholesky-33-cores --designs layer-barrier,static-queues",
           "verify --recorded --limit 100 scratch",
           "verify --recorded --ablate suite/tree-10us --designs layer-barrier",
           "verify --claims C14 --recorded",
       }) {
    for (const std::string& column : columns_of(arguments)) EXPECT_THAT(words, Contains(column)) << arguments;
  }
}

/// Also those of tables that only a GPU's measurements fill.
TEST(ConceptsPage, DefinesEveryHeadingThatTheSourcesOfTablesWrite) {
  static const std::regex table(R"re(TextTable(?: \w+)?\(\{([^}]*)\})re");
  static const std::regex literal(R"re("([^"]*)")re");
  const std::set<std::string> words = defined();
  std::size_t found = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator("verify")) {
    if (entry.path().extension() != ".cpp") continue;
    const std::string source = read_text(entry.path());
    for (std::sregex_iterator header(source.begin(), source.end(), table), end; header != end; ++header) {
      const std::string headings = (*header)[1];
      for (std::sregex_iterator one(headings.begin(), headings.end(), literal); one != end; ++one) {
        if ((*one)[1].length() == 0) continue;
        EXPECT_THAT(words, Contains((*one)[1].str())) << entry.path();
        ++found;
      }
    }
  }
  EXPECT_GT(found, 50U);
}

TEST(ConceptsPage, DefinesEveryColumnOfTheCommandsCsv) {
  std::set<std::string> words = defined();
  words.insert("designs.mailbox_depth");
  for (const std::string arguments :
       {"sweep example --designs shared-queue --vary designs.mailbox_depth=1,2 --details --format csv",
        "search example --designs shared-queue --vary designs.mailbox_depth=1,2 --method grid --format csv"}) {
    const std::string printed = tasktwin(arguments + " --quiet").out;
    for (const std::string& column : split(printed.substr(0, printed.find('\n')), ",")) EXPECT_THAT(words, Contains(column)) << arguments;
  }
}

}  // namespace
}  // namespace tasktwin::tests
