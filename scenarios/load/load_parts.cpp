#include "scenarios/load/load_parts.hpp"

#include <array>
#include <filesystem>
#include <map>
#include <utility>

#include "models/checks/mechanisms.hpp"
#include "models/design/design_parts.hpp"
#include "models/graph/collective_kernels.hpp"
#include "models/graph/cycle.hpp"
#include "models/program/buffers.hpp"
#include "models/runtimes/prologues_ahead.hpp"
#include "scenarios/document/document_kind.hpp"
#include "scenarios/document/faults.hpp"
#include "scenarios/files/data_folder.hpp"
#include "scenarios/generators/generators.hpp"
#include "scenarios/importers/importers.hpp"
#include "scenarios/load/captured_launches.hpp"
#include "scenarios/load/foreign_file.hpp"
#include "scenarios/load/placement_file.hpp"
#include "scenarios/machine_files/machine_file.hpp"
#include "scenarios/tasks/demands.hpp"
#include "scenarios/tasks/kernel_costs.hpp"
#include "scenarios/tasks/listed_tasks.hpp"
#include "scenarios/tasks/stated_kernels.hpp"

namespace tasktwin::scenarios {

namespace {

/// Runs `work`, putting the place in front of what it refuses.
template <class Work>
auto located(const SourceLocation& where, const std::string& path, Work work) {
  try {
    return work();
  } catch (const InputError& wrong) {
    throw InputError(where, path + ": " + wrong.what());
  }
}

TaskGraph generated_graph(const Document& document, const Node& graph, const Machine& machine, std::uint64_t seed) {
  GivenParameters given;
  for (std::size_t i = 0; i < graph.keys.size(); ++i) {
    const Node& value = graph.items[i];
    if (graph.keys[i].text == "generator") continue;
    if (value.kind == Node::Kind::kText)
      given[graph.keys[i].text] = value.text;
    else
      given[graph.keys[i].text] = value.integer;
  }
  const Generator& chosen = generator(graph.find("generator")->text);
  try {
    return generate(chosen, given, seed, machine.compute_cores.empty() ? nullptr : &machine);
  } catch (const ParameterError& wrong) {
    const Node* value = graph.find(wrong.parameter);
    throw InputError(document.at(value ? *value : graph), "graph." + wrong.parameter + ": " + wrong.reason);
  } catch (const InputError& wrong) {
    throw InputError(document.at(*document.root.find_key("graph")), std::string("graph: ") + wrong.what());
  }
}

/// What a path in the scenario's file names: relative to it.
std::string beside(const Document& document, const std::string& path) {
  return (std::filesystem::path(document.file).parent_path() / path).string();
}

ImportOptions import_options(const Document& document, const Node& graph) {
  ImportOptions options;
  for (const ImportOptionField& field : import_option_fields()) {
    const Node* value = graph.find(field.name);
    if (!value) continue;
    if (field.text) options.*field.text = field.files ? beside(document, value->text) : value->text;
    if (field.number) options.*field.number = static_cast<int>(value->integer);
    if (field.list) {
      for (const Node& item : value->items) (options.*field.list).push_back(field.files ? beside(document, item.text) : item.text);
    }
  }
  return options;
}

/// Refuses kernels of which no core holds a block.
void check_footprints(const Document& document, const StatedKernels& kernels, const Machine& machine) {
  const Node* list = document.root.find("kernels");
  Faults faults;
  for (std::size_t i = 0; i < kernels.own().kernels.size(); ++i) {
    const OwnKernel& kernel = kernels.own().kernels[i];
    const auto check = [&](const char* field, std::int64_t needed, std::int64_t limit, const std::string& unit) {
      if (limit == 0 || needed <= limit) return;
      const Node& map = list->items[i];
      const Node* at = map.find(field);
      faults.add(document.at(at ? *at : map), "kernels[" + std::to_string(i) + "]." + field + ": a block needs " + std::to_string(needed) +
                                                  unit + ", but a core of machine '" + machine.name + "' has " + std::to_string(limit));
    };
    check("threads", kernel.threads, machine.core_limits.threads, " threads");
    check("shared_memory_bytes", kernel.shared_memory, machine.core_limits.shared_memory, " bytes of shared memory");
  }
  faults.check();
}

/// The kernels that the scenario brings along, with what they cost on its machine.
StatedKernels read_kernels(Scenario& scenario, const Document& document) {
  StatedKernels kernels(document);
  check_footprints(document, kernels, scenario.machine);
  for (std::size_t i = 0; i < kernels.own().kernels.size(); ++i) {
    if (const auto by = kernels.cost(i).by) scenario.table_parameters[i] = *by;
  }
  if (!kernels.empty()) scenario.remarks = price_kernels(kernels, document.file, scenario.machine);
  return kernels;
}

/// Refuses kernels beside a graph whose tasks cannot name them. Contract: its tasks are not written out.
void check_kernels_are_named(const Document& document) {
  for (const char* const name : {"kernels", "buffers"}) {
    if (const Node::Key* key = document.root.find_key(name))
      throw InputError(document.at(*key), std::string(name) + ": goes with tasks written out in graph.tasks, which name them");
  }
}

/// Collects tasks that the machine cannot run, at the field of each or of the generator where they are written; those that are at fault in
/// the same way are reported once, at the first.
/// `library` as well where the section has faults.
CollectivesBy collectives_by(const Document& document) {
  const Node* const collectives = document.root.find("collectives");
  const Node* const by = collectives ? collectives->find("by") : nullptr;
  return by ? from_word<CollectivesBy>(by->text).value_or(CollectivesBy::kLibrary) : CollectivesBy::kLibrary;
}

/// Contract: the section has passed the schema.
CollectiveKernels collective_kernels(const Document& document) {
  CollectiveKernels kernels{.by = collectives_by(document)};
  const Node* const collectives = document.root.find("collectives");
  if (collectives == nullptr) return kernels;
  for (const auto& [field, number] : {std::pair("pieces", &kernels.pieces), std::pair("blocks", &kernels.blocks)}) {
    const Node* const stated = collectives->find(field);
    if (stated == nullptr) continue;
    if (kernels.by == CollectivesBy::kLibrary)
      throw InputError(document.at(*collectives->find_key(field)),
                       std::string("collectives.") + field + ": is of the graph's own kernels; it does not go with by 'library'");
    *number = static_cast<int>(stated->integer);
  }
  return kernels;
}

void check_tasks(const Document& document, const Scenario& scenario, Faults& faults) {
  const Node& graph = *document.root.find("graph");
  const bool is_listed = !graph.find("generator") && collectives_by(document) == CollectivesBy::kLibrary;
  const Node* tasks = is_listed ? graph.find("tasks") : nullptr;
  const SourceLocation graph_key = document.at(*document.root.find_key("graph"));
  std::vector<std::pair<Impossible, std::size_t>> ways;  // the first task of each, and how many
  std::map<std::pair<std::string_view, std::string>, std::size_t> known;
  for (auto impossible = impossible_task(scenario.graph, scenario.machine); impossible;) {
    const auto [way, is_new] = known.try_emplace({impossible->field, impossible->reason}, ways.size());
    if (is_new) ways.emplace_back(*impossible, 0);
    ++ways[way->second].second;
    if (!tasks) break;  // one line of the file says all of them
    impossible = impossible_task(scenario.graph, scenario.machine, index(impossible->task) + 1);
  }
  for (const auto& [impossible, count] : ways) {
    const std::size_t place = tasks ? listed_place(*tasks, impossible.task) : 0;
    const Node& written = tasks ? tasks->items[place] : graph;
    const Node* field = written.find(impossible.field);
    const std::string path = tasks ? "graph.tasks[" + std::to_string(place) + "]" : "graph";
    faults.add(field   ? document.at(*field)
               : tasks ? document.at(written)
                       : graph_key,
               path + (field ? "." + std::string(impossible.field) : "") + ": " + impossible.why(scenario.graph) +
                   (count > 1 ? " (and " + std::to_string(count - 1) + " more)" : ""));
  }
}

/// At the entry of `after` that closes the cycle: one that names no task above its own, of which every cycle has one.
[[noreturn]] void refuse_cycle(const Document& document, const Node& list, const CycleError& cycle) {
  std::size_t i = 0;
  const auto waiting = [&cycle](std::size_t of) { return cycle.tasks[(of + 1) % cycle.tasks.size()]; };
  while (cycle.tasks[i] < waiting(i)) ++i;
  const std::size_t place = listed_place(list, waiting(i));
  const std::string& before = list.items[listed_place(list, cycle.tasks[i])].find("name")->text;
  const Node* const after = list.items[place].find("after");
  for (std::size_t j = 0; after && j < after->items.size(); ++j) {
    const Node* const task = after->items[j].find("task");
    const Node& word = task ? *task : after->items[j];
    if (word.text == before)
      throw InputError(document.at(word), "graph.tasks[" + std::to_string(place) + "].after[" + std::to_string(j) + "]: " + cycle.what());
  }
  throw InputError(document.at(*document.root.find_key("graph")), std::string("graph: ") + cycle.what());
}

}  // namespace

Document scenario_file(const std::string& path_or_name) {
  const FoundFile found = find_scenario(path_or_name);
  if (!found.exists) throw InputError({path_or_name}, why_no_scenario(path_or_name));
  if (const auto foreign = foreign_file(found.path)) throw InputError({found.path}, *foreign);
  Document document = read_document(found.path);
  if (const auto other = other_document(document.root)) throw InputError({found.path}, *other);
  return document;
}

void read_machine(Scenario& scenario, const Document& document, MachineFiles* known) {
  const Node& machine = *document.root.find("machine");
  const Node& word = machine.kind == Node::Kind::kText ? machine : *machine.find("from");
  const std::string path = &word == &machine ? "machine" : "machine.from";
  const FoundFile found = find_machine(word.text, std::filesystem::path(document.file).parent_path());
  if (!found.exists) throw InputError(document.at(word), path + ": " + why_no_machine(word.text));
  scenario.machine_file = found.path;
  const auto read = [&] { return machine_from(located(document.at(word), path, [&] { return read_document(found.path); })); };
  if (known != nullptr) {
    auto at = known->find(found.path);
    if (at == known->end()) {
      at = known->emplace(found.path, read()).first;
      std::erase_if(at->second.provenance, [](const auto& entry) { return !entry.first.starts_with("kernels."); });
    }
    scenario.machine = at->second;
  } else {
    scenario.machine = read();
  }
  if (machine.kind == Node::Kind::kMap) apply_changes(scenario.machine, document, machine, "scenario " + scenario.name);
}

TaskGraph read_graph(Scenario& scenario, const Document& document, std::uint64_t seed) {
  const Node& graph = *document.root.find("graph");
  if (graph.find("generator")) {
    check_kernels_are_named(document);
    return generated_graph(document, graph, scenario.machine, seed);
  }
  if (const Node* tasks = graph.find("tasks")) {
    StatedKernels kernels = read_kernels(scenario, document);
    TaskGraphBuilder builder = listed_tasks(document, *tasks, kernels);
    for (std::string& remark : kernels.beyond_tables()) scenario.remarks.push_back(std::move(remark));
    try {
      return std::move(builder).build();
    } catch (const CycleError& cycle) {
      refuse_cycle(document, *tasks, cycle);
    } catch (const InputError& wrong) {
      throw InputError(document.at(*document.root.find_key("graph")), std::string("graph: ") + wrong.what());
    }
  }
  constexpr std::array<std::string_view, 5> choices{"generator", "tasks", "operators", "records", "import"};
  if (graph.keys.empty())
    throw InputError(document.at(graph),
                     "graph: needs 'generator' and its parameters, 'tasks', 'operators', 'import', or 'records' and 'deps' of a capture");
  const Node::Key& key = graph.keys.front();
  throw InputError(document.at(key), "graph." + key.text + ": comes without 'generator', 'tasks', 'operators', 'import' or 'records'" +
                                         suggest(key.text, choices));
}

void make_collectives(Scenario& scenario, const Document& document) {
  const CollectiveKernels kernels = collective_kernels(document);
  const Node::Key* const key = document.root.find_key("collectives");
  if (key == nullptr) return;
  const SourceLocation at = document.at(*key);
  if (!scenario.graph.has_collectives()) throw InputError(at, "collectives: the graph has none that could be made another way");
  if (kernels.by == CollectivesBy::kLibrary) return;
  if (scenario.program) throw InputError(at, "collectives: a captured program makes its collectives by the calls that it made");
  located(at, "collectives", [&] { scenario.graph = with_kernels_for_collectives(scenario.graph, kernels); });
}

std::optional<SwimlaneCapture> read_capture(Scenario& scenario, const Document& document) {
  const Node& graph = *document.root.find("graph");
  const Node* records = graph.find("records");
  const Node* deps = graph.find("deps");
  if (!records || !deps || graph.find("generator") || graph.find("tasks")) return std::nullopt;
  check_kernels_are_named(document);
  scenario.capture = CaptureFiles{beside(document, records->text), beside(document, deps->text)};
  if (const Node* run = graph.find("run")) scenario.capture->run = run->integer;
  return located(document.at(*document.root.find_key("graph")), "graph",
                 [&] { return read_swimlane(scenario.capture->records, scenario.capture->deps, scenario.capture->run); });
}

bool read_import(Scenario& scenario, const Document& document) {
  const Node& graph = *document.root.find("graph");
  const Node* file = graph.find("import");
  if (!file || graph.find("generator") || graph.find("tasks")) return false;
  check_kernels_are_named(document);
  const Node* format = graph.find("format");
  const std::string path = beside(document, file->text);
  located(document.at(*document.root.find_key("graph")), "graph", [&] {
    const Importer& importer = importer_of(path, format ? format->text : "");
    const ImportOptions options = import_options(document, graph);
    Imported imported = import_file(path, std::string(importer.name), options);
    scenario.graph = std::move(imported.graph);
    scenario.program = std::move(imported.program);
    if (imported.needs) scenario.needs = std::make_shared<const ProgramNeeds>(*std::move(imported.needs));
    scenario.imported = ImportedRun{path,
                                    std::string(importer.name),
                                    std::move(imported.captured),
                                    std::move(imported.counts),
                                    std::move(imported.remarks),
                                    imported.iterations,
                                    imported.profiled,
                                    options.dependences == "own_memory"};
  });
  if (const Node* off = graph.find("replay_off_percent"); off != nullptr && off->real != 0) {
    char text[32];
    std::snprintf(text, sizeof text, "%+.1f", off->real);
    scenario.remarks.push_back("simulated as it was captured, the run is off by " + std::string(text) +
                               " %, more than an import allows without a word: results of this scenario may be off by as much");
  }
  return true;
}

std::vector<CapturedLaunch> captured_launches(const std::string& path_or_name) {
  const Document document = read_document(find_scenario(path_or_name).path);
  const Node& graph = *document.root.find("graph");
  const Node* const format = graph.find("format");
  const std::string path = beside(document, graph.find("import")->text);
  return import_file(path, format ? format->text : "", import_options(document, graph)).launches;
}

DesignChecks::DesignChecks(const Document& document, const Scenario& scenario, Faults& faults)
    : document_(document), scenario_(scenario), faults_(faults), sound_(scenario.designs.size(), true) {}

void DesignChecks::run(const std::function<void(const Design& design)>& check) {
  const Node* const designs = document_.root.find("designs");  // missing where none is sound
  for (std::size_t i = 0; i < sound_.size(); ++i) {
    sound_[i] = sound_[i] && faults_.attempt([&] {
      located(document_.at(designs->items[i]), "designs[" + std::to_string(i) + "]", [&] { check(scenario_.designs[i]); });
    });
  }
}

void check_graph(const Document& document, const Scenario& scenario, DesignChecks& checks, Faults& faults) {
  const Node& graph = *document.root.find("graph");
  const SourceLocation graph_key = document.at(*document.root.find_key("graph"));
  if (const auto fault = buffer_fault(scenario.graph)) {
    const Node* tasks = graph.find("generator") ? nullptr : graph.find("tasks");
    faults.add(tasks ? document.at(tasks->items[listed_place(*tasks, fault->task)]) : graph_key,
               (tasks ? "graph.tasks[" + std::to_string(listed_place(*tasks, fault->task)) + "]: " : "graph: ") + fault->why);
  }
  checks.run([&](const Design& design) { check_mechanisms(design, scenario.machine, scenario.graph); });
  const std::size_t before = faults.all().size();
  check_tasks(document, scenario, faults);
  if (faults.all().size() > before) return;  // what follows needs tasks that the machine can run
  if (!faults.attempt([&] { located(graph_key, "graph", [&] { check_total_time(scenario.graph, scenario.machine); }); })) return;
  checks.run([&](const Design& design) {
    check_seats(scenario.graph, scenario.machine, design);
    check_parts(scenario.graph, design);
    check_prologues(scenario.graph, design);
  });
}

void read_replays(Scenario& scenario, const Document& document, const SwimlaneCapture* capture, Faults& faults) {
  const Node& designs = *document.root.find("designs");
  for (std::size_t i = 0; i < scenario.designs.size(); ++i) {
    const Design& design = scenario.designs[i];
    if (design.replay.empty()) continue;
    const std::string file = beside(document, design.replay);
    faults.attempt([&] {
      located(document.at(*designs.items[i].find("replay")), "designs[" + std::to_string(i) + "].replay", [&] {
        scenario.replays[design.name] = capture && file == scenario.capture->records
                                            ? captured_timeline(*capture, scenario.machine.compute_cores)
                                            : read_placement(file, scenario.graph);
      });
    });
  }
}

}  // namespace tasktwin::scenarios
