#include "verify/bench/metg/plot.hpp"

#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "verify/output/text/text_table.hpp"

namespace tasktwin::verify {
namespace {

using ::testing::HasSubstr;

Plot some_plot() {
  return {
      .title = "METG <50 %> & more",
      .x_label = "granularity, µs",
      .y_label = "efficiency in %",
      .y_max = 100,
      .guide = 50,
      .panels = {{"trivial", {{"a \"fast\" one", {{0.2, 25}, {2, 90}}, 0}, {"a \"fast\" one, predicted", {{0.3, 30}, {2, 95}}, 0, true}}},
                 {"stencil", {{"slow", {{20, 50}}, 1}}},
                 {"empty", {}}}};
}

TEST(CurvesData, HasEachPointUnderItsAxesAndItsGuide) {
  const Json data = curves_data(some_plot());
  EXPECT_EQ(data["x_range"], Json({0.1, 100.0})) << "whole decades around all points";
  EXPECT_EQ(data["y_max"], 100);
  EXPECT_EQ(data["guide"], 50);
  ASSERT_EQ(data["panels"].size(), 3U);
  EXPECT_EQ(data["panels"][1]["title"], "stencil");
  const Json& predicted = data["panels"][0]["curves"][1];
  EXPECT_EQ(predicted["name"], "a \"fast\" one, predicted");
  EXPECT_EQ(predicted["predicted"], true);
  EXPECT_EQ(predicted["x"], Json({0.3, 2.0}));
  EXPECT_EQ(predicted["y"], Json({30.0, 95.0}));
  EXPECT_EQ(data["panels"][2]["curves"], Json::array());
}

TEST(CurvesData, IsThereForAPlotWithoutAPoint) {
  const Json data = curves_data({.title = "none", .x_label = "x", .y_label = "y", .guide = {}, .panels = {}});
  EXPECT_EQ(data["x_range"], Json({1.0, 10.0}));
  EXPECT_EQ(data["guide"], nullptr);
  EXPECT_EQ(data["panels"], Json::array());
}

TEST(AsciiPlot, FitsThePageAndNamesTheCurves) {
  const std::string text = to_ascii(some_plot());
  EXPECT_THAT(text, HasSubstr("a=a \"fast\" one, b=slow\n"));
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) EXPECT_LE(columns(line), kPageColumns) << line;
}

TEST(AsciiPlot, DrawsACurveBetweenItsPoints) {
  const std::string text = to_ascii(
      {.title = "t", .x_label = "x", .y_label = "y", .y_max = 11, .guide = {}, .panels = {{"p", {{"rising", {{1, 0}, {10, 11}}, 0}}}}});
  std::istringstream lines(text.substr(text.find("p\n") + 2));
  std::string line;
  std::size_t previous = 1000;
  for (int row = 0; row < 12; ++row) {  // a straight line in log x: each row's letters stand left of those above
    std::getline(lines, line);
    const std::size_t first = line.find('a');
    ASSERT_NE(first, std::string::npos) << line;
    EXPECT_LT(line.rfind('a'), previous) << line;
    previous = first;
  }
}

}  // namespace
}  // namespace tasktwin::verify
