#include <chrono>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/verify/support/cases.hpp"
#include "verify/output/files/atomic_file.hpp"
#include "verify/output/text/character_width.hpp"
#include "verify/output/text/terminal.hpp"
#include "verify/output/text/text_table.hpp"

namespace tasktwin::verify {
namespace {

using std::chrono::duration;

TEST(Columns, CountWhatATerminalShows) {
  EXPECT_EQ(columns("µs ×"), 4U);
  EXPECT_EQ(columns("任务"), 4U) << "two each";
  EXPECT_EQ(columns("e\u0301"), 1U) << "an accent of its own takes none";
  EXPECT_EQ(columns("\033[31mred\033[0m"), 3U);
  EXPECT_EQ(columns("\033["), 2U) << "no escape sequence";
  EXPECT_EQ(columns("\xff\xc3"), 2U) << "no UTF-8";
  EXPECT_EQ(columns("\xe4\xbb"), 2U) << "a character cut off";
  EXPECT_EQ(columns("🚀"), 2U);
  EXPECT_EQ(columns(""), 0U);
}

TEST(Shorten, KeepsWholeCharacters) {
  EXPECT_EQ(shorten("schedule", 8), "schedule");
  EXPECT_EQ(shorten("schedule", 4), "sch…");
  EXPECT_EQ(shorten("任务图表", 6), "任务…");
  EXPECT_EQ(shorten("任务图表", 7), "任务图…");
  EXPECT_EQ(shorten("µµµµ", 3), "µµ…");
  EXPECT_EQ(shorten("schedule", 1), "…");
  EXPECT_EQ(shorten("schedule", 0), "");
}

TEST(ProgressText, CountsAndTimesParts) {
  EXPECT_EQ(progress_text("simulating", 0, 40, duration<double>(5), 100), "simulating: 1 of 40");
  EXPECT_EQ(progress_text("simulating", 10, 40, duration<double>(5), 100), "simulating: 11 of 40, 2.0 a second, 15 s left");
  EXPECT_EQ(progress_text("simulating", 10, 40, duration<double>(100), 100), "simulating: 11 of 40, 10.0 s each, 5 min 0 s left");
  EXPECT_EQ(progress_text("simulating", 10, 40, duration<double>(0.5), 100), "simulating: 11 of 40") << "too early to tell";
  EXPECT_EQ(progress_text("simulating", 40, 40, duration<double>(5), 100), "simulating: 40 of 40");
}

TEST(ProgressText, SaysHowLongUncountedWorkHasTaken) {
  EXPECT_EQ(progress_text("measuring", 0, 0, duration<double>(0.2), 100), "measuring");
  EXPECT_EQ(progress_text("measuring", 0, 0, duration<double>(83), 100), "measuring, 1 min 23 s so far");
  EXPECT_EQ(progress_text("measuring", 0, 0, duration<double>(7500), 100), "measuring, 2 h 5 min so far");
}

TEST(ProgressText, GivesUpTextBeforeCounts) {
  const std::string line = progress_text(std::string(200, 'x'), 10, 40, duration<double>(5), 60);
  EXPECT_EQ(columns(line), 60U);
  EXPECT_THAT(line, testing::EndsWith("x…: 11 of 40, 2.0 a second, 15 s left"));
  EXPECT_LE(columns(progress_text(std::string(200, 'x'), 10, 40, duration<double>(5), 12)), 12U);
}

TEST(Colours, FollowTheSetting) {
  set_terminal({.quiet = false, .colour = Colour::kAlways});
  EXPECT_EQ(coloured("right", Tone::kGood), "\033[32mright\033[0m");
  set_terminal({.quiet = false, .colour = Colour::kNever});
  EXPECT_EQ(coloured("right", Tone::kGood), "right");
  set_terminal({});
}

TEST(TextTable, PutsColumnsThatDoNotFitBelow) {
  std::vector<std::string> header{"design"};
  std::vector<std::string> row{"shared-queue"};
  for (int i = 0; i < 12; ++i) {
    header.push_back("constant " + std::to_string(i));
    row.push_back("value " + std::to_string(i));
  }
  TextTable table(header);
  table.add_row(row);
  const std::string text = table.to_string();
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) EXPECT_LE(columns(line), kPageColumns) << line;
  for (std::size_t i = 1; i < row.size(); ++i) {
    EXPECT_THAT(text, testing::HasSubstr(header[i]));
    EXPECT_THAT(text, testing::HasSubstr(row[i]));
  }
  EXPECT_THAT(text, testing::HasSubstr("\n\ndesign  ")) << "the first column again";
}

TEST(TextTable, AlignsWideCharacters) {
  TextTable table({"设计", "makespan"});
  table.add_row({"ab", "1.000 µs"});
  EXPECT_EQ(table.to_string(),
            "设计  makespan\n"
            "--------------\n"
            "ab    1.000 µs\n");
}

TEST(AtomicFile, IsWholeOrAbsentWithManyOpenAtOnce) {
  const tests::TemporaryFolder folder;
  {
    std::vector<std::unique_ptr<AtomicFile>> files;
    for (int i = 0; i < 20; ++i) {  // more than are removed on an interrupt
      files.push_back(std::make_unique<AtomicFile>(folder / std::to_string(i)));
      files.back()->write("text");
    }
    for (int i = 0; i < 10; ++i) files[static_cast<std::size_t>(i)]->commit();
  }
  EXPECT_EQ(folder.file_count(), 10U);
}

}  // namespace
}  // namespace tasktwin::verify
