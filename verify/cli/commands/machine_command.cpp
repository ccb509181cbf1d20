#include "models/machine/machine.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include <fmt/format.h>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

#include "models/checks/mechanisms.hpp"
#include "models/runtimes/runtimes.hpp"
#include "scenarios/document/document.hpp"
#include "scenarios/load/scenario.hpp"
#include "scenarios/machine_files/machine_schema.hpp"
#include "verify/cli/commands.hpp"
#include "verify/cli/commands/machine_constants.hpp"
#include "verify/cli/file_actions.hpp"
#include "verify/cli/options.hpp"
#include "verify/output/text/json.hpp"
#include "verify/output/text/result_json.hpp"
#include "verify/output/text/terminal.hpp"
#include "verify/output/text/text_table.hpp"
#include "verify/reference/machine_reference.hpp"
#include "verify/reference/machine_template.hpp"

namespace tasktwin::verify {

namespace {

constexpr std::size_t kBesideName = 22;
constexpr std::size_t kBesideValue = 46;

std::vector<std::string_view> present_sections(const Machine& machine) {
  std::vector<std::string_view> names;
  for (const MachineSection& section : machine_sections()) {
    if (section.present(machine)) names.push_back(section.name);
  }
  return names;
}

/// The sections of `machine` that `design` reads, or all it has where there is none.
std::vector<std::string_view> shown_sections(const Machine& machine, const Design* design) {
  std::vector<std::string_view> names = present_sections(machine);
  if (!design) return names;
  const std::vector<std::string_view> read = mechanisms_of(*design);
  std::erase_if(names, [&read](std::string_view name) { return std::ranges::find(read, name) == read.end(); });
  return names;
}

Provenance provenance_of(const Machine& machine, std::string_view key) {
  const auto found = machine.provenance.find(key);
  return found == machine.provenance.end() ? Provenance{} : found->second;
}

std::string joined(const std::vector<std::string_view>& words) { return fmt::format("{}", fmt::join(words, ", ")); }

/// What is refused, with the reason.
using Refusals = std::vector<std::pair<std::string_view, std::string>>;

template <class Check>
void try_out(std::string_view what, Refusals& refusals, Check check) {
  try {
    check();
  } catch (const InputError& wrong) {
    refusals.emplace_back(what, wrong.what());
  }
}

/// Named designs by whether the machine can run them.
struct Runnable {
  std::vector<std::string_view> as_named;
  std::vector<std::string_view> with_threads;  ///< only with launching 'thread_per_device'
  Refusals refused;
};

Runnable runnable_designs(const Machine& machine) {
  Runnable found;
  const bool several = machine.devices.count() > 1;
  for (const Design& design : named_designs()) {
    const std::size_t refused = found.refused.size();
    try_out(design.name, found.refused, [&] {
      check_mechanisms(design, machine);
      check_design(design, machine);
    });
    if (found.refused.size() == refused) {
      found.as_named.push_back(design.name);
    } else if (several) {
      Design threads = design;
      threads.launching = Launching::kThreadPerDevice;
      Refusals of_threads;
      try_out(design.name, of_threads, [&] {
        check_mechanisms(threads, machine);
        check_design(threads, machine);
      });
      if (!of_threads.empty()) continue;
      found.refused.pop_back();
      found.with_threads.push_back(design.name);
    }
  }
  return found;
}

/// Reasons of whole designs, each once with the designs that it is of; what it says of the driver of each is left out where there are
/// several.
std::vector<std::string> other_reasons(const Refusals& refused) {
  std::vector<std::pair<std::string, std::vector<std::string>>> by_reason;
  for (const auto& [name, why] : refused) {
    const std::string head = fmt::format("design '{}': ", name);
    std::string reason = why.substr(0, why.find(": what driver"));
    if (reason.starts_with(head)) reason.erase(0, head.size());
    const auto known = std::ranges::find(by_reason, reason, &std::pair<std::string, std::vector<std::string>>::first);
    if (known == by_reason.end())
      by_reason.push_back({reason, {std::string(name)}});
    else
      known->second.push_back(std::string(name));
  }
  std::vector<std::string> lines;
  for (const auto& [reason, designs] : by_reason) {
    const auto only = std::ranges::find(refused, designs.front(), &Refusals::value_type::first);
    lines.push_back(designs.size() == 1 ? only->second : fmt::format("designs {}: {}", fmt::join(designs, ", "), reason));
  }
  return lines;
}

/// What of mechanisms and constants is missing, each once with the named designs that read it, and what else refuses designs.
std::vector<std::string> missing_for_designs(const Machine& machine, const Refusals& refused) {
  std::map<std::string, std::vector<std::string_view>> sections;  // by name: the designs
  std::map<std::string, std::vector<std::string_view>> constants;
  Refusals others;
  for (const auto& [name, why] : refused) {
    const Lacking missing = lacking(machine, mechanisms_of(named_design(name)));
    for (const std::string& section : missing.sections) sections[section].push_back(name);
    for (const std::string& key : missing.constants) constants[key].push_back(name);
    if (!missing.any()) others.emplace_back(name, why);
  }
  std::vector<std::string> lines = other_reasons(others);
  const auto add = [&lines](const auto& readers, const char* what) {
    std::map<std::vector<std::string_view>, std::vector<std::string_view>> by_readers;
    for (const auto& [name, designs] : readers) by_readers[designs].push_back(name);
    for (const auto& [designs, names] : by_readers) lines.push_back(fmt::format("{} {}: read by {}", what, joined(names), joined(designs)));
  };
  add(constants, "not stated:");
  add(sections, "no mechanism");
  return lines;
}

/// Sections for the sake of certain tasks, by name, where the machine cannot run these.
Refusals impossible_tasks(const Machine& machine) {
  Refusals refusals;
  for (const TaskSection& section : task_sections())
    try_out(section.name, refusals, [&] { check_section(machine, section.name, std::string(section.reader)); });
  return refusals;
}

/// The readers of a section, in words.
std::string readers_of(std::string_view section) {
  const auto for_tasks = std::ranges::find(task_sections(), section, &TaskSection::name);
  if (for_tasks != task_sections().end()) return std::string(for_tasks->reader);
  if (section == "peers" || section == "network") return "all designs on several devices";
  std::vector<std::string_view> designs;
  for (const Design& design : named_designs()) {
    if (std::ranges::count(mechanisms_of(design), section) > 0) designs.push_back(design.name);
  }
  return joined(designs);
}

Json constant_to_json(const Machine& machine, const ConstantField& field) {
  Json result{{"constant", field.key}, {"meaning", field.meaning}, {"stated", !machine.unstated.contains(field.key)}};
  if (machine.unstated.contains(field.key)) return result;
  const Provenance provenance = provenance_of(machine, field.key);
  result["value"] = field.get(machine);
  result["source"] = to_word(provenance.source);
  result["text"] = provenance.text;
  if (!provenance.date.empty()) result["date"] = provenance.date;
  if (provenance.interval) result["interval"] = Json{provenance.interval->low, provenance.interval->high};
  return result;
}

std::string constant_to_text(const Machine& machine, const ConstantField& field) {
  if (machine.unstated.contains(field.key)) return beside("  " + field.name, "not stated: " + std::string(field.meaning), kBesideValue);
  const std::string value = fmt::format("{}", field.get(machine));
  const Provenance provenance = provenance_of(machine, field.key);
  return beside(fmt::format("  {:<{}} {:>12}", field.name, kBesideName + 8, value),
                fmt::format("{}: {}", to_word(provenance.source), field.meaning), kBesideValue);
}

Json summary_to_json(const Machine& machine) {
  return {{"machine", machine.name},
          {"description", machine.description},
          {"compute_cores", machine.core_count()},
          {"control_cores", machine.control_cores.count},
          {"sections", present_sections(machine)}};
}

Json shown_to_json(const Machine& machine, const Design* design) {
  Json result = summary_to_json(machine);
  if (design) result["design"] = design->name;
  result["measured"] = {{"device", machine.measured.device}, {"date", machine.measured.date}};
  Json assumed = Json::array();
  for (const std::string_view name : shown_sections(machine, design)) {
    for (const ConstantField& field : constant_fields()) {
      if (field.section != name) continue;
      result["constants"].push_back(constant_to_json(machine, field));
      if (provenance_of(machine, field.key).source == Source::kAssumed) assumed.push_back(field.key);
    }
  }
  result["assumed"] = std::move(assumed);
  return result;
}

/// The sources of the constants, by kind: each method, publication or reason once, with the constants that it gave.
std::string sources_to_text(const Machine& machine, const Design* design) {
  std::map<Source, std::map<std::string, std::vector<std::string_view>>> by_source;
  for (const std::string_view name : shown_sections(machine, design)) {
    for (const ConstantField& field : constant_fields()) {
      const Provenance provenance = provenance_of(machine, field.key);
      if (field.section == name && provenance.source != Source::kStated) by_source[provenance.source][provenance.text].push_back(field.key);
    }
  }
  std::string text;
  for (const auto& [source, by_text] : by_source) {
    std::size_t count = 0;
    for (const auto& [from, keys] : by_text) count += keys.size();
    text += fmt::format("\n{}, {} of these constants:\n", to_word(source), count);
    for (const auto& [from, keys] : by_text) text += indented(fmt::format("{}: {}", from, joined(keys)), 2);
  }
  return text;
}

std::string shown_to_text(const Machine& machine, const Design* design) {
  std::string text = wrap(fmt::format("{}: {}", coloured(machine.name, Tone::kStrong), machine.description)) + '\n';
  text += fmt::format("{} compute cores, {} control cores\n", machine.core_count(), machine.control_cores.count);
  if (!machine.measured.device.empty())
    text += wrap(fmt::format("measured on {}, {}", machine.measured.device, machine.measured.date)) + '\n';
  if (design) text += wrap(fmt::format("what design {} reads, beside limits and kernels", design->name)) + '\n';
  for (const std::string_view name : shown_sections(machine, design)) {
    text += '\n' + beside(coloured(name, Tone::kStrong), find_section(name)->meaning, kBesideName);
    if (!design) text += indented("read by " + readers_of(name), 2);
    for (const ConstantField& field : constant_fields()) {
      if (field.section == name) text += constant_to_text(machine, field);
    }
  }
  return text + sources_to_text(machine, design);
}

int list_machines(bool json) {
  Json results = Json::array();
  for (const std::string& name : scenarios::shipped_machines()) {
    const Machine machine = scenarios::load_machine(name);
    if (json) {
      results.push_back(summary_to_json(machine));
    } else {
      print(beside(name, machine.description, kBesideName));
    }
  }
  if (json) print(result_to_text(results));
  return 0;
}

/// What is likely not meant: a spread that stays that of the machine which the file starts from while the file changes what it is a
/// spread of, and one core that draws more than the memory gives to all.
std::vector<std::string> doubtful_constants(const Machine& machine) {
  std::vector<std::string> notes;
  const scenarios::Node root = scenarios::read_document(machine.file).root;
  const scenarios::Node* const from = root.find("from");
  for (const ConstantField& field : constant_fields()) {
    const scenarios::Node* const section = from ? root.find(field.section) : nullptr;
    if (!section || !find_section(field.section)->present(machine) || field.get(machine) == 0) continue;
    for (const std::string_view spread : {"_sigma_ns", "_spread_ns"}) {
      if (!field.name.ends_with(spread)) continue;
      const std::string of = field.name.substr(0, field.name.size() - spread.size()) + "_ns";
      if (section->find(of) && !section->find(field.name) && !section->find("assumed"))
        notes.push_back(fmt::format("{} stays that of {}, {}, beside a {} of its own", field.key, from->text, field.get(machine), of));
    }
  }
  if (machine.memory && machine.memory->core_bandwidth > machine.memory->bandwidth)
    notes.push_back(fmt::format("memory.core_bandwidth_gb_per_s, {}, is above bandwidth_gb_per_s, {}, of all cores together",
                                machine.memory->core_bandwidth, machine.memory->bandwidth));
  return notes;
}

/// A file that can be read is valid; what it cannot be used for is printed.
ValidFile validate_machine(const std::string& file) {
  const Machine machine = scenarios::load_machine(file);
  const Runnable designs = runnable_designs(machine);
  const std::size_t possible = named_designs().size() - designs.refused.size();
  ValidFile valid{.text = fmt::format(", {} of {} named designs can run on it", possible, named_designs().size())};
  valid.facts = {{"machine", machine.name},
                 {"unstated", machine.unstated},
                 {"with_thread_per_device", designs.with_threads},
                 {"impossible", Json::array()},
                 {"impossible_tasks", Json::array()}};
  const auto say = [&valid](const std::string& line) {
    valid.text += "\n" + indented(line, 2);
    valid.text.pop_back();  // the end of its last line
  };
  if (!designs.with_threads.empty())
    say(fmt::format("of these with launching 'thread_per_device' alone: {}", joined(designs.with_threads)));
  for (const auto& [design, why] : designs.refused) valid.facts["impossible"].push_back({{"design", design}, {"reason", why}});
  for (const std::string& line : missing_for_designs(machine, designs.refused)) say(line);
  for (const auto& [section, why] : impossible_tasks(machine)) {
    valid.facts["impossible_tasks"].push_back({{"section", section}, {"reason", why}});
    say(why);
  }
  for (const std::string& note : doubtful_constants(machine)) say("note: " + note);
  std::set<std::string, std::less<>> unread = machine.unstated;
  for (const auto& [design, why] : designs.refused) {
    for (const std::string& key : lacking(machine, mechanisms_of(named_design(design))).constants) unread.erase(key);
  }
  if (!unread.empty()) say(fmt::format("not stated: {}: read by no named design", fmt::join(unread, ", ")));
  return valid;
}

class MachineCommand : public Command {
 public:
  explicit MachineCommand(CLI::App& app) : app_(app) {
    const auto [list, show, validate, schema] =
        add_file_actions(app, "machine", "the constants of a machine, their sources, and which designs read them",
                         "check machine files, and say which designs can run on them", json_);
    show->add_option("MACHINE", machine_, "shipped machine, or a file")->required();
    show->add_option("--design", design_, "only what this named design reads")->type_name("DESIGN");
    validate->add_option("MACHINE", machines_, "shipped machines, or files")->required();
    app.footer(
        "A machine file says what cores, limits and mechanisms a machine has, and every constant with its source: measured, published or\n"
        "assumed. It may start from another machine with 'from'.\n"
        "Example: tasktwin machine list");
    list->footer("Scenarios take these names as their machine.\nExample: tasktwin machine list");
    show->footer(
        "Each mechanism with its constants, then how they were measured, where they are published, and why they are assumed.\nExample: "
        "tasktwin machine show nvidia-h200 --design "
        "cuda-graph");
    validate->footer("Exit 2: a file that cannot be read.\nExample: tasktwin machine validate nvidia-h200");
    schema->footer("For editors that check YAML as it is written.\nExample: tasktwin machine schema");
    CLI::App* fill_in = app.add_subcommand("template", "a machine file to fill in, with all that a named design reads");
    fill_in->add_option("--design", design_, "the named design")->required()->type_name("DESIGN");
    fill_in->add_option("--from", from_, "shipped machine, or a file, whose values stand in, marked as assumed")->type_name("MACHINE");
    fill_in->footer(
        "Every section and constant that the design reads, each with its meaning and without a value, or with that of --from;\n"
        "'machine validate' names those that are still empty.\n"
        "Example: tasktwin machine template --design central-dispatcher > mine.yaml\n"
        "Example: tasktwin machine template --design central-dispatcher --from ascend-a2a3 > mine.yaml");
    constants_ = make_machine_constants(*app.add_subcommand("constants", "every constant of a mechanism, what it means and who pays it"));
  }

  int run() override {
    if (app_.got_subcommand("list")) return list_machines(json_);
    if (app_.got_subcommand("validate")) return validate_files(machines_, json_, validate_machine);
    if (app_.got_subcommand("constants")) return constants_->run();
    if (app_.got_subcommand("schema")) {
      print(to_text(scenarios::machine_schema().json()));
      return 0;
    }
    if (app_.got_subcommand("template")) {
      const Design& design = named_design(design_);
      const std::optional<Machine> from = from_.empty() ? std::nullopt : std::optional(scenarios::load_machine(from_));
      print(machine_template(design, from ? &*from : nullptr));
      return 0;
    }
    const Machine machine = scenarios::load_machine(machine_);
    const Design* const design = design_.empty() ? nullptr : &named_design(design_);
    if (design) check_mechanisms(*design, machine);
    print(json_ ? result_to_text(shown_to_json(machine, design)) : shown_to_text(machine, design));
    return 0;
  }

 private:
  CLI::App& app_;
  std::unique_ptr<Command> constants_;
  std::string machine_;
  std::vector<std::string> machines_;
  std::string design_;
  std::string from_;
  bool json_ = false;
};

}  // namespace

std::unique_ptr<Command> make_machine_command(CLI::App& app) { return std::make_unique<MachineCommand>(app); }

}  // namespace tasktwin::verify
