#include "verify/bench/launch_costs/launch_costs_report.hpp"

#include <optional>

#include <fmt/format.h>

#include "verify/output/text/terminal.hpp"
#include "verify/output/text/text_table.hpp"

namespace tasktwin::verify {

namespace {

constexpr double kNsToUs = 1e-3;

std::optional<double> measured_us(const LaunchCostRow& row, const LaunchQuantity& quantity) {
  return row.fault.empty() ? std::optional(quantity.of(row.measured) * kNsToUs) : std::nullopt;
}

std::optional<double> predicted_us(const LaunchCostRow& row, const LaunchQuantity& quantity) {
  return quantity.predicted ? std::optional(quantity.of(row.predicted) * kNsToUs) : std::nullopt;
}

std::string field(std::optional<double> us) { return us ? fmt::format("{:.4f}", *us) : ""; }

std::string cell(std::optional<double> us, std::string_view otherwise) { return us ? format_us(*us / kNsToUs) : std::string(otherwise); }

std::string quantity_table(const std::vector<LaunchCostRow>& rows, const LaunchQuantity& quantity) {
  std::vector<std::string> header{"shape"};
  for (const int size : kLaunchSizes) {
    header.push_back(fmt::format("{} nodes", size));
    if (quantity.predicted) header.emplace_back("predicted");
  }
  TextTable table(std::move(header));
  for (const LaunchShape& shape : launch_shapes()) {
    std::vector<std::string> cells{std::string(shape.name)};
    for (const LaunchCostRow& row : rows) {
      if (row.shape != shape.name) continue;
      cells.push_back(cell(measured_us(row, quantity), "failed"));
      if (quantity.predicted) cells.push_back(cell(predicted_us(row, quantity), "–"));
    }
    table.add_row(std::move(cells));
  }
  return fmt::format("{}: {}\n{}\n", coloured(quantity.name, Tone::kStrong), quantity.meaning, table.to_string());
}

}  // namespace

std::string launch_costs_text(const std::vector<LaunchCostRow>& rows, const BenchProvenance& provenance) {
  std::string text = fmt::format("launch costs of empty kernels on {}\n\n", device_text(provenance));
  for (const LaunchQuantity& quantity : launch_quantities()) text += quantity_table(rows, quantity);
  text += "measured: medians; what updates a graph counts what the next launch takes longer for it\n";
  for (const LaunchCostRow& row : rows) {
    const std::string name = fmt::format("{} of {} nodes: ", row.shape, row.size);
    if (!row.fault.empty()) text += wrap(name + row.fault) + '\n';
    if (row.ordering_violations > 0) text += wrap(fmt::format("{}{} predecessors were not done", name, row.ordering_violations)) + '\n';
  }
  return text;
}

std::string launch_costs_csv(const std::vector<LaunchCostRow>& rows) {
  std::string text = "shape,nodes,edges,roots,quantity,measured_us,predicted_us\n";
  for (const LaunchCostRow& row : rows) {
    for (const LaunchQuantity& quantity : launch_quantities())
      text += fmt::format("{},{},{},{},{},{},{}\n", row.shape, row.size, row.edges, row.predicted.graph.roots, quantity.name,
                          field(measured_us(row, quantity)), field(predicted_us(row, quantity)));
  }
  return text;
}

Json launch_costs_json(const std::vector<LaunchCostRow>& rows, const BenchProvenance& provenance) {
  Json json = provenance_to_json("launch_costs", provenance);
  json["quantities"] = Json::object();
  for (const LaunchQuantity& quantity : launch_quantities()) json["quantities"][std::string(quantity.name)] = quantity.meaning;
  json["launch_costs"] = Json::array();
  for (const LaunchCostRow& row : rows) {
    Json object = {{"shape", row.shape},
                   {"nodes", row.size},
                   {"edges", row.edges},
                   {"roots", row.predicted.graph.roots},
                   {"fault", row.fault.empty() ? Json(nullptr) : Json(row.fault)},
                   {"ordering_violations", row.ordering_violations}};
    for (const LaunchQuantity& quantity : launch_quantities())
      object[std::string(quantity.name)] = {{"measured_us", optional_number(measured_us(row, quantity))},
                                            {"predicted_us", optional_number(predicted_us(row, quantity))}};
    json["launch_costs"].push_back(std::move(object));
  }
  return json;
}

}  // namespace tasktwin::verify
