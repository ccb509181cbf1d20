#include "verify/recordings/recorded.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cmath>
#include <system_error>
#include <utility>

#include <unistd.h>

#include <fmt/format.h>

#include "models/base/error.hpp"
#include "models/policies/layers.hpp"
#include "models/runtimes/runtimes.hpp"
#include "scenarios/files/text_file.hpp"
#include "scenarios/formats/json_file.hpp"
#include "verify/output/files/atomic_file.hpp"
#include "verify/output/files/compressed.hpp"
#include "verify/output/files/output_paths.hpp"
#include "verify/output/text/json.hpp"
#include "verify/predict/graph_hash.hpp"
#include "verify/recordings/recorded_timeline.hpp"
#include "verify/recordings/recorded_values.hpp"
#include "verify/system/version.hpp"

namespace tasktwin::verify {

namespace fs = std::filesystem;

namespace {

constexpr int kFormat = 1;

std::size_t count_layers(const TaskGraph& graph) {
  const std::vector<std::size_t> layer_of = layers_of(graph);
  return layer_of.empty() ? 0 : std::ranges::max(layer_of) + 1;
}

std::string hash_text(std::string_view text) {
  Fnv1a hash;
  hash.add(text);
  return hash.to_string();
}

Json durations_to_json(const std::vector<Duration>& durations) {
  Json array = Json::array();
  for (const Duration duration : durations) array.push_back(to_ns(duration));
  return array;
}

/// Runs of equal core types: [{"type", "count"}, …].
Json cores_to_json(const std::vector<CoreType>& cores) {
  Json array = Json::array();
  for (std::size_t i = 0; i < cores.size();) {
    const auto end =
        std::find_if(cores.begin() + static_cast<std::ptrdiff_t>(i), cores.end(), [&](CoreType core) { return core != cores[i]; });
    const auto next = static_cast<std::size_t>(end - cores.begin());
    array.push_back({{"type", to_word(cores[i])}, {"count", next - i}});
    i = next;
  }
  return array;
}

Json facts_to_json(const RecordedCase& recorded, const std::string& timeline_text) {
  Json facts{{"format", kFormat},
             {"scenario", recorded.scenario},
             {"scenario_source", recorded.scenario_source},
             {"design", recorded.design},
             {"axes", Json::parse(recorded.axes)},
             {"machine", recorded.machine},
             {"machine_hash", recorded.machine_hash},
             {"device", recorded.device},
             {"driver", recorded.driver},
             {"runtime", recorded.runtime},
             {"date", recorded.date},
             {"commit", recorded.commit},
             {"command", recorded.command},
             {"graph_hash", recorded.graph_hash},
             {"makespans_ns", durations_to_json(recorded.makespans)},
             {"stamped_makespans_ns", durations_to_json(recorded.stamped_makespans)},
             {"ordering_violations", recorded.ordering_violations},
             {"residual", optional_number(recorded.residual)},
             {"residual_limit", recorded.residual_limit}};
  if (recorded.starts) {
    facts["starts_ns"] = starts_to_json(recorded.starts->layers);
    facts["timeline_inversions"] = recorded.starts->inversions;
  } else {
    facts["cores"] = cores_to_json(recorded.timeline.cores);
    facts["timeline_hash"] = hash_text(timeline_text);
  }
  if (recorded.host_call > Nanoseconds{0}) facts["host_call_ns"] = recorded.host_call.count();
  if (recorded.peak_memory) facts["peak_memory"] = memory_to_json(*recorded.peak_memory);
  return facts;
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

fs::path recording_path(const fs::path& folder, std::string_view machine, std::string_view scenario, std::string_view design) {
  return folder / file_word(machine) / fmt::format("{}.{}.json", file_word(scenario), file_word(design));
}

fs::path timeline_path(fs::path facts) { return facts.replace_extension(".csv.gz"); }

void prepare_recording_folder(const fs::path& folder, std::string_view machine) {
  const fs::path path = folder / file_word(machine);
  std::error_code error;
  fs::create_directories(path, error);
  if (error) throw RunError(fmt::format("cannot make the folder '{}': {}", path.string(), error.message()));
  if (::access(path.c_str(), W_OK) != 0) {
    throw RunError(
        fmt::format("cannot write into the folder '{}': {}", path.string(), std::error_code(errno, std::generic_category()).message()));
  }
}

fs::path write_recording(const fs::path& folder, const RecordedCase& recorded) {
  if (recorded.residual && !std::isfinite(*recorded.residual)) {
    throw RunError(fmt::format("not recorded: the result of '{}' under '{}' is not finite", recorded.scenario, recorded.design));
  }
  fs::path facts = recording_path(folder, recorded.machine, recorded.scenario, recorded.design);
  prepare_recording_folder(folder, recorded.machine);
  if (recorded.starts) {
    write_files(std::array{FileText{facts, to_text(facts_to_json(recorded, {}))}});
    std::error_code none;
    fs::remove(timeline_path(facts), none);
    return facts;
  }
  const std::string text = encode_timeline(recorded.timeline);
  if (text.size() > most_timeline_bytes(recorded.timeline.tasks.size()))
    throw RunError(
        fmt::format("not recorded: the timeline of '{}' under '{}' is longer than its tasks allow", recorded.scenario, recorded.design));
  const std::string packed = gzip(text);
  const std::string described = to_text(facts_to_json(recorded, text));
  write_files(std::array{FileText{timeline_path(facts), packed}, FileText{facts, described}});
  return facts;
}

RecordingFacts parse_facts(const fs::path& path, const scenarios::JsonValue& json) {
  const std::string file = path.string();
  const scenarios::JsonPlace facts(file, json);
  facts.object_of({"format",
                   "scenario",
                   "scenario_source",
                   "design",
                   "axes",
                   "machine",
                   "machine_hash",
                   "device",
                   "driver",
                   "runtime",
                   "date",
                   "commit",
                   "command",
                   "graph_hash",
                   "makespans_ns",
                   "stamped_makespans_ns",
                   "ordering_violations",
                   "residual",
                   "residual_limit",
                   "cores",
                   "timeline_hash",
                   "starts_ns",
                   "timeline_inversions",
                   "host_call_ns",
                   "peak_memory"});
  facts.at("format").whole(kFormat, kFormat);
  RecordedCase recorded;
  recorded.scenario = facts.at("scenario").text();
  recorded.scenario_source = facts.at("scenario_source").text();
  recorded.design = facts.at("design").text();
  recorded.axes = axes_from(facts.at("axes"));
  recorded.machine = facts.at("machine").text();
  recorded.machine_hash = hash_from(facts.at("machine_hash"));
  recorded.device = facts.at("device").text();
  recorded.driver = facts.at("driver").text();
  recorded.runtime = facts.at("runtime").text();
  recorded.date = facts.at("date").text();
  recorded.commit = facts.at("commit").text();
  recorded.command = facts.at("command").text();
  recorded.graph_hash = hash_from(facts.at("graph_hash"));
  recorded.makespans = durations_from(facts.at("makespans_ns"));
  recorded.stamped_makespans = durations_from(facts.at("stamped_makespans_ns"));
  if (const auto host_call = facts.find("host_call_ns")) recorded.host_call = nanoseconds_from(*host_call);
  recorded.ordering_violations = count_from(facts.at("ordering_violations"));
  if (const auto residual = facts.at("residual"); !residual.is_null()) recorded.residual = residual_from(residual);
  recorded.residual_limit = residual_from(facts.at("residual_limit"));
  if (const auto memory = facts.find("peak_memory")) recorded.peak_memory = memory_from(*memory);
  if (const auto starts = facts.find("starts_ns")) {
    if (const auto hash = facts.find("timeline_hash")) hash->refuse("excludes starts_ns, which stand in place of a timeline");
    recorded.starts = {starts_from(*starts), count_from(facts.at("timeline_inversions"))};
    return {std::move(recorded), path, {}, {}};
  }
  return {std::move(recorded), path, hash_from(facts.at("timeline_hash")), cores_from(facts.at("cores"))};
}

RecordingFacts read_facts(const fs::path& path) { return parse_facts(path, scenarios::read_json_file(path.string(), kMaxFactsBytes)); }

RecordedCase with_timeline(RecordingFacts facts, std::size_t tasks) {
  if (!facts.timeline_hash) return std::move(facts.recorded);
  const fs::path beside = timeline_path(facts.path);
  const std::string text = unpack_timeline(scenarios::read_whole_file(beside.string(), most_timeline_bytes(tasks)), tasks, beside);
  if (hash_text(text) != *facts.timeline_hash) {
    throw InputError({beside.string()}, fmt::format("is not the timeline that '{}' describes; record the case anew", facts.path.string()));
  }
  facts.recorded.timeline = decode_timeline(text, std::move(facts.cores), beside);
  return std::move(facts.recorded);
}

std::vector<fs::path> list_recordings(const fs::path& folder) {
  std::vector<fs::path> found;
  std::error_code error;
  for (fs::recursive_directory_iterator file(folder, error), end; !error && file != end; file.increment(error)) {
    // <scenario>.<design>.json; the benchmarks' facts in the same folder have a single word.
    if (file.depth() == 1 && file->path().extension() == ".json" && file->path().stem().has_extension()) found.push_back(file->path());
  }
  std::ranges::sort(found);
  return found;
}

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
