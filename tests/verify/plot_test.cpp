#include "verify/metg/plot.hpp"

#include <cmath>
#include <regex>
#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "verify/output/text_table.hpp"

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

/// Checks that every tag is closed by its own and every attribute is quoted; returns the number of elements.
int count_elements(const std::string& xml) {
  const std::regex tag(R"re(<(/?)([a-z]+)((?: [a-zA-Z0-9:-]+="[^"<]*")*)\s*(/?)>)re");
  std::vector<std::string> open;
  int elements = 0;
  std::size_t covered = 0;
  for (std::sregex_iterator match(xml.begin(), xml.end(), tag), end; match != end; ++match) {
    const std::string between = xml.substr(covered, static_cast<std::size_t>(match->position()) - covered);
    EXPECT_EQ(between.find_first_of("<>"), std::string::npos) << between;
    EXPECT_FALSE(std::regex_search(between, std::regex("&(?!amp;|lt;|gt;|quot;)"))) << between;
    covered = static_cast<std::size_t>(match->position() + match->length());
    if ((*match)[1].length() > 0) {
      EXPECT_FALSE(open.empty());
      EXPECT_EQ(open.back(), (*match)[2].str());
      open.pop_back();
    } else {
      ++elements;
      if ((*match)[4].length() == 0) open.push_back((*match)[2]);
    }
  }
  EXPECT_TRUE(open.empty());
  EXPECT_EQ(xml.substr(covered), "\n");
  return elements;
}

struct Frame {
  double left, top, width, height;
};

Frame frame(const std::string& svg, int panel) {
  const std::regex pattern(R"re(class="frame" x="([\d.]+)" y="([\d.]+)" width="([\d.]+)" height="([\d.]+)")re");
  std::sregex_iterator match(svg.begin(), svg.end(), pattern);
  std::advance(match, panel);
  return {std::stod((*match)[1]), std::stod((*match)[2]), std::stod((*match)[3]), std::stod((*match)[4])};
}

TEST(SvgPlot, IsWellFormedWithEverythingEscaped) {
  const std::string svg = to_svg(some_plot());
  EXPECT_GT(count_elements(svg), 40);
  EXPECT_THAT(svg, HasSubstr("METG &lt;50 %&gt; &amp; more"));
  EXPECT_THAT(svg, HasSubstr("a &quot;fast&quot; one"));
  EXPECT_THAT(svg, HasSubstr("prefers-color-scheme: dark"));
}

TEST(SvgPlot, PutsThePointsWhereTheirValuesAre) {
  const std::string svg = to_svg(some_plot());
  const std::regex circle(R"re(<circle cx="([\d.]+)" cy="([\d.]+)")re");
  std::vector<std::pair<double, double>> read;  // of the first panel the two marks, then the second's
  int panel = 0;
  for (std::sregex_iterator match(svg.begin(), svg.end(), circle), end; match != end; ++match) {
    if (read.size() == 2) panel = 1;
    const Frame at = frame(svg, panel);
    // The axis goes from 0.1 to 100: three decades.
    read.emplace_back(0.1 * std::pow(10, 3 * (std::stod((*match)[1]) - at.left) / at.width),
                      100 * (1 - (std::stod((*match)[2]) - at.top) / at.height));
  }
  ASSERT_EQ(read.size(), 3U);
  const std::vector<std::pair<double, double>> expected{{0.2, 25}, {2, 90}, {20, 50}};
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_NEAR(read[i].first, expected[i].first, 0.002 * expected[i].first);
    EXPECT_NEAR(read[i].second, expected[i].second, 0.1);
  }
}

TEST(SvgPlot, WritesAPlotWithoutAPoint) {
  EXPECT_GT(count_elements(to_svg({.title = "none", .x_label = "x", .y_label = "y", .guide = {}, .panels = {}})), 2);
  EXPECT_GT(count_elements(to_svg({.title = "none", .x_label = "x", .y_label = "y", .guide = {}, .panels = {{"empty", {}}}})), 10);
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
