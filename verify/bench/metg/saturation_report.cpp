#include <algorithm>
#include <cmath>
#include <span>

#include <fmt/format.h>

#include "verify/bench/metg/saturation.hpp"
#include "verify/output/text/terminal.hpp"
#include "verify/output/text/text_table.hpp"

namespace tasktwin::verify {

namespace {

constexpr double kNsAUs = 1e3;

double in_us(Duration time) { return static_cast<double>(to_ns(time)) / kNsAUs; }

std::string figure(std::optional<double> value) { return value ? fmt::format("{:.3f}", *value) : ""; }

std::string per_us(double rate) { return fmt::format("{:.1f} /µs", rate); }

/// To the next fifth of its power of ten.
double round_up(double value) {
  const double step = std::pow(10, std::floor(std::log10(value))) / 5;
  return std::ceil(value / step) * step;
}

/// One number of dispatchers and one depth: its points, by length.
using Setting = std::span<const SaturationPoint>;

std::vector<Setting> settings_of(const SaturationResult& result) {
  std::vector<Setting> settings;
  const auto same = [](const SaturationPoint& a, const SaturationPoint& b) {
    return a.dispatchers == b.dispatchers && a.mailbox_depth == b.mailbox_depth;
  };
  for (auto first = result.points.begin(); first != result.points.end();) {
    const auto last = std::find_if_not(first, result.points.end(), [&](const SaturationPoint& point) { return same(point, *first); });
    settings.emplace_back(first, last);
    first = last;
  }
  return settings;
}

/// The point with the largest rate; nullptr where there is none.
const SaturationPoint* peak(Setting setting, std::optional<double> SaturationPoint::*rate) {
  const SaturationPoint* best = nullptr;
  for (const SaturationPoint& point : setting) {
    if (point.*rate && (best == nullptr || *(point.*rate) > *(best->*rate))) best = &point;
  }
  return best;
}

}  // namespace

std::string saturation_text(const SaturationResult& result, const BenchProvenance& provenance) {
  TextTable table({"dispatchers", "mailbox depth", "largest rate", "with tasks of", "starves below", "predicted rate", "error"});
  for (const Setting setting : settings_of(result)) {
    const SaturationPoint* measured = peak(setting, &SaturationPoint::measured_per_us);
    const SaturationPoint* predicted = peak(setting, &SaturationPoint::predicted_per_us);
    std::vector<std::string> row{std::to_string(setting.front().dispatchers), std::to_string(setting.front().mailbox_depth)};
    if (measured != nullptr) {
      row.insert(row.end(), {per_us(*measured->measured_per_us), format_us(measured->length),
                             format_us(result.workers / *measured->measured_per_us * kNsAUs)});
    } else {
      row.insert(row.end(), {"–", "–", "–"});
    }
    row.push_back(predicted ? per_us(*predicted->predicted_per_us) : "–");
    row.push_back(measured && predicted ? format_percent(*predicted->predicted_per_us / *measured->measured_per_us - 1, true) : "–");
    table.add_row(std::move(row));
  }
  std::string text = coloured("dispatcher saturation", Tone::kStrong);
  text += fmt::format(" on {}, {} workers, independent tasks, median of {} runs\n{}", device_text(provenance), result.workers,
                      kBenchRepeats, table.to_string());
  text += "starves below: the length at which that rate just feeds all workers; error: predicted / measured − 1\n";
  for (const std::string& refusal : result.refusals) text += wrap("refused, " + refusal) + '\n';
  for (const std::string& fault : result.faults) text += wrap("failed, " + fault) + '\n';
  return text;
}

std::string saturation_csv(const SaturationResult& result) {
  std::string text = "dispatchers,mailbox_depth,length_us,measured_tasks_per_us,predicted_tasks_per_us\n";
  for (const SaturationPoint& point : result.points) {
    text += fmt::format("{},{},{:.3f},{},{}\n", point.dispatchers, point.mailbox_depth, in_us(point.length), figure(point.measured_per_us),
                        figure(point.predicted_per_us));
  }
  return text;
}

Json saturation_json(const SaturationResult& result, const BenchProvenance& provenance) {
  Json json = provenance_to_json("saturation", provenance);
  json["workers"] = result.workers;
  json["repeats"] = kBenchRepeats;
  json["design"] = result.design.name;
  json["axes"] = design_to_json(result.design);
  json["points"] = Json::array();
  for (const SaturationPoint& point : result.points) {
    json["points"].push_back({{"dispatchers", point.dispatchers},
                              {"mailbox_depth", point.mailbox_depth},
                              {"length_us", in_us(point.length)},
                              {"measured_tasks_per_us", optional_number(point.measured_per_us)},
                              {"predicted_tasks_per_us", optional_number(point.predicted_per_us)}});
  }
  json["refusals"] = result.refusals;
  json["faults"] = result.faults;
  return json;
}

Plot saturation_plot(const SaturationResult& result, const std::string& device) {
  Plot plot{.title = device, .x_label = "task length, µs", .y_label = "tasks a µs", .y_max = 1, .guide = {}, .panels = {}};
  std::size_t style = 0;
  for (const Setting setting : settings_of(result)) {
    const std::string title = fmt::format("{} dispatcher{}", setting.front().dispatchers, setting.front().dispatchers == 1 ? "" : "s");
    if (plot.panels.empty() || plot.panels.back().title != title) {
      plot.panels.push_back({title, {}});
      style = 0;
    }
    const std::string name = fmt::format("mailbox depth {}", setting.front().mailbox_depth);
    PlotSeries measured{name, {}, style};
    PlotSeries predicted{name + ", predicted", {}, style, true};
    for (const SaturationPoint& point : setting) {
      if (point.measured_per_us) measured.points.emplace_back(in_us(point.length), *point.measured_per_us);
      if (point.predicted_per_us) predicted.points.emplace_back(in_us(point.length), *point.predicted_per_us);
      plot.y_max = std::max({plot.y_max, point.measured_per_us.value_or(0), point.predicted_per_us.value_or(0)});
    }
    for (PlotSeries* series : {&measured, &predicted}) {
      if (!series->points.empty()) plot.panels.back().series.push_back(std::move(*series));
    }
    ++style;
  }
  plot.y_max = round_up(plot.y_max);
  return plot;
}

}  // namespace tasktwin::verify
