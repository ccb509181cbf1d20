#include "models/base/utf8.hpp"

#include <gtest/gtest.h>

namespace tasktwin {
namespace {

TEST(WellFormed, ReplacesEachByteThatIsNoUtf8) {
  const std::string replaced = "\xEF\xBF\xBD";
  EXPECT_EQ(well_formed(""), "");
  EXPECT_EQ(well_formed("a\n\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80"), "a\n\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80");
  EXPECT_EQ(well_formed("a\xFF z"), "a" + replaced + " z");
  EXPECT_EQ(well_formed("\xC0\xAF"), replaced + replaced) << "overlong";
  EXPECT_EQ(well_formed("\xED\xA0\x80"), replaced + replaced + replaced) << "a surrogate";
  EXPECT_EQ(well_formed("\xE2\x82"), replaced + replaced) << "cut short";
}

}  // namespace
}  // namespace tasktwin
