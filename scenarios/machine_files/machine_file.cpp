#include "scenarios/machine_files/machine_file.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <set>
#include <system_error>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "scenarios/document/document_kind.hpp"
#include "scenarios/files/data_folder.hpp"
#include "scenarios/files/quoted.hpp"
#include "scenarios/files/text_hash.hpp"
#include "scenarios/machine_files/devices_file.hpp"
#include "scenarios/machine_files/load_machine.hpp"
#include "scenarios/machine_files/machine_schema.hpp"

namespace tasktwin::scenarios {

namespace {

/// YYYY-MM-DD with a month and a day that exist.
bool is_date(const std::string& text) {
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

void check_date(const Document& document, const Node& date, const std::string& path) {
  if (is_date(date.text)) return;
  throw InputError(document.at(date), path + ".date: is " + in_quotes(date.text) + "; must be a date such as 2026-11-21");
}

/// Reads what constants say of themselves; `stated_by` is the word of those that say nothing.
class Sources {
 public:
  Sources(const Document& document, const Node& map, const MeasuredOn& measured, std::string stated_by)
      : document_(document), methods_(map.find("methods")), measured_(measured), stated_by_(std::move(stated_by)) {}

  Provenance of(const Node& node, const std::string& path) const {
    Provenance provenance{Source::kStated, stated_by_};
    if (node.kind != Node::Kind::kMap) return provenance;
    const Node* found = nullptr;
    for (const auto& [key, source] :
         {std::pair{"method", Source::kMeasured}, std::pair{"published", Source::kPublished}, std::pair{"assumed", Source::kAssumed}}) {
      const Node* const given = node.find(key);
      if (!given) continue;
      if (found) throw InputError(document_.at(*given), path + ": has two sources; method, published and assumed exclude each other");
      found = given;
      provenance.source = source;
      provenance.text = source == Source::kMeasured ? method(*given, path) : given->text;
    }
    if (provenance.source == Source::kMeasured) provenance.date = measured_.date;
    if (const Node* interval = node.find("interval")) {
      const Interval bounds{interval->items[0].real, interval->items[1].real};
      if (bounds.low > bounds.high)
        throw InputError(document_.at(*interval), path + ".interval: its first number must not be above its second");
      provenance.interval = bounds;
    }
    if (const Node* date = node.find("date")) {
      check_date(document_, *date, path);
      provenance.date = date->text;
    }
    return provenance;
  }

 private:
  std::string method(const Node& name, const std::string& path) const {
    if (const Node* const text = methods_ ? methods_->find(name.text) : nullptr) return text->text;
    std::vector<std::string_view> known;
    for (std::size_t i = 0; methods_ && i < methods_->keys.size(); ++i) known.push_back(methods_->keys[i].text);
    throw InputError(document_.at(name), path + ".method: 'methods' has no " + in_quotes(name.text) + suggest(name.text, known) +
                                             "; it says there, in words, how it was measured");
  }

  const Document& document_;
  const Node* methods_;
  const MeasuredOn& measured_;
  std::string stated_by_;
};

/// Each cluster takes the same number of cores from every clustered group, so all groups must make as many clusters.
void check_clusters(const Machine& machine, const Document& document, const Node& list, const std::string& path) {
  const CoreGroup* first = nullptr;
  for (std::size_t i = 0; i < machine.compute_cores.size(); ++i) {
    const CoreGroup& group = machine.compute_cores[i];
    if (group.per_cluster == 0) continue;
    const auto refuse = [&](const std::string& why) {
      const Node* const stated = list.items[i].find("per_cluster");
      throw InputError(document.at(stated ? *stated : list.items[i]),
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

/// A core type belongs to clusters as in the machine that a file starts from, where it says nothing else.
int per_cluster_of(const std::vector<CoreGroup>& groups, CoreType type) {
  const auto group = std::ranges::find(groups, type, &CoreGroup::type);
  return group == groups.end() ? 0 : group->per_cluster;
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
    const CoreType core_type = *from_word<CoreType>(type.text);
    CoreGroup group{core_type, static_cast<int>(list.items[i].find("count")->integer),
                    per_cluster ? static_cast<int>(per_cluster->integer) : per_cluster_of(before, core_type)};
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
    group.cluster_groups = one_for_each("cluster_groups", &CoreGroup::cluster_groups);
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

void read_control_cores(Machine& machine, const Node& map, const std::string& path, const Sources& sources) {
  ControlCores& control = machine.control_cores;
  read_whole(map, "count", control.count);
  read_whole(map, "lanes", control.lanes);
  read_whole(map, "occupied_cores", control.occupied_cores);
  if (const Node* scale = map.find("code_scale")) {
    control.code_scale = (scale->kind == Node::Kind::kMap ? *scale->find("value") : *scale).real;
    machine.provenance[kCodeScaleKey] = sources.of(*scale, path + ".code_scale");
  }
}

std::vector<int> read_carveouts(const Document& document, const Node& list, const std::string& path) {
  std::vector<int> sizes;
  for (const Node& size : list.items) {
    if (!sizes.empty() && size.integer <= sizes.back()) {
      throw InputError(document.at(size),
                       path + ": " + size.text + " stands behind " + std::to_string(sizes.back()) + "; sizes must ascend");
    }
    sizes.push_back(static_cast<int>(size.integer));
  }
  return sizes;
}

void read_limits(Machine& machine, const Document& document, const Node& map, const std::string& path, const Sources& sources) {
  for (const LimitField& field : limit_fields()) {
    if (const Node* number = map.find(field.name)) field.set(machine, number->integer);
  }
  if (const Node* sizes = map.find("carveouts_kib"))
    machine.core_limits.carveouts = read_carveouts(document, *sizes, path + ".carveouts_kib");
  machine.provenance[kLimitsKey] = sources.of(map, path);
}

void state(Machine& machine, const ConstantField& field, double value, Provenance provenance) {
  field.set(machine, value);
  machine.unstated.erase(field.key);
  machine.inherited.erase(field.key);
  machine.assumed.erase(field.key);
  machine.provenance[field.key] = std::move(provenance);
}

/// A value that is assumed is in the range of each constant that it is assumed of.
void check_range(const Document& document, const Node& value, const ConstantField& field, const std::string& path) {
  const bool is_count = field.unit == Unit::kCount;
  if (value.real >= field.min && value.real <= field.max && (!is_count || value.kind == Node::Kind::kInteger)) return;
  throw InputError(document.at(value), path + ".value: is " + value.text + "; " + in_quotes(field.name) + " must be " +
                                           (is_count ? "a whole number, " : "") + std::to_string(std::llround(field.min)) + " to " +
                                           std::to_string(std::llround(field.max)));
}

/// A constant occurs once: by itself, or in one of the lists of those assumed.
void read_assumed(Machine& machine, const Document& document, const MachineSection& section, const Node& map, const std::string& path) {
  const Node* const groups = map.find("assumed");
  std::set<std::string_view> stated;
  for (std::size_t i = 0; groups && i < groups->items.size(); ++i) {
    const Node& group = groups->items[i];
    for (const Node& name : group.items[static_cast<std::size_t>(group.find_key("constants") - group.keys.data())].items) {
      const ConstantField& field = *find_constant(std::string(section.name) + "." + name.text);
      const std::string here = path + ".assumed[" + std::to_string(i) + "]";
      if (map.find(name.text) || !stated.insert(name.text).second)
        throw InputError(document.at(name), here + ": " + in_quotes(name.text) + " is stated besides");
      check_range(document, *group.find("value"), field, here);
      state(machine, field, group.find("value")->real, {Source::kAssumed, group.find("reason")->text});
    }
  }
}

/// Constants of a new section that are not stated are kept as such: a design that reads them is refused.
void read_section(Machine& machine, const Document& document, const MachineSection& section, const Node& map, const std::string& path,
                  const Sources& sources) {
  const bool is_new = !section.present(machine);
  if (is_new) section.add(machine);
  for (const ConstantField& field : constant_fields()) {
    if (field.section != section.name) continue;
    if (is_new) machine.unstated.insert(field.key);
    const Node* const node = map.find(field.name);
    if (!node) continue;
    const Node& value = node->kind == Node::Kind::kMap ? *node->find("value") : *node;
    state(machine, field, value.real, sources.of(*node, path + "." + field.name));
  }
  read_assumed(machine, document, section, map, path);
}

std::vector<KernelCost::Point> read_points(const Document& document, const Node& list, const std::string& path) {
  std::vector<KernelCost::Point> points;
  KernelCost::Point before;
  for (std::size_t i = 0; i < list.items.size(); ++i) {
    const auto number = [&map = list.items[i]](std::string_view key) {
      const Node* const node = map.find(key);
      return node ? node->real : 0.0;
    };
    const KernelCost::Point point{number("flops"), number("ns"), number("uncached_ns")};
    if (point.flops <= before.flops || point.ns < before.ns) {
      throw InputError(document.at(list.items[i]),
                       path + "[" + std::to_string(i) + "]: flops must rise from point to point, from above 0, and ns must not fall");
    }
    points.push_back(before = point);
  }
  return points;
}

/// Of a kernel that the machine has no cost for: nothing that it is charged for is silently 0.
void check_in_full(const Machine& machine, const Document& document, const Node& cost, const std::string& path) {
  const auto& kernel = machine_schema().json()["definitions"]["kernel"];
  for (const auto& key : kernel["required"]) {
    const auto& word = key.get_ref<const std::string&>();
    if (cost.find(word)) continue;
    throw InputError(document.at(cost), path + "." + word + ": missing (" + kernel["properties"][word]["description"].get<std::string>() +
                                            "): machine '" + machine.name + "' has no such kernel to change");
  }
}

void read_kernels(Machine& machine, const Document& document, const Node& map, const std::string& path, const Sources& sources) {
  for (std::size_t i = 0; i < map.keys.size(); ++i) {
    const Kernel kernel = *from_word<Kernel>(map.keys[i].text);
    const std::string here = path + "." + map.keys[i].text;
    if (!machine.provenance.contains(kernel_key(kernel))) check_in_full(machine, document, map.items[i], here);
    read_kernel_cost(machine.kernels[static_cast<std::size_t>(kernel)], document, map.items[i], here);
    machine.provenance[kernel_key(kernel)] = sources.of(map.items[i], here);
  }
}

/// In place of those for the same collective, that many ranks and the same way of launching.
void read_collectives(Machine& machine, const Document& document, const Node& list, const std::string& path, const Sources& sources) {
  std::set<std::string> stated;
  for (std::size_t i = 0; i < list.items.size(); ++i) {
    const std::string here = path + "[" + std::to_string(i) + "]";
    CollectiveTimes times = read_collective_times(document, list.items[i], here);
    const std::string key = collective_times_key(times);
    if (!stated.insert(key).second)
      throw InputError(document.at(list.items[i]), here + ": stands twice; kind, ranks and in are those before");
    std::erase_if(machine.collective_times, [&key](const CollectiveTimes& before) { return collective_times_key(before) == key; });
    machine.collective_times.push_back(std::move(times));
    machine.provenance[key] = sources.of(list.items[i], here);
  }
}

/// Sections that were removed, with their sources.
void remove_sections(Machine& machine, const Document& document, const Node& without, const std::string& path) {
  for (const Node& name : without.items) {
    const MachineSection& section = *find_section(name.text);
    if (!section.present(machine)) throw InputError(document.at(name), path + ": there is no " + in_quotes(name.text) + " to leave out");
    section.remove(machine);
    const auto in_section = [&name](const std::string& key) { return key.starts_with(name.text + "."); };
    std::erase_if(machine.provenance, [&](const auto& entry) { return in_section(entry.first); });
    std::erase_if(machine.unstated, in_section);
    std::erase_if(machine.inherited, [&](const auto& entry) { return in_section(entry.first); });
    std::erase_if(machine.assumed, in_section);
  }
}

void apply(Machine& machine, const Document& document, const Node& map, const std::string& prefix, const std::string& stated_by) {
  if (const Node* measured = map.find("measured")) {
    if (const Node* device = measured->find("device")) machine.measured.device = device->text;
    if (const Node* date = measured->find("date")) {
      check_date(document, *date, prefix + "measured");
      machine.measured.date = date->text;
    }
  }
  const Sources sources(document, map, machine.measured, stated_by);
  if (const Node* without = map.find("without")) remove_sections(machine, document, *without, prefix + "without");
  if (const Node* cores = map.find("compute_cores")) read_compute_cores(machine, document, *cores, prefix + "compute_cores");
  if (const Node* control = map.find("control_cores")) read_control_cores(machine, *control, prefix + "control_cores", sources);
  if (const Node* limits = map.find("limits")) read_limits(machine, document, *limits, prefix + "limits", sources);
  if (const Node* devices = map.find("devices")) {
    machine.devices = read_devices(document, *devices, prefix + "devices", machine.devices);
    machine.provenance[kDevicesKey] = sources.of(*devices, prefix + "devices");
  }
  if (const Node* times = map.find("collective_times")) read_collectives(machine, document, *times, prefix + "collective_times", sources);
  for (const MachineSection& section : machine_sections()) {
    const std::string path = prefix + std::string(section.name);
    if (const Node* constants = map.find(section.name)) read_section(machine, document, section, *constants, path, sources);
  }
  if (const Node* kernels = map.find("kernels")) read_kernels(machine, document, *kernels, prefix + "kernels", sources);
}

constexpr std::size_t kMostAncestors = 16;

bool is_shipped(const std::string& file) {
  const std::filesystem::path below = std::filesystem::path(file).lexically_relative(data_folder());
  return !below.empty() && *below.begin() != "..";
}

/// Whether simulations say which of its constants are another machine's, or assumed.
bool tells_sources(const Document& document) {
  const Node* const provisional = document.root.find("provisional");
  return !is_shipped(document.file) || (provisional != nullptr && provisional->text == "true");
}

/// Notes of all constants whose they are, but of those that `machine` has from another itself.
void mark_inherited(Machine& machine) {
  for (const ConstantField* const field : constants_of(machine)) {
    if (!machine.unstated.contains(field->key)) machine.inherited.try_emplace(field->key, machine.name);
  }
}

/// Notes of all constants that are its own which of them are assumed.
void mark_assumed(Machine& machine) {
  machine.assumed.clear();
  for (const ConstantField* const field : constants_of(machine)) {
    const bool own = !machine.unstated.contains(field->key) && !machine.inherited.contains(field->key);
    const auto source = machine.provenance.find(field->key);
    if (own && source != machine.provenance.end() && source->second.source == Source::kAssumed) machine.assumed.insert(field->key);
  }
}

std::filesystem::path canonical(const std::string& file) {
  std::error_code ignored;
  const std::filesystem::path path = std::filesystem::weakly_canonical(file, ignored);
  return path.empty() ? std::filesystem::path(file) : path;
}

/// The document that `from` names. `descendants`: the files that start from it, the nearest last; this one's is added.
Document ancestor(const Document& document, const Node& from, std::vector<std::filesystem::path>& descendants) {
  const auto refuse = [&](const std::string& why) { throw InputError(document.at(from), "from: " + why); };
  const FoundFile found = find_machine(from.text, std::filesystem::path(document.file).parent_path());
  if (!found.exists) refuse(why_no_machine(from.text));
  descendants.push_back(canonical(document.file));
  if (std::ranges::find(descendants, canonical(found.path)) != descendants.end())
    refuse("the files start from each other, " + found.path + " from " + document.file);
  if (descendants.size() > kMostAncestors)
    refuse("more than " + std::to_string(kMostAncestors) + " files start from another, one after the other; write the machine out");
  try {
    return read_document(found.path);
  } catch (const InputError& wrong) {
    throw InputError(document.at(from), std::string("from: ") + wrong.what());
  }
}

Machine read_machine(const Document& document, std::vector<std::filesystem::path> descendants) {
  if (const auto other = no_machine_file(document.root)) throw InputError({document.file}, *other);
  const Node* const from = document.root.find("from");
  (from ? derived_machine_schema() : machine_schema()).check(document);
  Machine machine;
  if (from) {
    const Document base = ancestor(document, *from, descendants);
    machine = read_machine(base, std::move(descendants));
    if (tells_sources(document)) mark_inherited(machine);
    machine.description = "as " + machine.name + ", with changes";
  }
  machine.name = document.root.find("machine")->text;
  machine.file = document.file;
  if (const Node* description = document.root.find("description")) machine.description = description->text;
  apply(machine, document, document.root, "", "");
  if (tells_sources(document)) mark_assumed(machine);
  return machine;
}

}  // namespace

void read_kernel_cost(KernelCost& cost, const Document& document, const Node& map, const std::string& path) {
  for (const KernelField& field : kernel_fields()) {
    if (const Node* value = map.find(field.name)) field.set(cost, value->real);
  }
  if (const Node* points = map.find("arithmetic")) cost.arithmetic = read_points(document, *points, path + ".arithmetic");
}

std::string kernel_key(Kernel kernel) { return "kernels." + std::string(to_word(kernel)); }

Machine machine_from(const Document& document) { return read_machine(document, {}); }

void apply_changes(Machine& machine, const Document& document, const Node& changes, const std::string& source) {
  apply(machine, document, changes, "machine.", source);
  for (const Node::Key& key : changes.keys) {
    if (key.text == "from" || key.text == "methods") continue;  // where numbers are from changes no machine
    std::string& changed = machine.provenance[kChangesKey].text;
    changed += (changed.empty() ? "" : ", ") + key.text;
  }
}

std::string machine_title(const Machine& machine) {
  const auto changes = machine.provenance.find(kChangesKey);
  if (changes == machine.provenance.end()) return machine.name;
  return machine.name + " (changed: " + changes->second.text + ")";
}

Machine load_machine(const std::string& path_or_name) {
  const FoundFile found = find_machine(path_or_name, {});
  if (!found.exists) throw InputError({path_or_name}, why_no_machine(path_or_name));
  return machine_from(read_document(found.path));
}

std::string machine_hash(const Machine& machine) { return text_hash(machine_to_yaml(machine)); }

}  // namespace tasktwin::scenarios
