#include "verify/output/timelines/svg_bars.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

namespace tasktwin::verify {

namespace {

/// Okabe and Ito's, but black: orange, sky blue, bluish green, vermillion, reddish purple, yellow, blue.
constexpr std::array kColours{"#e69f00", "#56b4e9", "#009e73", "#d55e00", "#cc79a7", "#f0e442", "#0072b2"};
constexpr int kShades = 4;
/// Of a column: less is a rounding error at its edge.
constexpr double kNothing = 1e-9;

const char* colour(std::size_t place) { return kColours[place % kColours.size()]; }

/// The style that takes most, and the shade.
std::pair<BarStyle, int> look_of(const std::map<BarStyle, double>& shares) {
  double total = 0;
  const auto* most = &*shares.begin();
  for (const auto& share : shares) {
    total += share.second;
    if (share.second > most->second) most = &share;
  }
  return {most->first, std::clamp(static_cast<int>(std::ceil(total * kShades - kNothing)), 1, kShades)};
}

}  // namespace

std::size_t Palette::place(BarStyle style) {
  const auto [entry, is_new] = places_.emplace(style, order_.size());
  if (is_new) order_.push_back(style);
  return entry->second;
}

std::string Palette::fill(std::size_t place) { return place < kColours.size() ? colour(place) : fmt::format("url(#hatch{})", place); }

std::string Palette::patterns() const {
  std::string text = "<defs>\n";
  for (std::size_t place = kColours.size(); place < order_.size(); ++place) {
    text += fmt::format(
        "<pattern id=\"hatch{}\" width=\"4\" height=\"4\" patternUnits=\"userSpaceOnUse\" patternTransform=\"rotate({})\">"
        "<rect width=\"4\" height=\"4\" fill=\"{}\"/><rect width=\"1.3\" height=\"4\" fill=\"#202124\"/></pattern>\n",
        place, 45 * (place / kColours.size()), colour(place));
  }
  return text + "</defs>\n";
}

void PixelColumns::add(const Bar& bar) {
  const int last = std::min(width_ - 1, static_cast<int>(bar.to));
  for (int column = std::max(0, static_cast<int>(bar.from)); column <= last; ++column) {
    const double share = std::min(bar.to, column + 1.0) - std::max(bar.from, static_cast<double>(column));
    if (share > kNothing) shares_[column][bar.style] += share;
  }
}

std::string PixelColumns::draw(double left, double top, double height, Palette& palette) const {
  std::map<std::pair<std::size_t, int>, std::string> paths;  // by place and shade
  for (auto column = shares_.begin(); column != shares_.end();) {
    const auto look = look_of(column->second);
    const int from = column->first;
    int to = from;
    for (; column != shares_.end() && column->first == to && look_of(column->second) == look; ++column) ++to;
    paths[{palette.place(look.first), look.second}] += fmt::format("M{} {}h{}v{}h-{}z", left + from, top, to - from, height, to - from);
  }
  std::string text;
  for (const auto& [look, path] : paths) {
    text += fmt::format("<path fill=\"{}\" fill-opacity=\"{:.2f}\" d=\"{}\"/>\n", Palette::fill(look.first),
                        static_cast<double>(look.second) / kShades, path);
  }
  return text;
}

}  // namespace tasktwin::verify
