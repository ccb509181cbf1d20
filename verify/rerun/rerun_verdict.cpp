#include "verify/rerun/rerun_verdict.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>

#include <fmt/format.h>

#include "models/base/error.hpp"
#include "verify/compare/verdict.hpp"
#include "verify/compare/verified_case.hpp"
#include "verify/output/text/result_json.hpp"
#include "verify/output/text/terminal.hpp"
#include "verify/output/text/text_table.hpp"
#include "verify/predict/prediction.hpp"
#include "verify/predict/statistics.hpp"

namespace tasktwin::verify {

namespace {

Duration from_us(double us) { return Duration{std::llround(us * 1e3)}; }

std::string table_of(const std::vector<CaseComparison>& cases, double limit) {
  TextTable table({"schedule", "predicted", "measured", "error", "noise", "verdict"});
  for (const CaseComparison& one : cases) {
    table.add_row({one.design, format_us(one.predicted_makespan), format_us(one.measured_makespan),
                   format_percent(one.makespan_error, true), format_percent(one.measured_noise),
                   fault(one, limit).empty() ? "passes" : "FAILS"});
  }
  return table.to_string();
}

}  // namespace

std::vector<CaseComparison> cases_of(const RerunFile& rerun, const std::string& file) {
  std::vector<CaseComparison> cases;
  for (const RerunSchedule& one : rerun.schedules) {
    if (!one.predicted_us || one.host_us.empty() || one.name.starts_with("cut:")) continue;
    const double measured = median_of(one.host_us);
    CaseComparison made;
    made.scenario = std::filesystem::path(file).stem().string();
    made.design = one.name;
    made.machine = rerun.machine;
    made.predicted_makespan = from_us(*one.predicted_us);
    made.measured_makespan = made.stamped_makespan = from_us(measured);
    made.makespan_error = made.stamped_makespan_error = *one.predicted_us / measured - 1;
    made.measured_noise = (percentile(one.host_us, 0.75) - percentile(one.host_us, 0.25)) / measured;
    made.repeats = one.host_us.size();
    if (one.check) made.residual = static_cast<double>(one.check->bytes + one.check->host_bytes);
    cases.push_back(std::move(made));
  }
  if (cases.empty()) {
    throw InputError({file}, rerun.machine.empty() ? "predicts nothing: 'tasktwin rerun --predict' writes down predictions too"
                                                   : "has no schedule that was both predicted and measured");
  }
  return cases;
}

int verify_reruns(const RerunVerdictOptions& options) {
  if (options.files.empty()) throw InputError("--reruns: needs files of 'tasktwin rerun --predict'");
  std::vector<CaseComparison> all;
  std::string text = "predictions against a program's own kernels, run again; each was written down before it was measured\n\n";
  Json results = Json::array();
  for (const std::string& file : options.files) {
    const RerunFile rerun = read_rerun_file(file);
    const std::vector<CaseComparison> cases = cases_of(rerun, file);
    text += fmt::format("{}: {} operations on {}, predicted for machine {}\n{}\n", coloured(file, Tone::kStrong),
                        format_count(static_cast<std::int64_t>(rerun.operations.size())), rerun.device.at("name").get<std::string>(),
                        rerun.machine, table_of(cases, options.limit));
    for (const CaseComparison& one : cases) results.push_back(case_to_json(one, options.limit));
    all.insert(all.end(), cases.begin(), cases.end());
  }
  const Ranking ranking = rank_designs(all);
  if (options.json)
    print(result_to_text(verification_to_json(false, all, std::move(results), {}, options.limit)));
  else
    print(text + summary_to_text(all, ranking, options.limit));
  return std::ranges::all_of(all, [&options](const CaseComparison& one) { return fault(one, options.limit).empty(); }) ? 0 : 1;
}

}  // namespace tasktwin::verify
