#include "models/checks/mechanisms.hpp"

#include <algorithm>
#include <array>

#include "models/base/error.hpp"
#include "models/runtimes/runtimes.hpp"

namespace tasktwin {

std::vector<std::string_view> mechanisms_of(const Design& design) {
  std::vector<std::string_view> sections;
  for (const SectionUse& use : runtime_of(design).sections) {
    if (use.when == nullptr || use.when->holds(design)) sections.push_back(use.section);
  }
  return sections;
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

/// Whether it has to be stated. Between several devices it is peers that says how fast copies are.
bool is_read(const Machine& machine, std::string_view key) {
  return !find_constant(key)->may_lack && (key != "links.p2p_bandwidth_gb_per_s" || machine.devices.count() == 1);
}

}  // namespace

Lacking lacking(const Machine& machine, std::span<const std::string_view> sections) {
  Lacking found;
  for (const std::string_view section : sections) {
    if (!find_section(section)->present(machine)) found.sections.emplace_back(section);
    const std::string prefix = std::string(section) + ".";
    for (auto key = machine.unstated.lower_bound(prefix); key != machine.unstated.end() && key->starts_with(prefix); ++key) {
      if (is_read(machine, *key)) found.constants.push_back(*key);
    }
  }
  return found;
}

namespace {

/// All that `reader` lacks of `sections`, in one sentence; empty where it lacks nothing.
std::string lacking_text(const Machine& machine, std::span<const std::string_view> sections, const std::string& reader,
                         const std::string& for_task) {
  const auto [absent, unstated] = lacking(machine, sections);
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
  if (const std::string text = lacking_text(machine, sections, reader, for_task); !text.empty()) throw InputError(text);
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
