#include "verify/recordings/gpu_session.hpp"

#include <chrono>
#include <filesystem>
#include <set>
#include <system_error>
#include <utility>

#include <fmt/chrono.h>
#include <fmt/format.h>

#include "gpu/device/hardware_queues.hpp"
#include "gpu/program_run.hpp"
#include "models/base/child_process.hpp"
#include "models/base/error.hpp"
#include "scenarios/formats/json_file.hpp"
#include "verify/recordings/recorded_cases.hpp"
#include "verify/recordings/rerun.hpp"
#include "verify/system/temporary_folder.hpp"

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

[[noreturn]] void refuse(const Selection& selection, const Design& design, const std::string& why) {
  throw InputError(
      fmt::format("'{}' cannot be run under '{}': {}; choose other designs with --designs", selection.scenario.name, design.name, why));
}

}  // namespace

std::optional<std::string> why_no_gpu_in_child() {
  const std::string why = in_child([] { return gpu::why_no_gpu().value_or(""); });
  return why.empty() ? std::nullopt : std::optional(why);
}

void require_gpu() {
  if (const auto why = gpu::why_no_gpu()) throw RunError("no GPU: " + *why);
}

gpu::DeviceInfo device_in_child() {
  const std::string said = in_child([] {
    require_gpu();
    const gpu::DeviceInfo device = gpu::device_info();
    return Json{device.name, device.driver, device.runtime, device.multiprocessors}.dump();
  });
  const std::string child = "the measuring process";
  const Json json = scenarios::parse_json(child, said);
  return {json[0].get<std::string>(), json[1].get<std::string>(), json[2].get<std::string>(), json[3].get<int>()};
}

void require_executors(const std::vector<Selection>& selections) {
  for (const Selection& selection : selections) {
    for (const Design& design : selection.designs) {
      const auto rerun = rerun_of(selection.argument, selection.scenario, design);
      const TaskGraph& graph = rerun ? *rerun : selection.scenario.graph;
      if (const auto why = gpu::why_unsupported(graph, selection.scenario.machine, design)) refuse(selection, design, *why);
    }
  }
}

namespace {

/// Throws InputError where the design cannot run on this GPU. Contract: require_gpu() has passed.
void require_support(const Selection& selection, const Design& design) {
  const auto rerun = rerun_of(selection.argument, selection.scenario, design);
  const TaskGraph& graph = rerun ? *rerun : selection.scenario.graph;
  const Machine& machine = selection.scenario.machine;
  auto why = gpu::why_unsupported(graph, machine, design);  // again: by now it is known which hardware queues this process has requested
  if (!why) why = gpu::why_not_here(graph, machine, design);
  if (!why) why = gpu::why_no_collectives(graph);
  if (why) refuse(selection, design, *why);
}

/// Whether not all designs can be run by one process.
bool differ_in_hardware_queues(const std::vector<Selection>& selections) {
  std::set<int> numbers;
  for (const Selection& selection : selections) {
    for (const Design& design : selection.designs) numbers.insert(design.hardware_queues);
  }
  return numbers.size() > 1;
}

}  // namespace

GpuSession::GpuSession(gpu::RunOptions options, std::string folder, const std::vector<Selection>& selections, Progress& progress)
    : options_(std::move(options)), folder_(std::move(folder)), apart_(differ_in_hardware_queues(selections)), progress_(progress) {
  const auto require = [this, &selections](auto&& of_case) {
    for (const Selection& selection : selections) {
      for (const Design& design : selection.designs) of_case(selection, design);
    }
  };
  if (apart_) {
    device_ = device_in_child();
    require([](const Selection& selection, const Design& design) {
      in_child([&] {
        gpu::ask_for_hardware_queues(design.hardware_queues);
        require_support(selection, design);
        return std::string();
      });
    });
    return;
  }
  gpu::ask_for_hardware_queues(selections.empty() ? 0 : selections.front().designs.front().hardware_queues);
  require_gpu();
  device_ = gpu::device_info();
  require(require_support);
}

RecordedCase GpuSession::measure(const Selection& selection, const Design& design) const {
  progress_.show(fmt::format("running {} under {}", selection.scenario.name, design.name));
  RecordedCase recorded = apart_ ? measure_in_child(selection, design) : measure_here(selection, design);
  progress_.clear();
  progress_.advance();
  return recorded;
}

/// What was measured comes back as the files of a recording.
RecordedCase GpuSession::measure_in_child(const Selection& selection, const Design& design) const {
  const TemporaryFolder scratch(fs::temp_directory_path() / "tasktwin");
  const std::string cases = in_child([&] {
    gpu::ask_for_hardware_queues(design.hardware_queues);
    return write_recording(scratch.path(), measure_here(selection, design)).string();
  });
  return with_timeline(read_recordings(cases).front(), selection.scenario.graph.size());
}

RecordedCase GpuSession::measure_here(const Selection& selection, const Design& design) const {
  const std::string source = scenario_source(selection.argument);
  gpu::RunOptions options = options_;
  const scenarios::Scenario& scenario = selection.scenario;
  options.seed = scenario.seed;
  options.replayed = scenario.replayed(design);
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
  return recorded;
}

}  // namespace tasktwin::verify
