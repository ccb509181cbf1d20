#include "verify/calibration/size_classes.hpp"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "verify/calibration/fit/fit.hpp"
#include "verify/predict/statistics.hpp"

namespace tasktwin::verify {

namespace {

constexpr std::size_t kMostClasses = 4;
constexpr std::size_t kMostRows = 32;  ///< of a table by a parameter
constexpr std::size_t kFew = 4;        ///< side by side, that hardly slow each other down
constexpr std::size_t kWaves = 6;
constexpr std::size_t kPartAhead = 8;  ///< of a kernel's tasks one in so many, and at most kFew, are through before the others are measured

/// The value of a task's argument that its kernel's cost table is by; 0 for a kernel without one.
std::int32_t table_value(const scenarios::Scenario& scenario, const Task& task) {
  const auto by = scenario.table_parameters.find(own_index(task.kernel));
  if (by == scenario.table_parameters.end()) return 0;
  const auto& own = std::get<OwnKernels>(scenario.graph.problem());
  return static_cast<std::int32_t>(own.arguments[static_cast<std::size_t>(task.args[0])][by->second]);
}

/// So many of them, evenly.
template <class T>
std::vector<T> chosen(const std::vector<T>& all, std::size_t count) {
  if (all.size() <= count) return all;
  std::vector<T> few;
  for (std::size_t i = 0; i < count; ++i) few.push_back(all[count == 1 ? 0 : i * (all.size() - 1) / (count - 1)]);
  return few;
}

int side_by_side(std::size_t tasks, const Machine& machine) {
  return static_cast<int>(std::clamp<std::size_t>(tasks, 1, static_cast<std::size_t>(machine.core_count() - 4)));
}

/// Started to ended of the probe's tasks, in their order, but for those of the same kernel ahead of its waves.
std::vector<double> times_by_task(Probes& probes, const BodyProbe& probe) {
  const TaskGraph graph = graph_of(probe);
  const Timeline timeline =
      probes.run("the bodies of " + std::string(kernel_of(probe)), graph, on_cores_of_their_own("static-queues"), kBodyRepeats).timeline;
  std::vector<double> times;
  for (std::size_t i = 0; i < graph.size(); ++i) {
    const TaskTimes& seen = timeline.tasks[i];
    if (graph[task_id(i)].kernel == probe.tasks.front().kernel) times.push_back(ns(seen.ended - seen.started));
  }
  times.erase(times.begin(), times.begin() + static_cast<std::ptrdiff_t>(probe.ahead.size()));
  return times;
}

/// By how much the bodies of the first wave take longer than the same ones do as the last; nothing where there is but one wave.
double first_longer(Probes& probes, const BodyProbe& probe) {
  const auto width = static_cast<std::size_t>(probe.width);
  if (probe.tasks.size() < 2 * width) return 0;
  BodyProbe rotated = probe;
  std::ranges::rotate(rotated.tasks, rotated.tasks.begin() + static_cast<std::ptrdiff_t>(width));
  const std::vector<double> first = times_by_task(probes, probe);
  const std::vector<double> last = times_by_task(probes, rotated);
  std::vector<double> longer;
  for (std::size_t i = 0; i < width; ++i) longer.push_back(first[i] - last[last.size() - width + i]);
  return std::max(0.0, trimmed_mean(longer).value);
}

/// So many of them, evenly, which it takes away from `all`.
template <class T>
std::vector<T> taken(std::vector<T>& all, std::size_t count) {
  std::vector<T> few;
  const std::size_t last = all.size() - 1;
  for (std::size_t i = count; i-- > 0;) {
    const std::size_t at = count == 1 ? 0 : i * last / (count - 1);
    few.push_back(all[at]);
    all.erase(all.begin() + static_cast<std::ptrdiff_t>(at));
  }
  return few;
}

/// Waves of as many of a kernel's tasks as the scenario has, each with some of every class, behind a few of them: what the first bodies
/// wait for, code and what all of them read, is not what bodies do to each other.
struct AllBeside {
  BodyProbe probe;
  std::vector<std::size_t> of;  ///< by the probe's task: its class
};

AllBeside all_beside(const std::vector<SizeClass>& classes, const Problem& problem, const Machine& machine) {
  std::vector<std::pair<Task, std::size_t>> tasks;
  for (std::size_t number = 0; number < classes.size(); ++number) {
    for (const Task& task : classes[number].tasks) tasks.emplace_back(task, number);
  }
  const auto ahead = taken(tasks, std::min(kFew, tasks.size() / kPartAhead));
  const auto width = static_cast<std::size_t>(side_by_side(tasks.size(), machine));
  const std::size_t waves = std::clamp<std::size_t>(tasks.size() / width, 1, kWaves);
  tasks = chosen(tasks, waves * width);
  AllBeside all{.probe = {.tasks = {}, .problem = problem, .between = {}, .width = static_cast<int>(width)}, .of = {}};
  for (const auto& [task, of] : ahead) all.probe.ahead.push_back(task);
  for (std::size_t wave = 0; wave < waves; ++wave) {
    for (std::size_t i = wave; i < tasks.size(); i += waves) {
      all.probe.tasks.push_back(tasks[i].first);
      all.of.push_back(tasks[i].second);
    }
  }
  return all;
}

}  // namespace

std::vector<SizeClass> classes_of(const scenarios::Scenario& scenario, std::size_t number) {
  std::map<std::tuple<std::int64_t, std::int64_t, std::int32_t, int>, SizeClass> found;
  for (std::size_t i = 0; i < scenario.graph.size(); ++i) {
    Task task = scenario.graph[task_id(i)];
    if (task.kernel != own_kernel(number) || task.operation != Operation::kKernel) continue;
    const int blocks = scenario.graph.traits(task_id(i)).blocks;
    const std::int32_t value = table_value(scenario, task);
    task.traits = 0;
    SizeClass& one = found[{task.cost.flops.count, task.cost.bytes.count, value, blocks}];
    one.cost = task.cost;
    one.value = value;
    one.blocks = blocks;
    one.tasks.push_back(task);
  }
  std::vector<SizeClass> all;
  for (auto& [key, one] : found) all.push_back(std::move(one));
  return chosen(all, scenario.table_parameters.contains(number) ? kMostRows : kMostClasses);
}

std::vector<Task> cycled(const std::vector<Task>& tasks, std::size_t count) {
  std::vector<Task> result;
  for (std::size_t i = 0; i < count; ++i) result.push_back(tasks[i % tasks.size()]);
  return result;
}

BodyProbe waves_of(const std::vector<Task>& tasks, const Problem& problem, int width) {
  const auto wide = static_cast<std::size_t>(width);
  const std::size_t waves = tasks.size() == 1 ? kWaves : std::min(kWaves, std::max<std::size_t>(1, tasks.size() / wide));
  return {.tasks = cycled(tasks, waves * wide), .problem = problem, .between = {}, .width = width};
}

std::vector<ClassTimes> measure_classes(Probes& probes, const Machine& known, const Problem& problem,
                                        const std::vector<SizeClass>& classes) {
  std::vector<ClassTimes> times;
  std::vector<double> cold;
  for (const SizeClass& one : classes) {
    const auto few = std::clamp<std::size_t>(one.tasks.size() / 2, 1, kFew);
    ClassTimes seen{.probe = waves_of(one.tasks, problem, static_cast<int>(few)), .few = {}};
    seen.few = measure_bodies(probes, known, seen.probe);
    if (one.tasks.size() > 1) seen.few.cold = first_longer(probes, seen.probe);
    seen.alone = seen.beside = seen.few.warm;
    cold.push_back(seen.few.cold);
    times.push_back(std::move(seen));
  }
  const AllBeside all = all_beside(classes, problem, known);
  if (all.probe.tasks.size() < 2) return times;
  const std::vector<double> seen = times_by_task(probes, all.probe);
  for (std::size_t number = 0; number < classes.size(); ++number) {
    times[number].width =
        static_cast<int>(std::max<std::ptrdiff_t>(1, std::count(all.of.begin(), all.of.begin() + all.probe.width, number)));
    std::vector<double> first;
    std::vector<double> later;
    for (std::size_t i = 0; i < seen.size(); ++i) {
      if (all.of[i] != number) continue;
      if (all.probe.ahead.empty() && i < static_cast<std::size_t>(all.probe.width))
        first.push_back(seen[i] - median(cold));
      else
        later.push_back(seen[i]);
    }
    const std::vector<double>& counted = later.empty() ? first : later;
    if (!counted.empty()) times[number].beside = std::max(times[number].alone, trimmed_mean(counted).value);
  }
  return times;
}

}  // namespace tasktwin::verify
