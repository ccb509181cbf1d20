#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace tasktwin::verify {

/// A curve through its points in their order; x above 0.
struct PlotSeries {
  std::string name;
  std::vector<std::pair<double, double>> points;
  std::size_t style = 0;  ///< colour and letter; the same in every panel for the same thing
  bool dashed = false;    ///< a prediction: thin, without marks, and only in the SVG
};

struct PlotPanel {
  std::string title;
  std::vector<PlotSeries> series;
};

/// Panels with one x axis, logarithmic, and one y axis from 0. Curves that leave the panel are cut off at its edge.
struct Plot {
  std::string title;
  std::string x_label;  ///< with its unit
  std::string y_label;
  double y_max = 1;
  std::optional<double> guide;  ///< a horizontal line across every panel
  std::vector<PlotPanel> panels;

  /// Least and greatest x of all panels, as whole powers of ten; 1 and 10 where there is no point.
  std::pair<double, double> x_range() const;
};

/// A document of its own, readable on light and on dark ground.
std::string to_svg(const Plot& plot);

/// The panels below each other, a letter a curve, for a page of kPageColumns columns; dashed curves are left out.
std::string to_ascii(const Plot& plot);

}  // namespace tasktwin::verify
