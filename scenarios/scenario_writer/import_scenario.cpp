#include "scenarios/scenario_writer/import_scenario.hpp"

#include <algorithm>
#include <cstdio>
#include <map>

#include "models/base/error.hpp"
#include "models/checks/mechanisms.hpp"
#include "models/runtimes/runtimes.hpp"
#include "scenarios/files/data_folder.hpp"
#include "scenarios/machine_files/load_machine.hpp"
#include "scenarios/scenario_writer/scenario_text.hpp"

namespace tasktwin::scenarios {

namespace {

constexpr std::array<std::string_view, 4> kOthers{"cuda-streams", "cuda-graph", "central-dispatcher", "static-queues"};
/// Where there are events, which only workers and dispatchers count down.
constexpr std::array<std::string_view, 4> kCounting{"central-dispatcher", "static-queues", "shared-queue", "hybrid"};

ImportDesign design_from(std::string_view from, const std::string& name, const std::string& axes, void (*change)(Design&), int streams) {
  ImportDesign made{named_design(from), "{name: " + name + ", from: " + std::string(from) + axes + "}"};
  made.design.name = name;
  made.design.streams = streams;
  change(made.design);
  return made;
}

bool has_constant(const Machine& machine, const MeasuredConstant& constant) {
  const ConstantField* field = find_constant(constant.key);
  return field != nullptr && find_section(field->section)->present(machine);
}

bool is_shown(std::span<const MeasuredConstant> shown, std::string_view key) {
  return std::ranges::find(shown, key, &MeasuredConstant::key) != shown.end();
}

/// Those of mechanisms that the machine has. A profiler's kernel times begin before bodies do and end after them, so that the gaps it shows
/// are shorter than between bodies by the same time everywhere: those that it does not show are the machine's less that time, and less what
/// only this project's kernels take around their bodies.
std::vector<MeasuredConstant> constants_on(const Imported& imported, std::span<const MeasuredConstant> shown, const Machine& machine) {
  std::vector<MeasuredConstant> constants;
  for (const MeasuredConstant& constant : shown) {
    if (has_constant(machine, constant)) constants.push_back(constant);
  }
  if (!imported.program && !imported.profiled) return constants;
  const double own = machine.launched_kernels ? machine.launched_kernels->around.count() : 0;
  const Duration blocks = mean_around_blocks(imported.graph);
  const auto around = static_cast<double>(blocks.count());
  for (const char* const key : {"streams.gap_ns", "streams.event_gap_ns", "graph_launch.gap_ns"}) {
    const MeasuredConstant shorter{key, 0, 0,
                                   "the machine's, less launched_kernels.around_ns and " + std::to_string(blocks.count()) +
                                       " ns that a profiler's time of a kernel has around its blocks"};
    if (is_shown(shown, key) || !has_constant(machine, shorter)) continue;
    constants.push_back(shorter);
    constants.back().value = std::max(0.0, find_constant(key)->get(machine) - own - around);
  }
  return constants;
}

Machine machine_with(const Imported& imported, std::span<const MeasuredConstant> shown, const std::string& machine) {
  Machine changed = load_machine(machine);
  for (const MeasuredConstant& constant : constants_on(imported, shown, changed)) find_constant(constant.key)->set(changed, constant.value);
  return changed;
}

std::string number(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.10g", value);
  return text;
}

std::string machine_yaml(const Imported& imported, const ImportScenario& wanted) {
  const Machine machine = load_machine(wanted.machine);
  std::map<std::string_view, std::string> sections;
  std::string methods;
  for (const MeasuredConstant& constant : constants_on(imported, imported.constants, machine)) {
    const ConstantField& field = *find_constant(constant.key);
    const std::string method = "captured_" + std::string(field.section) + "_" + field.name;
    sections[field.section] +=
        (sections[field.section].empty() ? "" : ", ") + field.name + ": {value: " + number(constant.value) + ", method: " + method + "}";
    methods += "    " + method + ": " +
               yaml_quoted(constant.method + (constant.occasions == 0 ? ""
                                                                      : std::string("; ") + constant.statistic() + " " +
                                                                            std::to_string(constant.occasions) + " in the imported file")) +
               "\n";
  }
  const std::string named = yaml_quoted(machine_named_from(wanted.output.parent_path(), wanted.machine));
  if (sections.empty()) return "machine: " + named + "\n";
  std::string text = "machine:\n  from: " + named + "\n  methods:\n" + methods;
  for (const auto& [section, constants] : sections) text += "  " + std::string(section) + ": {" + constants + "}\n";
  return text;
}

std::string options_yaml(const ImportScenario& wanted) {
  std::string text;
  for (const ImportOptionField& field : import_option_fields()) {
    if (!field.given(wanted.options)) continue;
    const auto written = [&](const std::string& value) { return field.files ? named_from(wanted.output.parent_path(), value) : value; };
    text += "  " + std::string(field.name) + ": ";
    if (field.number) text += std::to_string(wanted.options.*field.number);
    if (field.text) {
      const std::string& value = wanted.options.*field.text;
      text += yaml_quoted(written(value));
    }
    if (field.list) {
      text += "[";
      for (const std::string& item : wanted.options.*field.list) text += (text.back() == '[' ? "" : ", ") + yaml_quoted(written(item));
      text += "]";
    }
    text += "\n";
  }
  return text;
}

}  // namespace

std::optional<std::string> shipped_machine_of(const Imported& imported) {
  if (imported.device.empty()) return std::nullopt;
  for (const std::string& name : shipped_machines()) {
    const Machine machine = load_machine(name);
    const std::string& measured = machine.measured.device;  // "NVIDIA H200, driver 580.159.04, CUDA 13.0"
    if (machine.devices.per_node * machine.devices.nodes == 1 && measured.substr(0, measured.find(',')) == imported.device) return name;
  }
  return std::nullopt;
}

std::vector<ImportDesign> import_designs(const Imported& imported) {
  std::vector<ImportDesign> designs;
  if (imported.program) {
    const int streams = static_cast<int>(std::clamp<std::uint32_t>(imported.program->streams, 1, kMaxStreams));
    const int queues = imported.hardware_queues;
    const std::string hinted = ", streams: " + std::to_string(streams) + ", stream_granularity: hinted" +
                               (queues > 0 ? ", hardware_queues: " + std::to_string(queues) : "");
    const auto add = [&](const std::string& name, const std::string& axes, void (*change)(Design&), int count) {
      designs.push_back(design_from("cuda-streams", name, axes, change, count));
      if (designs.back().design.stream_granularity == StreamGranularity::kHinted) designs.back().design.hardware_queues = queues;
    };
    add(
        "as-captured", hinted + ", stream_wait: program",
        [](Design& design) {
          design.stream_granularity = StreamGranularity::kHinted;
          design.stream_wait = StreamWait::kProgram;
        },
        streams);
    add(
        "events", hinted, [](Design& design) { design.stream_granularity = StreamGranularity::kHinted; }, streams);
    add(
        "one-stream", ", streams: 32, stream_granularity: single",
        [](Design& design) { design.stream_granularity = StreamGranularity::kSingle; }, 32);
    designs.push_back({named_design("cuda-graph"), "cuda-graph"});
    return designs;
  }
  if (imported.graph.devices() > 1) {
    designs.push_back(design_from(
        "cuda-streams", "a-thread-a-rank", ", launching: thread_per_device",
        [](Design& design) { design.launching = Launching::kThreadPerDevice; }, named_design("cuda-streams").streams));
    designs.push_back(design_from(
        "cuda-streams", "one-thread", "", [](Design&) {}, named_design("cuda-streams").streams));
    designs.push_back(design_from(
        "cuda-graph", "captured-graph", ", graph_source: capture", [](Design& design) { design.graph_source = GraphSource::kCapture; },
        named_design("cuda-graph").streams));
    return designs;
  }
  const auto has = [&imported](bool (*is)(Operation)) { return first_task(imported.graph, is).has_value(); };
  // Workers count events down and take bodies alone; launches make edges of them.
  const bool events = has([](Operation operation) { return operation == Operation::kEvent; }) &&
                      !has([](Operation operation) { return operation != Operation::kEvent && operation != Operation::kKernel; });
  int streams = 1;
  for (std::size_t i = 0; i < imported.graph.size(); ++i) streams = std::max(streams, imported.graph.traits(task_id(i)).stream + 1);
  if (streams > 1 && streams <= kMaxStreams && !events)  // the file says which
    designs.push_back(design_from(
        "cuda-streams", "own-streams", ", streams: " + std::to_string(streams) + ", stream_granularity: hinted",
        [](Design& design) { design.stream_granularity = StreamGranularity::kHinted; }, streams));
  for (const std::string_view name : events ? kCounting : kOthers) designs.push_back({named_design(name), std::string(name)});
  return designs;
}

Machine import_machine(const Imported& imported, const std::string& machine) { return machine_with(imported, imported.constants, machine); }

ReplayedRun replayed_run(const Imported& imported, const std::string& machine) {
  if (!imported.slowed) return {&imported.graph, &*imported.program, import_machine(imported, machine)};
  return {&imported.slowed->graph, &imported.slowed->program, machine_with(imported, imported.slowed->constants, machine)};
}

std::string import_scenario_yaml(const Imported& imported, const ImportScenario& wanted, std::span<const ImportDesign> designs) {
  check_scenario_name(wanted.name);
  std::string text = "# Read from a file of another program, which stays where it is and is read anew each time.\n";
  text += "scenario: " + wanted.name + "\n";
  text += machine_yaml(imported, wanted);
  text += "graph:\n  import: " + yaml_quoted(named_from(wanted.output.parent_path(), wanted.file)) + "\n  format: " + wanted.format + "\n" +
          options_yaml(wanted);
  if (wanted.replay_off_percent != 0) text += "  replay_off_percent: " + number(wanted.replay_off_percent) + "\n";
  text += "designs:\n";
  for (const ImportDesign& design : designs) text += "  - " + design.yaml + "\n";
  return text;
}

}  // namespace tasktwin::scenarios
