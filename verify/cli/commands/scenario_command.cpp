#include <algorithm>
#include <array>
#include <iterator>
#include <set>
#include <string_view>
#include <variant>

#include <fmt/format.h>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

#include "gpu/executor.hpp"
#include "gpu/own/source_check.hpp"
#include "gpu/own/source_rules.hpp"
#include "models/base/error.hpp"
#include "models/bounds/bounds.hpp"
#include "models/graph/kernel_labels.hpp"
#include "models/graph/own_kernels.hpp"
#include "scenarios/document/faults.hpp"
#include "scenarios/load/scenario_document.hpp"
#include "scenarios/load/scenario_schema.hpp"
#include "scenarios/machine_files/machine_file.hpp"
#include "verify/cli/commands.hpp"
#include "verify/cli/commands/scenario_files.hpp"
#include "verify/cli/file_actions.hpp"
#include "verify/cli/options.hpp"
#include "verify/output/text/bounds_output.hpp"
#include "verify/output/text/result_json.hpp"
#include "verify/output/text/terminal.hpp"
#include "verify/output/text/text_table.hpp"
#include "verify/predict/admission.hpp"
#include "verify/predict/graph_hash.hpp"
#include "verify/predict/remarks.hpp"
#include "verify/predict/run_bounds.hpp"
#include "verify/recordings/rerun.hpp"
#include "verify/reference/task_reference.hpp"

namespace tasktwin::verify {

namespace {

/// The tasks of one kernel together.
struct KernelTotal {
  std::string_view kernel;
  std::int64_t tasks = 0;
  Bytes bytes{};
  Flops flops{};
};

std::vector<KernelTotal> totals_by_kernel(const TaskGraph& graph) {
  const KernelLabels labels(graph);
  std::vector<KernelTotal> totals;
  for (std::size_t label = 0; label < labels.count(); ++label) totals.push_back({.kernel = labels.name(label)});
  for (std::size_t i = 0; i < graph.size(); ++i) {
    const Cost& cost = graph[task_id(i)].cost;
    KernelTotal& total = totals[labels.of(task_id(i))];
    ++total.tasks;
    total.bytes += cost.bytes;
    total.flops += cost.flops;
  }
  std::erase_if(totals, [](const KernelTotal& total) { return total.tasks == 0; });
  return totals;
}

/// Of each design's bounds the lowest.
Bounds lowest_bounds(const scenarios::Scenario& scenario) {
  Bounds lowest = bounds_of(scenario, scenario.designs.front(), scenario.seed);
  for (const Design& design : scenario.designs) {
    const Bounds own = bounds_of(scenario, design, scenario.seed);
    for (Duration Bounds::*const bound :
         {&Bounds::critical_path, &Bounds::area, &Bounds::memory, &Bounds::head_tail, &Bounds::mixed, &Bounds::dispatch})
      lowest.*bound = std::min(lowest.*bound, own.*bound);
  }
  return lowest;
}

Json scenario_to_json(const scenarios::Scenario& scenario, const Bounds& bounds) {
  Json result;
  add_provenance(result, scenario, scenario.seed);
  result["description"] = scenario.description;
  if (!scenario.question.empty()) result["question"] = scenario.question;
  if (!scenario.finding.empty()) result["finding"] = scenario.finding;
  result["graph_hash"] = graph_hash(scenario.graph);
  result["tasks"] = scenario.graph.size();
  result["edges"] = scenario.graph.edge_count();
  result["kernels"] = Json::array();
  for (const KernelTotal& total : totals_by_kernel(scenario.graph)) {
    result["kernels"].push_back(
        {{"kernel", total.kernel}, {"tasks", total.tasks}, {"bytes", total.bytes.count}, {"flops", total.flops.count}});
  }
  result["bounds"] = bounds_to_json(bounds);
  result["designs"] = Json::array();
  for (const Design& design : scenario.designs)
    result["designs"].push_back({{"design", design.name}, {"resolved_design", design_to_json(design)}});
  return result;
}

/// "name: axis=value axis=value …", broken to fit the page: the axes that every design has, and those of the others that it
/// does not leave at their defaults.
std::string design_to_text(const Design& design) {
  constexpr std::array<std::string_view, 5> kAlways{"driver", "release", "ready_queue", "order", "placement"};
  std::string text;
  std::string line = fmt::format("  {}:", design.name);
  const Json defaults = design_to_json(Design{});
  const Json axes = design_to_json(design);
  for (const auto& [axis, value] : axes.items()) {
    const bool usual = defaults.contains(axis) && defaults[axis] == value;
    if (usual && std::ranges::find(kAlways, axis) == kAlways.end()) continue;
    const std::string word = fmt::format(" {}={}", axis, value.is_string() ? value.get<std::string>() : value.dump());
    if (columns(line) + columns(word) > text_columns()) {
      text += line + '\n';
      line = "   ";
    }
    line += word;
  }
  return text + line + '\n';
}

std::string scenario_to_text(const scenarios::Scenario& scenario, const Bounds& bounds) {
  std::string text = wrap(fmt::format("{}: {}", coloured(scenario.name, Tone::kStrong), scenario.description)) + '\n';
  if (!scenario.question.empty()) text += wrap("question: " + scenario.question) + '\n';
  if (!scenario.finding.empty()) text += wrap("finding: " + scenario.finding) + '\n';
  text += fmt::format("{} tasks, {} edges, seed {}, graph {}\n", format_count(static_cast<std::int64_t>(scenario.graph.size())),
                      format_count(static_cast<std::int64_t>(scenario.graph.edge_count())), scenario.seed, graph_hash(scenario.graph));
  text += fmt::format("machine {}: {} compute cores, {} control cores; {} ({})\n\n", scenarios::machine_title(scenario.machine),
                      scenario.machine.core_count(), scenario.machine.control_cores.count, scenario.machine_file, scenario.machine_hash);
  TextTable table({"kernel", "tasks", "bytes [B]", "arithmetic [FLOP]"});
  for (const KernelTotal& total : totals_by_kernel(scenario.graph)) {
    table.add_row({std::string(total.kernel), format_count(total.tasks), format_count(total.bytes.count), format_count(total.flops.count)});
  }
  text += table.to_string();
  text += '\n' + wrap(fmt::format("lower bounds, of its designs the lowest: {}", bounds_to_text(bounds))) + "\n\ndesigns\n";
  for (const Design& design : scenario.designs) text += design_to_text(design);
  return text;
}

/// Those of the suite after the others; a file that cannot be read says why.
int list_scenarios(bool json) {
  std::vector<std::string> names = scenarios::shipped_scenarios();
  std::ranges::move(scenarios::shipped_suite(), std::back_inserter(names));
  const auto longest = std::ranges::max_element(names, {}, &std::string::size);
  Json results = Json::array();
  for (const std::string& name : names) {
    std::string description;
    try {
      description = scenarios::scenario_description(name);
    } catch (const InputError& wrong) {
      description = wrong.what();
    }
    results.push_back({{"scenario", name}, {"description", description}});
    if (!json) print(beside(name, description, longest->size() + 2));
  }
  if (json) print(result_to_text(results));
  return 0;
}

int show_scenarios(const std::vector<std::string>& arguments, bool json) {
  Json results = Json::array();
  for (const std::string& argument : arguments) {
    const scenarios::Scenario scenario = scenarios::load_scenario(argument);
    const Bounds bounds = lowest_bounds(scenario);
    results.push_back(scenario_to_json(scenario, bounds));
    if (!json) print(scenario_to_text(scenario, bounds) + '\n');
  }
  if (json) print(result_to_text(results.size() == 1 ? results.front() : results));
  return 0;
}

/// Throws what compilers say of the sources of a scenario's own kernels, each at its place. Returns which compiler it was.
std::string compile_sources(const OwnKernels& own) {
  constexpr int kCapability = 90;
  const gpu::SourceCheck check = gpu::check_sources(own, kCapability);
  scenarios::Faults faults;
  for (const gpu::CompilerMessage& error : check.errors)
    faults.add(error.file.empty() ? SourceLocation{} : SourceLocation{error.file, error.line, 1}, error.text);
  faults.check();
  return fmt::format("{} for sm_{}", check.compiler, kCapability);
}

/// Throws where an entry is no body; what else bodies do that is not theirs under workers is a note.
void check_rules(const OwnKernels& own) {
  scenarios::Faults faults;
  for (const gpu::BrokenRule& rule : gpu::broken_rules(own)) {
    if (rule.refused)
      faults.add({rule.file, rule.line, rule.column}, rule.text);
    else
      remark(wrap(fmt::format("{}:{}:{}: {}", rule.file, rule.line, rule.column, rule.text), kPageColumns - 6));
  }
  faults.check();
}

/// A note for each kernel with a block that by its cost moves more than all buffers among its arguments have: one is likely too small,
/// which else only a run shows.
void note_small_buffers(const TaskGraph& graph, const OwnKernels& own) {
  std::set<std::size_t> told;
  for (std::size_t i = 0; i < graph.size(); ++i) {
    const Task& task = graph[task_id(i)];
    if (!is_own(task.kernel) || told.contains(own_index(task.kernel))) continue;
    const OwnKernel& kernel = own.kernels[own_index(task.kernel)];
    std::set<std::uint32_t> buffers;
    for (std::size_t p = 0; p < kernel.parameters.size(); ++p) {
      if (kernel.parameters[p].type == ArgumentType::kBuffer) buffers.insert(own.arguments[static_cast<std::size_t>(task.args[0])][p]);
    }
    std::int64_t held = 0;
    for (const std::uint32_t buffer : buffers) held += own.buffers[buffer].bytes();
    if (buffers.empty() || task.cost.bytes.count <= held) continue;
    told.insert(own_index(task.kernel));
    remark(wrap(fmt::format("a block of task '{}' moves {} bytes by its cost, but the buffers among the arguments of kernel '{}' have {} "
                            "together: one may be too small, or the cost too large",
                            graph.name(task_id(i)), task.cost.bytes.count, kernel.name, held),
                kPageColumns - 6));
  }
}

/// With `for_run`, also by what no executor on a GPU would run; with `compile`, also by what a compiler says of its sources. Settings
/// without effect are printed as by the commands that simulate.
ValidFile validate_scenario(const std::string& file, bool for_run, bool compile) {
  const scenarios::Scenario scenario =
      scenarios::load_scenario(file, {}, {}, [&file, for_run](const scenarios::Scenario& read, const Design& design) {
        check_admission(read, design);
        if (!for_run) return;
        const auto rerun = rerun_of(file, read, design);
        if (const auto why = gpu::why_unsupported(rerun ? *rerun : read.graph, read.machine, design))
          throw InputError(fmt::format("cannot be run under '{}': {}", design.name, *why));
      });
  RemarkList notes;
  for (const Design& design : scenario.designs) notes.add(scenario, design);
  notes.tell();
  const auto* const own = std::get_if<OwnKernels>(&scenario.graph.problem());
  if (own == nullptr) return {.text = "", .facts = {{"compiled", nullptr}}};
  check_rules(*own);
  note_small_buffers(scenario.graph, *own);
  if (!compile)
    return {.text = "; the sources of its kernels were not compiled, which --compile does, and 'run' on a GPU",
            .facts = {{"compiled", nullptr}}};
  const std::string compiler = compile_sources(*own);
  return {.text = "; the sources of its kernels compile (" + compiler + ")", .facts = {{"compiled", compiler}}};
}

class ScenarioCommand : public Command {
 public:
  explicit ScenarioCommand(CLI::App& app) : app_(app) {
    const auto [list, show, validate, schema] =
        add_file_actions(app, "scenario", "tasks by kernel, edges, bytes, bounds and resolved designs",
                         "check scenario files against the schema and the rest of the rules", json_);
    for (CLI::App* action : {show, validate}) add_scenarios(*action, scenarios_)->required();
    validate->add_flag("--run", for_run_, "also what 'run' would refuse: designs, axes and tasks that no executor on a GPU takes");
    validate->add_flag("--compile", compile_, "also compile the sources of its own kernels, by NVRTC or nvcc; no GPU is needed");
    app.footer(
        "A scenario file has a task graph, a machine, the designs to hold against each other, and a seed. Copy one to start from.\n"
        "Example: tasktwin scenario show example");
    list->footer(
        "The names stand for files in the folder 'scenarios' and may be used wherever a command takes SCENARIO. Those that begin with\n"
        "suite/ are small ones that verification measures beside the others.\nExample: tasktwin scenario list");
    show->footer(
        "Reads each scenario, makes its graph and says what it consists of and which bounds none of its designs can beat.\n"
        "Example: tasktwin scenario show cholesky");
    validate->footer(
        "Goes through all files, and names file:line:column, the field and what would be right for all that is wrong with each.\n"
        "--compile also names what is wrong with the CUDA sources of a scenario's own kernels.\nExit 1: "
        "something "
        "outside the files failed, or there is no compiler for --compile\nExample: tasktwin scenario validate example");
    schema->footer(
        "For editors: with it they complete and check keys and values of a scenario while it is written. It is made from what this\n"
        "tasktwin knows of generators, designs and machines.\nExample: tasktwin scenario schema > scenario.schema.json");
    CLI::App* fields = app.add_subcommand("fields", "what a task may say, the built-in kernels and the generators");
    add_format(*fields, fields_format_, {"text", "md"});
    fields->footer(
        "A task in graph.tasks has a name and any of these fields; anything that it waits for is listed in 'after'. --format md is\n"
        "docs/reference/tasks.md, and has the generators too; 'scenario schema' says the same as JSON.\nExample: tasktwin scenario fields");
    export_ = make_scenario_export(*app.add_subcommand("export", "write a scenario's graph, or a captured run, for other programs"));
    import_ = make_scenario_import(*app.add_subcommand("import", "make a scenario of what another program recorded"));
  }

  int run() override {
    if (app_.got_subcommand("list")) return list_scenarios(json_);
    if (app_.got_subcommand("schema")) {
      print(scenarios::scenario_schema().json().dump(2) + '\n');
      return 0;
    }
    if (app_.got_subcommand("fields")) {
      print(fields_format_ == "md" ? scenario_fields_to_markdown() : scenario_fields_to_text());
      return 0;
    }
    if (app_.got_subcommand("export")) return export_->run();
    if (app_.got_subcommand("import")) return import_->run();
    if (app_.got_subcommand("show")) return show_scenarios(scenarios_, json_);
    return validate_files(scenarios_, json_, [this](const std::string& file) { return validate_scenario(file, for_run_, compile_); });
  }

 private:
  CLI::App& app_;
  std::unique_ptr<Command> export_;
  std::unique_ptr<Command> import_;
  std::vector<std::string> scenarios_;
  std::string fields_format_ = "text";
  bool json_ = false;
  bool for_run_ = false;
  bool compile_ = false;
};

}  // namespace

std::unique_ptr<Command> make_scenario_command(CLI::App& app) { return std::make_unique<ScenarioCommand>(app); }

}  // namespace tasktwin::verify
