#include "verify/reference/machine_template.hpp"

#include <string_view>

#include <fmt/format.h>

#include "models/checks/mechanisms.hpp"
#include "models/machine/machine.hpp"

namespace tasktwin::verify {

namespace {

constexpr std::string_view kHead =
    R"(# What design '{}' reads of a machine. A value is a number, or {{value: N, published: "where"}}, {{value: N, assumed: "why"}} or
# {{value: N, method: NAME}} with NAME under 'methods'. docs/machines.md says more.
machine: mine
description: "what it is, in a line"
compute_cores:  # of type sm, or of aic and aiv where there are two kinds
  - {{type: sm, count: }}
control_cores: {{count: , lanes: 1, occupied_cores: 0}}
)";

constexpr std::string_view kTail = R"(kernels:  # and fma, stream or others that tasks run
  spin: {overhead_ns: , arithmetic: []}
  empty: {overhead_ns: 0, arithmetic: []}
)";

}  // namespace

std::string machine_template(const Design& design) {
  constexpr std::size_t kBesideName = 28;
  std::string text = fmt::format(kHead, design.name);
  for (const std::string_view section : mechanisms_of(design)) {
    text += fmt::format("{}:  # {}\n", section, find_section(section)->meaning);
    for (const ConstantField& field : constant_fields()) {
      if (field.section == section) text += fmt::format("  {:<{}}  # {}\n", field.name + ":", kBesideName, field.meaning);
    }
  }
  return text + std::string(kTail);
}

}  // namespace tasktwin::verify
