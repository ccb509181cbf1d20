#include "verify/bench/metg/plot.hpp"
#include "verify/output/text/json.hpp"
#include "verify/report/report_data.hpp"
#include "verify/report/report_page.hpp"

namespace tasktwin::verify {

Json curves_data(const Plot& plot) {
  const auto [low, high] = plot.x_range();
  Json panels = Json::array();
  for (const PlotPanel& panel : plot.panels) {
    Json curves = Json::array();
    for (const PlotSeries& series : panel.series) {
      Json curve = {
          {"name", series.name}, {"style", series.style}, {"predicted", series.dashed}, {"x", Json::array()}, {"y", Json::array()}};
      for (const auto& [x, y] : series.points) {
        curve["x"].push_back(x);
        curve["y"].push_back(y);
      }
      curves.push_back(std::move(curve));
    }
    panels.push_back({{"title", panel.title}, {"curves", std::move(curves)}});
  }
  return {{"x_label", plot.x_label},
          {"y_label", plot.y_label},
          {"x_range", {low, high}},
          {"y_max", plot.y_max},
          {"guide", plot.guide ? Json(*plot.guide) : Json(nullptr)},
          {"panels", std::move(panels)}};
}

std::string plot_page(const Plot& plot, const std::string& command) {
  Json data = report_data(plot.title, command, Json::array());
  data["curves"] = curves_data(plot);
  return report_page_with(data);
}

}  // namespace tasktwin::verify
