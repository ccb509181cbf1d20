#include "verify/bench/claims/claim_report.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "verify/output/text/terminal.hpp"
#include "verify/output/text/text_table.hpp"
#include "verify/predict/statistics.hpp"
#include "verify/system/version.hpp"

namespace tasktwin::verify {

namespace {

std::string ratio_text(const std::optional<Figures>& figures) { return figures ? fmt::format("{:.2f}", figures->ratio()) : "none"; }

std::string claimed_text(const scenarios::ClaimedRatio& claimed) {
  if (claimed.at_least && claimed.at_most) return fmt::format("{:g} to {:g}", *claimed.at_least, *claimed.at_most);
  return claimed.at_least ? fmt::format("≥ {:g}", *claimed.at_least) : fmt::format("≤ {:g}", *claimed.at_most);
}

std::string agreement(const ClaimRow& row) {
  if (const auto agrees = row.agrees()) return *agrees ? "agrees" : "differs";
  return row.predicted ? std::string(to_text(*row.predicted_verdict())) : "none";
}

std::string summary_line(const ClaimSummary& one) {
  std::string line = fmt::format("{} {}: {}", one.id, coloured(to_text(one.verdict()), Tone::kStrong), one.title);
  if (one.measured > 0) line += fmt::format(" ({} of {} measured hold", one.hold, one.measured);
  if (one.judged > 0) line += fmt::format("; predicted alike in {} of {}", one.agree, one.judged);
  if (one.measured > 0) line += fmt::format("; {}, {})", one.origin.device, one.origin.date);
  return line;
}

/// What is missing in rows of one claim for one reason, in one paragraph each; nothing where `why` has no reason.
std::string reasons(std::span<const ClaimRow> rows, std::string ClaimRow::*why, std::string_view what) {
  std::string text;
  for (auto row = rows.begin(); row != rows.end();) {
    const auto next = std::find_if(row, rows.end(), [&](const ClaimRow& one) { return one.id != row->id || one.*why != (*row).*why; });
    std::string names;
    for (auto one = row; one != next; ++one) names += (names.empty() ? "" : ", ") + one->scenario;
    if (!((*row).*why).empty()) text += wrap(fmt::format("{} {} {}; {}", row->id, what, names, (*row).*why)) + '\n';
    row = next;
  }
  return text;
}

Json number_or_null(const std::optional<double>& value) { return optional_number(value); }

Json side_json(const ClaimRow& row, bool baseline) {
  const auto figure = [baseline](const std::optional<Figures>& figures) -> std::optional<double> {
    if (!figures) return std::nullopt;
    return baseline ? figures->baseline_ns : figures->contender_ns;
  };
  Json json = {{"design", baseline ? row.baseline : row.contender},
               {"measured_ns", number_or_null(figure(row.measured))},
               {"predicted_ns", number_or_null(figure(row.predicted))}};
  if (row.sides.size() != 2) return json;
  const MeasuredSide& side = row.sides[baseline ? 0 : 1];
  json["noise"] = noise(side.makespans);
  json["repeats"] = side.makespans.size();
  json["ordering_violations"] = side.ordering_violations;
  return json;
}

Json word_or_null(const std::string& text) { return text.empty() ? Json(nullptr) : Json(text); }

}  // namespace

std::string claims_to_text(std::span<const ClaimRow> rows, std::span<const ClaimSummary> summaries) {
  TextTable table({"claim, scenario", "claimed", "measured", "predicted", "error", "verdict", "prediction"});
  for (const ClaimRow& row : rows) {
    table.add_row({fmt::format("{} {}", row.id, row.scenario), claimed_text(row.claimed), ratio_text(row.measured),
                   ratio_text(row.predicted), row.error() ? format_percent(*row.error(), true) : "none",
                   row.failed ? "failed" : std::string(to_text(row.verdict())), agreement(row)});
  }
  std::string text = table.to_string() + '\n';
  for (const ClaimSummary& summary : summaries) text += wrap(summary_line(summary)) + '\n';
  text += '\n' + reasons(rows, &ClaimRow::why_unmeasured, "not measured:") + reasons(rows, &ClaimRow::why_unpredicted, "not predicted:");
  return text +
         wrap(
             "measured, predicted: baseline over contender, medians of makespans, or METG(50 %); error: predicted / measured ratio − 1; "
             "prediction: whether it gives the measured verdict") +
         '\n';
}

Json claims_to_json(std::span<const ClaimRow> rows, std::span<const ClaimSummary> summaries, bool live) {
  Json list = Json::array();
  for (const ClaimRow& row : rows) {
    const auto ratio = [](const std::optional<Figures>& figures) { return figures ? std::optional(figures->ratio()) : std::nullopt; };
    const auto agrees = row.agrees();
    list.push_back({{"id", row.id},
                    {"scenario", row.scenario},
                    {"measured_ratio", number_or_null(ratio(row.measured))},
                    {"predicted_ratio", number_or_null(ratio(row.predicted))},
                    {"verdict", to_text(row.verdict())},
                    {"predicted_verdict", row.predicted ? Json(to_text(*row.predicted_verdict())) : Json(nullptr)},
                    {"prediction_agrees", agrees ? Json(*agrees) : Json(nullptr)},
                    {"ratio_error", number_or_null(row.error())},
                    {"claimed", {{"at_least", number_or_null(row.claimed.at_least)}, {"at_most", number_or_null(row.claimed.at_most)}}},
                    {"baseline", side_json(row, true)},
                    {"contender", side_json(row, false)},
                    {"failed", row.failed},
                    {"why_not_measured", word_or_null(row.why_unmeasured)},
                    {"why_not_predicted", word_or_null(row.why_unpredicted)},
                    {"device", word_or_null(row.origin.device)},
                    {"driver", word_or_null(row.origin.driver)},
                    {"date", word_or_null(row.origin.date)},
                    {"commit", word_or_null(row.origin.commit)},
                    {"command", word_or_null(row.origin.command)}});
  }
  Json summary = Json::array();
  for (const ClaimSummary& one : summaries) {
    summary.push_back({{"id", one.id},
                       {"title", one.title},
                       {"verdict", to_text(one.verdict())},
                       {"comparisons", one.compared},
                       {"measured", one.measured},
                       {"hold", one.hold},
                       {"judged", one.judged},
                       {"prediction_agrees", one.agree}});
  }
  return {{"source", live ? "live" : "recorded"}, {"claims", std::move(list)}, {"summary", std::move(summary)}, {"version", version()}};
}

}  // namespace tasktwin::verify
