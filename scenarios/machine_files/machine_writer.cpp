#include <algorithm>
#include <cctype>
#include <deque>
#include <span>
#include <utility>
#include <vector>

#include "models/base/utf8.hpp"
#include "scenarios/document/scalar.hpp"
#include "scenarios/machine_files/devices_file.hpp"
#include "scenarios/machine_files/load_machine.hpp"
#include "scenarios/machine_files/machine_file.hpp"

namespace tasktwin::scenarios {

namespace {

/// The methods that a file's constants were measured by, each with a name made of its first words.
class Methods {
 public:
  std::string_view name_of(const std::string& text) {
    if (const auto known = std::ranges::find(methods_, text, &Method::text); known != methods_.end()) return known->name;
    std::string name;
    std::size_t words = 0;
    for (const char c : text) {
      if (std::isalnum(static_cast<unsigned char>(c)) != 0) {
        name += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
      } else if (!name.empty() && name.back() != '_') {
        if (++words == kWords) break;
        name += '_';
      }
    }
    while (name.ends_with('_')) name.pop_back();
    if (name.empty()) name = "method";
    const auto taken = [this](const std::string& other) { return std::ranges::find(methods_, other, &Method::name) != methods_.end(); };
    const std::string stem = name;
    for (int next = 2; taken(name); ++next) name = stem + "_" + std::to_string(next);
    return methods_.emplace_back(name, text).name;
  }

  std::string text() const {
    std::string text;
    for (const Method& method : methods_) text += "  " + method.name + ": " + yaml_text(method.text) + "\n";
    return text.empty() ? "" : "methods:\n" + text;
  }

 private:
  struct Method {
    std::string name;
    std::string text;
  };
  static constexpr std::size_t kWords = 5;
  std::deque<Method> methods_;  ///< names stay where they are
};

/// Writes one machine.
class Writer {
 public:
  explicit Writer(const Machine& machine) : machine_(machine) {}
  std::string text();

 private:
  /// ", method: x, date: …"; empty for what is merely stated.
  std::string source_text(std::string_view key);
  std::string constant_text(const ConstantField& field);
  std::string section_text(const MachineSection& section);
  std::string kernel_text(Kernel kernel);
  std::string kernels_text();
  std::string control_cores_text();
  std::string limits_text();

  const Machine& machine_;
  Methods methods_;
};

std::string Writer::source_text(std::string_view key) {
  const auto found = machine_.provenance.find(key);
  if (found == machine_.provenance.end()) return "";
  const Provenance& provenance = found->second;
  std::string text;
  if (provenance.interval) text += ", interval: [" + shortest(provenance.interval->low) + ", " + shortest(provenance.interval->high) + "]";
  if (provenance.source == Source::kMeasured) {
    text += ", method: " + std::string(methods_.name_of(provenance.text));
  } else if (provenance.source != Source::kStated) {
    text += ", " + std::string(to_word(provenance.source)) + ": " + yaml_text(provenance.text);
  }
  const bool of_machine = provenance.source == Source::kMeasured && provenance.date == machine_.measured.date;
  if (!provenance.date.empty() && !of_machine) text += ", date: " + provenance.date;
  return text;
}

std::string Writer::constant_text(const ConstantField& field) {
  const std::string value = shortest(field.get(machine_));
  const std::string source = source_text(field.key);
  return "  # " + std::string(field.meaning) + "\n  " + field.name + ": " + (source.empty() ? value : "{value: " + value + source + "}") +
         "\n";
}

/// What is assumed for the same reason is together, after the others.
std::string Writer::section_text(const MachineSection& section) {
  if (!section.present(machine_)) return "";
  std::string text;
  std::vector<std::pair<std::string, std::string>> assumed;  // value and reason, and whose they are
  for (const ConstantField& field : constant_fields()) {
    if (field.section != section.name || machine_.unstated.contains(field.key)) continue;
    const auto found = machine_.provenance.find(field.key);
    if (found == machine_.provenance.end() || found->second.source != Source::kAssumed || found->second.interval ||
        !found->second.date.empty()) {
      text += constant_text(field);
      continue;
    }
    const std::string group = "{value: " + shortest(field.get(machine_)) + ", reason: " + yaml_text(found->second.text) + ", constants: [";
    const auto known = std::ranges::find(assumed, group, &std::pair<std::string, std::string>::first);
    (known == assumed.end() ? assumed.emplace_back(group, "").second : known->second += ", ") += field.name;
  }
  if (!assumed.empty()) text += "  assumed:\n";
  for (const auto& [group, names] : assumed) text += "    - " + group + names + "]}\n";
  return "# " + std::string(section.meaning) + "\n" + std::string(section.name) + (text.empty() ? ": {}\n" : ":\n" + text);
}

std::string Writer::kernel_text(Kernel kernel) {
  return "  " + std::string(to_word(kernel)) + ": {" + kernel_cost_text(machine_.kernel_cost(kernel)) + source_text(kernel_key(kernel)) +
         "}\n";
}

std::string kernels_comment() {
  std::string text;
  for (const KernelField& field : kernel_fields()) text += "# " + std::string(field.name) + ": " + std::string(field.meaning) + "\n";
  return text +
         "# arithmetic: time by size, and what a size adds to uncached_ns, piecewise linear through (0, 0) and these "
         "points\n";
}

std::string Writer::control_cores_text() {
  const ControlCores& control = machine_.control_cores;
  std::string text = "control_cores: {count: " + std::to_string(control.count) + ", lanes: " + std::to_string(control.lanes) +
                     ", occupied_cores: " + std::to_string(control.occupied_cores);
  if (control.code_scale != 1 || machine_.provenance.contains(kCodeScaleKey))
    text += ",\n  code_scale: {value: " + shortest(control.code_scale) + source_text(kCodeScaleKey) + "}";
  return text + "}\n";
}

/// Nothing where there are none.
std::string numbers_text(const std::string& field, std::span<const int> numbers) {
  std::string list;
  for (const int number : numbers) list += (list.empty() ? "" : ", ") + std::to_string(number);
  return list.empty() ? "" : ",\n     " + field + ": [" + list + "]";
}

std::string Writer::limits_text() {
  constexpr std::size_t kInALine = 8;
  const auto fields = limit_fields();
  const auto is_none = [this](const LimitField& field) { return field.get(machine_) == 0; };
  if (std::ranges::all_of(fields, is_none) && !machine_.provenance.contains(kLimitsKey)) return "";
  std::string text = "# what kernels meet on the device and one core holds at a time; 0 for no limit\nlimits: {";
  for (std::size_t i = 0; i < fields.size(); ++i) {
    if (i > 0) text += i % kInALine == 0 ? ",\n  " : ", ";
    text += std::string(fields[i].name) + ": " + std::to_string(fields[i].get(machine_));
  }
  return text + numbers_text("carveouts_kib", machine_.core_limits.carveouts) + source_text(kLimitsKey) + "}\n";
}

std::string Writer::kernels_text() {
  std::string text;
  for (const auto& [kernel, word] : Words<Kernel>::entries) {
    const KernelCost& cost = machine_.kernel_cost(kernel);
    const bool known = machine_.provenance.contains(kernel_key(kernel)) || !cost.arithmetic.empty() ||
                       std::ranges::any_of(kernel_fields(), [&cost](const KernelField& field) { return field.get(cost) != field.absent; });
    if (known) text += kernel_text(kernel);
  }
  return text.empty() ? "kernels: {}\n" : kernels_comment() + "kernels:\n" + text;
}

std::string Writer::text() {
  std::string text = "machine: " + machine_.name + "\n";
  if (!machine_.description.empty()) text += "description: " + yaml_text(machine_.description) + "\n";
  const MeasuredOn& measured = machine_.measured;
  if (measured != MeasuredOn{}) {
    text += "measured: {" + (measured.device.empty() ? "" : "device: " + yaml_text(measured.device)) +
            (measured.device.empty() || measured.date.empty() ? "" : ", ") + (measured.date.empty() ? "" : "date: " + measured.date) +
            "}\n";
  }
  text += "compute_cores:\n";
  for (const CoreGroup& group : machine_.compute_cores) {
    text += "  - {type: " + std::string(to_word(group.type)) + ", count: " + std::to_string(group.count) +
            (group.per_cluster > 0 ? ", per_cluster: " + std::to_string(group.per_cluster) : "") +
            numbers_text("memory_ports", group.memory_ports) + numbers_text("memory_queues", group.memory_queues) +
            numbers_text("cluster_groups", group.cluster_groups) + "}\n";
  }
  text += control_cores_text() + limits_text();
  if (machine_.devices.count() > 1) text += devices_text(machine_.devices, source_text(kDevicesKey));
  std::string rest;
  for (const MachineSection& section : machine_sections()) rest += section_text(section);
  if (!machine_.collective_times.empty()) rest += "# times of collectives as measured\ncollective_times:\n";
  for (const CollectiveTimes& times : machine_.collective_times)
    rest += collective_times_text(times, source_text(collective_times_key(times)));
  rest += kernels_text();
  return text + methods_.text() + rest;
}

}  // namespace

std::string yaml_text(std::string_view text) {
  constexpr std::string_view digits = "0123456789ABCDEF";
  std::string quoted = "\"";
  for (const char c : well_formed(text)) {
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

std::string kernel_cost_text(const KernelCost& cost) {
  std::string points;
  for (const KernelCost::Point& point : cost.arithmetic) {
    points += (points.empty() ? "{flops: " : ", {flops: ") + shortest(point.flops) + ", ns: " + shortest(point.ns) +
              (point.uncached_ns > 0 ? ", uncached_ns: " + shortest(point.uncached_ns) : std::string()) + "}";
  }
  std::string fields;
  for (const KernelField& field : kernel_fields()) {
    if (field.time == &KernelCost::overhead || field.get(cost) != field.absent)
      fields += std::string(field.name) + ": " + shortest(field.get(cost)) + ", ";
  }
  return fields + "arithmetic: [" + points + "]";
}

std::string machine_to_yaml(const Machine& machine) { return Writer(machine).text(); }

}  // namespace tasktwin::scenarios
