#include "verify/bench/launch_costs/launch_costs_command.hpp"

#include <algorithm>
#include <array>
#include <filesystem>

#include <fmt/format.h>

#include "scenarios/load/scenario.hpp"
#include "verify/bench/launch_costs/launch_costs_report.hpp"
#include "verify/bench/launch_costs/launch_shapes.hpp"
#include "verify/output/files/atomic_file.hpp"
#include "verify/output/files/output_paths.hpp"
#include "verify/output/text/result_json.hpp"
#include "verify/output/text/terminal.hpp"
#include "verify/recordings/gpu_session.hpp"
#include "verify/recordings/recorded.hpp"

namespace tasktwin::verify {

namespace {

std::string command_text(const LaunchCostOptions& options) {
  std::string text = "tasktwin run --launch-costs";
  if (options.machine != LaunchCostOptions{}.machine) text += " --machine " + options.machine;
  return text + " --record " + (options.record.empty() ? "DIR" : options.record);
}

}  // namespace

int run_launch_costs(const LaunchCostOptions& options) {
  const Machine machine = scenarios::load_machine(options.machine);
  require_gpu();
  if (!options.record.empty()) prepare_recording_folder(options.record, machine.name);
  Progress progress;
  progress.expect(launch_shapes().size() * kLaunchSizes.size());
  const auto show = [&progress](const std::string& what) {
    progress.show(what);
    progress.advance();
  };
  const std::vector<LaunchCostRow> rows = measure_launch_costs(machine, gpu_launch_backend(), show);
  progress.clear();

  const BenchProvenance provenance = bench_provenance(machine, command_text(options));
  const std::string csv = launch_costs_csv(rows);
  const std::string json = result_to_text(launch_costs_json(rows, provenance));
  print(options.format == "csv" ? csv : options.format == "json" ? json : launch_costs_text(rows, provenance));
  if (!options.record.empty()) {
    const std::filesystem::path folder = std::filesystem::path(options.record) / file_word(machine.name);
    write_files(std::array{FileText{folder / "launch_costs.csv", csv}, FileText{folder / "launch_costs.json", json}});
    if (options.format == "text" && !quiet())
      print(fmt::format("recorded {}\nrecorded {}\n", (folder / "launch_costs.csv").string(), (folder / "launch_costs.json").string()));
  }
  const bool right = std::ranges::all_of(rows, [](const LaunchCostRow& row) { return row.right(); });
  if (!right) note("error: a run failed or was out of order; see above");
  return right ? 0 : 1;
}

}  // namespace tasktwin::verify
