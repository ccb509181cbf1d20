#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include <fmt/format.h>

#include "verify/metg/plot.hpp"
#include "verify/output/svg_text.hpp"

namespace tasktwin::verify {

namespace {

// Pixels.
constexpr double kPanelWidth = 300;
constexpr double kPanelHeight = 200;
constexpr double kLeft = 56;
constexpr double kTop = 28;
constexpr double kCellWidth = kLeft + kPanelWidth + 24;
constexpr double kCellHeight = kTop + kPanelHeight + 48;
constexpr double kHeading = 36;
constexpr double kLegendLine = 20;
constexpr std::size_t kPanelsARow = 3;
constexpr std::size_t kLegendsARow = 4;
constexpr double kLegendWidth = 230;
constexpr int kTicks = 4;  // on the y axis, beside 0

/// Of middling lightness, so that they stand out on white and on black.
constexpr std::array kColours{"#3b82c4", "#d9652b", "#2f9e63", "#c2489a", "#8a6fd1", "#b08a00", "#0f9aa5", "#87888c"};

constexpr std::string_view kStyle = R"(<style>
svg { background: #ffffff; font: 12px sans-serif; }
text { fill: #202124; }
.frame, .tick { stroke: #9aa0a6; fill: none; stroke-width: 1; }
.tick { stroke-opacity: 0.35; }
.guide { stroke: #5f6368; stroke-dasharray: 6 4; }
.curve { fill: none; stroke-width: 2; }
.dashed { stroke-width: 1.2; stroke-dasharray: 3 3; }
@media (prefers-color-scheme: dark) {
  svg { background: #16181b; }
  text { fill: #e8eaed; }
  .guide { stroke: #bdc1c6; }
}
</style>
)";

std::string label(double x, double y, std::string_view anchor, std::string_view text) {
  return fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\">{}</text>\n", x, y, anchor, xml_escaped(text));
}

std::string line(std::string_view css, double x1, double y1, double x2, double y2) {
  return fmt::format("<line class=\"{}\" x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\"/>\n", css, x1, y1, x2, y2);
}

const char* colour(std::size_t style) { return kColours[style % kColours.size()]; }

/// One panel with its upper left corner at (left, top).
class Panel {
 public:
  Panel(const Plot& plot, double left, double top) : plot_(plot), left_(left), top_(top), range_(plot.x_range()) {}

  std::string draw(const PlotPanel& panel) const {
    std::string text = label(left_ + kPanelWidth / 2, top_ - 8, "middle", panel.title) + axes();
    for (const PlotSeries& series : panel.series) text += curve(series);
    return text;
  }

 private:
  double x(double value) const { return left_ + kPanelWidth * std::log(value / range_.first) / std::log(range_.second / range_.first); }
  double y(double value) const { return top_ + kPanelHeight * (1 - std::clamp(value / plot_.y_max, 0.0, 1.0)); }

  std::string axes() const {
    std::string text = fmt::format("<rect class=\"frame\" x=\"{:.1f}\" y=\"{:.1f}\" width=\"{}\" height=\"{}\"/>\n", left_, top_,
                                   kPanelWidth, kPanelHeight);
    const double bottom = top_ + kPanelHeight;
    for (double decade = range_.first; decade < range_.second * 1.5; decade *= 10) {
      text += line("tick", x(decade), top_, x(decade), bottom) + label(x(decade), bottom + 16, "middle", fmt::format("{:g}", decade));
    }
    for (int tick = 0; tick <= kTicks; ++tick) {
      const double value = plot_.y_max * tick / kTicks;
      text += line("tick", left_, y(value), left_ + kPanelWidth, y(value)) +
              label(left_ - 6, y(value) + 4, "end", fmt::format("{:.3g}", value));
    }
    if (plot_.guide) text += line("guide", left_, y(*plot_.guide), left_ + kPanelWidth, y(*plot_.guide));
    return text + label(left_ + kPanelWidth / 2, bottom + 34, "middle", plot_.x_label);
  }

  std::string curve(const PlotSeries& series) const {
    std::string points;
    std::string marks;
    for (const auto& [at, value] : series.points) {
      points += fmt::format("{}{:.2f},{:.2f}", points.empty() ? "" : " ", x(at), y(value));
      if (!series.dashed)
        marks += fmt::format("<circle cx=\"{:.2f}\" cy=\"{:.2f}\" r=\"2.5\" fill=\"{}\"/>\n", x(at), y(value), colour(series.style));
    }
    if (points.empty()) return "";
    return fmt::format("<polyline class=\"curve{}\" stroke=\"{}\" points=\"{}\"><title>{}</title></polyline>\n",
                       series.dashed ? " dashed" : "", colour(series.style), points, xml_escaped(series.name)) +
           marks;
  }

  const Plot& plot_;
  double left_;
  double top_;
  std::pair<double, double> range_;
};

std::string legend_entry(const PlotSeries& series, double left, double top) {
  return fmt::format("<line class=\"curve{}\" stroke=\"{}\" x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\"/>\n",
                     series.dashed ? " dashed" : "", colour(series.style), left, top - 4, left + 24, top - 4) +
         label(left + 30, top, "start", series.name);
}

}  // namespace

std::string to_svg(const Plot& plot) {
  std::map<std::size_t, const PlotSeries*> legend;  // dashed curves have their solid ones' colours
  bool dashes = false;
  for (const PlotPanel& panel : plot.panels) {
    for (const PlotSeries& series : panel.series) {
      const PlotSeries*& named = legend[series.style];
      if (named == nullptr || named->dashed) named = &series;
      dashes = dashes || series.dashed;
    }
  }
  const std::size_t columns = std::clamp<std::size_t>(plot.panels.size(), 1, kPanelsARow);
  const std::size_t rows = (plot.panels.size() + columns - 1) / columns;
  const auto legend_rows = static_cast<double>((legend.size() + kLegendsARow - 1) / kLegendsARow);
  const double above = kHeading + legend_rows * kLegendLine + 8;
  const double width = std::max(static_cast<double>(columns) * kCellWidth, 20 + kLegendsARow * kLegendWidth);
  const double height = above + static_cast<double>(rows) * kCellHeight;

  std::string text =
      fmt::format("<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {:.0f} {:.0f}\" width=\"{:.0f}\" height=\"{:.0f}\">\n", width,
                  height, width, height);
  text += fmt::format("<title>{}</title>\n", xml_escaped(plot.title)) + std::string(kStyle);
  text +=
      label(20, 22, "start", fmt::format("{}: {} over {}{}", plot.title, plot.y_label, plot.x_label, dashes ? "; dashed: predicted" : ""));
  std::size_t entry = 0;
  for (const auto& [style, series] : legend) {
    const double left = 20 + static_cast<double>(entry % kLegendsARow) * kLegendWidth;
    text += legend_entry(*series, left, kHeading + 12 + static_cast<double>(entry / kLegendsARow) * kLegendLine);
    ++entry;
  }
  for (std::size_t i = 0; i < plot.panels.size(); ++i) {
    const double left = kLeft + static_cast<double>(i % columns) * kCellWidth;
    const double top = above + kTop + static_cast<double>(i / columns) * kCellHeight;
    text += Panel(plot, left, top).draw(plot.panels[i]);
  }
  return text + "</svg>\n";
}

}  // namespace tasktwin::verify
