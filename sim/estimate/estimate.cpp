#include "sim/estimate/estimate.hpp"

#include <algorithm>
#include <utility>

#include "models/base/error.hpp"
#include "models/checks/stalls.hpp"
#include "models/cost/cache.hpp"
#include "models/design/design_parts.hpp"
#include "models/explain/observed_path.hpp"
#include "models/graph/events.hpp"
#include "models/policies/policies.hpp"
#include "models/run/fallback.hpp"
#include "models/runtimes/runtimes.hpp"
#include "sim/admission.hpp"
#include "sim/run_check.hpp"
#include "sim/wirings.hpp"

namespace tasktwin::sim {

namespace {

/// Why simulate() runs another graph in place of this one; empty where it does not.
std::string why_rewritten(const TaskGraph& graph, const Machine& machine, const Design& design) {
  if (machine.devices.count() > 1 || graph.devices() > 1 || graph.has_collectives()) return "there are several devices";
  if (graph.has_predicates()) return "some tasks may not come to be";
  if (event_count(graph) > 0) return "the graph has events";
  if (!design.parts.empty()) return "the design has parts";
  if (falls_back(graph, machine, design)) return "control cores hand out the tasks (fallback 'run')";
  return {};
}

/// Why runs cannot be continued from within; empty where they can.
std::string why_whole(const TaskGraph& graph, const Design& design) {
  if (runtime_of(design).id != RuntimeId::kStaticQueues) return "the design has no lists alone";
  if (design.graph_build != GraphBuild::kHost) return "the device builds the graph";
  if (design.own_list != OwnList::kSignal) return "lists say which edges are signalled (own_list 'order')";
  if (design.notification == Notification::kMessage) return "edges say which results are in messages (notification 'message')";
  if (design.prefetch > 0) return "pages are loaded ahead";
  if (design.prologues == Prologues::kAhead) return "prologues are done ahead (prologues 'ahead')";
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
      base_{.graph = std::move(graph), .lists = {}, .costs = {}, .planned = {}},
      met_([this]() -> AsRun {
        check_design(design_, machine_);
        check_constants(machine_);
        return as_run(design_, machine_, {.cache_empty = finds_cache_empty(base_.graph, machine_)});
      }()),
      whole_because_(why_rewritten(base_.graph, machine_, design_)) {
  direct_ = whole_because_.empty();
  keeps_lists_ = direct_ && runtime_of(design_).id == RuntimeId::kStaticQueues;
  if (replayed != nullptr && !keeps_lists_)
    throw InputError("placement 'replay' is estimated under lists alone, as 'static-queues' has them" +
                     (direct_ ? std::string() : ", and not where " + whole_because_));
  if (!direct_) return;
  const TaskGraph& given = base_.graph;
  check_tasks(given, machine_, design_);
  check_program(given, machine_, design_, nullptr);
  whole_because_ = why_whole(given, design_);
  cores_ = timeline_cores(given, met_, design_);
  if (keeps_lists_) base_.lists = frozen_schedule(given, machine_, design_, replayed);
  if (replayed != nullptr) {
    if (const auto stall = certain_stall({given, machine_, design_, base_.lists}))
      throw RunError("design '" + design_.name + "': " + stall->text());
  }
  base_.costs.emplace(given, met_, seed_);
  if (!keeps_lists_) base_.planned = planned_durations(given, machine_);
}

Estimate::~Estimate() = default;

void Estimate::check_task(TaskId task) const {
  const std::size_t tasks = base_.graph.size();
  if (index(task) < tasks) return;
  throw InputError("task " + std::to_string(index(task)) + " is not there; the graph has tasks 0 to " + std::to_string(tasks - 1));
}

Estimate::Edited& Estimate::edited() {
  timeline_.reset();
  return edited_ ? *edited_ : edited_.emplace();
}

void Estimate::set_time(TaskId task, Duration time) {
  check_task(task);
  if (time < Duration{0} || time > kLongestTime)
    throw InputError("time_ns: is " + std::to_string(time.count()) + " for task " + std::to_string(index(task)) + "; must be 0 to " +
                     std::to_string(kLongestTime.count()));
  if (base_.graph[task].operation == Operation::kEvent)
    throw InputError("time_ns: task " + std::to_string(index(task)) + " is an event, which takes no time");
  if (!base_.graph.traits(task).samples.empty() || !base_.graph.traits(task).parts.empty())
    throw InputError("time_ns: task " + std::to_string(index(task)) + " has times of samples or parts, not one");
  edited().of_graph.times[task] = time;
  edited_->graph.reset();
}

void Estimate::set_priority(TaskId task, std::int32_t priority) {
  check_task(task);
  if (design_.order != TaskOrder::kPriority || design_.own.order)
    throw InputError("priority: design '" + design_.name + "' does not order tasks by it; order 'priority' does");
  edited().of_graph.priorities[task] = priority;
  edited_->graph.reset();
}

void Estimate::add_edge(TaskId from, TaskId to) {
  check_task(from);
  check_task(to);
  const std::pair edge(from, to);
  SmallEdits edits = edited_ ? edited_->of_graph : SmallEdits{};
  if (edits.added.contains(edge) || (has_edge(base_.graph, from, to) && !edits.removed.contains(edge)))
    throw InputError("edge " + std::to_string(index(from)) + " -> " + std::to_string(index(to)) + " is there already");
  if (edits.removed.erase(edge) == 0) edits.added.insert(edge);
  TaskGraph graph = with_edits(base_.graph, edits);  // throws where it closes a cycle
  edited().of_graph = std::move(edits);
  edited_->graph = std::move(graph);
}

void Estimate::remove_edge(TaskId from, TaskId to) {
  check_task(from);
  check_task(to);
  const std::pair edge(from, to);
  const bool added = edited_ && edited_->of_graph.added.contains(edge);
  const bool removed = edited_ && edited_->of_graph.removed.contains(edge);
  if (!added && (!has_edge(base_.graph, from, to) || removed))
    throw InputError("edge " + std::to_string(index(from)) + " -> " + std::to_string(index(to)) + " is not there");
  if (base_.graph.spawner(to) == from)
    throw InputError("edge " + std::to_string(index(from)) + " -> " + std::to_string(index(to)) +
                     " cannot go; the one task spawns the other");
  SmallEdits& edits = edited().of_graph;
  if (!added) edits.removed.insert(edge);
  edits.added.erase(edge);
  edited_->graph.reset();
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
  if (base_.graph[task].core_type != type && base_.graph.traits(task).other_type != type)
    throw InputError("core " + std::to_string(index(core)) + " is of type '" + std::string(to_word(type)) + "', which cannot run " + named);
  const std::int64_t worker = static_cast<std::int64_t>(index(core) % worker_cores(design_, machine_).size());
  if (const auto& range = base_.graph.traits(task).workers; range && (worker < range->front() || range->back() < worker))
    throw InputError("core " + std::to_string(index(core)) + " is not among the workers that " + named + " names, " +
                     std::to_string(range->front()) + " to " + std::to_string(range->back()));
  FrozenSchedule lists = this->lists();
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

const TaskGraph& Estimate::graph() {
  if (!edited_) return base_.graph;
  if (!edited_->graph) edited_->graph = with_edits(base_.graph, edited_->of_graph);
  return *edited_->graph;
}

Change Estimate::change() const {
  Change change{.before = base_.graph, .lists_before = base_.lists, .times = {}, .edges = {}, .lists = {}};
  for (const auto& [task, time] : edited_->of_graph.times) {
    if (base_.graph[task].cost.time != time) change.times.push_back(task);
  }
  change.edges.assign(edited_->of_graph.added.begin(), edited_->of_graph.added.end());
  change.edges.insert(change.edges.end(), edited_->of_graph.removed.begin(), edited_->of_graph.removed.end());
  for (std::size_t core = 0; edited_->lists && core < base_.lists.size(); ++core) {
    const std::vector<TaskId>& before = base_.lists[core];
    const std::vector<TaskId>& after = (*edited_->lists)[core];
    if (before == after) continue;
    change.lists.emplace_back(core_id(core), static_cast<std::size_t>(std::ranges::mismatch(before, after).in1 - before.begin()));
  }
  return change;
}

Timeline Estimate::run_of(const TaskGraph& graph, const BodyCosts& costs, const FrozenSchedule& lists, std::span<const Duration> planned,
                          Stops* stops) {
  const SimulationOptions options{.seed = seed_, .interrupted = interrupted_};
  Timeline timeline = run_once({graph, met_, design_, costs, lists, planned, options}, stops).timeline;
  check_run(graph, machine_, design_, seed_, timeline);
  return timeline;
}

/// Of what there is now.
std::vector<TaskId> Estimate::critical(const std::function<bool()>& interrupted) {
  const Timeline& timeline = run(interrupted);
  std::vector<TaskId> tasks;
  for (const PathSegment& segment : observed_path(graph(), design_of_run(graph(), machine_, design_), timeline, {}).segments) {
    if (segment.cause == PathCause::kBody && (tasks.empty() || tasks.back() != segment.task)) tasks.push_back(segment.task);
  }
  return tasks;
}

Timeline Estimate::whole_run() {
  simulated_ = 1;
  const TaskGraph& of = graph();
  if (!direct_) return simulate(of, machine_, design_, {.seed = seed_, .interrupted = interrupted_}).timeline;
  const FrozenSchedule own = has_lists(design_) && !keeps_lists_ ? frozen_schedule(of, machine_, design_) : FrozenSchedule{};
  const bool replans = edited_ && !keeps_lists_;
  const std::vector<Duration> planned = replans ? planned_durations(of, machine_) : std::vector<Duration>{};
  Stops stops{.samples = false};
  Timeline timeline = run_of(of, edited_ ? *edited_->costs : *base_.costs, keeps_lists_ ? lists() : own,
                             replans ? std::span<const Duration>(planned) : base_.planned, &stops);
  events_ = stops.handled;
  return timeline;
}

void Estimate::keep_checkpoints() {
  if (!checkpoints_.empty()) return;
  if (events_ == 0) {  // how many there are is not known
    Stops stops;
    run_of(base_.graph, *base_.costs, base_.lists, base_.planned, &stops);
    events_ = stops.handled;
  }
  Stops stops{.each = static_cast<std::uint32_t>(std::max<std::uint64_t>(1, events_ / kCheckpoints)),
              .keep = [this](Checkpoint at) { checkpoints_.push_back(std::move(at)); }};
  try {
    run_of(base_.graph, *base_.costs, base_.lists, base_.planned, &stops);
  } catch (...) {
    checkpoints_.clear();
    throw;
  }
}

const Timeline& Estimate::run(const std::function<bool()>& interrupted) {
  makespan(interrupted);
  if (!has_samples_) add_queue_samples(*timeline_, design_);
  has_samples_ = true;
  return *timeline_;
}

Duration Estimate::makespan(const std::function<bool()>& interrupted) {
  interrupted_ = interrupted;
  if (!timeline_) run_edited();
  return timeline_->makespan();
}

void Estimate::run_edited() {
  has_samples_ = !direct_;
  if (!edited_ || !direct_) {
    timeline_.emplace(whole_run());
    return;
  }
  const Change differs = change();
  edited_->costs = base_.costs->changed_in(graph(), differs.times, met_, seed_);
  const Checkpoint* from = nullptr;
  if (whole_because_.empty()) {
    keep_checkpoints();
    from = last_before(checkpoints_, differs, graph(), base_.lists, lists());
  }
  if (from == nullptr) {
    timeline_.emplace(whole_run());
    return;
  }
  Stops stops{.from = from, .change = &differs, .samples = false};
  timeline_.emplace(run_of(graph(), *edited_->costs, lists(), base_.planned, &stops));
  simulated_ = 1 - static_cast<double>(from->handled) / static_cast<double>(stops.handled);
}

void Estimate::keep() {
  if (!edited_) return;
  TaskGraph kept = graph();
  if (edited_->lists) base_.lists = std::move(*edited_->lists);
  base_.graph = std::move(kept);
  edited_.reset();
  checkpoints_.clear();
  if (!direct_) return;
  base_.costs.emplace(base_.graph, met_, seed_);
  if (!keeps_lists_) base_.planned = planned_durations(base_.graph, machine_);
}

void Estimate::undo() {
  if (!edited_) return;
  edited_.reset();
  timeline_.reset();
}

}  // namespace tasktwin::sim
