#include "sim/estimate/estimate.hpp"

#include <algorithm>
#include <utility>

#include "models/base/error.hpp"
#include "models/checks/stalls.hpp"
#include "models/cost/cache.hpp"
#include "models/design/design_parts.hpp"
#include "models/graph/events.hpp"
#include "models/policies/policies.hpp"
#include "models/runtimes/runtimes.hpp"
#include "sim/admission.hpp"
#include "sim/run_check.hpp"
#include "sim/wirings.hpp"

namespace tasktwin::sim {

namespace {

constexpr Duration kLongestTime{100'000'000'000};  // as in files

/// Why simulate() runs another graph in place of this one; empty where it does not.
std::string why_rewritten(const TaskGraph& graph, const Machine& machine, const Design& design) {
  if (machine.devices.count() > 1 || graph.devices() > 1 || graph.has_collectives()) return "there are several devices";
  if (graph.has_predicates()) return "some tasks may not come to be";
  if (event_count(graph) > 0) return "the graph has events";
  if (!design.parts.empty()) return "the design has parts";
  return {};
}

/// Why runs cannot be continued from within; empty where they can.
std::string why_whole(const TaskGraph& graph, const Design& design) {
  if (runtime_of(design).id != RuntimeId::kStaticQueues) return "the design has no lists alone";
  if (design.graph_build != GraphBuild::kHost) return "the device builds the graph";
  if (design.prefetch > 0) return "pages are loaded ahead";
  if (design.workers_per_core > 1) return "workers share cores";
  if (graph.has_wide_tasks()) return "some tasks take several cores";
  if (graph.has_spawns()) return "tasks spawn others";
  return {};
}

}  // namespace

Estimate::Estimate(TaskGraph graph, Machine machine, Design design, std::uint64_t seed, const Timeline* replayed)
    : machine_(std::move(machine)),
      design_(std::move(design)),
      seed_(seed),
      base_(std::make_unique<Inputs>(Inputs{.graph = std::move(graph), .lists = {}, .costs = {}, .planned = {}})),
      met_([this]() -> AsRun {
        check_design(design_, machine_);
        check_constants(machine_);
        return as_run(design_, machine_, {.cache_empty = finds_cache_empty(base_->graph, machine_)});
      }()),
      whole_because_(why_rewritten(base_->graph, machine_, design_)) {
  direct_ = whole_because_.empty();
  keeps_lists_ = direct_ && runtime_of(design_).id == RuntimeId::kStaticQueues;
  if (replayed != nullptr && !keeps_lists_)
    throw InputError("placement 'replay' is estimated under lists alone, as 'static-queues' has them" +
                     (direct_ ? std::string() : ", and not where " + whole_because_));
  if (!direct_) return;
  const TaskGraph& given = base_->graph;
  check_tasks(given, machine_, design_);
  check_program(given, machine_, design_, nullptr);
  whole_because_ = why_whole(given, design_);
  cores_ = timeline_cores(given, met_, design_);
  if (keeps_lists_) base_->lists = frozen_schedule(given, machine_, design_, replayed);
  if (replayed != nullptr) {
    if (const auto stall = certain_stall({given, machine_, design_, base_->lists}))
      throw RunError("design '" + design_.name + "': " + stall->text());
  }
  base_->costs.emplace(given, met_, seed_);
  base_->planned = planned_durations(given, machine_);
}

Estimate::~Estimate() = default;

void Estimate::check_task(TaskId task) const {
  const std::size_t tasks = base_->graph.size();
  if (index(task) < tasks) return;
  throw InputError("task " + std::to_string(index(task)) + " is not there; the graph has tasks 0 to " + std::to_string(tasks - 1));
}

Estimate::Inputs& Estimate::edited() {
  if (!edited_) edited_ = std::make_unique<Inputs>(*base_);
  timeline_.reset();
  return *edited_;
}

void Estimate::set_time(TaskId task, Duration time) {
  check_task(task);
  if (time < Duration{0} || time > kLongestTime)
    throw InputError("time_ns: is " + std::to_string(time.count()) + " for task " + std::to_string(index(task)) + "; must be 0 to " +
                     std::to_string(kLongestTime.count()));
  if (!base_->graph.traits(task).samples.empty() || !base_->graph.traits(task).parts.empty())
    throw InputError("time_ns: task " + std::to_string(index(task)) + " has times of samples or parts, not one");
  edited();
  edits_.times[task] = time;
  applied_ = false;
}

void Estimate::set_priority(TaskId task, std::int32_t priority) {
  check_task(task);
  if (design_.order != TaskOrder::kPriority || design_.own.order)
    throw InputError("priority: design '" + design_.name + "' does not order tasks by it; order 'priority' does");
  edited();
  edits_.priorities[task] = priority;
  applied_ = false;
}

void Estimate::add_edge(TaskId from, TaskId to) {
  check_task(from);
  check_task(to);
  const std::pair edge(from, to);
  if (edits_.added.contains(edge) || (has_edge(base_->graph, from, to) && !edits_.removed.contains(edge)))
    throw InputError("edge " + std::to_string(index(from)) + " -> " + std::to_string(index(to)) + " is there already");
  SmallEdits edits = edits_;
  if (edits.removed.erase(edge) == 0) edits.added.insert(edge);
  TaskGraph graph = with_edits(base_->graph, edits);  // throws where it closes a cycle
  edited().graph = std::move(graph);
  edits_ = std::move(edits);
  applied_ = true;
}

void Estimate::remove_edge(TaskId from, TaskId to) {
  check_task(from);
  check_task(to);
  const std::pair edge(from, to);
  const bool added = edits_.added.contains(edge);
  if (!added && (!has_edge(base_->graph, from, to) || edits_.removed.contains(edge)))
    throw InputError("edge " + std::to_string(index(from)) + " -> " + std::to_string(index(to)) + " is not there");
  if (base_->graph.spawner(to) == from)
    throw InputError("edge " + std::to_string(index(from)) + " -> " + std::to_string(index(to)) +
                     " cannot go; the one task spawns the other");
  edited();
  if (!added) edits_.removed.insert(edge);
  edits_.added.erase(edge);
  applied_ = false;
}

void Estimate::move(TaskId task, CoreId core, std::size_t place) {
  check_task(task);
  const std::string named = "task " + std::to_string(index(task));
  if (!keeps_lists_)
    throw InputError("move: design '" + design_.name + "' has no lists of tasks to change: " +
                     (has_lists(design_) ? "each run makes them anew, since " + whole_because_ : "its placement is made in the run"));
  if (index(core) >= cores_.size())
    throw InputError("core " + std::to_string(index(core)) + " is not there; there are cores 0 to " + std::to_string(cores_.size() - 1));
  const CoreType type = cores_[index(core)];
  if (base_->graph[task].core_type != type && base_->graph.traits(task).other_type != type)
    throw InputError("core " + std::to_string(index(core)) + " is of type '" + std::string(to_word(type)) + "', which cannot run " + named);
  FrozenSchedule lists = now().lists;
  const auto holds = std::ranges::find_if(lists, [&](const auto& list) { return std::ranges::find(list, task) != list.end(); });
  if (holds == lists.end()) throw InputError(named + " is in no list");
  holds->erase(std::ranges::find(*holds, task));
  std::vector<TaskId>& list = lists[index(core)];
  if (place > list.size())
    throw InputError("place " + std::to_string(place) + " of core " + std::to_string(index(core)) + " is not there; without " + named +
                     " its list has places 0 to " + std::to_string(list.size()));
  list.insert(list.begin() + static_cast<std::ptrdiff_t>(place), task);
  edited().lists = std::move(lists);
}

void Estimate::apply_edits() {
  if (applied_) return;
  edited_->graph = with_edits(base_->graph, edits_);
  applied_ = true;
}

const TaskGraph& Estimate::graph() {
  apply_edits();
  return now().graph;
}

Change Estimate::change() const {
  Change change{.before = base_->graph, .times = {}, .edges = {}, .lists = {}};
  for (const auto& [task, time] : edits_.times) {
    if (base_->graph[task].cost.time != time) change.times.push_back(task);
  }
  change.edges.assign(edits_.added.begin(), edits_.added.end());
  change.edges.insert(change.edges.end(), edits_.removed.begin(), edits_.removed.end());
  for (std::size_t core = 0; core < base_->lists.size(); ++core) {
    const auto& [before, after] = std::ranges::mismatch(base_->lists[core], edited_->lists[core]);
    if (before == base_->lists[core].end() && after == edited_->lists[core].end()) continue;
    change.lists.emplace_back(core_id(core), static_cast<std::size_t>(before - base_->lists[core].begin()));
  }
  return change;
}

Timeline Estimate::run_of(const Inputs& inputs, Stops* stops) {
  const SimulationOptions options{.seed = seed_, .interrupted = interrupted_};
  Timeline timeline = run_once({inputs.graph, met_, design_, *inputs.costs, inputs.lists, inputs.planned, options}, stops).timeline;
  check_run(inputs.graph, machine_, design_, seed_, timeline);
  return timeline;
}

Timeline Estimate::whole_run(Inputs& inputs) {
  simulated_ = 1;
  if (!direct_) return simulate(inputs.graph, machine_, design_, {.seed = seed_, .interrupted = interrupted_}).timeline;
  if (has_lists(design_) && !keeps_lists_) inputs.lists = frozen_schedule(inputs.graph, machine_, design_);
  Stops stops;
  Timeline timeline = run_of(inputs, &stops);
  events_ = stops.handled;
  return timeline;
}

void Estimate::keep_checkpoints() {
  if (!checkpoints_.empty()) return;
  if (events_ == 0) whole_run(*base_);
  Stops stops{.each = static_cast<std::uint32_t>(std::max<std::uint64_t>(1, events_ / kCheckpoints)),
              .keep = [this](Checkpoint at) { checkpoints_.push_back(std::move(at)); }};
  try {
    run_of(*base_, &stops);
  } catch (...) {
    checkpoints_.clear();
    throw;
  }
}

const Timeline& Estimate::run(const std::function<bool()>& interrupted) {
  if (timeline_) return *timeline_;
  interrupted_ = interrupted;
  if (!edited_) return timeline_.emplace(whole_run(*base_));
  apply_edits();
  if (!direct_) return timeline_.emplace(whole_run(*edited_));
  const Change differs = change();
  edited_->costs = base_->costs->changed_in(edited_->graph, differs.times, met_, seed_);
  const Checkpoint* from = nullptr;
  if (whole_because_.empty()) {
    keep_checkpoints();
    from = last_before(checkpoints_, differs, edited_->graph, base_->lists, edited_->lists);
  }
  if (from == nullptr) {
    edited_->planned = planned_durations(edited_->graph, machine_);
    return timeline_.emplace(whole_run(*edited_));
  }
  Stops stops{.from = from, .change = &differs};
  timeline_.emplace(run_of(*edited_, &stops));
  simulated_ = 1 - static_cast<double>(from->handled) / static_cast<double>(stops.handled);
  return *timeline_;
}

void Estimate::keep() {
  if (!edited_) return;
  apply_edits();
  base_ = std::move(edited_);
  if (direct_) {
    base_->costs.emplace(base_->graph, met_, seed_);
    base_->planned = planned_durations(base_->graph, machine_);
  }
  edits_ = {};
  checkpoints_.clear();
}

void Estimate::undo() {
  if (!edited_) return;
  edited_.reset();
  edits_ = {};
  applied_ = true;
  timeline_.reset();
}

}  // namespace tasktwin::sim
