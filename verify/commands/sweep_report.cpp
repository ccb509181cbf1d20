#include "verify/commands/sweep_report.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <utility>

#include <fmt/format.h>

#include "verify/output/bounds_output.hpp"
#include "verify/output/csv_field.hpp"
#include "verify/output/json.hpp"
#include "verify/output/terminal.hpp"
#include "verify/output/text_table.hpp"
#include "verify/version.hpp"

namespace tasktwin::verify {

namespace {

/// By design, in the order in which they were asked for, and by value.
std::vector<const SweepRow*> sorted(const std::vector<Variation>& variations, const std::vector<SweepRow>& rows) {
  std::map<std::string, std::size_t> designs;
  for (const SweepRow& row : rows) designs.emplace(row.design, designs.size());
  std::vector<std::map<std::string, std::size_t>> values;
  for (const Variation& variation : variations) values.push_back(places(variation));
  std::vector<std::pair<std::vector<std::size_t>, const SweepRow*>> keyed;
  for (const SweepRow& row : rows) {
    std::vector<std::size_t> key{designs.at(row.design)};
    for (std::size_t i = 0; i < values.size(); ++i) key.push_back(values[i].at(row.values[i]));
    keyed.emplace_back(std::move(key), &row);
  }
  std::ranges::stable_sort(
      keyed, {}, [](const auto& entry) -> const auto& { return entry.first; });
  std::vector<const SweepRow*> order;
  for (const auto& [key, row] : keyed) order.push_back(row);
  return order;
}

/// The first row of the lowest makespan, where there is another to beat; nullptr otherwise.
const SweepRow* best_of(const std::vector<SweepRow>& rows) {
  const SweepRow* best = nullptr;
  for (const SweepRow& row : rows) {
    if (row.fault.empty() && (best == nullptr || row.makespans.mean < best->makespans.mean)) best = &row;
  }
  return rows.size() > 1 ? best : nullptr;
}

bool as_good(const SweepRow* best, const SweepRow& row) {
  return best != nullptr && row.fault.empty() && row.makespans.mean == best->makespans.mean;
}

/// "time_ns 500, mailbox_depth 2".
std::string setting(const std::vector<Variation>& variations, const SweepRow& row) {
  const std::vector<std::string> names = short_names(variations);
  std::string text;
  for (std::size_t i = 0; i < names.size(); ++i) text += fmt::format("{}{} {}", i == 0 ? "" : ", ", names[i], row.values[i]);
  return text;
}

std::string best_text(const std::vector<Variation>& variations, const std::vector<SweepRow>& rows, const SweepRow* best) {
  if (best == nullptr) return "";
  const auto alike = std::ranges::count_if(rows, [best](const SweepRow& row) { return as_good(best, row); });
  const std::string others = alike == 1 ? "" : fmt::format(", and {} more alike", alike - 1);
  return wrap(fmt::format("* lowest makespan: {} at {}{}", coloured(best->design, Tone::kGood), setting(variations, *best), others)) + '\n';
}

}  // namespace

std::string sweep_text(const std::string& name, const std::vector<Variation>& variations, const std::vector<SweepRow>& rows,
                       std::uint64_t runs) {
  std::vector<std::string> header{"design"};
  std::ranges::move(short_names(variations), std::back_inserter(header));
  const std::size_t keys = header.size();
  for (const char* column : {"makespan  ", "σ", "over bound", "cores busy", "dispatchers"}) header.emplace_back(column);
  TextTable table(header, keys);
  std::string faults;
  const SweepRow* const best = best_of(rows);
  for (const SweepRow* row : sorted(variations, rows)) {
    std::vector<std::string> cells{row->design};
    cells.insert(cells.end(), row->values.begin(), row->values.end());
    if (row->fault.empty()) {
      const char* const mark = as_good(best, *row) ? " *" : "  ";
      cells.insert(cells.end(), {format_us(row->makespans.mean) + mark, runs > 1 ? format_us(row->makespans.sigma) : "–",
                                 over_bound_text(row->over_bound, row->bounds), format_percent(row->metrics.core_busy_share),
                                 row->has_dispatchers ? format_percent(row->metrics.dispatcher_busy_share) : "none"});
    } else {
      cells.insert(cells.end(), {"no end  ", "", "", "", ""});
      faults += wrap(fmt::format("{} at {}: {}", row->design, setting(variations, *row), row->fault)) + '\n';
    }
    table.add_row(std::move(cells));
  }
  const std::string how_many = runs == 1 ? "one run a row" : fmt::format("{} runs a row, makespan: their mean", runs);
  return wrap(fmt::format("{}: simulated, {}", coloured(name, Tone::kStrong), how_many)) + '\n' + table.to_string() +
         best_text(variations, rows, best) + faults;
}

std::string sweep_csv(const std::vector<Variation>& variations, const std::vector<SweepRow>& rows) {
  std::string text;
  for (const Variation& variation : variations) text += csv_field(variation.path) + ',';
  text +=
      "design,makespan_ns,sigma_ns,min_ns,max_ns,runs,highest_bound_ns,highest_bound,ratio_to_bound,core_busy_share,"
      "dispatcher_busy_share,overhead_share,fault\n";
  for (const SweepRow& row : rows) {
    for (const std::string& value : row.values) text += csv_field(value) + ',';
    text += csv_field(row.design);
    if (row.fault.empty()) {
      text += fmt::format(",{},{},{},{},{},{},{},{},{},{},{},\n", row.makespans.mean, row.makespans.sigma, row.makespans.min,
                          row.makespans.max, row.makespans.runs, to_ns(row.bounds.highest()), highest_bound_name(row.bounds),
                          row.over_bound, row.metrics.core_busy_share, row.metrics.dispatcher_busy_share, row.metrics.overhead_share);
    } else {
      text += fmt::format(",,,,,,,,,,,,{}\n", csv_field(row.fault));
    }
  }
  return text;
}

std::string sweep_json(const std::string& name, const std::vector<Variation>& variations, const std::vector<SweepRow>& rows) {
  Json result = {{"scenario", name}, {"varied", Json::array()}, {"rows", Json::array()}, {"version", version()}};
  for (const Variation& variation : variations) result["varied"].push_back({{"path", variation.path}, {"values", variation.values}});
  for (const SweepRow& row : rows) {
    Json one = {{"values", row.values}, {"design", row.design}};
    if (row.fault.empty()) {
      one.update({{"makespan_ns", row.makespans.mean},
                  {"sigma_ns", row.makespans.sigma},
                  {"min_ns", row.makespans.min},
                  {"max_ns", row.makespans.max},
                  {"runs", row.makespans.runs},
                  {"bounds", bounds_to_json(row.bounds)},
                  {"ratio_to_bound", row.over_bound},
                  {"core_busy_share", row.metrics.core_busy_share},
                  {"dispatcher_busy_share", row.metrics.dispatcher_busy_share},
                  {"overhead_share", row.metrics.overhead_share}});
    }
    one["remarks"] = row.remarks;
    one["fault"] = row.fault.empty() ? Json(nullptr) : Json(row.fault);
    result["rows"].push_back(std::move(one));
  }
  return to_text(result);
}

}  // namespace tasktwin::verify
