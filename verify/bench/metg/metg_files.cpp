#include "verify/bench/metg/metg_files.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "verify/bench/metg/metg_report.hpp"
#include "verify/output/text/csv_field.hpp"

namespace tasktwin::verify {

namespace {

constexpr double kNsToUs = 1e-3;

double us(Duration time) { return static_cast<double>(to_ns(time)) * kNsToUs; }

Json us_or_null(std::optional<double> ns) { return optional_number(ns ? std::optional(*ns * kNsToUs) : std::nullopt); }

std::string field(std::optional<double> ns) { return ns ? fmt::format("{:.4f}", *ns * kNsToUs) : ""; }

void add_outcome(Json& object, const BenchOutcome& outcome) {
  object["refused"] = outcome.refusal.empty() ? Json(nullptr) : Json(outcome.refusal);
  object["fault"] = outcome.fault.empty() ? Json(nullptr) : Json(outcome.fault);
  object["ordering_violations"] = outcome.ordering_violations;
}

std::string_view end_word(const MetgCell& cell) {
  if (!cell.measured()) return "not measured";
  return cell.search.end == MetgSearch::End::kFound ? "found" : cell.search.end == MetgSearch::End::kBelow ? "below" : "above";
}

Json cell_to_json(const MetgCell& cell) {
  Json object = {{"executor", cell.executor},
                 {"pattern", cell.pattern},
                 {"metg50_us", us_or_null(metg_of(cell))},
                 {"search", end_word(cell)},
                 {"bound_us", us_or_null(cell.measured() && !metg_of(cell) ? std::optional(cell.search.metg_ns) : std::nullopt)}};
  add_outcome(object, cell);
  object["curve"] = Json::array();
  for (std::size_t i = 0; i < cell.search.points.size(); ++i) {
    const LengthPoint& point = cell.search.points[i];
    object["curve"].push_back({{"length_us", us(point.length)},
                               {"granularity_us", point.granularity_ns * kNsToUs},
                               {"efficiency", point.efficiency()},
                               {"predicted_granularity_us", us_or_null(cell.predicted_ns[i])}});
  }
  return object;
}

Json hops_to_json(const std::vector<gpu::FlagHop>& hops) {
  Json list = Json::array();
  for (const gpu::FlagHop& hop : hops) list.push_back({{"release", hop.release}, {"wait", hop.wait}, {"ns", hop.ns}});
  return list;
}

Json chain_to_json(const ChainCell& chain, const HopTimes& hops) {
  const auto in_hops = [&chain](const gpu::FlagHop& hop) {
    return optional_number(chain.measured() ? std::optional(chain.ns_per_task / hop.ns) : std::nullopt);
  };
  Json object = {{"executor", chain.executor},
                 {"task_us", us_or_null(chain.measured() ? std::optional(chain.ns_per_task) : std::nullopt)},
                 {"flag_hops_a_task", in_hops(hops.best())},
                 {"fresh_flag_hops_a_task", in_hops(hops.best_ring())},
                 {"predicted_task_us", us_or_null(chain.predicted_ns)}};
  add_outcome(object, chain);
  return object;
}

}  // namespace

std::string metg_csv(const MetgResult& result) {
  std::string text = "executor,pattern,workers,metg50_us\n";
  for (const MetgCell& cell : result.cells)
    text += fmt::format("{},{},{},{}\n", csv_field(cell.executor), cell.pattern, result.workers, field(metg_of(cell)));
  return text;
}

std::string metg_curves_csv(const MetgResult& result) {
  std::string text = "executor,pattern,workers,length_us,granularity_us,efficiency,predicted_granularity_us\n";
  for (const MetgCell& cell : result.cells) {
    for (std::size_t i = 0; i < cell.search.points.size(); ++i) {
      const LengthPoint& point = cell.search.points[i];
      text += fmt::format("{},{},{},{:.3f},{},{:.5f},{}\n", csv_field(cell.executor), cell.pattern, result.workers, us(point.length),
                          field(point.granularity_ns), point.efficiency(), field(cell.predicted_ns[i]));
    }
  }
  return text;
}

Json metg_json(const MetgResult& result, const HopTimes& hops, const BenchProvenance& provenance) {
  Json json = provenance_to_json("metg", provenance);
  json["workers"] = result.workers;
  json["repeats"] = kBenchRepeats;
  json["flag_hop_us"] = hops.best().ns * kNsToUs;
  json["flag_hops"] = hops_to_json(hops.flags);
  json["fresh_flag_hop_us"] = hops.best_ring().ns * kNsToUs;
  json["fresh_flag_hops"] = hops_to_json(hops.rings);
  json["grid_barriers"] = Json::array();
  for (const gpu::GridBarrierTime& barrier : hops.barriers)
    json["grid_barriers"].push_back({{"blocks", barrier.blocks}, {"ns", barrier.ns}});
  json["executors"] = Json::array();
  for (const BenchDesign& one : result.designs)
    json["executors"].push_back(
        {{"executor", one.design.name}, {"patterns", one.patterns}, {"tuned", one.tuned}, {"axes", design_to_json(one.design)}});
  json["metg"] = Json::array();
  for (const MetgCell& cell : result.cells) json["metg"].push_back(cell_to_json(cell));
  json["chain"] = Json::array();
  for (const ChainCell& chain : result.chains) json["chain"].push_back(chain_to_json(chain, hops));
  return json;
}

Plot metg_plot(const MetgResult& result, const std::string& device) {
  constexpr double kPercent = 100;
  Plot plot{
      .title = device, .x_label = "granularity, µs", .y_label = "efficiency in %", .y_max = kPercent, .guide = kPercent / 2, .panels = {}};
  for (const MetgCell& cell : result.cells) {
    if (plot.panels.empty() || plot.panels.back().title != cell.pattern) plot.panels.push_back({cell.pattern, {}});
    const auto style =
        static_cast<std::size_t>(std::ranges::find(result.executors, cell.executor, &ExecutorRow::name) - result.executors.begin());
    PlotSeries measured{cell.executor, {}, style};
    PlotSeries predicted{cell.executor + ", predicted", {}, style, true};
    for (std::size_t i = 0; i < cell.search.points.size(); ++i) {
      const LengthPoint& point = cell.search.points[i];
      measured.points.emplace_back(point.granularity_ns * kNsToUs, kPercent * point.efficiency());
      if (const auto ns = cell.predicted_ns[i])
        predicted.points.emplace_back(*ns * kNsToUs, kPercent * static_cast<double>(to_ns(point.length)) / *ns);
    }
    for (PlotSeries* series : {&measured, &predicted}) {
      if (!series->points.empty()) plot.panels.back().series.push_back(std::move(*series));
    }
  }
  return plot;
}

}  // namespace tasktwin::verify
