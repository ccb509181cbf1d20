#include "verify/bench/metg/metg_command.hpp"

#include <algorithm>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "models/base/error.hpp"
#include "scenarios/formats/json_file.hpp"
#include "scenarios/load/scenario.hpp"
#include "verify/bench/metg/bench_patterns.hpp"
#include "verify/bench/metg/metg_files.hpp"
#include "verify/bench/metg/metg_report.hpp"
#include "verify/bench/metg/saturation.hpp"
#include "verify/output/files/atomic_file.hpp"
#include "verify/output/files/output_paths.hpp"
#include "verify/output/text/result_json.hpp"
#include "verify/output/text/terminal.hpp"
#include "verify/recordings/gpu_session.hpp"
#include "verify/recordings/recorded_cases.hpp"
#include "verify/report/page_text.hpp"

namespace tasktwin::verify {

namespace {

/// The positions in `valid` of the words in `names`, in its order; all where `names` is empty. Throws InputError, said of `option`.
std::vector<std::size_t> choose(const std::string& names, std::span<const std::string_view> valid, std::string_view option,
                                std::string_view what) {
  std::vector<bool> chosen(valid.size(), names.empty());
  for (std::size_t begin = 0; !names.empty() && begin <= names.size();) {
    const std::size_t end = std::min(names.find(',', begin), names.size());
    const std::string_view name = std::string_view(names).substr(begin, end - begin);
    const auto found = static_cast<std::size_t>(std::ranges::find(valid, name) - valid.begin());
    if (found == valid.size()) throw InputError(fmt::format("{}: unknown {} '{}'{}", option, what, name, suggest(name, valid)));
    if (chosen[found]) throw InputError(fmt::format("{}: '{}' is named twice", option, name));
    chosen[found] = true;
    begin = end + 1;
  }
  std::vector<std::size_t> positions;
  for (std::size_t i = 0; i < valid.size(); ++i) {
    if (chosen[i]) positions.push_back(i);
  }
  return positions;
}

MetgPlan plan_of(const BenchOptions& options) {
  MetgPlan plan;
  std::vector<std::string_view> names;
  for (const BenchExecutor& executor : bench_executors()) names.push_back(executor.base.name);
  for (const std::size_t i : choose(options.executors, names, "--executors", "executor")) plan.executors.push_back(&bench_executors()[i]);
  const std::vector<std::string_view> patterns = bench_patterns();
  for (const std::size_t i : choose(options.patterns, patterns, "--patterns", "pattern")) plan.patterns.push_back(patterns[i]);
  return plan;
}

std::string command_text(std::string_view flag, const BenchOptions& options) {
  std::string text = fmt::format("tasktwin run {}", flag);
  if (!options.executors.empty()) text += " --executors " + options.executors;
  if (!options.patterns.empty()) text += " --patterns " + options.patterns;
  if (options.machine != BenchOptions{}.machine) text += " --machine " + options.machine;
  return text + " --record " + (options.record.empty() ? "DIR" : options.record);
}

struct File {
  std::string name;
  std::string text;
};

/// Writes `files` under <record>/<machine>/, with a message unless the output is JSON.
void record(const BenchOptions& options, const Machine& machine, std::span<const File> files) {
  if (options.record.empty()) return;
  const std::filesystem::path folder = std::filesystem::path(options.record) / file_word(machine.name);
  std::vector<FileText> texts;
  for (const File& file : files) texts.push_back({folder / file.name, file.text});
  write_files(texts);
  if (options.json || quiet()) return;
  for (const FileText& file : texts) print(fmt::format("recorded {}\n", file.path.string()));
}

/// Adds a page with the curves, where this build can make one.
void add_page(std::vector<File>& files, const std::string& name, const Plot& plot, const BenchOptions& options,
              const BenchProvenance& provenance) {
  if (options.record.empty()) return;
  if (report_page()) {
    files.push_back({name, plot_page(plot, provenance.command)});
  } else {
    remark(name + " is left out: this tasktwin was built without the report's page, which needs Node.js and npm");
  }
}

/// What both benchmarks need before they start.
Machine prepare(const BenchOptions& options) {
  Machine machine = scenarios::load_machine(options.machine);
  require_gpu();
  if (!options.record.empty()) prepare_recording_folder(options.record, machine.name);
  return machine;
}

}  // namespace

int run_metg(const BenchOptions& options) {
  MetgPlan plan = plan_of(options);
  const Machine machine = prepare(options);
  Progress progress;
  plan.progress = [&progress](const std::string& what) { progress.show(what); };
  progress.show("measuring flag hops");
  const HopTimes hops{gpu::probe_flag_hops(), gpu::probe_flag_rings(), gpu::probe_grid_barriers()};
  const MetgResult result = measure_metg(plan, machine, gpu_backend());
  progress.clear();

  const BenchProvenance provenance = bench_provenance(machine, command_text("--metg", options));
  const Json json = metg_json(result, hops, provenance);
  const Plot plot = metg_plot(result, "METG(50 %) on " + device_text(provenance));
  print(options.json ? result_to_text(json) : metg_text(result, hops, provenance) + (plot.panels.empty() ? "" : '\n' + to_ascii(plot)));
  std::vector<File> files{
      {"metg.csv", metg_csv(result)}, {"metg-curves.csv", metg_curves_csv(result)}, {"metg.json", scenarios::json_file_text(json)}};
  add_page(files, "metg.html", plot, options, provenance);
  record(options, machine, files);
  if (!result.right()) note("error: a run failed or was out of order; see above");
  return result.right() ? 0 : 1;
}

int run_saturation(const BenchOptions& options) {
  const Machine machine = prepare(options);
  Progress progress;
  SaturationPlan plan = saturation_plan(machine);
  progress.expect(plan.dispatchers.size() * plan.depths.size() * plan.lengths.size());
  plan.progress = [&progress](const std::string& what) {
    progress.show(what);
    progress.advance();
  };
  const SaturationResult result = measure_saturation(plan, machine, gpu_backend());
  progress.clear();

  const BenchProvenance provenance = bench_provenance(machine, command_text("--saturation", options));
  const Json json = saturation_json(result, provenance);
  const Plot plot = saturation_plot(result, "dispatcher saturation on " + device_text(provenance));
  print(options.json ? result_to_text(json) : saturation_text(result, provenance) + '\n' + to_ascii(plot));
  std::vector<File> files{{"saturation.csv", saturation_csv(result)}, {"saturation.json", scenarios::json_file_text(json)}};
  add_page(files, "saturation.html", plot, options, provenance);
  record(options, machine, files);
  if (!result.faults.empty()) note("error: a run failed; see above");
  return result.faults.empty() ? 0 : 1;
}

}  // namespace tasktwin::verify
