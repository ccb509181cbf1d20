#include "gpu/supported/supported.hpp"

#include <algorithm>

#include "gpu/supported/peers.hpp"
#include "gpu/supported/why_unsupported.hpp"
#include "models/cost/workers_beside.hpp"

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

}  // namespace

std::span<const Supported* const> all_supported() {
  static constexpr const Supported* kAll[] = {
      &kCudaStreamsSupported,    &kCudaGraphSupported,         &kDeviceGraphLaunchSupported, &kDynamicParallelismSupported,
      &kHostDispatcherSupported, &kCentralDispatcherSupported,
      &kHybridSupported,  // before static queues, which ask for less
      &kStaticQueuesSupported,   &kSharedQueueSupported,       &kWorkStealingSupported,      &kLayerBarrierSupported,
  };
  return kAll;
}

const Supported* find_supported(const Design& design) {
  const auto all = all_supported();
  const auto found = std::ranges::find_if(all, [&design](const Supported* one) { return one->matches(design); });
  return found == all.end() ? nullptr : *found;
}

std::optional<std::string> why_no_axis(const Supported& supported, const Design& design) {
  const Design plain;
  for (const AxisField& field : axis_fields()) {
    if (field.name == "driver" || field.name == "release") continue;
    const auto refuse = [&](std::string_view why, const std::string& right) {
      return std::string(field.name) + " " + field.quoted(design) + ": " + std::string(why) + "; use " + right;
    };
    const auto listed = std::ranges::find(supported.axes, field.name, &AxisSupport::axis);
    if (listed == supported.axes.end()) {
      if (field.text(design) == field.text(plain)) continue;
      return refuse("this executor does not read it", field.quoted(plain));
    }
    if (listed->values.front().empty() || std::ranges::find(listed->values, field.text(design)) != listed->values.end()) continue;
    return refuse(listed->why, either_of(listed->values, field.is_word()));
  }
  return std::nullopt;
}

std::optional<std::string> why_unsupported(const TaskGraph& graph, const Machine& machine, const Design& design) {
  if (machine.devices.count() > 1) {
    auto why = why_no_cores(machine);
    return why ? why : why_unsupported_by_peers(graph, machine, design);
  }
  const Supported* const supported = find_supported(design);
  if (supported == nullptr) {
    return "no GPU executor has driver '" + std::string(to_word(design.driver)) + "' with release '" +
           std::string(to_word(design.release)) + "' and placement '" + std::string(to_word(design.placement)) + "'";
  }
  if (auto why = why_no_cores(machine)) return why;
  if (auto why = why_no_axis(*supported, design)) return why;
  if (auto why = why_no_task(graph, supported->tasks)) return why;
  if (auto why = why_no_body_beside(graph, design)) return why;
  if (auto why = why_not_beside(graph, machine, design)) return why;
  return supported->why_not == nullptr ? std::nullopt : supported->why_not(graph, machine, design);
}

}  // namespace tasktwin::gpu
