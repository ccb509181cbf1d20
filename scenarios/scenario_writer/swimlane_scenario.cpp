#include "scenarios/scenario_writer/swimlane_scenario.hpp"

#include <algorithm>
#include <array>

#include "models/design/design.hpp"
#include "models/runtimes/runtimes.hpp"
#include "scenarios/machine_files/load_machine.hpp"
#include "scenarios/scenario_writer/scenario_text.hpp"
#include "scenarios/tasks/demands.hpp"

namespace tasktwin::scenarios {

namespace {

/// Designs to hold against the replay, where they fit.
constexpr std::array<std::string_view, 4> kOtherRuntimes{"ascend-host-built", "ascend-device-built", "central-dispatcher", "static-queues"};

Machine machine_of(const SwimlaneCapture& capture, const SwimlaneScenario& wanted) {
  Machine machine = load_machine(wanted.machine);
  machine.compute_cores = core_groups(capture);
  machine.control_cores.count = std::max(machine.control_cores.count, static_cast<int>(capture.thread_spans.size()));
  return machine;
}

std::string machine_yaml(const Machine& machine, const std::string& from) {
  std::string text = "machine:\n  from: " + yaml_quoted(from) + "\n  compute_cores:\n";
  for (const CoreGroup& group : machine.compute_cores) {
    text += "    - {type: " + std::string(to_word(group.type)) + ", count: " + std::to_string(group.count) +
            ", per_cluster: " + std::to_string(group.per_cluster) + "}\n";
  }
  return text + "  control_cores: {count: " + std::to_string(machine.control_cores.count) + "}\n";
}

bool fits(const Design& design, const Machine& machine, const TaskGraph& graph) {
  try {
    check_design(design, machine);
    check_seats(graph, machine, design);
    return true;
  } catch (const InputError&) {
    return false;
  }
}

}  // namespace

std::string machine_named_for(const SwimlaneCapture& capture) {
  const Machine smaller = load_machine("ascend-a2a3");
  for (const CoreGroup& group : core_groups(capture)) {
    const auto own = std::ranges::find(smaller.compute_cores, group.type, &CoreGroup::type);
    if (own != smaller.compute_cores.end() && group.count > own->count) return "ascend-a5";
  }
  return smaller.name;
}

std::string swimlane_scenario_yaml(const SwimlaneCapture& capture, const SwimlaneScenario& wanted) {
  check_scenario_name(wanted.name);
  const Machine machine = machine_of(capture, wanted);
  const std::string records = named_from(wanted.output.parent_path(), wanted.records);
  std::string text =
      "# A captured run: its tasks and how long each took. Design `replay` keeps its placement and order, the others choose anew.\n";
  text += "scenario: " + wanted.name + "\n";
  text += machine_yaml(machine, machine_named_from(wanted.output.parent_path(), wanted.machine));
  text += "graph:\n  records: " + yaml_quoted(records) + "\n  deps: " + yaml_quoted(named_from(wanted.output.parent_path(), wanted.deps)) +
          "\n" + (wanted.run ? "  run: " + std::to_string(*wanted.run) + "\n" : "");
  text += "designs:\n";
  const std::size_t threads = capture.thread_spans.size();
  text += "  - {name: replay, from: ascend-host-built" + (threads > 0 ? ", dispatchers: " + std::to_string(threads) : "") +
          ", ready_queue: per_worker, gang: together, placement: replay, replay: " + yaml_quoted(records) + "}\n";
  for (const std::string_view other : kOtherRuntimes) {
    if (fits(named_design(other), machine, capture.graph)) text += "  - " + std::string(other) + "\n";
  }
  return text + "seed: 1\n";
}

}  // namespace tasktwin::scenarios
