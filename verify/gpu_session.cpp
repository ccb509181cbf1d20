#include "verify/gpu_session.hpp"

#include <algorithm>
#include <chrono>
#include <system_error>
#include <utility>

#include <fmt/chrono.h>
#include <fmt/format.h>

#include "gpu/hardware_queues.hpp"
#include "gpu/program_run.hpp"
#include "models/error.hpp"
#include "verify/child_process.hpp"
#include "verify/rerun.hpp"

namespace tasktwin::verify {

namespace fs = std::filesystem;

namespace {

/// The name under which load_scenario finds a shipped scenario anywhere; any other file as it was given.
std::string scenario_source(const std::string& argument) {
  std::error_code ignored;
  const fs::path file(argument);
  if (!fs::is_regular_file(file, ignored)) return argument;
  return fs::equivalent(fs::absolute(file).parent_path(), scenarios::data_folder(), ignored) ? file.stem().string() : argument;
}

std::string today() {
  return fmt::format("{:%Y-%m-%d}", fmt::gmtime(std::chrono::system_clock::to_time_t(std::chrono::system_clock::now())));
}

/// `why` says what is wrong with a case, or nothing.
template <class Why>
void refuse_where(const std::vector<Selection>& selections, Why why) {
  for (const Selection& selection : selections) {
    for (const Design& design : selection.designs) {
      if (const std::optional<std::string> fault = why(selection, design)) {
        throw InputError(fmt::format("'{}' cannot be run under '{}': {}; choose other designs with --designs", selection.scenario.name,
                                     design.name, *fault));
      }
    }
  }
}

}  // namespace

std::optional<std::string> why_no_gpu_in_child() {
  const std::string why = in_child([] { return gpu::why_no_gpu().value_or(""); });
  return why.empty() ? std::nullopt : std::optional(why);
}

void require_gpu() {
  if (const auto why = gpu::why_no_gpu()) throw RunError("no GPU: " + *why);
}

void require_gpu(const std::vector<Selection>& selections) {
  int queues = 0;
  for (const Selection& selection : selections) {
    for (const Design& design : selection.designs) queues = std::max(queues, design.hardware_queues);
  }
  gpu::ask_for_hardware_queues(queues);
  require_gpu();
}

void require_executors(const std::vector<Selection>& selections) {
  refuse_where(selections, [](const Selection& selection, const Design& design) {
    const auto rerun = rerun_of(selection.argument, selection.scenario, design);
    return gpu::why_unsupported(rerun ? *rerun : selection.scenario.graph, selection.scenario.machine, design);
  });
}

void require_support(const std::vector<Selection>& selections) {
  require_executors(selections);  // once more: by now it is known which hardware queues this process has asked for
  refuse_where(selections, [](const Selection& selection, const Design& design) {
    const auto rerun = rerun_of(selection.argument, selection.scenario, design);
    const TaskGraph& graph = rerun ? *rerun : selection.scenario.graph;
    auto why = gpu::why_not_here(graph, selection.scenario.machine, design);
    return why ? why : gpu::why_no_collectives(graph);
  });
}

GpuSession::GpuSession(gpu::RunOptions options, std::string folder, Progress& progress)
    : options_(std::move(options)), folder_(std::move(folder)), device_(gpu::device_info()), progress_(progress) {}

RecordedCase GpuSession::measure(const Selection& selection, const Design& design) const {
  progress_.show(fmt::format("running {} under {}", selection.scenario.name, design.name));
  const std::string source = scenario_source(selection.argument);
  gpu::RunOptions options = options_;
  const scenarios::Scenario& scenario = selection.scenario;
  options.seed = scenario.seed;
  const auto rerun = rerun_of(selection.argument, selection.scenario, design);
  const TaskGraph& graph = rerun ? *rerun : scenario.graph;
  const RecordingContext context{
      .scenario_source = source,
      .command = fmt::format("tasktwin run {} --designs {} --repeats {} --record {}", source, design.name, options_.repeats, folder_),
      .date = today(),
      .device = device_};
  auto recorded = make_recording(scenario, design,
                                 scenario.program ? gpu::run_program(graph, scenario.machine, design, options, *scenario.program)
                                                  : gpu::run(graph, scenario.machine, design, options),
                                 context);
  if (rerun) recorded.timeline.blocks.clear();  // the scenario's tasks have others
  name_cores(recorded.timeline, scenario.machine, design);
  progress_.clear();
  progress_.advance();
  return recorded;
}

}  // namespace tasktwin::verify
