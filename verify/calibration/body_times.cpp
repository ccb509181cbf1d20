#include "verify/calibration/body_times.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <ranges>
#include <utility>

#include "models/cache.hpp"
#include "sim/cores/code_fetches.hpp"
#include "sim/simulator.hpp"
#include "sim/wirings.hpp"
#include "verify/calibration/assumed_counts.hpp"
#include "verify/calibration/fit.hpp"
#include "verify/calibration/kernel_launches.hpp"
#include "verify/calibration/micro_graphs.hpp"

namespace tasktwin::verify {

namespace {

constexpr std::size_t kLanes = assumed::kDynamicParallelism.lanes;

/// As many as recordings have: what the first runs find in the cache is not what those behind them do.
constexpr int kRepeats = 5;

/// Round robin puts the bodies of a wave on cores of their own, and those of the next on others.
Design on_cores_of_their_own(const char* name) {
  Design design = named_design(name);
  if (is_static(design.placement)) design.placement = Placement::kRoundRobin;
  return design;
}

}  // namespace

TaskGraph graph_of(const BodyProbe& probe) {
  return probe.width > 0 ? wave_graph(probe.tasks, probe.width, probe.between, probe.problem, probe.ahead, probe.stagger)
                         : independent_graph(probe.tasks, probe.problem);
}

namespace {

/// The probe's own bodies among the others.
std::vector<TaskId> own_tasks(const TaskGraph& graph, const BodyProbe& probe) {
  const Task& like = probe.tasks.front();
  std::vector<TaskId> own;
  for (std::size_t i = 0; i < graph.size(); ++i) {
    const Task& task = graph[task_id(i)];
    if (task.kernel == like.kernel && task.cost.bytes == like.cost.bytes && task.cost.flops == like.cost.flops) own.push_back(task_id(i));
  }
  return own;
}

/// `warm`, `cold` and `again` as BodyTimes has them.
struct Bodies {
  std::vector<double> cold;   ///< that began before any had ended
  std::vector<double> later;  ///< that began later, but before any had ended on their cache
  std::vector<double> warm;
  std::vector<double> again;
};

/// By TaskId: whether the body before it on its core was one of `own` too.
std::vector<bool> right_behind(const Timeline& timeline, const std::vector<TaskId>& own) {
  std::vector<bool> is_own(timeline.tasks.size());
  for (const TaskId task : own) is_own[index(task)] = true;
  std::map<CoreId, std::vector<std::size_t>> by_core;
  for (std::size_t i = 0; i < timeline.tasks.size(); ++i) by_core[timeline.tasks[i].core].push_back(i);
  std::vector<bool> behind(timeline.tasks.size());
  for (auto& [core, tasks] : by_core) {
    std::ranges::sort(tasks, {}, [&timeline](std::size_t task) { return timeline.tasks[task].started; });
    for (std::size_t i = 1; i < tasks.size(); ++i) behind[tasks[i]] = is_own[tasks[i]] && is_own[tasks[i - 1]];
  }
  return behind;
}

/// The caches that the bodies' code comes to (sim::CodeFetches), by CoreId; one serves all where none are told.
using CodeCaches = std::vector<std::size_t>;

/// `behind`: as right_behind() has it, or empty where that makes no difference.
Bodies split(const Timeline& timeline, const std::vector<TaskId>& own, const CodeCaches& caches = {},
             const std::vector<bool>& behind = {}) {
  const auto cache_of = [&caches](const TaskTimes& times) { return caches.empty() ? 0 : caches[index(times.core)]; };
  std::map<std::size_t, TimePoint> first_ends;
  for (const TaskId task : own) {
    const TaskTimes& times = timeline.tasks[index(task)];
    TimePoint& end = first_ends.try_emplace(cache_of(times), times.ended).first->second;
    end = std::min(end, times.ended);
  }
  const TimePoint warm_from = std::ranges::min(first_ends | std::views::values);
  Bodies bodies;
  for (const TaskId task : own) {
    const TaskTimes& times = timeline.tasks[index(task)];
    const double time = ns(times.ended - times.started);
    const bool again = !behind.empty() && behind[index(task)];
    (times.started < warm_from                        ? bodies.cold
     : times.started < first_ends.at(cache_of(times)) ? bodies.later
     : again                                          ? bodies.again
                                                      : bodies.warm)
        .push_back(time);
  }
  return bodies;
}

BodyTimes times_of(const Bodies& bodies) {
  BodyTimes times;
  times.warm = mean_or_zero(bodies.warm.empty() ? bodies.cold : bodies.warm);
  times.cold = bodies.warm.empty() ? 0 : std::max(0.0, mean_or_zero(bodies.cold) - times.warm);
  times.again = mean_or_zero(bodies.again);
  return times;
}

/// Of a stamped run of the probe. What lies between its waves makes those that have it right ahead differ from the others. Where waves are
/// narrow, later ones come to caches of code too: cold are those then, for a run's first bodies may wait for what they read as well (norms
/// do). But where the code comes from memory, the first wave alone fetches it.
BodyTimes times_of(const Machine& machine, const TaskGraph& graph, const Timeline& timeline, const BodyProbe& probe) {
  const std::vector<TaskId> own = own_tasks(graph, probe);
  const CodeCaches caches = sim::CodeFetches::caches(machine, timeline.cores);
  Bodies bodies = split(timeline, own, caches, probe.between.empty() ? std::vector<bool>{} : right_behind(timeline, own));
  const bool uncached = finds_cache_empty(graph, machine);
  if (!uncached && !bodies.later.empty()) bodies.cold = std::move(bodies.later);
  BodyTimes times = times_of(bodies);
  times.uncached = uncached;
  return times;
}

std::string setting_of(const BodyProbe& probe) {
  const Cost& cost = probe.tasks.front().cost;
  return std::to_string(cost.flops.count) + " flops; " + std::to_string(cost.bytes.count) + " bytes; " +
         (probe.width == 0   ? "all cores busy"
          : probe.width == 1 ? "one after the other"
                             : "in waves of " + std::to_string(probe.width)) +
         (probe.stagger.cores > 0 ? " that begin over " + std::to_string(to_ns(probe.stagger.spread)) + " ns" : "");
}

}  // namespace

BodyTimes measure_bodies(Calibration& calibration, const BodyProbe& probe) {
  const std::string kernel(to_word(probe.tasks.front().kernel));
  const TaskGraph graph = graph_of(probe);
  const Timeline timeline = calibration.run("the body of " + kernel, graph, on_cores_of_their_own("static-queues"), kRepeats).timeline;
  const std::vector<TaskId> own = own_tasks(graph, probe);
  std::vector<double> starts;
  std::vector<double> releases;
  for (const TaskId task : own) {
    const TaskTimes& times = timeline.tasks[index(task)];
    if (is_present(times.received)) starts.push_back(ns(times.started - times.received));
    if (graph.out_degree(task) == 1 && is_present(times.published)) releases.push_back(ns(times.published - times.ended));
  }
  BodyTimes result = times_of(calibration.machine(), graph, timeline, probe);
  result.start = std::max(0.0, mean_or_zero(starts) - calibration.get("resident_cores.start_ns"));
  if (!releases.empty()) {
    const double plain = calibration.get("resident_cores.release_ns") + calibration.get("resident_cores.release_per_successor_ns");
    result.release = std::max(0.0, trimmed_mean(releases) - plain);
  }
  const std::string setting = setting_of(probe) + (result.uncached ? "; uncached" : "");
  for (const auto& [what, value] : {std::pair{"", result.warm},
                                    {"; cold", result.cold},
                                    {"; again", result.again},
                                    {"; start", result.start},
                                    {"; release", result.release}})
    calibration.keep_sample("kernels." + kernel, setting + what, value);
  return result;
}

BodyTimes simulate_bodies(const Machine& machine, const TaskGraph& graph, const BodyProbe& probe) {
  return times_of(machine, graph, sim::simulate(graph, machine, on_cores_of_their_own("static-queues")).timeline, probe);
}

namespace {

/// Of each wave those bodies that its warp launches last.
std::vector<TaskId> launched_last(const std::vector<TaskId>& own, const BodyProbe& probe) {
  const auto width = static_cast<std::size_t>(probe.width);
  const std::size_t before = (width - 1) / kLanes * kLanes;
  std::vector<TaskId> last;
  for (std::size_t i = 0; i < own.size(); ++i) {
    if (i % width >= before) last.push_back(own[i]);
  }
  return last;
}

}  // namespace

double measure_launched(Calibration& calibration, const BodyProbe& probe, double warm, const char* design) {
  const std::string kernel(to_word(probe.tasks.front().kernel));
  const TaskGraph graph = graph_of(probe);
  std::vector<TaskId> own = own_tasks(graph, probe);
  Timeline timeline = calibration.run("launching " + kernel, graph, named_design(design), kRepeats).timeline;
  if (named_design(design).driver == Driver::kDynamicParallelism) {  // what any body takes longer then is counted already
    own = launched_last(own, probe);
    const std::vector<Launch> launches = launches_of(graph, timeline);
    const Duration busy = round_ns(Nanoseconds{calibration.get("launched_kernels.body_busy_ns")});
    for (const TaskId task : own) {
      TaskTimes& times = timeline.tasks[index(task)];
      if (launching_at(launches, times.started) > 0) times.ended -= busy;
    }
  }
  const double longer = times_of(split(timeline, own)).warm - warm - calibration.get("launched_kernels.body_ns");
  calibration.keep_sample("kernels." + kernel, setting_of(probe) + "; under " + design + ", longer by", longer);
  return std::max(0.0, longer);
}

namespace {

/// What bodies that a warp launches first take longer than those of their wave that it launches afterwards.
double first_less_rest(const Timeline& timeline, const std::vector<TaskId>& own, std::size_t width) {
  std::vector<double> first;
  std::vector<double> rest;
  for (std::size_t i = width; i < own.size(); ++i) {  // the first wave's code is cold
    const TaskTimes& times = timeline.tasks[index(own[i])];
    (i % width < kLanes ? first : rest).push_back(ns(times.ended - times.started));
  }
  return trimmed_mean(first).value - trimmed_mean(rest).value;
}

}  // namespace

double measure_stall(const Calibration& calibration, const BodyProbe& probe) {
  const TaskGraph graph = graph_of(probe);
  const Design design = named_design("dynamic-parallelism");
  const std::vector<TaskId> own = own_tasks(graph, probe);
  const auto width = static_cast<std::size_t>(probe.width);
  return first_less_rest(calibration.run("launches beside bodies", graph, design, kRepeats).timeline, own, width) -
         first_less_rest(sim::simulate(graph, calibration.machine(), design).timeline, own, width);
}

namespace {

/// One of each wiring that has something of its own beside bodies.
constexpr std::array kOfTheirOwn{"central-dispatcher", "shared-queue", "work-stealing", "hybrid", "layer-barrier"};

/// So few that they hardly hold each other up; a wave has two bodies for each of them, one right behind the other, or fewer.
constexpr int kFewCores = 6;

BodyProbe on_few_cores(BodyProbe probe) {
  constexpr int kWaves = 8;
  constexpr int kFewestBodies = 64;
  probe.width = std::min(probe.width, 2 * kFewCores);
  probe.tasks.resize(std::min(probe.tasks.size(), static_cast<std::size_t>(std::max(kWaves * probe.width, kFewestBodies))));
  return probe;
}

BodyTimes times_under(Calibration& calibration, const BodyProbe& probe, const char* design) {
  const std::string kernel(to_word(probe.tasks.front().kernel));
  const TaskGraph graph = graph_of(probe);
  const Timeline timeline = calibration.run(kernel + " beside fetches", graph, on_cores_of_their_own(design), kRepeats, kFewCores).timeline;
  const BodyTimes times = times_of(calibration.machine(), graph, timeline, probe);
  const std::string setting = setting_of(probe) + " on " + std::to_string(kFewCores) + " cores under " + design;
  calibration.keep_sample("kernels." + kernel, setting, times.warm);
  if (times.again > 0) calibration.keep_sample("kernels." + kernel, setting + "; again", times.again);
  return times;
}

/// Both of those right behind another and of those that are not, where both were seen.
double longer(const BodyTimes& times, const BodyTimes& than) {
  if (times.again == 0 || than.again == 0) return times.warm - than.warm;
  return (times.warm - than.warm + times.again - than.again) / 2;
}

}  // namespace

BesideBodies::BesideBodies(Calibration& calibration) {
  measure(calibration, {.tasks = std::vector<Task>(1000, spin_task(Duration{3000})), .problem = {}, .between = {}}, spinning_);
}

void BesideBodies::measure(Calibration& calibration, const BodyProbe& probe, KernelCost& cost) const {
  const BodyProbe few = on_few_cores(probe);
  const BodyTimes alone = times_under(calibration, few, "static-queues");
  for (const char* design : kOfTheirOwn) {
    const auto [time, sign] = sim::beside_bodies(named_design(design));
    cost.*time = Nanoseconds{sign * longer(times_under(calibration, few, design), alone)} - spinning_.*time;
  }
}

double measure_publishing(const Calibration& calibration, const BodyProbe& probe) {
  const TaskGraph graph = graph_of(probe);
  const Timeline timeline = calibration
                                .run("publishing " + std::string(to_word(probe.tasks.front().kernel)), graph,
                                     on_cores_of_their_own("central-dispatcher"), kRepeats)
                                .timeline;
  std::vector<double> times;
  for (const TaskId task : own_tasks(graph, probe))
    times.push_back(ns(timeline.tasks[index(task)].published - timeline.tasks[index(task)].ended));
  return std::max(0.0, trimmed_mean(times) - calibration.get("device_mailboxes.publish_ns"));
}

}  // namespace tasktwin::verify
