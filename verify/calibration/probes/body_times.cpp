#include "verify/calibration/probes/body_times.hpp"

#include <algorithm>
#include <map>
#include <span>
#include <utility>

#include "models/cost/cache.hpp"
#include "models/runtimes/runtimes.hpp"
#include "sim/simulator.hpp"
#include "verify/calibration/probes/micro_graphs.hpp"

namespace tasktwin::verify {

Design on_cores_of_their_own(const char* name) {
  Design design = named_design(name);
  if (has_lists(design)) design.placement = Placement::kRoundRobin;
  return design;
}

namespace {

/// The same graph, whose tasks of a scenario's own kernels are launched as the scenario says.
TaskGraph with_own_blocks(const TaskGraph& graph) {
  const auto* const own = std::get_if<OwnKernels>(&graph.problem());
  if (own == nullptr) return graph;
  TaskGraphBuilder builder;
  builder.set_problem(*own);
  for (std::size_t i = 0; i < graph.size(); ++i) {
    Task task = graph[task_id(i)];
    if (is_own(task.kernel)) {
      const OwnKernel& kernel = own->kernels[own_index(task.kernel)];
      task.traits = builder.add_traits({.threads = kernel.threads, .shared_memory = kernel.shared_memory, .carveout = kernel.carveout});
    }
    builder.add_task(graph.name(task_id(i)), task);
  }
  for (std::size_t i = 0; i < graph.size(); ++i) {
    for (const TaskId before : graph.predecessors(task_id(i))) builder.add_edge(before, task_id(i));
  }
  return std::move(builder).build();
}

}  // namespace

TaskGraph graph_of(const BodyProbe& probe) {
  if (probe.width == 0) return with_own_blocks(independent_graph(probe.tasks, probe.problem));
  return with_own_blocks(wave_graph(probe.tasks, probe.width, probe.between, probe.problem, probe.ahead));
}

std::vector<TaskId> own_tasks(const TaskGraph& graph, const BodyProbe& probe) {
  const Task& like = probe.tasks.front();
  std::vector<TaskId> own;
  for (std::size_t i = 0; i < graph.size(); ++i) {
    const Task& task = graph[task_id(i)];
    if (task.kernel == like.kernel && task.cost.bytes == like.cost.bytes && task.cost.flops == like.cost.flops) own.push_back(task_id(i));
  }
  return own;
}

namespace {

/// `warm`, `cold` and `again` as BodyTimes has them.
struct Bodies {
  std::vector<double> cold;  ///< that began before any had ended
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

/// `behind`: as right_behind() has it, or empty where that makes no difference.
Bodies split(const Timeline& timeline, const std::vector<TaskId>& own, const std::vector<bool>& behind = {}) {
  TimePoint warm_from = TimePoint::max();
  for (const TaskId task : own) warm_from = std::min(warm_from, timeline.tasks[index(task)].ended);
  Bodies bodies;
  for (const TaskId task : own) {
    const TaskTimes& times = timeline.tasks[index(task)];
    const bool again = !behind.empty() && behind[index(task)];
    (times.started < warm_from ? bodies.cold : again ? bodies.again : bodies.warm).push_back(ns(times.ended - times.started));
  }
  return bodies;
}

BodyTimes times_of(const Bodies& bodies) {
  BodyTimes times;
  times.warm = mean_or_zero(bodies.warm.empty() ? bodies.cold : bodies.warm);
  times.cold = bodies.warm.empty() ? 0 : std::max(0.0, mean_or_zero(bodies.cold).value - times.warm);
  times.again = mean_or_zero(bodies.again);
  return times;
}

/// BodyTimes::spread: of whole waves but the first.
double spread_in_waves(const Timeline& timeline, const std::vector<TaskId>& own, std::size_t width) {
  std::vector<double> spreads;
  for (std::size_t first = width; width > 1 && first + width <= own.size(); first += width) {
    std::vector<double> bodies;
    for (const TaskId task : std::span(own).subspan(first, width))
      bodies.push_back(ns(timeline.tasks[index(task)].ended - timeline.tasks[index(task)].started));
    spreads.push_back(spread_of(std::move(bodies)));
  }
  return mean_or_zero(spreads);
}

std::string setting_of(const BodyProbe& probe) {
  const Cost& cost = probe.tasks.front().cost;
  return std::to_string(cost.flops.count) + " flops; " + std::to_string(cost.bytes.count) + " bytes; " +
         (probe.width == 0   ? "all cores busy"
          : probe.width == 1 ? "one after the other"
                             : "in waves of " + std::to_string(probe.width));
}

}  // namespace

std::string_view kernel_of(const BodyProbe& probe) {
  const Kernel kernel = probe.tasks.front().kernel;
  return is_own(kernel) ? std::string_view(std::get<OwnKernels>(probe.problem).kernels[own_index(kernel)].name) : to_word(kernel);
}

void keep_body_sample(Probes& probes, const BodyProbe& probe, const std::string& setting, double value_ns) {
  probes.keep_sample("kernels." + std::string(kernel_of(probe)), setting_of(probe) + setting, value_ns);
}

/// What lies between its waves makes those that have it right ahead differ from the others.
BodyTimes times_of(const Machine& machine, const TaskGraph& graph, const Timeline& timeline, const BodyProbe& probe) {
  const std::vector<TaskId> own = own_tasks(graph, probe);
  BodyTimes times = times_of(split(timeline, own, probe.between.empty() ? std::vector<bool>{} : right_behind(timeline, own)));
  times.uncached = finds_cache_empty(graph, machine);
  times.spread = spread_in_waves(timeline, own, static_cast<std::size_t>(std::max(0, probe.width)));
  return times;
}

double warm_time(const Timeline& timeline, const std::vector<TaskId>& own) { return times_of(split(timeline, own)).warm; }

BodyTimes measure_bodies(Probes& probes, const Machine& known, const BodyProbe& probe) {
  const TaskGraph graph = graph_of(probe);
  const Timeline timeline =
      probes.run("the body of " + std::string(kernel_of(probe)), graph, on_cores_of_their_own("static-queues"), kBodyRepeats).timeline;
  const std::vector<TaskId> own = own_tasks(graph, probe);
  std::vector<double> releases;
  for (const TaskId task : own) {
    const TaskTimes& times = timeline.tasks[index(task)];
    if (graph.out_degree(task) == 1 && is_present(times.published)) releases.push_back(ns(times.published - times.ended));
  }
  BodyTimes result = times_of(known, graph, timeline, probe);
  if (!releases.empty()) {
    const double plain = known.resident_cores->release.count();
    result.release = std::max(0.0, trimmed_mean(releases).value - plain);
  }
  const std::string uncached = result.uncached ? "; uncached" : "";
  for (const auto& [what, value] : {std::pair{"", result.warm},
                                    {"; cold", result.cold},
                                    {"; again", result.again},
                                    {"; spread", result.spread},
                                    {"; release", result.release}})
    keep_body_sample(probes, probe, uncached + what, value);
  return result;
}

BodyTimes simulate_bodies(const Machine& machine, const TaskGraph& graph, const BodyProbe& probe) {
  return times_of(machine, graph, sim::simulate(graph, machine, on_cores_of_their_own("static-queues")).timeline, probe);
}

double measure_publishing(const Probes& probes, const Machine& known, const BodyProbe& probe) {
  const TaskGraph graph = graph_of(probe);
  const Design design = on_cores_of_their_own("central-dispatcher");
  const Timeline timeline = probes.run("publishing " + std::string(kernel_of(probe)), graph, design, kBodyRepeats).timeline;
  std::vector<double> times;
  for (const TaskId task : own_tasks(graph, probe))
    times.push_back(ns(timeline.tasks[index(task)].published - timeline.tasks[index(task)].ended));
  return std::max(0.0, trimmed_mean(times).value - known.device_mailboxes->publish.count());
}

double measure_pipelined(const Probes& probes, const BodyProbe& probe, double warm) {
  const TaskGraph graph = graph_of(probe);
  const Timeline timeline =
      probes.run("pipelining " + std::string(kernel_of(probe)), graph, named_design("shared-queue"), kBodyRepeats).timeline;
  return std::max(1.0, warm_time(timeline, own_tasks(graph, probe)) / warm);
}

}  // namespace tasktwin::verify
