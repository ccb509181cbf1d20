#include "verify/reference/machine_template.hpp"

#include <string_view>

#include <fmt/format.h>

#include "models/checks/mechanisms.hpp"
#include "models/machine/machine.hpp"
#include "scenarios/machine_files/machine_file.hpp"

namespace tasktwin::verify {

namespace {

constexpr std::string_view kHead =
    R"(# What design '{}' reads of a machine. A value is a number, or {{value: N, published: "where"}}, {{value: N, assumed: "why"}} or
# {{value: N, method: NAME}} with NAME under 'methods'. docs/machines.md says more.
machine: mine
description: "what it is, in a line"
)";

constexpr std::string_view kCores = R"(compute_cores:  # of type sm, or of aic and aiv where there are two kinds
  - {type: sm, count: }
control_cores: {count: , lanes: 1, occupied_cores: 0}
)";

constexpr std::string_view kTail = R"(kernels:  # and fma, stream or others that tasks run
  spin: {overhead_ns: , arithmetic: []}
  empty: {overhead_ns: 0, arithmetic: []}
)";

/// What a value is followed by that is `from`'s.
std::string assumed(const Machine& from) { return ", assumed: " + scenarios::yaml_text("that of " + from.name); }

std::string cores_of(const Machine& from) {
  std::string text = fmt::format("compute_cores:  # those of {}\n", from.name);
  for (const CoreGroup& group : from.compute_cores)
    text += fmt::format("  - {{type: {}, count: {}{}}}\n", to_word(group.type), group.count,
                        group.per_cluster > 0 ? fmt::format(", per_cluster: {}", group.per_cluster) : "");
  const ControlCores& control = from.control_cores;
  text +=
      fmt::format("control_cores: {{count: {}, lanes: {}, occupied_cores: {}{}}}\n", control.count, control.lanes, control.occupied_cores,
                  control.code_scale != 1 ? fmt::format(", code_scale: {{value: {}{}}}", control.code_scale, assumed(from)) : "");
  std::string limits;
  for (const LimitField& field : limit_fields()) {
    if (field.get(from) != 0) limits += fmt::format("{}: {}, ", field.name, field.get(from));
  }
  return text + (limits.empty() ? "" : fmt::format("limits: {{{}{}}}\n", limits, assumed(from).substr(2)));
}

std::string kernels_of(const Machine& from) {
  std::string text;
  for (const auto& [kernel, word] : Words<Kernel>::entries) {
    if (from.provenance.contains(scenarios::kernel_key(kernel)))
      text += fmt::format("  {}: {{{}{}}}\n", word, scenarios::kernel_cost_text(from.kernel_cost(kernel)), assumed(from));
  }
  return text.empty() ? std::string(kTail) : "kernels:\n" + text;
}

}  // namespace

std::string machine_template(const Design& design, const Machine* from) {
  constexpr std::size_t kBesideName = 28;
  std::string text = fmt::format(kHead, design.name) + (from ? cores_of(*from) : std::string(kCores));
  for (const std::string_view section : mechanisms_of(design)) {
    const bool has = from && find_section(section)->present(*from);
    text +=
        fmt::format("{}:  # {}{}\n", section, find_section(section)->meaning, from && !has ? "; " + from->name + " does not have it" : "");
    for (const ConstantField& field : constant_fields()) {
      if (field.section != section) continue;
      const std::string value =
          has && !from->unstated.contains(field.key) ? fmt::format(" {{value: {}{}}}", field.get(*from), assumed(*from)) : "";
      const bool left_out = value.empty() && field.may_lack;
      text += fmt::format("  {:<{}}  # {}{}\n", (left_out ? "# " : "") + field.name + ":" + value, kBesideName, field.meaning,
                          left_out ? "; 0 where it is left out" : "");
    }
  }
  return text + (from ? kernels_of(*from) : std::string(kTail));
}

}  // namespace tasktwin::verify
