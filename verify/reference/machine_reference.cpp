#include "verify/reference/machine_reference.hpp"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "models/checks/mechanisms.hpp"
#include "models/runtimes/runtimes.hpp"
#include "scenarios/machine_files/machine_schema.hpp"
#include "verify/output/text/markdown_table.hpp"
#include "verify/output/text/terminal.hpp"
#include "verify/output/text/text_table.hpp"

namespace tasktwin::verify {

namespace {

constexpr std::size_t kBesideConstant = 32;

/// Sections whose page is not of their own name: some share one.
constexpr std::array kPages{
    std::pair<std::string_view, std::string_view>{"launched_kernels", "streams"},
    std::pair<std::string_view, std::string_view>{"device_graph_launch", "device_launch"},
    std::pair<std::string_view, std::string_view>{"dynamic_parallelism", "device_launch"},
    std::pair<std::string_view, std::string_view>{"device_control", "control_loop"},
    std::pair<std::string_view, std::string_view>{"host_control", "control_loop"},
    std::pair<std::string_view, std::string_view>{"distances", "control_loop"},
    std::pair<std::string_view, std::string_view>{"host_build", "control_loop"},
    std::pair<std::string_view, std::string_view>{"device_mailboxes", "mailboxes"},
    std::pair<std::string_view, std::string_view>{"host_mailboxes", "mailboxes"},
    std::pair<std::string_view, std::string_view>{"first_looks", "resident_cores"},
    std::pair<std::string_view, std::string_view>{"kernels", "bodies"},
    std::pair<std::string_view, std::string_view>{"peers", "devices"},
    std::pair<std::string_view, std::string_view>{"network", "devices"},
    std::pair<std::string_view, std::string_view>{"collectives", "devices"},
};

constexpr std::string_view payer_word(Payer payer) {
  constexpr std::string_view words[] = {"host", "driver", "control core, code", "control core, memory", "device"};
  return words[static_cast<int>(payer)];
}

constexpr std::string_view unit_word(Unit unit) {
  constexpr std::string_view words[] = {"ns", "GB/s", "ratio", "count"};
  return words[static_cast<int>(unit)];
}

std::string section_to_markdown(const MachineSection& section) {
  const std::vector<std::string_view> designs = designs_that_read(section.name);
  const bool between_devices = section.name == "peers" || section.name == "network";
  const std::string readers = between_devices                            ? "Read on machines of several devices."
                              : designs.empty()                          ? "Read where a graph's tasks or other axes ask for it."
                              : designs.size() == named_designs().size() ? "Read by all named designs."
                                                                         : fmt::format("Read by {}.", as_code(designs));
  std::string text = fmt::format("### {}\n\n{} What happens: [{}](../{}). {}\n\n", as_code(section.name), as_sentence(section.meaning),
                                 section.name, page_of_section(section.name), readers);
  MarkdownTable table({"constant", "meaning", "who pays"});
  for (const ConstantField& field : constant_fields()) {
    if (field.section != section.name) continue;
    const std::string cold = field.add_cold ? "; longer in a run that finds the cache empty" : "";
    table.add_row({as_code(field.name), std::string(field.meaning) + cold, std::string(payer_word(field.payer))});
  }
  return text + table.to_string() + '\n';
}

std::string kernels_to_markdown() {
  std::string text = fmt::format(
      "### `kernels`\n\nWhat each kernel's body takes on one core, `kernels.<kernel>`. What happens: [kernels](../{}). A file "
      "that starts `from` a machine with costs for the kernel may leave out what stays as it is.\n\n",
      page_of_section("kernels"));
  const auto& required = scenarios::machine_schema().json()["definitions"]["kernel"]["required"];
  const auto absent = [&required](std::string_view name, std::string otherwise) {
    const bool stated =
        std::ranges::any_of(required, [name](const auto& one) { return one.template get_ref<const std::string&>() == name; });
    return stated ? std::string("must be stated") : std::move(otherwise);
  };
  MarkdownTable table({"constant", "meaning", "where a file leaves it out"});
  for (const KernelField& field : kernel_fields())
    table.add_row({as_code(field.name), std::string(field.meaning), absent(field.name, fmt::format("{}", field.absent))});
  table.add_row({"`arithmetic`",
                 "points `{flops, ns, uncached_ns}` of the time by size: piecewise linear through (0, 0) and these; `[]` for none",
                 absent("arithmetic", "no arithmetic")});
  return text + table.to_string() + '\n';
}

std::string limits_to_markdown() {
  const auto& limits = scenarios::machine_schema().json()["properties"]["limits"];
  MarkdownTable table({"limit", "meaning"});
  for (const auto& [name, limit] : limits["properties"].items()) {
    if (limit["type"] == "integer") table.add_row({as_code(name), limit["description"].get<std::string>()});
  }
  return fmt::format("### `limits`\n\n{}\n\n{}", as_sentence(limits["description"].get<std::string>()), table.to_string());
}

}  // namespace

std::string page_of_section(std::string_view section) {
  const auto found = std::ranges::find(kPages, section, [](const auto& entry) { return entry.first; });
  return fmt::format("model/{}.md", found == kPages.end() ? section : found->second);
}

std::vector<std::string_view> designs_that_read(std::string_view section) {
  std::vector<std::string_view> names;
  for (const Design& design : named_designs()) {
    if (std::ranges::count(mechanisms_of(design), section) > 0) names.push_back(design.name);
  }
  return names;
}

Json constants_to_json(std::span<const MachineSection* const> sections) {
  Json results = Json::array();
  for (const MachineSection* const section : sections) {
    Json constants = Json::array();
    for (const ConstantField& field : constant_fields()) {
      if (field.section != section->name) continue;
      constants.push_back({{"constant", field.name},
                           {"meaning", field.meaning},
                           {"unit", unit_word(field.unit)},
                           {"paid_by", payer_word(field.payer)},
                           {"longer_when_cold", static_cast<bool>(field.add_cold)}});
    }
    results.push_back({{"section", section->name},
                       {"meaning", section->meaning},
                       {"read_by", designs_that_read(section->name)},
                       {"constants", std::move(constants)}});
  }
  return results;
}

std::string constants_to_text(std::span<const MachineSection* const> sections) {
  std::string text;
  for (const MachineSection* const section : sections) {
    text += wrap(fmt::format("{}: {}", coloured(section->name, Tone::kStrong), section->meaning)) + '\n';
    for (const ConstantField& field : constant_fields()) {
      if (field.section == section->name)
        text += beside("  " + field.name, fmt::format("{}: {}", payer_word(field.payer), field.meaning), kBesideConstant);
    }
  }
  return text;
}

std::string constants_to_markdown() {
  std::string text;
  for (const MachineSection& section : machine_sections()) text += section_to_markdown(section);
  return text + kernels_to_markdown() + limits_to_markdown();
}

}  // namespace tasktwin::verify
