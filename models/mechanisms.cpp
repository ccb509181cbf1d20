#include "models/mechanisms.hpp"

#include <algorithm>
#include <array>

#include "models/error.hpp"

namespace tasktwin {

namespace {

using Sections = std::vector<std::string_view>;

Sections of_workers(const Design& design) {
  Sections sections{"memory", "resident_cores", "first_looks"};
  if (design.prefetch > 0) sections.push_back("page_loads");
  if (design.workers_per_core > 1) sections.push_back("launched_kernels");  // how blocks beside each other read
  if (design.release == Release::kBarrier) sections.push_back("barriers");
  const bool lists_alone =
      design.release == Release::kBarrier ||
      (is_static(design.placement) && design.ready_queue == ReadyQueue::kPerWorker && design.stealing == Stealing::kOff);
  if (!lists_alone || design.termination == Termination::kSentinels) sections.push_back("ready_queues");
  if (orchestrator_count(design) > 0) sections.push_back("device_control");
  return sections;
}

Sections of_resident(const Design& design) {
  Sections sections = design.release == Release::kDispatcher
                          ? Sections{"memory", "resident_cores", "first_looks", "ready_queues", "device_control", "device_mailboxes"}
                          : of_workers(design);
  if (design.ready_queue == ReadyQueue::kGroupQueue) sections.push_back("group_queue");
  if (design.host_build == HostBuild::kTimed) sections.push_back("host_build");
  return sections;
}

}  // namespace

std::vector<std::string_view> mechanisms_of(const Design& design) {
  switch (design.driver) {
    case Driver::kStreams:
      return {"memory", "host_calls", "streams", "launched_kernels"};
    case Driver::kCudaGraph: {
      Sections sections{"memory", "host_calls", "graph_launch", "launched_kernels"};
      if (design.graph_predicates != GraphPredicates::kKernel) sections.push_back("conditional_nodes");
      if (design.programmatic_launch == ProgrammaticLaunch::kOn) sections.push_back("streams");
      return sections;
    }
    case Driver::kDeviceGraphLaunch:
      return {"memory", "host_calls", "streams", "device_graph_launch", "launched_kernels"};
    case Driver::kDynamicParallelism:
      return {"memory", "host_calls", "streams", "dynamic_parallelism", "launched_kernels", "resident_cores"};
    case Driver::kHostDispatcher:
      return {"memory", "resident_cores", "first_looks", "ready_queues", "host_control", "host_mailboxes", "device_mailboxes"};
    case Driver::kPersistent:
      break;
  }
  return of_resident(design);
}

std::span<const TaskSection> task_sections() {
  static constexpr std::array sections{
      TaskSection{"copies", "a task that copies, sets memory or is a function of the host", reads_copies},
      TaskSection{"links", "a task that copies", reads_links},
      TaskSection{"allocators", "a task that allocates or frees", reads_allocators},
      TaskSection{"collectives", "a rank of a collective", is_collective},
  };
  return sections;
}

std::optional<TaskId> first_task(const TaskGraph& graph, bool (*is)(Operation)) {
  if (!graph.has_operations()) return std::nullopt;
  const auto found = std::ranges::find_if(graph.tasks(), is, &Task::operation);
  if (found == graph.tasks().end()) return std::nullopt;
  return task_id(static_cast<std::size_t>(found - graph.tasks().begin()));
}

std::vector<NeededSection> mechanisms_of(const Design& design, const TaskGraph& graph) {
  std::vector<NeededSection> sections;
  for (const std::string_view section : mechanisms_of(design)) sections.push_back({section});
  for (const TaskSection& section : task_sections()) {
    if (const auto task = first_task(graph, section.reads)) sections.push_back({section.name, task});
  }
  return sections;
}

namespace {

std::string named(const Machine& machine) {
  return "machine '" + machine.name + "'" + (machine.file.empty() ? "" : " (" + machine.file + ")");
}

/// "a (what it is), b and c": what more there is comes without its meaning.
std::string listed(const std::vector<std::string>& names, std::string_view meaning, std::string_view quote) {
  std::string text;
  for (std::size_t i = 0; i < names.size(); ++i) {
    text += (i == 0 ? "" : i + 1 == names.size() ? " and " : ", ") + std::string(quote) + names[i] + std::string(quote);
    if (i == 0) text += " (" + std::string(meaning) + ")";
  }
  return text;
}

/// Between several devices it is peers that says how fast copies are.
bool is_read(const Machine& machine, std::string_view key) { return key != "links.p2p_bandwidth_gb_per_s" || machine.devices.count() == 1; }

/// All that `reader` lacks of `sections`, in one sentence; empty where it lacks nothing.
std::string lacking(const Machine& machine, std::span<const std::string_view> sections, const std::string& reader,
                    const std::string& for_task) {
  std::vector<std::string> absent;
  std::vector<std::string> unstated;
  for (const std::string_view section : sections) {
    if (!find_section(section)->present(machine)) absent.emplace_back(section);
    const std::string prefix = std::string(section) + ".";
    for (auto key = machine.unstated.lower_bound(prefix); key != machine.unstated.end() && key->starts_with(prefix); ++key) {
      if (is_read(machine, *key)) unstated.push_back(*key);
    }
  }
  std::string text;
  if (!absent.empty())
    text = reader + " needs " + listed(absent, find_section(absent.front())->meaning, "'") + for_task + ", which " + named(machine) +
           " does not have";
  if (!unstated.empty()) {
    text += (text.empty() ? "" : "; ") + named(machine) + " does not state " +
            listed(unstated, find_constant(unstated.front())->meaning, "") + ", which " + reader + " reads" + for_task +
            "; state it, or list it under 'assumed' of its section with a reason";
  }
  return text;
}

void check_sections(const Machine& machine, std::span<const std::string_view> sections, const std::string& reader,
                    const std::string& for_task = "") {
  if (const std::string text = lacking(machine, sections, reader, for_task); !text.empty()) throw InputError(text);
}

}  // namespace

void check_section(const Machine& machine, std::string_view section, const std::string& reader, const std::string& for_task) {
  check_sections(machine, {&section, 1}, reader, for_task);
}

void check_mechanisms(const Design& design, const Machine& machine) {
  check_sections(machine, mechanisms_of(design), "design '" + design.name + "'");
}

void check_mechanisms(const Design& design, const Machine& machine, const TaskGraph& graph) {
  check_mechanisms(design, machine);
  for (const auto& [section, task] : mechanisms_of(design, graph)) {
    if (task)
      check_section(machine, section, "design '" + design.name + "'",
                    " for task '" + std::string(graph.name(*task)) + "' (" + std::string(to_word(graph[*task].operation)) + ")");
  }
}

}  // namespace tasktwin
