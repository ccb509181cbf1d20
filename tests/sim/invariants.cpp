#include "tests/sim/invariants.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <vector>

#include "models/cost/body_cost.hpp"
#include "models/machine/clusters.hpp"
#include "models/run/outcome.hpp"

namespace tasktwin::sim {

namespace {

/// One core's part of one task.
struct Part {
  TaskId task;
  std::uint32_t core;
  TimePoint started;
  TimePoint ended;
};

class Check {
 public:
  Check(const RandomWorld& world, const Timeline& timeline)
      : w_(world),
        t_(timeline),
        outcome_(draw_outcome(world.graph, world.seed)),
        streams_(world.design.release == Release::kEvents),
        kernels_(streams_ || launches_on_device(world.design.driver)) {}

  std::optional<std::string> first_breach() {
    if (t_.tasks.size() != w_.graph.size()) return "a task is missing";
    for (std::size_t i = 0; i < w_.graph.size(); ++i) task(task_id(i));
    collect_parts();
    bodies();
    cores();
    gangs();
    if (is_present(t_.stopped) && t_.stopped < TimePoint{} + t_.makespan()) breach("stopped before the last task");
    if (is_present(t_.seen) && t_.seen < TimePoint{} + t_.makespan()) breach("the last completion is seen before it is written");
    return breach_;
  }

 private:
  void breach(const std::string& what) {
    if (!breach_) breach_ = what;
  }
  void breach(TaskId task, const std::string& what) { breach("task " + std::string(w_.graph.name(task)) + ": " + what); }

  void task(TaskId id) {
    const TaskTimes& times = t_.tasks[index(id)];
    if (!outcome_.exists[index(id)]) {
      if (times != TaskTimes{}) breach(id, "does not exist, but ran");
      return;
    }
    if (w_.graph[id].operation == Operation::kEvent) return event(id, times);
    if (!is_present(times.started) || !is_present(times.ended)) return breach(id, "did not run");
    if (times.core == kNoCore || index(times.core) >= t_.cores.size()) return breach(id, "ran on no core");
    std::vector<TimePoint> phases{times.started, times.ended};
    if (!streams_) {
      phases = {times.received, times.started, times.ended, times.published};
      if (times.dispatched > times.received && width(w_.graph, w_.machine, id) == 1) breach(id, "was received before it was handed over");
      if (times.ready > times.started) breach(id, "started before it was ready");
      const bool early = w_.design.early_dispatch != EarlyDispatch::kOff;
      if (w_.design.release == Release::kDispatcher && !early && times.ready > times.dispatched)
        breach(id, "was handed over before it was ready");
    }
    if (width(w_.graph, w_.machine, id) > 1) phases = {times.started, times.ended};
    if (!std::ranges::is_sorted(phases)) breach(id, "its phases do not follow each other");
    for (const TaskId before : w_.graph.predecessors(id)) {
      if (outcome_.exists[index(before)] && t_.tasks[index(before)].ended > times.started) {
        breach(id, "started before " + std::string(w_.graph.name(before)) + " had ended");
      }
      if (w_.design.driver == Driver::kDynamicParallelism) continue;  // a task is published when those it made ready are launched
      if (!streams_ && outcome_.exists[index(before)] && t_.tasks[index(before)].published > times.ready) {
        breach(id, "was ready before " + std::string(w_.graph.name(before)) + " was published");
      }
    }
  }

  /// A counter reaches zero with the last of those that it counts, whom nobody behind it runs before; one that the device makes known only
  /// later, when it is known.
  void event(TaskId id, const TaskTimes& times) {
    if (times.core != kNoCore) breach(id, "is an event, but ran on a core");
    TimePoint last{};
    for (const TaskId before : w_.graph.predecessors(id)) {
      const TaskTimes& seen = t_.tasks[index(before)];
      const bool ends = w_.design.driver == Driver::kDynamicParallelism;  // published when those it made ready are launched
      if (outcome_.exists[index(before)]) last = std::max(last, ends ? seen.ended : finish(seen));
    }
    const bool may_be_later = w_.design.graph_build == GraphBuild::kDevice;
    if (times.published != times.ready || times.published < last || (times.published > last && !may_be_later))
      breach(id, "does not pass when the last task that it counts is published");
  }

  /// Whether a conditional node leaves the task's body out.
  bool left_out(TaskId id) const { return w_.design.graph_predicates != GraphPredicates::kKernel && !outcome_.holds[index(id)]; }

  void collect_parts() {
    for (std::size_t i = 0; i < w_.graph.size(); ++i) {
      if (outcome_.exists[i] && left_out(task_id(i))) {
        if (t_.tasks[i].ended != t_.tasks[i].started) breach(task_id(i), "is left out, but took time on a core");
        continue;
      }
      if (w_.graph[task_id(i)].operation == Operation::kEvent) continue;
      if (outcome_.exists[i] && width(w_.graph, w_.machine, task_id(i)) == 1) {
        parts_.push_back({task_id(i), static_cast<std::uint32_t>(index(t_.tasks[i].core)), t_.tasks[i].started, t_.tasks[i].ended});
      }
    }
    std::map<TaskId, int> blocks;
    for (const BlockTimes& block : t_.blocks) {
      parts_.push_back({block.task, static_cast<std::uint32_t>(index(block.core)), block.started, block.ended});
      ++blocks[block.task];
    }
    for (std::size_t i = 0; i < w_.graph.size(); ++i) {
      const int wide = width(w_.graph, w_.machine, task_id(i));
      if (outcome_.exists[i] && !left_out(task_id(i)) && wide > 1 && blocks[task_id(i)] != wide)
        breach(task_id(i), "has not run all its blocks");
    }
  }

  /// Work is conserved: each part takes its drawn time, longer only for bytes that have to share the memory.
  void bodies() {
    for (const Part& part : parts_) {
      const CoreType own = w_.graph[part.task].core_type;
      const std::optional<CoreType>& other = w_.graph.traits(part.task).other_type;
      if (streams_) {  // which of its types a kernel met is not in the timeline
        if (!takes_its_time(part, own) && !(other && takes_its_time(part, *other))) breach(part.task, "took another time than its body");
        continue;
      }
      const CoreType on = own == CoreType::kMix ? own : t_.cores[part.core];
      if (on != own && other != on) return breach(part.task, "ran on a core of the wrong type");
      if (!takes_its_time(part, on)) breach(part.task, "took another time than its body");
    }
  }

  bool takes_its_time(const Part& part, CoreType on) const {
    BodyCost cost = body_cost(w_.machine, w_.graph, part.task, on, w_.seed);
    if (!outcome_.holds[index(part.task)]) cost = {.overhead = cost.overhead};
    const Duration took = part.ended - part.started;
    const Duration least = cost.fixed + cost.overhead + (kernels_ ? round_ns(w_.machine.launched_kernels->body) : Duration{0});
    const bool moves_bytes = cost.bytes.count > 0 || !w_.graph.input_bytes(part.task).empty();
    return moves_bytes ? took >= least : took == least;
  }

  void cores() {
    if (kernels_) return;  // a stream is no core, and kernels share one
    std::ranges::sort(parts_, {}, [](const Part& part) { return std::tuple(part.core, part.started, part.ended); });
    for (std::size_t i = 1; i < parts_.size(); ++i) {
      if (parts_[i].core == parts_[i - 1].core && parts_[i].started < parts_[i - 1].ended)
        breach(parts_[i].task, "runs on a core that is taken");
    }
  }

  void gangs() {
    if (kernels_) return;
    std::map<TaskId, std::vector<Part>> blocks;
    for (const Part& part : parts_) {
      if (width(w_.graph, w_.machine, part.task) > 1) blocks[part.task].push_back(part);
    }
    const auto whole = clusters(w_.machine.compute_cores, t_.cores);
    for (const auto& [task, parts] : blocks) {
      std::set<std::uint32_t> on;
      for (const Part& part : parts) {
        on.insert(part.core);
        if (starts_together(w_.design.gang, w_.graph[task].core_type) && part.started != parts.front().started)
          breach(task, "its gang did not start together");
      }
      if (w_.design.gang != Gang::kApart && on.size() != parts.size()) breach(task, "two of its gang on one core");
      const bool is_cluster = std::ranges::any_of(whole, [&](const auto& cluster) {
        return std::ranges::all_of(cluster, [&](CoreId core) { return on.contains(static_cast<std::uint32_t>(index(core))); });
      });
      if (w_.graph[task].core_type == CoreType::kMix && !is_cluster) breach(task, "is no cluster's");
    }
  }

  const RandomWorld& w_;
  const Timeline& t_;
  Outcome outcome_;
  bool streams_;
  bool kernels_;
  std::vector<Part> parts_;
  std::optional<std::string> breach_;
};

}  // namespace

std::optional<std::string> first_breach(const RandomWorld& world, const Timeline& timeline) {
  return Check(world, timeline).first_breach();
}

}  // namespace tasktwin::sim
