#include <array>
#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>

#include "scenarios/files/quoted.hpp"
#include "scenarios/formats/json_file.hpp"
#include "scenarios/importers/importers.hpp"
#include "scenarios/importers/parts/imported_graph.hpp"

namespace tasktwin::scenarios {

namespace {

constexpr double kNsPerSecond = 1e9;

class WorkflowReader {
 public:
  ImportedGraph read(const JsonPlace& root) {
    graph_.sources = {"parents", "children"};
    const JsonPlace workflow = root.at("workflow").object();
    const auto specification = workflow.find("specification");
    const JsonPlace tasks = list_of_tasks(specification.value_or(workflow));
    for (std::size_t i = 0; i < tasks.size(); ++i) read_task(tasks[i]);
    if (const auto execution = workflow.find("execution"); specification && execution) {
      const JsonPlace runs = execution->at("tasks").list();
      for (std::size_t i = 0; i < runs.size(); ++i) read_run(runs[i]);
    }
    for (std::size_t i = 0; i < tasks.size(); ++i) read_edges(tasks[i], static_cast<std::uint32_t>(i));
    finish();
    return std::move(graph_);
  }

 private:
  static JsonPlace list_of_tasks(const JsonPlace& of) {
    const auto jobs = of.find("jobs");  // before 1.3
    return jobs && !of.find("tasks") ? jobs->list() : of.at("tasks").list();
  }

  void read_task(const JsonPlace& place) {
    const auto id = place.find("id");
    const JsonPlace name = place.at("name");
    const auto position = static_cast<std::uint32_t>(graph_.nodes.size());
    const JsonPlace key = id.value_or(name);
    if (!by_id_.emplace(key.text(), position).second) key.refuse("is " + in_quotes(key.text()) + ", which a task before it has already");
    if (!by_name_.emplace(name.text(), position).second) ambiguous_.insert(name.text());
    graph_.add(id ? id->text() : name.text(), {});
    times_.emplace_back();
    read_time(place, position);
  }

  void read_run(const JsonPlace& place) {
    const JsonPlace id = place.at("id");
    const std::uint32_t task = task_called(id);
    if (!ran_.insert(task).second) id.refuse("is " + in_quotes(id.text()) + ", which an entry before it has already");
    read_time(place, task);
  }

  void read_time(const JsonPlace& place, std::uint32_t task) {
    for (const char* field : {"runtimeInSeconds", "runtime"}) {
      const auto time = place.find(field);
      if (!time || time->value().is_null()) continue;
      times_[task] = whole_amount(time->number(), kNsPerSecond, kMostImportedNs);
      if (!times_[task]) time->refuse("is " + time->value().dump() + "; must be seconds, not negative and at most 1e8");
      break;
    }
    for (const char* field : {"coreCount", "cores"}) {
      const auto cores = place.find(field);
      if (cores && cores->value().is_number() && cores->number() > 1) ++several_cores_;
    }
  }

  std::uint32_t task_called(const JsonPlace& place) const {
    const std::string word = place.text();
    if (const auto found = by_id_.find(word); found != by_id_.end()) return found->second;
    if (ambiguous_.contains(word)) place.refuse("is " + in_quotes(word) + ", a name that several tasks have; name it by its id");
    if (const auto found = by_name_.find(word); found != by_name_.end()) return found->second;  // as older files do
    place.refuse("no task is called " + in_quotes(word));
  }

  void read_edges(const JsonPlace& place, std::uint32_t task) {
    if (const auto parents = place.find("parents")) {
      for (std::size_t i = 0; i < parents->list().size(); ++i) graph_.edges.push_back({task_called((*parents)[i]), task, 0, 0, 0});
    }
    if (const auto children = place.find("children")) {
      for (std::size_t i = 0; i < children->list().size(); ++i) graph_.edges.push_back({task, task_called((*children)[i]), 0, 0, 1});
    }
  }

  void finish() {
    std::size_t without = 0;
    for (std::size_t i = 0; i < graph_.nodes.size(); ++i) {
      Task& task = graph_.nodes[i].task;
      task.cost.time = Duration{times_[i].value_or(0)};
      if (task.cost.time == Duration{}) task.kernel = Kernel::kEmpty;
      without += times_[i] ? 0 : 1;
    }
    if (without > 0) graph_.remarks.push_back(counted(without, "task") + " without a runtime: empty bodies");
    if (several_cores_ > 0)
      graph_.remarks.push_back(counted(several_cores_, "task") + " used several cores; each is taken to hold one for its runtime");
    graph_.remarks.emplace_back("files that tasks read and write are not moved: runtimes hold what that took");
  }

  ImportedGraph graph_;
  std::unordered_map<std::string, std::uint32_t> by_id_;
  std::unordered_map<std::string, std::uint32_t> by_name_;
  std::unordered_set<std::string> ambiguous_;  ///< names of several tasks
  std::unordered_set<std::uint32_t> ran_;
  std::vector<std::optional<std::int64_t>> times_;
  std::size_t several_cores_ = 0;
};

/// A workflow instance in WfCommons' WfFormat: 1.4 and later (`workflow.specification.tasks` with parents and children, times under
/// `workflow.execution.tasks`) or older (`workflow.tasks`, or `workflow.jobs`, with times in them). Tasks take runtimeInSeconds, or
/// `runtime`, on one core; files' bytes are not edges' bytes and are left out. An edge may be given as a parent, as a child or as both.
/// Throws InputError with the field's path for what is missing, of another kind, out of range or unknown.
ImportedGraph read_wfformat(const JsonPlace& root) { return WorkflowReader().read(root); }

bool is_wfformat(const FileHead& head) {
  return is_json_with(head, {"workflow"}) &&
         (is_json_with(head, {"schemaVersion"}) || is_json_with(head, {"tasks"}) || is_json_with(head, {"jobs"}));
}

Imported import_wfformat(const std::string& path, const ImportOptions& options) {
  const JsonValue json = read_packed_json(path);
  return imported(path, read_wfformat(JsonPlace(path, json)), options);
}

constexpr std::array<std::string_view, 2> kWorkflowOptions{"drop_edges", "core_type"};

}  // namespace

Importer wfformat_importer() {
  return {"wfformat", "a workflow instance of WfCommons (WfFormat)", is_wfformat, import_wfformat, kWorkflowOptions};
}

}  // namespace tasktwin::scenarios
