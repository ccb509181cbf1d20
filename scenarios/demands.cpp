#include "scenarios/demands.hpp"

#include <algorithm>
#include <array>

#include "models/error.hpp"
#include "scenarios/machine_file.hpp"
#include "scenarios/scalar.hpp"

namespace tasktwin::scenarios {

namespace {

/// All bodies one after another: about three years.
constexpr double kMaxTotalNs = 1e17;
/// How far a normal time may stray above its mean in units of sigma; Box and Muller's largest draw is about 8.6.
constexpr double kFarthestSigma = 9;

std::string list_core_types(const Machine& machine) {
  std::string text;
  for (const CoreGroup& group : machine.compute_cores) text += (text.empty() ? "" : ", ") + std::string(to_word(group.type));
  return text;
}

std::string list_kernels(const Machine& machine) {
  std::string text;
  for (const auto& [kernel, word] : Words<Kernel>::entries) {
    if (machine.provenance.contains(kernel_key(kernel))) text += (text.empty() ? "" : ", ") + std::string(word);
  }
  return text.empty() ? "none" : text;
}

/// Arithmetic's steepest slope, which bounds its time from above.
double slope_bound(const KernelCost& cost) {
  double steepest = 0;
  KernelCost::Point before;
  for (const KernelCost::Point& point : cost.arithmetic) {
    steepest = std::max(steepest, (point.ns - before.ns) / (point.flops - before.flops));
    before = point;
  }
  return steepest;
}

}  // namespace

std::optional<Impossible> impossible_task(const TaskGraph& graph, const Machine& machine) {
  const bool has_bandwidth = std::min(machine.constants.memory_bandwidth, machine.constants.core_bandwidth) > 0;
  const std::string on_machine = " on machine '" + machine.name + "'";
  std::array<bool, kKernelCount> priced{};
  for (const auto& [kernel, word] : Words<Kernel>::entries)
    priced[static_cast<std::size_t>(kernel)] = machine.provenance.contains(kernel_key(kernel));

  for (std::size_t i = 0; i < graph.size(); ++i) {
    const Task& task = graph[task_id(i)];
    const auto found = [&](std::string_view field, const std::string& why) {
      return Impossible{task_id(i), field, "task '" + std::string(graph.name(task_id(i))) + "' " + why};
    };
    const std::string_view kernel = to_word(task.kernel);
    if (!machine.has(task.core_type)) {
      return found("core_type", "needs core type '" + std::string(to_word(task.core_type)) + "', which machine '" + machine.name +
                                    "' lacks; it has: " + list_core_types(machine));
    }
    if (!priced[static_cast<std::size_t>(task.kernel)]) {
      return found("kernel",
                   "runs kernel '" + std::string(kernel) + "', which has no cost" + on_machine + "; it has: " + list_kernels(machine));
    }
    if (task.cost.bytes.count > 0 && !has_bandwidth) {
      return found("bytes", "moves bytes, but memory_bandwidth_gb_per_s or core_bandwidth_gb_per_s is 0" + on_machine);
    }
    const bool only_arithmetic = task.cost.flops.count > 0 && task.cost.bytes.count == 0 && to_ns(task.cost.time) == 0;
    if (only_arithmetic && machine.kernel_cost(task.kernel).arithmetic.empty()) {
      return found("flops", "does arithmetic, but kernel '" + std::string(kernel) + "' has no arithmetic points" + on_machine);
    }
  }
  return std::nullopt;
}

void check_total_time(const TaskGraph& graph, const Machine& machine) {
  std::array<double, kKernelCount> slopes{};
  for (std::size_t i = 0; i < kKernelCount; ++i) slopes[i] = slope_bound(machine.kernels[i]);
  const double rate = std::min(machine.constants.memory_bandwidth, machine.constants.core_bandwidth);
  double total_ns = 0;
  for (const Task& task : graph.tasks()) {
    const auto kernel = static_cast<std::size_t>(task.kernel);
    total_ns += machine.kernels[kernel].overhead.count() + static_cast<double>(to_ns(task.cost.time)) +
                kFarthestSigma * task.cost.sigma_ns + slopes[kernel] * static_cast<double>(task.cost.flops.count) +
                (task.cost.bytes.count > 0 ? static_cast<double>(task.cost.bytes.count) / rate : 0.0);
  }
  if (total_ns > kMaxTotalNs) {
    throw InputError("the bodies of all tasks together take up to " + shortest(total_ns) + " ns on machine '" + machine.name +
                     "'; at most " + shortest(kMaxTotalNs) + " ns are allowed");
  }
}

void check_seats(const TaskGraph& graph, const Machine& machine, const Design& design) {
  const auto workers = worker_cores(design, machine);
  std::array<bool, kCoreTypeCount> seated{};
  for (const CoreType type : workers) seated[static_cast<std::size_t>(type)] = true;
  for (std::size_t i = 0; i < graph.size(); ++i) {
    const CoreType type = graph[task_id(i)].core_type;
    if (seated[static_cast<std::size_t>(type)]) continue;
    throw InputError("design '" + design.name + "': task '" + std::string(graph.name(task_id(i))) + "' needs core type '" +
                     std::string(to_word(type)) + "', but the control cores take the place of every one");
  }
}

}  // namespace tasktwin::scenarios
