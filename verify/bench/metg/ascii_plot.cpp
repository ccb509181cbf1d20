#include <algorithm>
#include <cmath>
#include <map>
#include <span>

#include <fmt/format.h>

#include "verify/bench/metg/plot.hpp"
#include "verify/output/text/text_table.hpp"

namespace tasktwin::verify {

namespace {

constexpr int kRows = 12;
constexpr std::size_t kMargin = 8;  // the y axis' numbers
constexpr std::size_t kWidth = kPageColumns - kMargin - 2;

char letter(std::size_t style) { return static_cast<char>('a' + style % 26); }

/// y at x, linear in log x between the points around it; nothing outside the curve. Contract: `points` ascend in x.
std::optional<double> value_at(std::span<const std::pair<double, double>> points, double x) {
  const auto after = std::ranges::find_if(points, [x](const auto& point) { return point.first >= x; });
  if (after == points.end() || (after == points.begin() && after->first > x)) return std::nullopt;
  if (after->first == x) return after->second;
  const auto before = after - 1;
  const double share = std::log(x / before->first) / std::log(after->first / before->first);
  return before->second + share * (after->second - before->second);
}

std::string panel_text(const Plot& plot, const PlotPanel& panel) {
  const auto [low, high] = plot.x_range();
  std::vector<std::string> rows(kRows, std::string(kWidth, ' '));
  const auto row_of = [&](double y) {
    return kRows - 1 - static_cast<int>(std::lround(std::clamp(y / plot.y_max, 0.0, 1.0) * (kRows - 1)));
  };
  if (plot.guide) rows[static_cast<std::size_t>(row_of(*plot.guide))].assign(kWidth, '.');
  const double decades = std::log10(high / low);
  for (const PlotSeries& series : panel.series) {
    if (series.dashed) continue;
    auto points = series.points;
    std::ranges::sort(points);
    const auto put = [&](std::size_t column, double y) { rows[static_cast<std::size_t>(row_of(y))][column] = letter(series.style); };
    for (std::size_t column = 0; column < kWidth; ++column) {
      const double x = low * std::pow(10, decades * static_cast<double>(column) / (kWidth - 1));
      if (const auto y = value_at(points, x)) put(column, *y);
    }
    for (const auto& [x, y] : series.points) put(static_cast<std::size_t>(std::lround(std::log10(x / low) / decades * (kWidth - 1))), y);
  }
  std::string text = panel.title + '\n';
  for (int row = 0; row < kRows; ++row) {
    const bool numbered = row == 0 || row == kRows - 1 || (plot.guide && row == row_of(*plot.guide));
    const double y = row == 0 ? plot.y_max : row == kRows - 1 ? 0 : plot.guide.value_or(0);
    std::string line = fmt::format("{:>{}} |{}", numbered ? fmt::format("{:.4g}", y) : "", kMargin, rows[static_cast<std::size_t>(row)]);
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + '\n';
  }
  std::string axis(kMargin + 1 + kWidth, ' ');
  for (int decade = 0; decade <= std::lround(decades); ++decade) {
    const std::string number = fmt::format("{:g}", low * std::pow(10, decade));
    const auto centre = kMargin + 2 + static_cast<std::size_t>(std::lround(decade / decades * (kWidth - 1)));
    const std::size_t at = std::min(centre, axis.size() - number.size());
    axis.replace(at, number.size(), number);
  }
  axis.erase(axis.find_last_not_of(' ') + 1);
  return text + std::string(kMargin + 1, ' ') + '+' + std::string(kWidth, '-') + '\n' + axis + '\n';
}

}  // namespace

std::pair<double, double> Plot::x_range() const {
  double low = 0;
  double high = 0;
  for (const PlotPanel& panel : panels) {
    for (const PlotSeries& series : panel.series) {
      for (const auto& [x, y] : series.points) {
        low = low == 0 ? x : std::min(low, x);
        high = std::max(high, x);
      }
    }
  }
  if (low <= 0) return {1, 10};
  const double first = std::floor(std::log10(low) + 1e-9);
  const double last = std::ceil(std::log10(high) - 1e-9);
  return {std::pow(10, first), std::pow(10, std::max(last, first + 1))};
}

std::string to_ascii(const Plot& plot) {
  std::map<std::size_t, std::string> names;
  std::string text = fmt::format("{}: {} over {}\n", plot.title, plot.y_label, plot.x_label);
  for (const PlotPanel& panel : plot.panels) {
    for (const PlotSeries& series : panel.series) {
      if (!series.dashed) names[series.style] = series.name;
    }
  }
  std::string legend;
  for (const auto& [style, name] : names) legend += fmt::format("{}{}={}", legend.empty() ? "" : ", ", letter(style), name);
  text += wrap(legend) + '\n';
  for (const PlotPanel& panel : plot.panels) text += '\n' + panel_text(plot, panel);
  return text;
}

}  // namespace tasktwin::verify
