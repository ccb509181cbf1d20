#include "scenarios/machine_file.hpp"

#include <algorithm>
#include <utility>

#include "scenarios/data_folder.hpp"
#include "scenarios/scenario.hpp"
#include "scenarios/schema.hpp"

namespace tasktwin::scenarios {

namespace {

/// YYYY-MM-DD with a month and a day that exist, or kUndated.
bool is_date(const std::string& text) {
  if (text == kUndated) return true;
  if (text.size() != 10 || text[4] != '-' || text[7] != '-') return false;
  const auto number = [&text](std::size_t first, std::size_t count) {
    int value = 0;
    for (const char c : text.substr(first, count)) value = c >= '0' && c <= '9' && value >= 0 ? value * 10 + (c - '0') : -1;
    return value;
  };
  const std::chrono::year_month_day date{std::chrono::year{number(0, 4)}, std::chrono::month{static_cast<unsigned>(number(5, 2))},
                                         std::chrono::day{static_cast<unsigned>(number(8, 2))}};
  return number(0, 4) > 0 && number(5, 2) > 0 && number(8, 2) > 0 && date.ok();
}

Provenance provenance_from(const Document& document, const Node& node, const std::string& path, const std::string& default_source) {
  Provenance provenance{default_source, kUndated};
  if (node.kind != Node::Kind::kMap) return provenance;
  if (const Node* source = node.find("source")) provenance.source = source->text;
  if (const Node* interval = node.find("interval")) {
    const Interval found{interval->items[0].real, interval->items[1].real};
    if (found.low > found.high) throw InputError(document.at(*interval), path + ".interval: its first number must not be above its second");
    provenance.interval = found;
  }
  if (const Node* date = node.find("date")) {
    if (!is_date(date->text)) {
      throw InputError(document.at(*date),
                       path + ".date: is " + in_quotes(date->text) + "; must be a date such as 2026-11-21, or '" + kUndated + "'");
    }
    provenance.date = date->text;
  }
  return provenance;
}

/// Each cluster takes the same number of cores from every clustered group, so all groups must make as many clusters.
void check_clusters(const Machine& machine, const Document& document, const Node& list, const std::string& path) {
  const CoreGroup* first = nullptr;
  for (std::size_t i = 0; i < machine.compute_cores.size(); ++i) {
    const CoreGroup& group = machine.compute_cores[i];
    if (group.per_cluster == 0) continue;
    const auto refuse = [&](const std::string& why) {
      throw InputError(document.at(*list.items[i].find("per_cluster")),
                       path + "[" + std::to_string(i) + "].per_cluster: is " + std::to_string(group.per_cluster) + "; " + why);
    };
    if (group.count % group.per_cluster != 0) refuse("count, " + std::to_string(group.count) + ", must be a multiple of it");
    if (!first) first = &group;
    const int clusters = group.count / group.per_cluster;
    const int expected = first->count / first->per_cluster;
    if (clusters != expected) {
      refuse("that makes " + std::to_string(clusters) + " clusters, but the " + std::string(to_word(first->type)) + " cores make " +
             std::to_string(expected));
    }
  }
}

/// The first `count` of what the machine that a scenario changes tells of `type`: fewer cores lie where the first of them all do.
std::vector<int> first_of(const std::vector<CoreGroup>& groups, CoreType type, int count, std::vector<int> CoreGroup::*told) {
  const auto group = std::ranges::find(groups, type, &CoreGroup::type);
  if (group == groups.end() || ((*group).*told).size() < static_cast<std::size_t>(count)) return {};
  return {((*group).*told).begin(), ((*group).*told).begin() + count};
}

void read_compute_cores(Machine& machine, const Document& document, const Node& list, const std::string& path) {
  const std::vector<CoreGroup> before = std::exchange(machine.compute_cores, {});
  for (std::size_t i = 0; i < list.items.size(); ++i) {
    const Node& type = *list.items[i].find("type");
    const Node* per_cluster = list.items[i].find("per_cluster");
    CoreGroup group{*from_word<CoreType>(type.text), static_cast<int>(list.items[i].find("count")->integer),
                    per_cluster ? static_cast<int>(per_cluster->integer) : 0};
    const auto one_for_each = [&](const char* field, std::vector<int> CoreGroup::*told) {
      const Node* const given = list.items[i].find(field);
      if (!given) return first_of(before, group.type, group.count, told);
      std::vector<int> numbers;
      for (const Node& number : given->items) numbers.push_back(static_cast<int>(number.integer));
      if (numbers.size() == static_cast<std::size_t>(group.count)) return numbers;
      throw InputError(document.at(*given), path + "[" + std::to_string(i) + "]." + field + ": has " + std::to_string(numbers.size()) +
                                                " entries; must have one for each of the " + std::to_string(group.count) + " cores");
    };
    group.memory_ports = one_for_each("memory_ports", &CoreGroup::memory_ports);
    group.memory_queues = one_for_each("memory_queues", &CoreGroup::memory_queues);
    if (machine.has(group.type)) {
      throw InputError(document.at(type),
                       path + "[" + std::to_string(i) + "].type: '" + type.text + "' stands twice; each core type has one entry");
    }
    machine.compute_cores.push_back(std::move(group));
  }
  check_clusters(machine, document, list, path);
}

void read_whole(const Node& map, std::string_view key, int& value) {
  if (const Node* node = map.find(key)) value = static_cast<int>(node->integer);
}

void read_control_cores(Machine& machine, const Document& document, const Node& map, const std::string& path, const std::string& source) {
  ControlCores& control = machine.control_cores;
  read_whole(map, "count", control.count);
  read_whole(map, "lanes", control.lanes);
  read_whole(map, "occupied_cores", control.occupied_cores);
  if (const Node* scale = map.find("code_scale")) {
    control.code_scale = (scale->kind == Node::Kind::kMap ? *scale->find("value") : *scale).real;
    machine.provenance[kCodeScaleKey] = provenance_from(document, *scale, path + ".code_scale", source);
  }
}

void read_limits(Machine& machine, const Document& document, const Node& map, const std::string& path, const std::string& source) {
  read_whole(map, "hardware_queues", machine.launch_limits.hardware_queues);
  read_whole(map, "resident_kernels", machine.launch_limits.resident_kernels);
  read_whole(map, "priorities", machine.launch_limits.priorities);
  read_whole(map, "partition_granularity", machine.launch_limits.partition_granularity);
  read_whole(map, "registers", machine.core_limits.registers);
  read_whole(map, "threads", machine.core_limits.threads);
  read_whole(map, "blocks", machine.core_limits.blocks);
  read_whole(map, "copy_engines", machine.memory_limits.copy_engines);
  const auto read_bytes = [&map](std::string_view key, std::int64_t& value) {
    if (const Node* bytes = map.find(key)) value = bytes->integer;
  };
  read_bytes("memory_bytes", machine.memory_limits.capacity);
  read_bytes("page_bytes", machine.memory_limits.page);
  read_bytes("pool_segment_bytes", machine.memory_limits.pool_segment);
  read_bytes("staging_bytes", machine.memory_limits.staging);
  read_bytes("cache_bytes", machine.memory_limits.cache);
  if (const Node* bytes = map.find("shared_memory_bytes")) machine.core_limits.shared_memory = bytes->integer;
  machine.provenance[kLimitsKey] = provenance_from(document, map, path, source);
}

void read_constants(Machine& machine, const Document& document, const Node& map, const std::string& path, const std::string& source) {
  for (const ConstantField& field : constant_fields()) {
    const Node* node = map.find(field.name);
    if (!node) continue;
    const Node& value = node->kind == Node::Kind::kMap ? *node->find("value") : *node;
    field.set(machine, value.real);
    machine.provenance[std::string(field.name)] = provenance_from(document, *node, path + "." + std::string(field.name), source);
  }
}

std::vector<KernelCost::Point> read_points(const Document& document, const Node& list, const std::string& path) {
  std::vector<KernelCost::Point> points;
  KernelCost::Point before;
  for (std::size_t i = 0; i < list.items.size(); ++i) {
    const auto number = [&map = list.items[i]](std::string_view key) {
      const Node* const node = map.find(key);
      return node ? node->real : 0.0;
    };
    const KernelCost::Point point{number("flops"), number("ns"), number("release_ns"), number("uncached_ns")};
    if (point.flops <= before.flops || point.ns < before.ns) {
      throw InputError(document.at(list.items[i]),
                       path + "[" + std::to_string(i) + "]: flops must rise from point to point, from above 0, and ns must not fall");
    }
    points.push_back(before = point);
  }
  return points;
}

void read_kernels(Machine& machine, const Document& document, const Node& map, const std::string& path, const std::string& source) {
  for (std::size_t i = 0; i < map.keys.size(); ++i) {
    const Kernel kernel = *from_word<Kernel>(map.keys[i].text);
    KernelCost& cost = machine.kernels[static_cast<std::size_t>(kernel)];
    const std::string here = path + "." + map.keys[i].text;
    for (const KernelField& field : kernel_fields()) {
      if (const Node* value = map.items[i].find(field.name)) field.set(cost, value->real);
    }
    if (const Node* points = map.items[i].find("arithmetic")) cost.arithmetic = read_points(document, *points, here + ".arithmetic");
    machine.provenance[kernel_key(kernel)] = provenance_from(document, map.items[i], here, source);
  }
}

void apply(Machine& machine, const Document& document, const Node& map, const std::string& prefix, const std::string& source) {
  if (const Node* cores = map.find("compute_cores")) read_compute_cores(machine, document, *cores, prefix + "compute_cores");
  if (const Node* control = map.find("control_cores")) read_control_cores(machine, document, *control, prefix + "control_cores", source);
  if (const Node* limits = map.find("limits")) read_limits(machine, document, *limits, prefix + "limits", source);
  if (const Node* constants = map.find("constants")) read_constants(machine, document, *constants, prefix + "constants", source);
  if (const Node* kernels = map.find("kernels")) read_kernels(machine, document, *kernels, prefix + "kernels", source);
}

}  // namespace

std::string kernel_key(Kernel kernel) { return "kernels." + std::string(to_word(kernel)); }

Machine machine_from(const Document& document) {
  machine_schema().check(document);
  Machine machine;
  machine.name = document.root.find("machine")->text;
  if (const Node* description = document.root.find("description")) machine.description = description->text;
  apply(machine, document, document.root, "", "");
  return machine;
}

void apply_changes(Machine& machine, const Document& document, const Node& changes, const std::string& source) {
  apply(machine, document, changes, "machine.", source);
}

Machine load_machine(const std::string& path_or_name) {
  const FoundFile found = find_machine(path_or_name, {});
  if (!found.exists) throw InputError({path_or_name}, why_no_machine(path_or_name));
  return machine_from(read_document(found.path));
}

std::string machine_hash(const Machine& machine) {
  std::uint64_t hash = 0xcbf29ce484222325ull;
  for (const char c : machine_to_yaml(machine)) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3ull;
  constexpr std::string_view digits = "0123456789abcdef";
  std::string text;
  for (int shift = 60; shift >= 0; shift -= 4) text += digits[(hash >> shift) & 15];
  return text;
}

}  // namespace tasktwin::scenarios
