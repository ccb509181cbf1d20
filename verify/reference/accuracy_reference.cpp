#include "verify/reference/accuracy_reference.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <tuple>

#include <fmt/format.h>

#include "verify/compare/design_ranking.hpp"
#include "verify/output/text/markdown_table.hpp"
#include "verify/output/text/text_table.hpp"
#include "verify/predict/prediction.hpp"
#include "verify/predict/statistics.hpp"

namespace tasktwin::verify {

namespace {

constexpr std::size_t kLargestErrors = 20;

std::string percent_or_none(std::optional<double> fraction, bool with_sign = false) {
  return fraction ? format_percent(*fraction, with_sign) : "none";
}

double size_of_error(const CaseComparison& one) { return std::abs(one.makespan_error); }

std::vector<CaseComparison> comparisons_of(const std::vector<MeasuredCase>& cases, const std::string& design) {
  std::vector<CaseComparison> found;
  for (const MeasuredCase& one : cases) {
    if (design.empty() || one.comparison.design == design) found.push_back(one.comparison);
  }
  return found;
}

/// Median over the cases that have a value.
std::optional<double> median_of(const std::vector<CaseComparison>& cases, std::optional<double> (*value)(const CaseComparison&)) {
  std::vector<double> values;
  for (const CaseComparison& one : cases) {
    if (const auto present = value(one)) values.push_back(*present);
  }
  return values.empty() ? std::nullopt : std::optional(median(values));
}

std::string origins_to_markdown(const std::vector<MeasuredCase>& cases) {
  struct Runs {
    std::size_t cases = 0;
    std::set<std::string> scenarios;
    std::set<std::size_t> repeats;
  };
  std::map<std::tuple<std::string, std::string, std::string, std::string>, Runs> origins;
  for (const MeasuredCase& one : cases) {
    Runs& runs = origins[{one.comparison.machine, one.device, one.driver, one.date}];
    ++runs.cases;
    runs.scenarios.insert(one.comparison.scenario);
    runs.repeats.insert(one.comparison.repeats);
  }
  MarkdownTable table({"machine", "device", "driver", "date", "scenarios", "cases", "runs each"});
  for (const auto& [origin, runs] : origins) {
    const auto& [machine, device, driver, date] = origin;
    table.add_row({as_code(machine), device, driver, date, std::to_string(runs.scenarios.size()), std::to_string(runs.cases),
                   fmt::format("{}", fmt::join(runs.repeats, ", "))});
  }
  return table.to_string();
}

std::vector<std::string> error_cells(const std::string& name, const std::vector<CaseComparison>& cases) {
  const ErrorSummary errors = summarise_errors(cases);
  const CaseComparison& worst = *std::ranges::max_element(cases, {}, size_of_error);
  return {name,
          std::to_string(cases.size()),
          percent_or_none(errors.median_abs_makespan_error),
          percent_or_none(errors.p95_abs_makespan_error),
          fmt::format("{} ({})", format_percent(worst.makespan_error, true), worst.scenario),
          percent_or_none(errors.mean_makespan_error, true),
          percent_or_none(median_of(cases, [](const CaseComparison& one) { return one.start_error_p50; })),
          percent_or_none(median_of(cases, [](const CaseComparison& one) { return one.start_error_p95; })),
          percent_or_none(median_of(cases, [](const CaseComparison& one) { return std::optional(one.measured_noise); }))};
}

std::string errors_to_markdown(const std::vector<MeasuredCase>& cases) {
  MarkdownTable table({"design", "cases", "error, median", "95th percentile", "worst", "bias", "start p50", "start p95", "noise"});
  const std::vector<CaseComparison> all = comparisons_of(cases, "");
  for (const DesignErrors& one : errors_by_design(all)) table.add_row(error_cells(as_code(one.design), comparisons_of(cases, one.design)));
  table.add_row(error_cells("all", all));
  return table.to_string();
}

std::string ranking_to_markdown(const std::vector<MeasuredCase>& cases) {
  const Ranking ranking = rank_designs(comparisons_of(cases, ""));
  const auto right = std::ranges::count_if(ranking.winners, &WinnerComparison::correct);
  double regret = 0;
  for (const WinnerComparison& one : ranking.winners) regret += one.regret;
  std::string text =
      fmt::format("The predicted winner is the measured one in {} of {} scenarios of two designs or more", right, ranking.winners.size());
  if (!ranking.winners.empty())
    text +=
        fmt::format("; following the prediction costs {} on average", format_percent(regret / static_cast<double>(ranking.winners.size())));
  if (ranking.kendall_tau)
    text += fmt::format(". Kendall's τ-b over all pairs of designs within a scenario is {:.2f}", *ranking.kendall_tau);
  text += ".\n";
  if (right == static_cast<std::ptrdiff_t>(ranking.winners.size())) return text;
  MarkdownTable table({"scenario", "measured winner", "predicted winner", "regret"});
  for (const WinnerComparison& one : ranking.winners) {
    if (!one.correct()) table.add_row({as_code(one.scenario), as_code(one.measured), as_code(one.predicted), format_percent(one.regret)});
  }
  return text + '\n' + table.to_string();
}

std::string largest_to_markdown(const std::vector<MeasuredCase>& cases) {
  std::vector<CaseComparison> all = comparisons_of(cases, "");
  std::ranges::stable_sort(all, std::greater{}, size_of_error);
  MarkdownTable table({"scenario", "design", "predicted", "measured", "error", "noise"});
  for (std::size_t i = 0; i < std::min(kLargestErrors, all.size()); ++i) {
    table.add_row({as_code(all[i].scenario), as_code(all[i].design), format_us(all[i].predicted_makespan),
                   format_us(all[i].measured_makespan), format_percent(all[i].makespan_error, true),
                   format_percent(all[i].measured_noise)});
  }
  return table.to_string();
}

std::string legend() {
  return fmt::format(
      "- error: predicted / measured makespan − 1; median and 95th percentile are of its size, bias is its mean with sign.\n"
      "- measured: the median of the runs without phase stamps. predicted: where chance has a part, of {} runs that of the median "
      "makespan; "
      "streams and graphs with the host's calls as quick as they were when measured.\n"
      "- start p50, p95: |predicted − measured start of a task| / measured makespan, a percentile over the tasks of a case; the median "
      "case.\n"
      "- noise: (p75 − p25) / median of a case's runs without stamps, the floor of any error; the median case.\n"
      "- regret: measured makespan of the predicted winner over that of the measured one, − 1.\n",
      kChanceRuns);
}

}  // namespace

std::string accuracy_to_markdown(const std::vector<MeasuredCase>& cases) {
  if (cases.empty()) return "No case was measured.\n";
  std::map<std::string, std::vector<MeasuredCase>> machines;
  for (const MeasuredCase& one : cases) machines[one.comparison.machine].push_back(one);
  const auto each = [&machines](const auto& part) {
    std::string text;
    for (const auto& [machine, own] : machines) {
      if (machines.size() > 1) text += fmt::format("### On {}\n\n", as_code(machine));
      text += part(own) + '\n';
    }
    return text;
  };
  return fmt::format("## What was measured\n\n{}\n## Errors by design\n\n{}{}\n## Ranking\n\n{}## The largest errors\n\n{}",
                     origins_to_markdown(cases), each(errors_to_markdown), legend(), each(ranking_to_markdown), each(largest_to_markdown));
}

}  // namespace tasktwin::verify
