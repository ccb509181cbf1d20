#include "verify/rerun/verified_plans.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "gpu/rerun/order/schedules.hpp"
#include "models/base/error.hpp"
#include "scenarios/load/varied_scenario.hpp"
#include "verify/capture/captured_run.hpp"
#include "verify/output/files/atomic_file.hpp"
#include "verify/output/text/terminal.hpp"
#include "verify/output/text/text_table.hpp"
#include "verify/rerun/rerun_session.hpp"

namespace tasktwin::verify {

namespace {

std::filesystem::path plan_path(const std::filesystem::path& output, std::size_t number) {
  std::filesystem::path path = output;
  path.replace_extension(fmt::format("plan-{}.json", number));
  return path;
}

std::string schedule_of(std::size_t plan) { return gpu::rerun::Schedule{gpu::rerun::Schedule::Way::kPlan, plan + 1}.name(); }

}  // namespace

void check_plans(const SearchSpace& space, const std::vector<std::string>& files) {
  if (files.size() != 1) throw InputError("--verify: takes one scenario, whose program is run again");
  for (const SearchAxis& axis : space.axes()) {
    if (!axis.path.starts_with("designs."))
      throw InputError(fmt::format("--verify: the search varies {}, which is not the program's as it is", axis.path));
  }
  const scenarios::Scenario scenario = scenarios::load_scenario(files.front());
  if (!scenario.program) throw InputError(fmt::format("--verify: '{}' is of no captured program", scenario.name));
}

std::vector<VerifiedPlan> write_plans(const Search& search, const std::vector<std::string>& files, const SearchAnswer& answer,
                                      const PlanVerification& wanted) {
  const SearchSpace& space = search.space();
  scenarios::VariedScenario varied(files.front(), space.designs());
  std::vector<gpu::rerun::Plan> seen;
  std::vector<VerifiedPlan> plans;
  for (const RankedPoint& point : answer.points) {
    if (plans.size() == wanted.plans) break;
    const std::string& name = space.designs()[space.at(point.number).design];
    const scenarios::Scenario& scenario = varied.with(space.overrides(space.at(point.number)), name);
    PlanFile file;
    try {
      file = plan_file_of(scenario, scenario.designs.front());
    } catch (const InputError&) {
      continue;  // it launches no kernels, or is the program's own calls
    }
    file.from = fmt::format("point {} of a search, design {} of {}", point.number, name, scenario.name);
    if (std::ranges::find(seen, file.plan) != seen.end()) continue;
    seen.push_back(file.plan);
    plans.push_back({point.number, name, point.makespan_ns, plan_path(wanted.output, plans.size() + 1)});
    write_file(plans.back().file, to_text(to_json(file, scenario.graph)));
  }
  if (plans.empty()) throw InputError("--verify: no point is a plan: those of 'cuda-graph', 'cuda-streams' and designs made from them are");
  return plans;
}

int verify_plans(const std::vector<VerifiedPlan>& plans, const PlanVerification& wanted) {
  RerunSettings settings{.command = {"sh", "-c", "exec " + wanted.program},
                         .output = wanted.output,
                         .range = wanted.range,
                         .schedules = "as-captured",
                         .library = rerun_library(),
                         .kept_frees = kept_frees_library(),
                         .predict = true};
  for (std::size_t i = 0; i < plans.size(); ++i) {
    settings.plans.push_back(read_plan_file(plans[i].file));
    settings.own_memory = settings.own_memory || settings.plans.back().own_memory;
    settings.schedules += ',' + schedule_of(i);
  }
  const int code = rerun_program(settings);
  const RerunFile measured = read_rerun_file(wanted.output);
  struct Row {
    const VerifiedPlan* plan;
    const RerunSchedule* schedule;
    double us;
  };
  std::vector<Row> rows;
  for (std::size_t i = 0; i < plans.size(); ++i) {
    const RerunSchedule* const schedule = measured.find(schedule_of(i));
    if (schedule != nullptr && !schedule->host_us.empty()) rows.push_back({&plans[i], schedule, median_of(schedule->host_us)});
  }
  std::ranges::stable_sort(rows, {}, &Row::us);
  TextTable table({"plan", "point", "design", "simulated", "predicted", "measured", "error", "results"});
  for (const Row& row : rows) {
    const std::optional<double> predicted = row.schedule->predicted_us;
    table.add_row({row.plan->file.filename().string(), fmt::format("#{}", row.plan->point), row.plan->design,
                   format_us(row.plan->simulated_ns), predicted ? format_us(*predicted * 1e3) : "", format_us(row.us * 1e3),
                   predicted ? format_percent(*predicted / row.us - 1, true) : "",
                   !row.schedule->check              ? ""
                   : row.schedule->check->is_equal() ? "equal"
                                                     : "differ"});
  }
  print("the best plans run again in the program, from its first call until its host has waited for the device\n" + table.to_string());
  return code;
}

}  // namespace tasktwin::verify
