#include "verify/recordings/recorded.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "models/base/error.hpp"
#include "models/policies/layers.hpp"
#include "models/runtimes/runtimes.hpp"
#include "verify/output/text/json.hpp"
#include "verify/predict/graph_hash.hpp"
#include "verify/system/version.hpp"

namespace tasktwin::verify {

namespace fs = std::filesystem;

namespace {

std::size_t count_layers(const TaskGraph& graph) {
  const std::vector<std::size_t> layer_of = layers_of(graph);
  return layer_of.empty() ? 0 : std::ranges::max(layer_of) + 1;
}

}  // namespace

RecordedCase make_recording(const scenarios::Scenario& scenario, const Design& design, gpu::Measurement measurement,
                            const RecordingContext& context) {
  RecordedCase recorded;
  recorded.scenario = scenario.name;
  recorded.scenario_source = context.scenario_source;
  recorded.design = design.name;
  recorded.machine = scenario.machine.name;
  recorded.device = context.device.name;
  recorded.driver = context.device.driver;
  recorded.runtime = context.device.runtime;
  recorded.date = context.date;
  recorded.commit = commit();
  recorded.command = context.command;
  recorded.graph_hash = graph_hash(scenario.graph);
  recorded.machine_hash = scenario.machine_hash;
  recorded.axes = design_to_json(design).dump();
  recorded.makespans = std::move(measurement.makespans);
  recorded.stamped_makespans = std::move(measurement.stamped_makespans);
  recorded.host_call = measurement.host_call;
  recorded.ordering_violations = measurement.ordering_violations;
  recorded.residual = measurement.residual;
  recorded.residual_limit = measurement.residual_limit;
  recorded.timeline = std::move(measurement.timeline);
  if (!recorded.timeline.memory.empty()) recorded.peak_memory = recorded.timeline.peak_memory();
  return recorded;
}

RecordedCase without_timeline(RecordedCase recorded, const TaskGraph& graph) {
  recorded.starts = {starts_by_layer(graph, recorded.timeline), count_inversions(graph, recorded.timeline)};
  recorded.timeline = {};
  recorded.command += " --without-timelines";
  return recorded;
}

fs::path recordings_folder() { return scenarios::data_folder().parent_path() / "verify" / "recorded"; }

std::optional<std::string> changed_axis(const std::string& axes, const Design& design) {
  const Json now = design_to_json(design);
  Json before = Json::parse(axes);
  // An axis younger than the recording was then as it is by default.
  const Json defaults = design_to_json(Design{});
  for (const auto& [axis, value] : defaults.items()) {
    if (!before.contains(axis)) before[axis] = value;
  }
  for (const auto& [axis, value] : before.items()) {
    if (now.contains(axis) && now[axis] == value) continue;
    return fmt::format("{} was {}, but is {} now", axis, value.dump(), now.contains(axis) ? now[axis].dump() : "unknown");
  }
  for (const auto& [axis, value] : now.items()) {
    if (!before.contains(axis)) return fmt::format("{} was not stated, but is {} now", axis, value.dump());
  }
  return std::nullopt;
}

void check_recording(const RecordedCase& recorded, const scenarios::Scenario& scenario, const Design& design) {
  const std::string name = fmt::format("the recording of '{}' under '{}' on '{}'", recorded.scenario, recorded.design, recorded.machine);
  const std::string remedy = fmt::format("record it anew on the GPU: {}", recorded.command);
  if (recorded.scenario != scenario.name || recorded.design != design.name || recorded.machine != scenario.machine.name) {
    throw InputError(
        fmt::format("{} is not of '{}' under '{}' on '{}'; {}", name, scenario.name, design.name, scenario.machine.name, remedy));
  }
  if (recorded.graph_hash != graph_hash(scenario.graph)) {
    throw InputError(fmt::format("{} is of another graph than the scenario now makes; {}", name, remedy));
  }
  if (recorded.starts && recorded.starts->layers.size() != count_layers(scenario.graph))
    throw InputError(fmt::format("{} has the starts of {} layers, while the graph has {}; {}", name, recorded.starts->layers.size(),
                                 count_layers(scenario.graph), remedy));
  if (const auto changed = changed_axis(recorded.axes, design))
    throw InputError(fmt::format("{} is of another design: {}; {}", name, *changed, remedy));
}

void name_cores(Timeline& timeline, const Machine& machine, const Design& design) {
  timeline.on_streams = runtime_of(design).streams();
  timeline.workers_per_core = design.workers_per_core;
  timeline.runs = design.replays;
  if (timeline.compute_cores.empty()) timeline.compute_cores = compute_cores(machine);
}

}  // namespace tasktwin::verify
