#include "verify/plan/list_plan.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "models/base/error.hpp"
#include "models/checks/list_cover.hpp"
#include "models/checks/list_order.hpp"
#include "models/graph/events.hpp"
#include "models/graph/graph_copy.hpp"
#include "models/runtimes/runtimes.hpp"
#include "verify/plan/plan_fields.hpp"
#include "verify/rerun/json_field.hpp"
#include "verify/rerun/plan_file.hpp"

namespace tasktwin::verify {

namespace {

constexpr std::string_view kHelp = "docs/plan.md has the form, and 'tasktwin simulate --plan-out' writes such files";

/// Of a task or an event of the plan: its field, and what it waits for.
struct Entry {
  JsonField field;
  std::string name;
};

class Reader {
 public:
  Reader(const std::string& file, const Json& json, const scenarios::Scenario& scenario)
      : root_(file, kHelp, "", json), scenario_(scenario), needed_(scenario.graph), place_(needed_.size(), TaskId{kNoPlace}) {
    for (std::size_t i = 0; i < needed_.size(); ++i) names_.emplace(needed_.name(task_id(i)), task_id(i));
  }

  ListPlan read() {
    root_.has_only({"tasktwin_plan", "events", "workers"});
    ListPlan plan;
    plan.design = design();
    list_entries();
    add_tasks();
    for (std::size_t worker = 0; worker < workers_.size(); ++worker) {
      std::vector<TaskId>& list = plan.lists.emplace_back();
      for (const Entry& entry : workers_[worker]) list.push_back(place_[index(names_.at(entry.name))]);
    }
    add_waits();
    plan.graph = built();
    check_room(plan);
    check_ends(plan);
    check_needs(plan);
    plan.needed = with_needs(plan.graph);
    return plan;
  }

 private:
  Design design() const {
    const JsonField head = root_.at("tasktwin_plan");
    head.has_only({"version", "launch", "from", "axes"});
    if (head.at("version").integer() != kPlanVersion) head.at("version").refuse(fmt::format("is not {}", kPlanVersion));
    Design design = named_design("static-queues");
    design.name = "plan";
    head.at("from").text();
    const JsonField axes = head.at("axes");
    if (!axes.raw().is_object()) axes.refuse("is no object");
    const std::vector<const AxisField*> known = plan_axes();
    for (const auto& [key, value] : axes.raw().items()) {
      const auto found = std::ranges::find(known, key, &AxisField::name);
      const JsonField field = axes.at(key.c_str());
      if (found == known.end()) {
        std::vector<std::string_view> choices;
        for (const AxisField* const one : known) choices.push_back(one->name);
        field.refuse("is no axis that a plan sets" + suggest(key, choices));
      }
      set(design, **found, field);
    }
    design.placement = Placement::kReplay;
    return design;
  }

  static void set(Design& design, const AxisField& axis, const JsonField& field) {
    if (!axis.is_word()) {
      const int number = field.integer();
      if (number < axis.min || number > axis.max) field.refuse(fmt::format("is {}; must be {} to {}", number, axis.min, axis.max));
      design.*axis.number = number;
      return;
    }
    const std::string word = field.text();
    if (std::ranges::find(axis.words, word) == axis.words.end())
      field.refuse(fmt::format("is '{}'{}", word, suggest(word, std::vector<std::string_view>(axis.words.begin(), axis.words.end()))));
    axis.set_word(design, word);
  }

  /// What there is, each once, before anything is made of it.
  void list_entries() {
    for (const JsonField& one : root_.at("events").list()) {
      one.has_only({"event", "after"});
      const std::string name = one.at("event").text();
      const auto task = names_.find(name);
      if (task != names_.end() && !is_event(needed_[task->second])) one.at("event").refuse(fmt::format("'{}' is a task", name));
      if (!events_.emplace(name, events_.size()).second) one.at("event").refuse(fmt::format("'{}' is there already", name));
      event_entries_.push_back({one, name});
    }
    std::set<std::string> met;
    const std::vector<JsonField> workers = root_.at("workers").list();
    for (std::size_t i = 0; i < workers.size(); ++i) {
      workers[i].has_only({"worker", "tasks"});
      if (workers[i].at("worker").count() != i) workers[i].at("worker").refuse(fmt::format("must be {}: workers follow each other", i));
      std::vector<Entry>& entries = workers_.emplace_back();
      for (const JsonField& one : workers[i].at("tasks").list()) {
        entries.push_back({one, known_task(one)});
        if (!met.insert(entries.back().name).second) one.at("task").refuse(fmt::format("'{}' is in a list already", entries.back().name));
      }
    }
    for (std::size_t i = 0; i < needed_.size(); ++i) {
      if (is_event(needed_[task_id(i)]) || met.contains(std::string(needed_.name(task_id(i))))) continue;
      root_.at("workers").refuse(fmt::format("task '{}' of '{}' is in no worker's list", needed_.name(task_id(i)), scenario_.name));
    }
  }

  /// The name of a task that does what the scenario's of that name does.
  std::string known_task(const JsonField& one) const {
    one.has_only({"task", "kernel", "arguments", "after"});
    const std::string name = one.at("task").text();
    const auto found = names_.find(name);
    if (found == names_.end())
      one.at("task").refuse(fmt::format("'{}' is no task of '{}'{}", name, scenario_.name, suggest(name, choices())));
    const TaskId task = found->second;
    if (is_event(needed_[task])) one.at("task").refuse(fmt::format("'{}' is an event, which no worker runs; list it under 'events'", name));
    if (const std::string kernel = one.at("kernel").text(); kernel != needed_.kernel_name(task))
      one.at("kernel").refuse(fmt::format("is '{}', but the scenario's '{}' runs '{}'", kernel, name, needed_.kernel_name(task)));
    if (!one.raw().contains("arguments")) return name;
    if (const Json wanted = plan_arguments(needed_, task); one.at("arguments").raw() != wanted)
      one.at("arguments")
          .refuse(fmt::format("are {}, but the scenario's '{}' has {}", one.at("arguments").raw().dump(), name, wanted.dump()));
    return name;
  }

  /// For what was meant; of a large graph not all.
  std::vector<std::string_view> choices() const {
    constexpr std::size_t kMost = 10'000;
    std::vector<std::string_view> all;
    for (const auto& [name, task] : names_) {
      if (all.size() < kMost) all.push_back(name);
    }
    return all;
  }

  /// In the scenario's order, so that what is drawn for each stays the same; events that only the plan has after them.
  void add_tasks() {
    const Task event{.kernel = Kernel::kEmpty, .core_type = core_type(), .operation = Operation::kEvent};
    for (std::size_t i = 0; i < needed_.size(); ++i) {
      const TaskId task = task_id(i);
      if (!is_event(needed_[task])) {
        place_[i] = copy_task(builder_, needed_, task);
      } else if (events_.contains(std::string(needed_.name(task)))) {
        event_place_[std::string(needed_.name(task))] = copy_task(builder_, needed_, task);
      }
    }
    for (const Entry& entry : event_entries_) {
      if (!event_place_.contains(entry.name)) event_place_[entry.name] = builder_.add_task(entry.name, event);
    }
  }

  CoreType core_type() const {
    const auto kernel = std::ranges::find(needed_.tasks(), Operation::kKernel, &Task::operation);
    return kernel == needed_.tasks().end() ? CoreType::kSm : kernel->core_type;
  }

  TaskId placed(const JsonField& field) const {
    const std::string name = field.text();
    if (const auto event = event_place_.find(name); event != event_place_.end()) return event->second;
    const auto task = names_.find(name);
    if (task == names_.end())
      field.refuse(
          fmt::format("'{}' is neither a task of '{}' nor an event of the plan{}", name, scenario_.name, suggest(name, choices())));
    if (is_event(needed_[task->second])) field.refuse(fmt::format("'{}' is an event that the plan does not list under 'events'", name));
    return place_[index(task->second)];
  }

  void add_waits() {
    const auto add = [this](const JsonField& field, TaskId to) {
      std::set<TaskId> met;
      for (const JsonField& before : field.at("after").list()) {
        const TaskId from = placed(before);
        if (from == to) before.refuse("waits for itself");
        if (!met.insert(from).second) before.refuse("occurs twice");
        builder_.add_edge(from, to);
      }
      return met.size();
    };
    for (const Entry& entry : event_entries_) {
      if (add(entry.field, event_place_.at(entry.name)) == 0) entry.field.at("after").refuse("is empty: an event counts what it waits for");
    }
    for (const auto& entries : workers_) {
      for (const Entry& entry : entries) add(entry.field, place_[index(names_.at(entry.name))]);
    }
    // The bytes that come with an edge, and that a task is spawned, are the scenario's.
    for (std::size_t i = 0; i < needed_.size(); ++i) {
      if (is_event(needed_[task_id(i)])) continue;
      for_each_input(needed_, task_id(i), [&](TaskId before, std::int64_t bytes) {
        if (bytes > 0 && !is_event(needed_[before])) builder_.add_edge(place_[index(before)], place_[i], Bytes{bytes});
      });
      if (const auto spawner = needed_.spawner(task_id(i))) builder_.set_spawner(place_[i], place_[index(*spawner)]);
    }
    builder_.set_problem(needed_.problem());
    copy_buffer_names(builder_, needed_);
  }

  TaskGraph built() {
    try {
      return std::move(builder_).build();
    } catch (const InputError& wrong) {
      root_.at("workers").refuse(wrong.what());
    }
  }

  /// The planned tasks with the scenario's edges; nothing where the plan does without one of its events.
  std::optional<TaskGraph> with_needs(const TaskGraph& planned) const {
    std::vector<TaskId> place = place_;
    for (std::size_t i = 0; i < place.size(); ++i) {
      if (!is_event(needed_[task_id(i)])) continue;
      const auto event = event_place_.find(std::string(needed_.name(task_id(i))));
      if (event == event_place_.end()) return std::nullopt;
      place[i] = event->second;
    }
    TaskGraphBuilder builder;
    copy_tasks(builder, planned);
    for (std::size_t i = 0; i < place.size(); ++i) {
      for_each_input(needed_, task_id(i),
                     [&](TaskId before, std::int64_t bytes) { builder.add_edge(place[index(before)], place[i], Bytes{bytes}); });
      if (const auto spawner = needed_.spawner(task_id(i))) builder.set_spawner(place[i], place[index(*spawner)]);
    }
    return std::move(builder).build();
  }

  void check_room(const ListPlan& plan) const {
    const std::size_t room = worker_cores(plan.design, scenario_.machine).size();
    if (plan.lists.size() <= room) return;
    root_.at("workers").refuse(
        fmt::format("are {}, but machine '{}' has room for {} at once, {} on each core; those behind would never begin", plan.lists.size(),
                    scenario_.machine.name, room, plan.design.workers_per_core));
  }

  void check_ends(const ListPlan& plan) const {
    if (const auto why = list_deadlock(plan.graph, plan.lists)) root_.at("workers").refuse("would never end: " + *why);
  }

  void check_needs(const ListPlan& plan) const {
    const auto found = first_uncovered(needed_, plan.graph, plan.lists, place_);
    if (!found) return;
    const std::string_view name = needed_.name(found->task);
    for (const auto& entries : workers_) {
      const auto entry = std::ranges::find(entries, name, &Entry::name);
      if (entry == entries.end()) continue;
      entry->field.refuse(
          fmt::format("'{}' may begin before '{}' has ended, which the scenario has it wait for: neither 'after' nor what stands "
                      "before it in a list sees to it",
                      name, needed_.name(found->needs)));
    }
  }

  JsonField root_;
  const scenarios::Scenario& scenario_;
  const TaskGraph& needed_;
  std::map<std::string, TaskId, std::less<>> names_;
  std::map<std::string, std::size_t> events_;  ///< of the plan
  std::vector<Entry> event_entries_;
  std::vector<std::vector<Entry>> workers_;
  TaskGraphBuilder builder_;
  std::vector<TaskId> place_;  ///< by TaskId of the scenario, of those that are no events
  std::map<std::string, TaskId> event_place_;
};

}  // namespace

ListPlan list_plan_from(const std::string& file, const Json& json, const scenarios::Scenario& scenario) {
  return Reader(file, json, scenario).read();
}

}  // namespace tasktwin::verify
