#include "verify/reference/design_reference.hpp"

#include <vector>

#include <fmt/format.h>

#include "models/runtimes/runtimes.hpp"
#include "verify/output/text/markdown_table.hpp"

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

/// "`cuda-streams`, `host-program`": the runtimes that list the axis; "all" where it chooses among them.
std::string counting_runtimes(const AxisField& axis) {
  std::vector<std::string_view> names;
  for (const Runtime* const runtime : runtimes()) {
    if (find_use(*runtime, axis.name) != nullptr) names.push_back(runtime->name);
  }
  return names.empty() ? "It chooses the runtime." : fmt::format("Counts under {}.", as_code(names));
}

/// "yes", "`counter`, `flag` alone: why", or "the default alone".
std::string on_gpu(const GpuAxis& axis) {
  if (!axis.read) return "the default alone";
  std::vector<std::string_view> values;
  for (const std::string_view value : axis.values) {
    if (!value.empty()) values.push_back(value);
  }
  return values.empty() ? "yes" : fmt::format("{} alone: {}", as_code(values), axis.why);
}

std::string sections_text(const Runtime& runtime) {
  std::string text;
  for (const SectionUse& use : runtime.sections) {
    text += fmt::format("{}`{}`", text.empty() ? "" : ", ", use.section);
    if (use.when != nullptr) text += fmt::format(" (with {})", use.when->needs);
  }
  return text;
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
  text += ' ' + counting_runtimes(axis) + "\n\n";
  return axis.is_word() ? text + values_to_markdown(axis) + '\n' : text;
}

std::string runtime_to_markdown(const Runtime& runtime) {
  std::vector<std::string_view> designs;
  for (const NamedDesign& named : runtime.named) designs.push_back(named.name);
  std::string text = fmt::format("### {}\n\n{} It has driver {} and release {}", as_code(runtime.name), as_sentence(runtime.meaning),
                                 as_code(to_word(runtime.driver)), as_code(to_word(runtime.release)));
  text += designs.empty() ? "." : fmt::format("; named designs: {}.", as_code(designs));
  text += fmt::format(" It reads these sections of a machine: {}.{}\n\n", sections_text(runtime),
                      runtime.on_gpu ? "" : " No executor on a GPU runs it.");
  std::vector<std::string> columns{"axis", "counts with"};
  if (runtime.on_gpu) columns.emplace_back("on a GPU");
  if (runtime.on_peers) columns.emplace_back("on several GPUs");
  MarkdownTable table(columns);
  for (const AxisField& axis : axis_fields()) {
    const AxisUse* const use = find_use(runtime, axis.name);
    if (use == nullptr) continue;
    std::vector<std::string> row{as_code(axis.name), use->when == nullptr ? "" : std::string(use->when->needs)};
    if (runtime.on_gpu) row.push_back(on_gpu(use->gpu));
    if (runtime.on_peers) row.push_back(on_gpu(use->peers));
    table.add_row(row);
  }
  return text + table.to_string() + '\n';
}

/// Without the empty lines at the end.
std::string trimmed(const std::string& text) { return text.substr(0, text.find_last_not_of('\n') + 1) + '\n'; }

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
  return trimmed(text);
}

std::string runtimes_to_markdown() {
  std::string text;
  for (const Runtime* const runtime : runtimes()) text += runtime_to_markdown(*runtime);
  return trimmed(text);
}

}  // namespace tasktwin::verify
