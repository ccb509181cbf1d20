#include <algorithm>
#include <span>

#include "scenarios/machine_file.hpp"
#include "scenarios/scalar.hpp"
#include "scenarios/scenario.hpp"

namespace tasktwin::scenarios {

namespace {

/// YAML's double-quoted form.
std::string yaml_text(std::string_view text) {
  constexpr std::string_view digits = "0123456789ABCDEF";
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') quoted += '\\';
    if (c == '\n') {
      quoted += "\\n";
    } else if (const auto byte = static_cast<unsigned char>(c); byte < 0x20 || byte == 0x7F) {
      quoted += {'\\', 'x', digits[byte >> 4], digits[byte & 15]};
    } else {
      quoted += c;
    }
  }
  return quoted + "\"";
}

std::string provenance_text(const Machine& machine, std::string_view key) {
  const auto found = machine.provenance.find(key);
  const Provenance provenance = found == machine.provenance.end() ? Provenance{"not stated", kUndated} : found->second;
  const std::string interval =
      provenance.interval ? "interval: [" + shortest(provenance.interval->low) + ", " + shortest(provenance.interval->high) + "], " : "";
  return interval + "source: " + yaml_text(provenance.source.empty() ? "not stated" : provenance.source) +
         ", date: " + (provenance.date.empty() ? kUndated : provenance.date) + "}";
}

std::string kernel_text(const Machine& machine, Kernel kernel) {
  const KernelCost& cost = machine.kernel_cost(kernel);
  std::string points;
  for (const KernelCost::Point& point : cost.arithmetic) {
    points += (points.empty() ? "{flops: " : ", {flops: ") + shortest(point.flops) + ", ns: " + shortest(point.ns) +
              (point.release_ns > 0 ? ", release_ns: " + shortest(point.release_ns) : std::string()) +
              (point.uncached_ns > 0 ? ", uncached_ns: " + shortest(point.uncached_ns) : std::string()) + "}";
  }
  std::string fields;
  for (const KernelField& field : kernel_fields()) {
    if (field.time == &KernelCost::overhead || field.get(cost) != field.absent)
      fields += std::string(field.name) + ": " + shortest(field.get(cost)) + ", ";
  }
  return "  " + std::string(to_word(kernel)) + ": {" + fields + "arithmetic: [" + points + "],\n    " +
         provenance_text(machine, kernel_key(kernel)) + "\n";
}

std::string kernels_comment() {
  std::string text;
  for (const KernelField& field : kernel_fields()) text += "# " + std::string(field.name) + ": " + std::string(field.meaning) + "\n";
  return text +
         "# arithmetic: time by size, and what a size adds to release_ns and uncached_ns, piecewise linear through (0, 0) and these "
         "points\n";
}

std::string control_cores_text(const Machine& machine) {
  const ControlCores& control = machine.control_cores;
  std::string text = "control_cores: {count: " + std::to_string(control.count) + ", lanes: " + std::to_string(control.lanes) +
                     ", occupied_cores: " + std::to_string(control.occupied_cores);
  if (control.code_scale != 1 || machine.provenance.contains(kCodeScaleKey)) {
    text += ",\n  code_scale: {value: " + shortest(control.code_scale) + ", " + provenance_text(machine, kCodeScaleKey);
  }
  return text + "}\n";
}

std::string limits_text(const Machine& machine) {
  const CoreLimits& core = machine.core_limits;
  const LaunchLimits& launch = machine.launch_limits;
  const MemoryLimits& memory = machine.memory_limits;
  if (core == CoreLimits{} && launch == LaunchLimits{} && memory == MemoryLimits{} && !machine.provenance.contains(kLimitsKey)) return "";
  return "# what kernels meet on the device and one core holds at a time; 0 for no limit\nlimits: {hardware_queues: " +
         std::to_string(launch.hardware_queues) + ", resident_kernels: " + std::to_string(launch.resident_kernels) +
         ", priorities: " + std::to_string(launch.priorities) + ", partition_granularity: " + std::to_string(launch.partition_granularity) +
         ", registers: " + std::to_string(core.registers) + ", threads: " + std::to_string(core.threads) +
         ", blocks: " + std::to_string(core.blocks) + ", shared_memory_bytes: " + std::to_string(core.shared_memory) +
         ",\n  copy_engines: " + std::to_string(memory.copy_engines) + ", memory_bytes: " + std::to_string(memory.capacity) +
         ", page_bytes: " + std::to_string(memory.page) + ", pool_segment_bytes: " + std::to_string(memory.pool_segment) +
         ", staging_bytes: " + std::to_string(memory.staging) + ", cache_bytes: " + std::to_string(memory.cache) + ",\n  " +
         provenance_text(machine, kLimitsKey) + "\n";
}

/// One for each core; nothing where there are none.
std::string numbers_text(const std::string& field, std::span<const int> numbers) {
  std::string list;
  for (const int number : numbers) list += (list.empty() ? "" : ", ") + std::to_string(number);
  return list.empty() ? "" : ",\n     " + field + ": [" + list + "]";
}

}  // namespace

std::string machine_to_yaml(const Machine& machine) {
  std::string text = "machine: " + machine.name + "\n";
  if (!machine.description.empty()) text += "description: " + yaml_text(machine.description) + "\n";
  text += "compute_cores:\n";
  for (const CoreGroup& group : machine.compute_cores) {
    text += "  - {type: " + std::string(to_word(group.type)) + ", count: " + std::to_string(group.count) +
            (group.per_cluster > 0 ? ", per_cluster: " + std::to_string(group.per_cluster) : "") +
            numbers_text("memory_ports", group.memory_ports) + numbers_text("memory_queues", group.memory_queues) + "}\n";
  }
  text += control_cores_text(machine) + limits_text(machine) + "constants:\n";
  for (const ConstantField& field : constant_fields()) {
    const double value = field.get(machine);
    if (value == field.get(Constants{}) && !machine.provenance.contains(field.name)) continue;
    text += "  # " + std::string(field.meaning) + "\n  " + std::string(field.name) + ": {value: " + shortest(value) + ", " +
            provenance_text(machine, field.name) + "\n";
  }
  std::string kernels;
  for (const auto& [kernel, word] : Words<Kernel>::entries) {
    const KernelCost& cost = machine.kernel_cost(kernel);
    const bool known = machine.provenance.contains(kernel_key(kernel)) || !cost.arithmetic.empty() ||
                       std::ranges::any_of(kernel_fields(), [&cost](const KernelField& field) { return field.get(cost) != field.absent; });
    if (known) kernels += kernel_text(machine, kernel);
  }
  return text + (kernels.empty() ? "kernels: {}\n" : kernels_comment() + "kernels:\n" + kernels);
}

}  // namespace tasktwin::scenarios
