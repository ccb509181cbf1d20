#include "models/design/design.hpp"

#include <algorithm>
#include <span>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

#include "models/runtimes/runtimes.hpp"
#include "verify/cli/commands.hpp"
#include "verify/cli/options.hpp"
#include "verify/output/text/json.hpp"
#include "verify/output/text/result_json.hpp"
#include "verify/output/text/terminal.hpp"
#include "verify/output/text/text_table.hpp"
#include "verify/reference/design_reference.hpp"

namespace tasktwin::verify {

namespace {

/// The columns in which the text next to names, values and both begins.
constexpr std::size_t kBesideName = 22;
constexpr std::size_t kBesideValue = 26;
constexpr std::size_t kBesideBoth = 46;

/// The value of an axis, as files write it.
std::string value_of(const AxisField& axis, const Design& design) {
  return axis.is_word() ? std::string(axis.word(design)) : fmt::format("{}", design.*axis.number);
}

/// The meaning of an axis and, where the value is a word, of the value.
std::string meaning_of(const AxisField& axis, std::string_view value) {
  const auto word = std::ranges::find(axis.words, value);
  return word == axis.words.end() ? std::string(axis.meaning)
                                  : fmt::format("{}: {}", axis.meaning, axis.meanings[static_cast<std::size_t>(word - axis.words.begin())]);
}

std::string_view description_of(const Design& named) {
  return named_design_meanings()[static_cast<std::size_t>(&named - named_designs().data())];
}

std::string summary_to_text(const Design& named) { return beside(named.name, description_of(named), kBesideName); }

Json summary_to_json(const Design& named) { return {{"design", named.name}, {"description", description_of(named)}}; }

Json shown_to_json(const Design& named) {
  Json result = summary_to_json(named);
  const Json values = design_to_json(named);
  const Json defaults = design_to_json(Design{});
  for (const AxisField& axis : axis_fields()) {
    const std::string name(axis.name);
    result["axes"].push_back(
        {{"axis", name}, {"value", values[name]}, {"default", defaults[name]}, {"meaning", meaning_of(axis, value_of(axis, named))}});
  }
  return result;
}

std::string shown_to_text(const Design& named) {
  std::string text = wrap(fmt::format("{}: {}", coloured(named.name, Tone::kStrong), description_of(named))) +
                     "\n* marks what differs from the default\n\n";
  for (const AxisField& axis : axis_fields()) {
    const std::string value = value_of(axis, named);
    const char mark = value == value_of(axis, Design{}) ? ' ' : '*';
    text += beside(fmt::format("{} {:<{}}{}", mark, axis.name, kBesideName, value), meaning_of(axis, value), kBesideBoth);
  }
  return text;
}

Json axis_to_json(const AxisField& axis) {
  Json result{{"axis", axis.name}, {"meaning", axis.meaning}, {"default", design_to_json(Design{})[std::string(axis.name)]}};
  if (!axis.is_word()) {
    result.update({{"min", axis.min}, {"max", axis.max}});
    return result;
  }
  for (std::size_t i = 0; i < axis.words.size(); ++i) result["values"].push_back({{"value", axis.words[i]}, {"meaning", axis.meanings[i]}});
  return result;
}

std::string axis_to_text(const AxisField& axis) {
  const std::string range = axis.is_word() ? "" : fmt::format("{} to {}, ", axis.min, axis.max);
  std::string text =
      wrap(fmt::format("{}: {}; {}default {}", coloured(axis.name, Tone::kStrong), axis.meaning, range, value_of(axis, Design{}))) + '\n';
  for (std::size_t i = 0; i < axis.words.size(); ++i) text += beside(fmt::format("  {}", axis.words[i]), axis.meanings[i], kBesideValue);
  return text;
}

std::vector<std::string_view> axes_of(const Runtime& runtime) {
  std::vector<std::string_view> names;
  for (const AxisField& axis : axis_fields()) {
    if (find_use(runtime, axis.name) != nullptr) names.push_back(axis.name);
  }
  return names;
}

std::string runtime_to_text(const Runtime* const& runtime) {
  return beside(runtime->name, runtime->meaning, kBesideName) +
         wrap(fmt::format("  axes that count: {}", fmt::join(axes_of(*runtime), ", "))) + '\n';
}

Json runtime_to_json(const Runtime* const& runtime) {
  Json result{{"runtime", runtime->name}, {"meaning", runtime->meaning}, {"on_gpu", runtime->on_gpu}, {"axes", axes_of(*runtime)}};
  result["designs"] = Json::array();
  for (const NamedDesign& named : runtime->named) result["designs"].push_back(named.name);
  return result;
}

/// Prints each of `items`, one after the other.
template <class Item>
int print_all(std::span<const Item> items, bool json, Json (*as_json)(const Item&), std::string (*as_text)(const Item&)) {
  Json results = Json::array();
  for (const Item& item : items) {
    if (json)
      results.push_back(as_json(item));
    else
      print(as_text(item));
  }
  if (json) print(result_to_text(results));
  return 0;
}

class DesignCommand : public Command {
 public:
  explicit DesignCommand(CLI::App& app) : app_(app) {
    app.require_subcommand(1);
    CLI::App* list = app.add_subcommand("list", "name the designs, with what each is");
    CLI::App* show = app.add_subcommand("show", "every axis of a named design");
    CLI::App* axes = app.add_subcommand("axes", "what every axis of a design means, and its values");
    CLI::App* of_runtimes = app.add_subcommand("runtimes", "the ways of running a graph that there are, and which axes count under each");
    for (CLI::App* action : {list, axes, of_runtimes}) add_format(*action, format_, {"text", "json", "md"});
    add_format(*show, json_);
    show->add_option("DESIGN", design_, "named design")->required();
    axes->add_option("AXIS", axes_, "axis; all by default");
    app.footer(
        "A design is every choice that a runtime's author makes, each an axis. Scenarios use the named designs, or start from one and\n"
        "change single axes.\n"
        "Example: tasktwin design list");
    list->footer("Scenarios and --designs take these names. --format md is a part of docs/designs.md.\nExample: tasktwin design list");
    show->footer(
        "Says the value of each axis and what it means, and marks those that are not at their default.\nExample: tasktwin design show "
        "shared-queue");
    axes->footer(
        "What scenario files may say under 'designs': each axis with its meaning, its default, and its words or its range. --format md\n"
        "is docs/reference/axes.md, and also names the designs that set it and the runtimes under which it counts.\n"
        "Example: tasktwin design axes\nExample: tasktwin design axes fill claim");
    of_runtimes->footer(
        "Each design is of one runtime. An axis that does not count under its runtime is refused. --format md is "
        "docs/reference/runtimes.md, with the\n"
        "values of each axis that the executor on a GPU runs.\n"
        "Example: tasktwin design runtimes");
  }

  int run() override {
    if (app_.got_subcommand("list")) {
      if (format_ == "md") return print_markdown(designs_to_markdown(named_designs()));
      return print_all(named_designs(), format_ == "json", summary_to_json, summary_to_text);
    }
    if (app_.got_subcommand("runtimes")) {
      if (format_ == "md") return print_markdown(runtimes_to_markdown());
      return print_all(runtimes(), format_ == "json", runtime_to_json, runtime_to_text);
    }
    if (app_.got_subcommand("show")) {
      const Design& named = named_design(design_);
      print(json_ ? result_to_text(shown_to_json(named)) : shown_to_text(named));
      return 0;
    }
    std::vector<AxisField> chosen;
    for (const std::string& name : axes_) chosen.push_back(axis_named(name));
    const std::span<const AxisField> axes = axes_.empty() ? axis_fields() : std::span<const AxisField>(chosen);
    if (format_ == "md") return print_markdown(axes_to_markdown(axes));
    return print_all(axes, format_ == "json", axis_to_json, axis_to_text);
  }

 private:
  static int print_markdown(const std::string& text) {
    print(text);
    return 0;
  }

  CLI::App& app_;
  std::string format_ = "text";
  std::string design_;
  std::vector<std::string> axes_;
  bool json_ = false;
};

}  // namespace

std::unique_ptr<Command> make_design_command(CLI::App& app) { return std::make_unique<DesignCommand>(app); }

}  // namespace tasktwin::verify
