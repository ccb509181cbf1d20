#include "verify/reference/task_reference.hpp"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "models/base/names.hpp"
#include "scenarios/generators/generators.hpp"
#include "scenarios/generators/parts/synthetic_body.hpp"
#include "scenarios/tasks/task_fields.hpp"
#include "verify/output/text/markdown_table.hpp"
#include "verify/output/text/text_table.hpp"

namespace tasktwin::verify {

namespace {

using nlohmann::json;

constexpr std::size_t kBesideName = 22;

/// "text or a map {task, bytes}": what a file may write for `schema`.
std::string form_of(const json& schema) {
  if (schema.contains("enum")) return fmt::format("{}", fmt::join(schema["enum"].get<std::vector<std::string>>(), ", "));
  const json types = schema["type"].is_array() ? schema["type"] : json::array({schema["type"]});
  std::vector<std::string> forms;
  for (const auto& type : types) {
    if (type == "string") forms.emplace_back("text");
    if (type == "integer") forms.emplace_back("whole number");
    if (type == "boolean") forms.emplace_back("true or false");
    if (type == "number") forms.emplace_back("number");
    if (type == "array") forms.push_back("list of " + form_of(schema["items"]));
    if (type != "object") continue;
    std::vector<std::string> keys = schema.value("required", std::vector<std::string>());  // these first
    const json properties = schema.value("properties", json::object());                    // it outlives the loop
    for (const auto& [key, value] : properties.items()) {
      if (std::ranges::find(keys, key) == keys.end()) keys.push_back(key);
    }
    forms.push_back(keys.empty() ? "map" : fmt::format("{{{}}}", fmt::join(keys, ", ")));
  }
  return fmt::format("{}", fmt::join(forms, " or "));
}

std::string default_of(const json& schema) {
  if (!schema.contains("default")) return "";
  return schema["default"].is_string() ? schema["default"].get<std::string>() : schema["default"].dump();
}

/// The costs that tasks of a kernel must state, and may.
std::pair<std::vector<std::string_view>, std::vector<std::string_view>> costs_of(Kernel kernel) {
  using scenarios::GivenCost;
  constexpr std::array<std::pair<std::string_view, GivenCost>, 4> kCosts{
      {{"time_ns", {.time = true}}, {"sigma_ns", {.sigma = true}}, {"flops", {.flops = true}}, {"bytes", {.bytes = true}}}};
  const auto faulty = [](const auto& faults, std::string_view field) {
    return std::ranges::find(faults, field, &scenarios::CostFault::field) != faults.end();
  };
  std::pair<std::vector<std::string_view>, std::vector<std::string_view>> costs;
  for (const auto& [field, given] : kCosts) {
    if (faulty(scenarios::cost_faults(kernel, {}), field))
      costs.first.push_back(field);
    else if (!faulty(scenarios::cost_faults(kernel, given), field))
      costs.second.push_back(field);
  }
  return costs;
}

std::string generators_to_markdown() {
  std::string text;
  for (const scenarios::Generator& generator : scenarios::generators()) {
    MarkdownTable table({"parameter", "what it takes", "by default", "meaning"});
    for (const scenarios::Parameter& parameter : generator.parameters) {
      const std::string range = fmt::format("{} to {}", parameter.min, parameter.max);
      table.add_row({as_code(parameter.name), parameter.is_word() ? as_code(parameter.words) : range,
                     parameter.is_word() ? as_code(parameter.word) : fmt::format("{}", parameter.value), std::string(parameter.meaning)});
    }
    text += fmt::format("### {}\n\n{}\n\n{}\n", as_code(generator.name), as_sentence(generator.meaning), table.to_string());
  }
  return text.substr(0, text.size() - 1);
}

}  // namespace

std::string scenario_fields_to_markdown() {
  MarkdownTable fields({"field", "what it takes", "by default", "meaning"});
  for (const scenarios::TaskField& field : scenarios::task_fields())
    fields.add_row({as_code(field.name), form_of(field.schema), default_of(field.schema), field.schema["description"].get<std::string>()});
  MarkdownTable kernels({"kernel", "what its body does", "a task must state", "and may state"});
  for (const KernelEntry& entry : kKernelEntries) {
    if (!is_synthetic(entry.kernel)) continue;
    const auto [needed, allowed] = costs_of(entry.kernel);
    kernels.add_row({as_code(entry.name), std::string(entry.meaning), as_code(needed), as_code(allowed)});
  }
  return fmt::format("## The fields of a task\n\n{}\n## Built-in kernels\n\n{}\n## Generators\n\n{}", fields.to_string(),
                     kernels.to_string(), generators_to_markdown());
}

std::string scenario_fields_to_text() {
  std::string text = "fields of a task in graph.tasks\n";
  for (const scenarios::TaskField& field : scenarios::task_fields()) {
    const std::string preset = default_of(field.schema);
    text += beside(fmt::format("  {}", field.name),
                   fmt::format("{}: {}{}", form_of(field.schema), field.schema["description"].get<std::string>(),
                               preset.empty() ? "" : fmt::format("; by default {}", preset)),
                   kBesideName);
  }
  text += "\nbuilt-in kernels\n";
  for (const KernelEntry& entry : kKernelEntries) {
    if (!is_synthetic(entry.kernel)) continue;
    const auto [needed, allowed] = costs_of(entry.kernel);
    text += beside(fmt::format("  {}", entry.name),
                   fmt::format("{}{}{}", entry.meaning, needed.empty() ? "" : fmt::format("; needs {}", fmt::join(needed, ", ")),
                               allowed.empty() ? "" : fmt::format("; takes {}", fmt::join(allowed, ", "))),
                   kBesideName);
  }
  return text;
}

}  // namespace tasktwin::verify
