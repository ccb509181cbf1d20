#include "gpu/supported/supported.hpp"

#include <algorithm>
#include <limits>

#include "models/cost/workers_beside.hpp"
#include "models/graph/events.hpp"
#include "models/policies/own_policies.hpp"
#include "models/runtimes/event_counting.hpp"
#include "models/runtimes/prologues_ahead.hpp"
#include "models/runtimes/runtimes.hpp"

namespace tasktwin::gpu {

namespace {

/// "1, 2 or 4", words in quotes.
std::string either_of(std::span<const std::string_view> values, bool words) {
  values = values.first(static_cast<std::size_t>(std::ranges::find(values, "") - values.begin()));
  std::string text;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (i > 0) text += i + 1 == values.size() ? " or " : ", ";
    text += words ? "'" + std::string(values[i]) + "'" : std::string(values[i]);
  }
  return text;
}

std::optional<std::string> why_no_cores(const Machine& machine) {
  const auto other = [](const CoreGroup& group) { return group.type != CoreType::kSm && group.count > 0; };
  if (std::ranges::none_of(machine.compute_cores, other)) return std::nullopt;
  return "machine '" + machine.name + "' has compute cores other than 'sm'";
}

/// Beside each other workers have registers for the bodies that run in any block.
std::optional<std::string> why_no_body_beside(const TaskGraph& graph, const Design& design) {
  if (design.workers_per_core == 1) return std::nullopt;
  for (std::size_t i = 0; i < graph.size(); ++i) {
    if (runs_in_any_block(graph[task_id(i)].kernel)) continue;
    return "workers_per_core " + std::to_string(design.workers_per_core) + ": task '" + std::string(graph.name(task_id(i))) +
           "' runs kernel '" + std::string(graph.kernel_name(task_id(i))) +
           "', which computes with the registers and shared memory of a whole multiprocessor; workers beside each other run kernels "
           "empty, spin, fma and stream and those of the scenario's own";
  }
  return std::nullopt;
}

/// Of a design that counts events down.
std::optional<std::string> why_no_event(const TaskGraph& graph, const Runtime& runtime) {
  for (std::size_t i = 0; i < graph.size(); ++i) {
    if (is_event(graph[task_id(i)]) && graph.in_degree(task_id(i)) == 0)
      return "task '" + std::string(graph.name(task_id(i))) + "' is an event that counts nothing, which no worker on the GPU comes to";
  }
  if (!runtime.dispatched()) return std::nullopt;
  const auto event = std::ranges::find_if(graph.tasks(), is_event);
  if (event == graph.tasks().end()) return std::nullopt;
  return "task '" + std::string(graph.name(task_id(static_cast<std::size_t>(event - graph.tasks().begin())))) +
         "' is an event, a counter that many wait for: the GPU's dispatchers keep none; workers with lists or queues do (release "
         "'counters'), and streams, graphs and barriers take it as the edges that it stands for";
}

/// Prologues spin, by themselves where kernels are launched for their tasks or workers do them ahead; else as part of a spinning body.
std::optional<std::string> why_no_prologue(const TaskGraph& graph, const Machine& machine, const Design& design) {
  const bool apart = machine.devices.count() == 1 && (runtime_of(design).of_host() || prologues_ahead(design));
  constexpr std::int64_t kLongest = std::numeric_limits<std::uint32_t>::max();
  for (std::size_t i = 0; graph.has_prologues() && i < graph.size(); ++i) {
    const TaskTraits& traits = graph.traits(task_id(i));
    const auto because = [&](const std::string& why) { return "task '" + std::string(graph.name(task_id(i))) + "' " + why; };
    if (traits.prologue_bytes > 0)
      return because("has prologue_bytes, which bodies on a GPU do not read; state the time of its prologue, prologue_ns");
    if (to_ns(traits.prologue) > kLongest)
      return because("has a prologue of more than " + std::to_string(kLongest) + " ns, the longest on a GPU");
    if (apart || traits.prologue == Duration{0} || graph[task_id(i)].kernel == Kernel::kSpin) continue;
    return because(
        "has a prologue before kernel '" + std::string(graph.kernel_name(task_id(i))) +
        "': here only kernel spin has it as part of its body; streams, graphs and lists with prologues 'ahead' run it by itself");
  }
  return std::nullopt;
}

std::optional<std::string> why_not_under(RuntimeId runtime, const TaskGraph& graph, const Machine& machine, const Design& design) {
  static_assert(in_order_of_ids(kRuntimeRefusals));
  WhyNot* const why_not = kRuntimeRefusals[static_cast<std::size_t>(runtime)].why_not;
  return why_not == nullptr ? std::nullopt : why_not(graph, machine, design);
}

}  // namespace

std::optional<std::string> why_no_axis(const Runtime& runtime, const Design& design, GpuAxis AxisUse::*where) {
  static const Design plain;
  for (const AxisField& field : axis_fields()) {
    if (states_runtime(field.name)) continue;
    const AxisUse* const use = find_use(runtime, field.name);
    const GpuAxis& gpu = use == nullptr ? kNotRead : use->*where;
    const auto refuse = [&](std::string_view why, const std::string& right) {
      return std::string(field.name) + " " + field.quoted(design) + ": " + std::string(why) + "; use " + right;
    };
    if (!gpu.read) {
      if (field.is_default(design)) continue;
      return refuse("this executor does not read it", field.quoted(plain));
    }
    // A policy of the user's own is run as the one whose place it takes.
    const std::string value = field.is_word() ? std::string(field.word(design)) : field.text(design);
    if (gpu.values.front().empty() || std::ranges::find(gpu.values, value) != gpu.values.end()) continue;
    return refuse(gpu.why, either_of(gpu.values, field.is_word()));
  }
  return std::nullopt;
}

namespace {

/// Executors take what is decided before the run.
std::optional<std::string> why_no_own_policy(const Design& design) {
  for (const AxisField& field : axis_fields()) {
    const OwnPolicy* const policy = field.own_policy(design);
    if (policy == nullptr || is_asked_before(*policy)) continue;
    return std::string(field.name) + " " + field.quoted(design) +
           ": is asked while the run goes on, which executors on a GPU cannot do; they take ranks and frozen lists";
  }
  return std::nullopt;
}

}  // namespace

std::optional<std::string> why_unsupported(const TaskGraph& graph, const Machine& machine, const Design& design) {
  if (auto why = why_no_own_policy(design)) return why;
  if (event_count(graph) > 0 && !counts_events(design)) return why_unsupported(with_edges_for_events(graph).graph, machine, design);
  if (auto why = why_no_cores(machine)) return why;
  if (auto why = why_no_prologue(graph, machine, design)) return why;
  if (machine.devices.count() > 1) return why_unsupported_by_peers(graph, machine, design);
  const Runtime& runtime = runtime_of(design);
  if (!runtime.on_gpu) return "no GPU executor runs runtime '" + std::string(runtime.name) + "', whose controllers no GPU has";
  if (auto why = why_no_axis(runtime, design, &AxisUse::gpu)) return why;
  if (auto why = why_no_event(graph, runtime)) return why;
  TaskSupport tasks = runtime.gpu;
  tasks.peer_bytes = tasks.peer_bytes || design.notification == Notification::kMessage;  // which messages carry
  if (auto why = why_no_task(graph, tasks)) return why;
  if (auto why = why_no_body_beside(graph, design)) return why;
  if (auto why = why_not_beside(graph, machine, design)) return why;
  return why_not_under(runtime.id, graph, machine, design);
}

}  // namespace tasktwin::gpu
