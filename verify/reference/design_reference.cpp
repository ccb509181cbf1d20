#include "verify/reference/design_reference.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "gpu/supported.hpp"
#include "verify/output/markdown_table.hpp"

namespace tasktwin::verify {

namespace {

std::string_view meaning_of(const Design& named) {
  return named_design_meanings()[static_cast<std::size_t>(&named - named_designs().data())];
}

/// Named designs that have `value`, but for the default, which most have.
std::string set_by(const AxisField& axis, const std::string& value) {
  std::vector<std::string_view> names;
  for (const Design& design : named_designs()) {
    if (axis.text(design) == value) names.push_back(design.name);
  }
  return axis.text(Design{}) == value ? (names.empty() ? "" : "the others") : as_code(names);
}

/// The first named design that an executor runs, which is what the executor is called.
std::string_view name_of(const gpu::Supported& executor) {
  const auto designs = named_designs();
  const auto found = std::ranges::find_if(designs, [&](const Design& design) { return gpu::find_supported(design) == &executor; });
  return found == designs.end() ? "none" : std::string_view(found->name);
}

/// "`counter`, `flag` alone: why", or nothing where the executor runs all values.
std::string restriction(const gpu::AxisSupport& support) {
  std::vector<std::string_view> values;
  for (const std::string_view value : support.values) {
    if (!value.empty()) values.push_back(value);
  }
  return values.empty() ? "" : fmt::format("{} alone: {}", as_code(values), support.why);
}

/// Executors that read the axis, those of one restriction together.
std::string executors_text(const AxisField& axis) {
  if (axis.name == "driver" || axis.name == "release") return "It chooses the GPU executor.";
  std::vector<std::pair<std::string, std::vector<std::string_view>>> readers;  // by restriction
  for (const gpu::Supported* const executor : gpu::all_supported()) {
    const auto listed = std::ranges::find(executor->axes, axis.name, &gpu::AxisSupport::axis);
    if (listed == executor->axes.end()) continue;
    const std::string words = restriction(*listed);
    auto group = std::ranges::find(readers, words, &decltype(readers)::value_type::first);
    if (group == readers.end()) group = readers.insert(group, {words, {}});
    group->second.push_back(name_of(*executor));
  }
  if (readers.empty()) return "No GPU executor reads it: on a GPU it keeps its default.";
  std::string text;
  for (const auto& [words, names] : readers)
    text += fmt::format("{}{}{}", text.empty() ? "" : "; by ", as_code(names), words.empty() ? "" : fmt::format(" ({})", words));
  return fmt::format("On a GPU read by {}. Other executors run its default alone.", text);
}

std::string values_to_markdown(const AxisField& axis) {
  MarkdownTable table({"value", "meaning", "named designs"});
  for (std::size_t i = 0; i < axis.words.size(); ++i) {
    const std::string value(axis.words[i]);
    table.add_row({as_code(value), std::string(axis.meanings[i]), set_by(axis, value)});
  }
  return table.to_string();
}

/// "`central-dispatcher` (5), `host-dispatcher` (4)": those that do not leave a number at its default.
std::string numbers_text(const AxisField& axis) {
  std::string text;
  for (const Design& design : named_designs()) {
    if (axis.text(design) == axis.text(Design{})) continue;
    text += fmt::format("{}{} ({})", text.empty() ? "" : ", ", as_code(design.name), axis.text(design));
  }
  return text.empty() ? "" : fmt::format(" Set by {}.", text);
}

std::string axis_to_markdown(const AxisField& axis) {
  std::string text = fmt::format("### {}\n\n{} ", as_code(axis.name), as_sentence(axis.meaning));
  if (axis.is_word()) {
    text += fmt::format("Default: {}.", as_code(axis.text(Design{})));
  } else {
    text += fmt::format("A whole number from {} to {}, by default {}.{}", axis.min, axis.max, axis.text(Design{}), numbers_text(axis));
  }
  if (axis.scope.holds != nullptr) text += fmt::format(" It needs {}.", axis.scope.needs);
  text += ' ' + executors_text(axis) + "\n\n";
  return axis.is_word() ? text + values_to_markdown(axis) + '\n' : text;
}

}  // namespace

std::string designs_to_markdown(std::span<const Design> designs) {
  MarkdownTable table({"design", "what it is", "differs from the defaults in"});
  for (const Design& design : designs) {
    std::string axes;
    for (const AxisField& axis : axis_fields()) {
      if (axis.text(design) != axis.text(Design{}))
        axes += fmt::format("{}`{}: {}`", axes.empty() ? "" : ", ", axis.name, axis.text(design));
    }
    table.add_row({as_code(design.name), std::string(meaning_of(design)), axes});
  }
  return table.to_string();
}

std::string axes_to_markdown(std::span<const AxisField> axes) {
  std::string text;
  for (const AxisField& axis : axes) text += axis_to_markdown(axis);
  return text.substr(0, text.find_last_not_of('\n') + 1) + '\n';
}

}  // namespace tasktwin::verify
