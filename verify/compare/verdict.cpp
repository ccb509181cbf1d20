#include "verify/compare/verdict.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "verify/output/text/terminal.hpp"
#include "verify/output/text/text_table.hpp"
#include "verify/predict/prediction.hpp"

namespace tasktwin::verify {

namespace {

std::string percent_or_none(std::optional<double> fraction, bool with_sign = false) {
  return fraction ? format_percent(*fraction, with_sign) : "none";
}

std::int64_t correct_winners(const Ranking& ranking) { return std::ranges::count_if(ranking.winners, &WinnerComparison::correct); }

/// A row a design, where some design has several cases.
std::string by_design_text(const std::vector<CaseComparison>& cases) {
  const std::vector<DesignErrors> designs = errors_by_design(cases);
  if (designs.size() == cases.size()) return "";
  TextTable table({"design", "cases", "error median", "p95", "bias"});
  for (const DesignErrors& one : designs) {
    table.add_row({one.design, std::to_string(one.cases), percent_or_none(one.errors.median_abs_makespan_error),
                   percent_or_none(one.errors.p95_abs_makespan_error), percent_or_none(one.errors.mean_makespan_error, true)});
  }
  return '\n' + table.to_string() + '\n';
}

std::string format_mib(std::int64_t bytes) { return fmt::format("{:.1f} MiB", static_cast<double>(bytes) / (1 << 20)); }

/// A row a design that allocates; nothing where none does.
std::string memory_text(const std::vector<CaseComparison>& cases) {
  TextTable table({"design", "used at most", "measured", "reserved at most", "measured"});
  bool any = false;
  for (const CaseComparison& one : cases) {
    if (!one.memory) continue;
    const auto& [predicted, measured] = *one.memory;
    table.add_row(
        {one.design, format_mib(predicted.used), format_mib(measured.used), format_mib(predicted.reserved), format_mib(measured.reserved)});
    any = true;
  }
  return any ? '\n' + table.to_string() : "";
}

Json errors_to_json(const ErrorSummary& errors) {
  return {{"median_abs_makespan_error", optional_number(errors.median_abs_makespan_error)},
          {"p95_abs_makespan_error", optional_number(errors.p95_abs_makespan_error)},
          {"mean_makespan_error", optional_number(errors.mean_makespan_error)}};
}

}  // namespace

std::string fault(const CaseComparison& one, double limit) {
  std::string text;
  const auto add = [&text](const std::string& part) { text += (text.empty() ? "" : "; ") + part; };
  if (!one.within(limit))
    add(fmt::format("makespan error {} is beyond {}", format_percent(one.makespan_error, true), format_percent(limit)));
  if (one.ordering_violations != 0) add(fmt::format("{} ordering violations", format_count(one.ordering_violations)));
  if (one.timeline_inversions != 0) add(fmt::format("{} tasks started before a predecessor ended", format_count(one.timeline_inversions)));
  if (!one.right_numbers()) add(fmt::format("residual {:.2e} is beyond {:.0e}", one.residual.value_or(0), one.residual_limit));
  return text;
}

std::string cases_to_text(const std::vector<CaseComparison>& cases, double limit) {
  TextTable table({"design", "predicted", "measured", "stamped", "error", "noise", "start p50", "p95", "verdict"});
  for (const CaseComparison& one : cases) {
    table.add_row({one.design, format_us(one.predicted_makespan), format_us(one.measured_makespan), format_us(one.stamped_makespan),
                   format_percent(one.makespan_error, true), format_percent(one.measured_noise), percent_or_none(one.start_error_p50),
                   percent_or_none(one.start_error_p95), fault(one, limit).empty() ? "passes" : "FAILS"});
  }
  return table.to_string() + memory_text(cases);
}

std::string summary_to_text(const std::vector<CaseComparison>& cases, const Ranking& ranking, double limit) {
  const ErrorSummary errors = summarise_errors(cases);
  std::string text =
      fmt::format("{} cases: makespan error median {}, p95 {}, bias {}", cases.size(), percent_or_none(errors.median_abs_makespan_error),
                  percent_or_none(errors.p95_abs_makespan_error), percent_or_none(errors.mean_makespan_error, true));
  if (ranking.kendall_tau) text += fmt::format("; Kendall τ-b {:.2f}", *ranking.kendall_tau);
  text += '\n';
  text += by_design_text(cases);
  for (const WinnerComparison& winner : ranking.winners) {
    text += fmt::format(
        "winner of {}: {} measured, {} predicted, {}\n", winner.scenario, winner.measured, winner.predicted,
        winner.correct() ? coloured("right", Tone::kGood) : coloured(fmt::format("regret {}", format_percent(winner.regret)), Tone::kBad));
  }
  for (const CaseComparison& one : cases) {
    if (const std::string wrong = fault(one, limit); !wrong.empty()) {
      text += coloured(fmt::format("FAILS: {} under {}: {}", one.scenario, one.design, wrong), Tone::kBad) + '\n';
    }
  }
  return text + "what the columns mean: 'tasktwin verify --help'\n";
}

Json case_to_json(const CaseComparison& one, double limit) {
  Json json{{"scenario", one.scenario},
            {"design", one.design},
            {"predicted_makespan_ns", to_ns(one.predicted_makespan)},
            {"measured_makespan_ns", to_ns(one.measured_makespan)},
            {"makespan_error", one.makespan_error},
            {"measured_noise", one.measured_noise},
            {"start_error_p50", optional_number(one.start_error_p50)},
            {"start_error_p95", optional_number(one.start_error_p95)},
            {"repeats", one.repeats},
            {"machine", one.machine},
            {"stamped_makespan_ns", to_ns(one.stamped_makespan)},
            {"stamped_makespan_error", one.stamped_makespan_error},
            {"ordering_violations", one.ordering_violations},
            {"timeline_inversions", one.timeline_inversions},
            {"residual", optional_number(one.residual)},
            {"residual_limit", one.residual_limit},
            {"moved_tasks", one.moved_tasks ? Json(*one.moved_tasks) : Json(nullptr)},
            {"fault", fault(one, limit)}};
  if (one.memory)
    json["peak_memory"] = {{"predicted", memory_to_json(one.memory->predicted)}, {"measured", memory_to_json(one.memory->measured)}};
  return json;
}

Json summary_to_json(const std::vector<CaseComparison>& cases, const Ranking& ranking, double limit) {
  const ErrorSummary errors = summarise_errors(cases);
  Json winners = Json::array();
  for (const WinnerComparison& winner : ranking.winners) {
    winners.push_back({{"scenario", winner.scenario},
                       {"machine", winner.machine},
                       {"predicted", winner.predicted},
                       {"measured", winner.measured},
                       {"regret", winner.regret}});
  }
  Json by_design = Json::array();
  for (const DesignErrors& one : errors_by_design(cases)) {
    Json object{{"design", one.design}, {"cases", one.cases}};
    object.update(errors_to_json(one.errors));
    by_design.push_back(std::move(object));
  }
  Json summary{{"cases", cases.size()}};
  summary.update(errors_to_json(errors));
  summary.update(Json{{"winner_correct", correct_winners(ranking)},
                      {"winner_total", ranking.winners.size()},
                      {"kendall_tau", optional_number(ranking.kendall_tau)},
                      {"limit", limit},
                      {"by_design", by_design},
                      {"winners", winners}});
  return summary;
}

}  // namespace tasktwin::verify
