#include "scenarios/tasks/demands.hpp"

#include <algorithm>
#include <array>

#include "models/base/error.hpp"
#include "models/cost/body_cost.hpp"
#include "models/machine/clusters.hpp"
#include "models/policies/policies.hpp"
#include "models/runtimes/runtimes.hpp"
#include "scenarios/document/scalar.hpp"
#include "scenarios/machine_files/machine_file.hpp"

namespace tasktwin::scenarios {

namespace {

/// One body or transfer: 13 days, beyond which the simulator's sums are no longer exact.
constexpr double kMaxBodyNs = 0x1p50;
/// How far a normal time may stray above its mean in units of sigma; Box and Muller's largest draw is about 8.6.
constexpr double kFarthestSigma = 9;

std::string list_kernels(const Machine& machine) {
  std::string text;
  for (const auto& [kernel, word] : Words<Kernel>::entries) {
    if (machine.provenance.contains(kernel_key(kernel))) text += (text.empty() ? "" : ", ") + std::string(word);
  }
  return text.empty() ? "none" : text;
}

/// Of a thread on every GPU of compute capability 8.0 to 12.0 (CUDA C++ Programming Guide, technical specifications). Threads of a block
/// have their limit where they are stated (kMostBlockThreads): an import takes the blocks that share a core as one.
constexpr std::int64_t kMostThreadRegisters = 255;

/// What of one block of a task is more than a whole core has, or CUDA launches, and who has how much.
struct Excess {
  std::string_view field;
  std::string needed;
  std::string limit;
};
std::optional<Excess> block_excess(const TaskTraits& traits, const Machine& machine) {
  const CoreLimits& limits = machine.core_limits;
  const auto of_core = [&machine](std::int64_t limit) { return "a core of machine '" + machine.name + "' has " + std::to_string(limit); };
  const auto exceeds = [](std::int64_t needed, std::int64_t limit) { return limit > 0 && needed > limit; };
  const auto text = [](std::int64_t number, std::string_view unit) { return std::to_string(number) + std::string(unit); };
  if (exceeds(traits.threads, limits.threads)) return Excess{"threads", text(traits.threads, " threads a block"), of_core(limits.threads)};
  if (limits.threads > 0 && traits.registers > kMostThreadRegisters)
    return Excess{"registers", text(traits.registers, " registers a thread"),
                  "CUDA gives " + std::to_string(kMostThreadRegisters) + " at most"};
  const std::int64_t registers = std::int64_t{traits.registers} * traits.threads;
  if (exceeds(registers, limits.registers))
    return Excess{"registers", text(registers, " registers (threads x registers) a block"), of_core(limits.registers)};
  if (exceeds(traits.shared_memory, limits.shared_memory - limits.reserved))
    return Excess{"shared_memory_bytes", text(traits.shared_memory, " bytes of shared memory a block"),
                  of_core(limits.shared_memory - limits.reserved)};
  return std::nullopt;
}

bool has_input_bytes(const TaskGraph& graph, TaskId id) {
  return std::ranges::any_of(graph.input_bytes(id), [](std::int64_t bytes) { return bytes > 0; });
}

/// The longest that the body of a task may last without its bytes, and all bytes that it may move, over all its blocks.
struct Worst {
  double ns = 0;
  double bytes = 0;
};
Worst worst_case(const TaskGraph& graph, TaskId id) {
  const Cost& cost = graph[id].cost;
  const TaskTraits& traits = graph.traits(id);
  double ns = static_cast<double>(to_ns(cost.time)) + kFarthestSigma * cost.sigma_ns;
  for (const Duration sample : traits.samples) ns = std::max(ns, static_cast<double>(to_ns(sample)));
  ns = std::max(ns, static_cast<double>(to_ns(traits.other_time)));
  ns += static_cast<double>(to_ns(traits.prologue));
  auto bytes = static_cast<double>(cost.bytes.count) + static_cast<double>(traits.prologue_bytes);
  for (const std::int64_t input : graph.input_bytes(id)) bytes += static_cast<double>(input);
  return {ns * traits.blocks, bytes * traits.blocks};
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

/// The slowest way between two devices in bytes/ns; 0 where there is no second device.
double slowest_way(const Machine& machine) {
  if (machine.devices.count() == 1 || !machine.peers) return 0;
  double rate = machine.peers->link_bandwidth;
  if (machine.devices.nodes > 1 && machine.network)
    rate = std::min({rate, machine.network->nic_bandwidth, machine.network->tree_bandwidth});
  return machine.collectives ? rate * std::min(1.0, machine.collectives->efficiency) : rate;
}

/// The longest that what a task sends to other devices may take: a collective's bytes twice from each rank, or what its edges bring.
double sending_ns(const TaskGraph& graph, TaskId id, double rate) {
  if (rate <= 0) return 0;
  double bytes = is_collective(graph[id].operation) ? 2 * static_cast<double>(graph[id].cost.bytes.count) : 0;
  for (const std::int64_t input : graph.input_bytes(id)) bytes += static_cast<double>(input);
  return bytes / rate;
}

}  // namespace

std::string list_core_types(const Machine& machine) {
  std::vector<std::string_view> types;
  for (const CoreGroup& group : machine.compute_cores) types.push_back(to_word(group.type));
  if (machine.has_clusters()) types.push_back(to_word(CoreType::kMix));
  std::string text = "core_type ";
  for (std::size_t i = 0; i < types.size(); ++i) text += (i == 0 ? "" : i + 1 == types.size() ? " or " : ", ") + std::string(types[i]);
  return text;
}

std::optional<Impossible> impossible_task(const TaskGraph& graph, const Machine& machine, std::size_t first) {
  const bool has_bandwidth = machine.memory && std::min(machine.memory->bandwidth, machine.memory->core_bandwidth) > 0;
  const std::string on_machine = " on machine '" + machine.name + "'";
  std::vector<bool> priced(machine.kernels.size(), true);
  for (const auto& [kernel, word] : Words<Kernel>::entries)
    priced[static_cast<std::size_t>(kernel)] = machine.provenance.contains(kernel_key(kernel));

  for (std::size_t i = first; i < graph.size(); ++i) {
    const Task& task = graph[task_id(i)];
    const auto found = [&](std::string_view field, const std::string& why) { return Impossible{task_id(i), field, why}; };
    if (task.device >= machine.devices.count()) {
      return found("device",
                   "is for device " + std::to_string(task.device) + ", but machine '" + machine.name + "' has " +
                       (machine.devices.count() == 1 ? "one device, 0" : "devices 0 to " + std::to_string(machine.devices.count() - 1)));
    }
    if (task.operation == Operation::kCopyP2p && task.args[2] >= machine.devices.count())
      return found("to_device",
                   "is a copy to device " + std::to_string(task.args[2]) + ", which machine '" + machine.name + "' does not have");
    if (task.operation == Operation::kCopyP2p && machine.devices.count() > 1 && task.args[2] == task.device)
      return found("to_device", "copies from device " + std::to_string(task.device) + " to itself; it must go to another one");
    if (is_collective(task.operation) && machine.devices.count() == 1)
      return found("operation", "is part of a collective, but machine '" + machine.name + "' has one device");
    if (task.operation != Operation::kKernel) {
      const bool moves = is_transfer(task.operation) && task.cost.bytes.count > 0 && task.cost.time == Duration{0};
      if (!moves || transfer_rate(machine, task.operation, graph.traits(task_id(i)).pageable) > 0) continue;
      return found("operation", "is a " + std::string(to_word(task.operation)) + ", for which there is no bandwidth" + on_machine);
    }
    const std::string_view kernel = graph.kernel_name(task_id(i));
    if (!machine.has(task.core_type)) {
      return found("core_type", "needs core type '" + std::string(to_word(task.core_type)) + "', which machine '" + machine.name +
                                    "' lacks; give it " + list_core_types(machine));
    }
    if (!priced[static_cast<std::size_t>(task.kernel)]) {
      return found("kernel", "runs kernel '" + std::string(kernel) + "', which has no cost" + on_machine +
                                 "; it has: " + list_kernels(machine) + "; state kernels." + std::string(kernel) + " in " +
                                 (machine.file.empty() ? "the machine" : machine.file) + " or in 'machine' of the scenario");
    }
    if (const auto excess = block_excess(graph.traits(task_id(i)), machine))
      return found(excess->field, "needs " + excess->needed + ", but " + excess->limit);
    if (has_input_bytes(graph, task_id(i)) && !has_bandwidth) {
      return found("after", "takes in bytes, but memory.bandwidth_gb_per_s or memory.core_bandwidth_gb_per_s is 0" + on_machine);
    }
    if (task.cost.bytes.count > 0 && !has_bandwidth) {
      return found("bytes", "moves bytes, but memory.bandwidth_gb_per_s or memory.core_bandwidth_gb_per_s is 0" + on_machine);
    }
    if (graph.traits(task_id(i)).prologue_bytes > 0 && !has_bandwidth) {
      return found("prologue_bytes",
                   "reads bytes in its prologue, but memory.bandwidth_gb_per_s or memory.core_bandwidth_gb_per_s is 0" + on_machine);
    }
    const bool only_arithmetic = task.cost.flops.count > 0 && task.cost.bytes.count == 0 && to_ns(task.cost.time) == 0;
    if (only_arithmetic && arithmetic_cost(machine, task.kernel).arithmetic.empty()) {
      return found("flops", "does arithmetic, but kernel '" + std::string(kernel) + "' has no arithmetic points" + on_machine);
    }
  }
  return std::nullopt;
}

void check_total_time(const TaskGraph& graph, const Machine& machine) {
  std::vector<double> slopes;
  for (std::size_t i = 0; i < machine.kernels.size(); ++i) slopes.push_back(slope_bound(arithmetic_cost(machine, static_cast<Kernel>(i))));
  const double way = slowest_way(machine);
  double total_ns = 0;
  const auto add = [&](TaskId id, double longest, double all_blocks) {
    if (longest > kMaxBodyNs) {
      throw InputError("task '" + std::string(graph.name(id)) + "' would take up to " + shortest(longest) + " ns on machine '" +
                       machine.name + "'; at most 2^50 ns (13 days) are allowed");
    }
    total_ns += all_blocks;
  };
  for (std::size_t i = 0; i < graph.size(); ++i) {
    const Task& task = graph[task_id(i)];
    const double sending = sending_ns(graph, task_id(i), way);
    if (task.operation != Operation::kKernel) {
      const double whole = transfer_rate(machine, task.operation, graph.traits(task_id(i)).pageable);
      const double moving = is_transfer(task.operation) && whole > 0 ? static_cast<double>(task.cost.bytes.count) / whole : 0.0;
      const double longest = static_cast<double>(to_ns(task.cost.time)) + moving + sending;
      add(task_id(i), longest, longest);
      continue;
    }
    const auto kernel = static_cast<std::size_t>(task.kernel);
    const Worst worst = worst_case(graph, task_id(i));
    const double core = machine.memory ? machine.memory->core_bandwidth : 0;
    const double alone = machine.kernels[kernel].bandwidth > 0 ? machine.kernels[kernel].bandwidth : core;
    const double rate = machine.memory ? std::min(machine.memory->bandwidth, alone) : 0;
    const double arithmetic = slopes[kernel] * static_cast<double>(task.cost.flops.count);
    const double rows = machine.kernels[kernel].row.count() * static_cast<double>(matrix_rows(task)) +
                        machine.kernels[kernel].step.count() * static_cast<double>(reading_steps(task, graph.problem()));
    const int blocks = graph.traits(task_id(i)).blocks;
    const double all_blocks =
        worst.ns + (machine.kernels[kernel].overhead.count() + arithmetic + rows) * blocks + (worst.bytes > 0 ? worst.bytes / rate : 0.0);
    add(task_id(i), all_blocks / blocks + sending, all_blocks + sending);
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
  seated[static_cast<std::size_t>(CoreType::kMix)] = !clusters(machine.compute_cores, workers).empty();
  for (std::size_t i = 0; i < graph.size(); ++i) {
    if (graph[task_id(i)].operation != Operation::kKernel) continue;
    const CoreType type = graph[task_id(i)].core_type;
    if (seated[static_cast<std::size_t>(type)]) continue;
    throw InputError("design '" + design.name + "': task '" + std::string(graph.name(task_id(i))) + "' needs core type '" +
                     std::string(to_word(type)) + "', but the control cores take the place of every one");
  }
  if (has_lists(design)) check_worker_ranges(graph, design, workers);
}

}  // namespace tasktwin::scenarios
