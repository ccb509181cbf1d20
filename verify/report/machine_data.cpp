#include "verify/report/machine_data.hpp"

#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "scenarios/machine_files/machine_file.hpp"
#include "verify/predict/remarks.hpp"

namespace tasktwin::verify {

namespace {

/// Such as "assumed: …" or "launches along a chain; NVIDIA H200 …; 2026-11-26".
std::string source_text(const Machine& machine, const Provenance& provenance) {
  std::string text = provenance.text;
  if (provenance.source == Source::kAssumed || provenance.source == Source::kPublished)
    text = fmt::format("{}: {}", to_word(provenance.source), text);
  if (provenance.source == Source::kMeasured && !machine.measured.device.empty()) text += "; " + machine.measured.device;
  if (!provenance.date.empty()) text += (text.empty() ? "" : "; ") + provenance.date;
  return text;
}

class ConstantRows {
 public:
  explicit ConstantRows(const Machine& machine) : machine_(machine) {}

  /// Left out where it is 0 and the machine file does not say so.
  void add_stated(std::string_view name, double value, std::string_view unit, std::string_view key) {
    if (value != 0 || machine_.provenance.contains(key)) add(name, value, unit, key);
  }

  void add(std::string_view name, double value, std::string_view unit, std::string_view key = "") {
    const auto found = machine_.provenance.find(key);
    std::string source;
    if (found != machine_.provenance.end()) {
      source = source_text(machine_, found->second);
    }
    Json interval;
    if (found != machine_.provenance.end() && found->second.interval)
      interval = Json{found->second.interval->low, found->second.interval->high};
    const auto inherited = machine_.inherited.find(key);
    rows_.push_back({{"name", name},
                     {"value", value},
                     {"unit", unit},
                     {"interval", interval},
                     {"source", source},
                     {"inherited", inherited == machine_.inherited.end() ? "" : inherited->second}});
  }

  Json take() { return std::move(rows_); }

 private:
  const Machine& machine_;
  Json rows_ = Json::array();
};

void add_limits(ConstantRows& rows, const Machine& machine) {
  const auto add = [&rows](std::string_view name, std::int64_t value, std::string_view unit) {
    if (value != 0) rows.add(fmt::format("limits.{}", name), static_cast<double>(value), unit, scenarios::kLimitsKey);
  };
  add("hardware_queues", machine.launch_limits.hardware_queues, "queues");
  add("resident_kernels", machine.launch_limits.resident_kernels, "kernels");
  add("stream_launches", machine.launch_limits.stream_launches, "launches");
  add("priorities", machine.launch_limits.priorities, "levels");
  add("partition_granularity", machine.launch_limits.partition_granularity, "cores");
  add("registers", machine.core_limits.registers, "registers a core");
  add("threads", machine.core_limits.threads, "threads a core");
  add("blocks", machine.core_limits.blocks, "blocks a core");
  add("shared_memory_bytes", machine.core_limits.shared_memory, "bytes a core");
  add("copy_engines", machine.memory_limits.copy_engines, "engines");
  add("memory_bytes", machine.memory_limits.capacity, "bytes");
  add("page_bytes", machine.memory_limits.page, "bytes");
  add("pool_segment_bytes", machine.memory_limits.pool_segment, "bytes");
  add("staging_bytes", machine.memory_limits.staging, "bytes");
  add("cache_bytes", machine.memory_limits.cache, "bytes");
}

void add_cores(ConstantRows& rows, const Machine& machine) {
  for (const CoreGroup& group : machine.compute_cores) rows.add(fmt::format("compute_cores.{}", to_word(group.type)), group.count, "cores");
  const ControlCores& control = machine.control_cores;
  rows.add("control_cores.count", control.count, "cores");
  rows.add("control_cores.lanes", control.lanes, "items at a time");
  rows.add("control_cores.occupied_cores", control.occupied_cores, "compute cores");
  rows.add("control_cores.code_scale", control.code_scale, "", scenarios::kCodeScaleKey);
}

/// What the file says of the device: its description, and when its numbers are from.
std::string about(const Machine& machine) {
  std::set<std::string> dates;
  for (const auto& [key, provenance] : machine.provenance) {
    if (!provenance.date.empty()) dates.insert(provenance.date);
  }
  if (dates.empty()) return machine.description;
  const std::string when = dates.size() == 1 ? "of " + *dates.begin() : fmt::format("of {} to {}", *dates.begin(), *dates.rbegin());
  return fmt::format("{}{}constants {}", machine.description, machine.description.empty() ? "" : "; ", when);
}

/// Of a shipped file its place among those, so that pages do not differ by where the project lies.
std::string shown_path(const std::string& file) {
  const std::filesystem::path shipped = std::filesystem::path(file).lexically_relative(scenarios::data_folder());
  return shipped.empty() || *shipped.begin() == ".." ? file : shipped.generic_string();
}

}  // namespace

std::string_view unit_of(std::string_view constant) {
  if (constant.ends_with("_per_mib_ns")) return "ns/MiB";
  if (constant.ends_with("_ns") || constant.ends_with(".arithmetic")) return "ns";
  if (constant.ends_with("_gb_per_s")) return "GB/s";
  if (constant.ends_with("_ratio")) return "ratio";
  return "";
}

Json machine_data(const scenarios::Scenario& scenario, std::span<const Design* const> designs) {
  const Machine& machine = scenario.machine;
  ConstantRows rows(machine);
  add_cores(rows, machine);
  add_limits(rows, machine);
  for (const ConstantField* field : constants_of(machine))
    rows.add_stated(field->key, field->get(machine), unit_of(field->key), field->key);
  for (const auto& [kernel, word] : Words<Kernel>::entries) {
    const KernelCost& cost = machine.kernel_cost(kernel);
    const std::string key = scenarios::kernel_key(kernel);
    for (const KernelField& field : kernel_fields()) {
      const bool stated = field.get(cost) != field.absent || (field.time == &KernelCost::overhead && machine.provenance.contains(key));
      if (stated) rows.add(fmt::format("{}.{}", key, field.name), field.get(cost), unit_of(field.name), key);
    }
    for (const KernelCost::Point& point : cost.arithmetic) rows.add(fmt::format("{} at {} flops", key, point.flops), point.ns, "ns", key);
  }
  return {{"name", scenarios::machine_title(machine)},
          {"file", shown_path(scenario.machine_file)},
          {"hash", scenario.machine_hash},
          {"about", about(machine)},
          {"inherited", inherited_constants(machine, designs, scenario.graph).sentence()},
          {"constants", rows.take()},
          {"text", scenarios::machine_to_yaml(machine)}};
}

}  // namespace tasktwin::verify
