#include <cstdlib>

#include <gtest/gtest.h>

#include "tests/verify/support/cases.hpp"

namespace tasktwin::tests {
namespace {

/// The pictures of the pages are those that scripts/pictures.sh draws today.
TEST(Pictures, AreUpToDate) {
  const TemporaryFolder drawn;
  const std::string command = "sh scripts/pictures.sh '" TASKTWIN_EXECUTABLE "' '" + drawn.path().string() + "'";
  ASSERT_EQ(std::system(command.c_str()), 0) << command;
  std::size_t shown = 0;
  for (const auto& entry : std::filesystem::directory_iterator("docs/pictures")) {
    const std::string name = entry.path().filename().string();
    EXPECT_TRUE(read_text(entry.path()) == read_text(drawn / name)) << name << " is out of date: make picture";
    ++shown;
  }
  EXPECT_EQ(shown, drawn.file_count());
}

}  // namespace
}  // namespace tasktwin::tests
