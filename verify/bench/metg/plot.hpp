#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "verify/output/text/json.hpp"

namespace tasktwin::verify {

/// A curve through its points in their order; x above 0.
struct PlotSeries {
  std::string name;
  std::vector<std::pair<double, double>> points;
  std::size_t style = 0;  ///< colour and letter; the same in every panel for the same thing
  bool dashed = false;    ///< a prediction: thin, without marks, and only in the page
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

/// CurvesData of report/page/src/data.ts.
Json curves_data(const Plot& plot);

/// A page with the curves; `command` reproduces them. Throws InputError as require_report_page() does.
std::string plot_page(const Plot& plot, const std::string& command);

/// The panels below each other, a letter a curve, for a page of kPageColumns columns; dashed curves are left out.
std::string to_ascii(const Plot& plot);

}  // namespace tasktwin::verify
