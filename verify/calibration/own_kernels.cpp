#include "verify/calibration/own_kernels.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>
#include <vector>

#include "gpu/supported/supported.hpp"
#include "models/base/error.hpp"
#include "models/runtimes/runtimes.hpp"
#include "verify/calibration/probes/kernel_phases.hpp"
#include "verify/system/version.hpp"

namespace tasktwin::verify {

namespace {

/// Tasks of one kernel that cost the same as far as the scenario says.
struct SizeClass {
  Cost cost;
  std::int32_t value = 0;  ///< of the parameter that the kernel's times are by
  int blocks = 1;
  std::vector<Task> tasks;  ///< as tasks of one block and without traits
};

constexpr std::size_t kMostClasses = 4;
constexpr int kFew = 4;  ///< side by side, that hardly slow each other down
constexpr std::size_t kWaves = 6;

/// The value of a task's argument that its kernel's cost table is by; 0 for a kernel without one.
std::int32_t table_value(const scenarios::Scenario& scenario, const Task& task) {
  const auto by = scenario.table_parameters.find(own_index(task.kernel));
  if (by == scenario.table_parameters.end()) return 0;
  const auto& own = std::get<OwnKernels>(scenario.graph.problem());
  return static_cast<std::int32_t>(own.arguments[static_cast<std::size_t>(task.args[0])][by->second]);
}

/// The classes of a kernel by size, evenly chosen where there are many.
std::vector<SizeClass> classes_of(const scenarios::Scenario& scenario, Kernel kernel) {
  std::map<std::tuple<std::int64_t, std::int64_t, std::int32_t, int>, SizeClass> found;
  for (std::size_t i = 0; i < scenario.graph.size(); ++i) {
    Task task = scenario.graph[task_id(i)];
    if (task.kernel != kernel || task.operation != Operation::kKernel) continue;
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
  if (all.size() <= kMostClasses) return all;
  std::vector<SizeClass> chosen;
  for (std::size_t i = 0; i < kMostClasses; ++i) chosen.push_back(std::move(all[i * (all.size() - 1) / (kMostClasses - 1)]));
  return chosen;
}

/// What one class took, in ns.
struct ClassTimes {
  double alone = 0;
  double beside = 0;  ///< with as many of them at a time as the scenario has, or cores
};

/// `count` of the tasks, over and over.
std::vector<Task> cycled(const std::vector<Task>& tasks, std::size_t count) {
  std::vector<Task> result;
  for (std::size_t i = 0; i < count; ++i) result.push_back(tasks[i % tasks.size()]);
  return result;
}

/// Each task once, as the scenario has them: a body that reads or writes what one of the same run has read or written is quicker. Of a
/// class of one task there is only that.
BodyProbe waves_of(const SizeClass& one, const Problem& problem, int width) {
  const auto wide = static_cast<std::size_t>(width);
  const std::size_t waves = one.tasks.size() == 1 ? kWaves : std::min(kWaves, one.tasks.size() / wide);
  return {.tasks = cycled(one.tasks, waves * wide), .problem = problem, .between = {}, .width = width};
}

int side_by_side(const SizeClass& one, const Machine& machine) {
  return static_cast<int>(std::clamp<std::size_t>(one.tasks.size(), 1, static_cast<std::size_t>(machine.core_count() - 4)));
}

/// Times that lie on a line through what was measured of the smallest and of the largest class.
struct SizeLine {
  double intercept = 0;
  double slope = 0;
};

template <class Size>
SizeLine line_through(const std::vector<SizeClass>& classes, const std::vector<ClassTimes>& times, Size size) {
  const double from = size(classes.front().cost);
  const double to = size(classes.back().cost);
  if (to <= from) return {0, to > 0 ? times.back().alone / to : 0};
  const double slope = std::max(0.0, (times.back().alone - times.front().alone) / (to - from));
  return {std::max(0.0, times.front().alone - slope * from), slope};
}

double flops_of(const Cost& cost) { return static_cast<double>(cost.flops.count); }
double bytes_of(const Cost& cost) { return static_cast<double>(cost.bytes.count); }

/// Of bodies alone: arithmetic by size where they compute, bytes by size where they only move them, one time where they state neither.
void take_times_alone(const std::vector<SizeClass>& classes, const std::vector<ClassTimes>& times, KernelCost& cost) {
  const bool computes = flops_of(classes.back().cost) > 0;
  if (computes) {
    for (std::size_t i = 0; i < classes.size(); ++i) {
      const double flops = flops_of(classes[i].cost);
      const double before = cost.arithmetic.empty() ? 0 : cost.arithmetic.back().flops;
      if (flops > before)
        cost.arithmetic.push_back(
            {.flops = flops, .ns = std::max(times[i].alone, cost.arithmetic.empty() ? 0 : cost.arithmetic.back().ns)});
    }
  }
  if (bytes_of(classes.back().cost) > 0) {
    const SizeLine line = line_through(classes, times, bytes_of);
    if (!computes) cost.overhead = Nanoseconds{line.intercept};
    cost.bandwidth = line.slope > 0 ? 1 / line.slope : 0;
  } else if (!computes) {
    cost.overhead = Nanoseconds{times.front().alone};
  }
}

/// How much of the memory's bandwidth each byte takes up, so that bodies side by side take as long as they were seen to: by bisection of
/// simulations. Bodies that state no bytes are given the mean of both times.
void fit_traffic(Machine machine, Kernel kernel, const BodyProbe& probe, double seen, KernelCost& cost) {
  constexpr double kLeast = 0.1;
  constexpr double kMost = 20;
  constexpr int kSteps = 14;
  const TaskGraph graph = graph_of(probe);
  double low = std::log(kLeast);
  double high = std::log(kMost);
  for (int step = 0; step < kSteps; ++step) {
    cost.traffic = std::exp((low + high) / 2);
    machine.kernels[static_cast<std::size_t>(kernel)] = cost;
    (simulate_bodies(machine, graph, probe).warm < seen ? low : high) = std::log(cost.traffic);
  }
}

/// Started to ended of blocks of grids under `design`, mean; ns.
double block_time(const Probes& probes, const TaskGraph& graph, const Design& design) {
  const Timeline timeline = probes.run("blocks of grids", graph, design, kBodyRepeats).timeline;
  std::vector<double> times;
  for (const BlockTimes& block : timeline.blocks) times.push_back(ns(block.ended - block.started));
  for (const TaskTimes& task : timeline.tasks) {
    if (timeline.blocks.empty()) times.push_back(ns(task.ended - task.started));
  }
  return trimmed_mean(times).value;
}

/// The measurements of one kernel.
class OwnKernelProbe {
 public:
  OwnKernelProbe(Probes& probes, const scenarios::Scenario& scenario, std::size_t number)
      : probes_(probes),
        scenario_(scenario),
        own_(std::get<OwnKernels>(scenario.graph.problem())),
        number_(number),
        classes_(classes_of(scenario, own_kernel(number))) {}

  scenarios::MeasuredKernel measure() {
    const OwnKernel& kernel = own_.kernels[number_];
    if (classes_.empty()) throw InputError("scenario '" + scenario_.name + "' has no task of kernel '" + kernel.name + "'");
    KernelCost cost;
    const bool resident = runs_resident(scenario_, number_);
    for (const SizeClass& one : classes_) times_.push_back(resident ? in_workers(one) : in_grids(one));
    take_times_alone(classes_, times_, cost);
    scenarios::MeasuredKernel measured{.kernel = kernel.name,
                                       .source_hash = kernel.source_hash,
                                       .threads = kernel.threads,
                                       .shared_memory = kernel.shared_memory,
                                       .cost = {}};
    if (scenario_.table_parameters.contains(number_)) {
      cost.overhead = {};
      for (std::size_t i = 0; i < classes_.size(); ++i) measured.table.emplace_back(classes_[i].value, std::llround(times_[i].beside));
    } else {
      take_times_beside(cost, resident);
    }
    measured.cost = resident ? phases_.in(cost) : cost;
    if (resident) measured.cost.pipelined = mean_or_zero(pipelined_);
    if (!resident) measured.cost.launched = Nanoseconds{launched_};
    for (const KernelField& field : kernel_fields())  // differences of what was seen may be below nothing
      field.set(measured.cost, std::max(field.min, field.get(measured.cost)));
    return measured;
  }

  /// Whether all of its tasks have one block, which workers run.
  static bool runs_resident(const scenarios::Scenario& scenario, std::size_t number) {
    for (std::size_t i = 0; i < scenario.graph.size(); ++i) {
      const TaskId id = task_id(i);
      if (scenario.graph[id].kernel == own_kernel(number) && scenario.graph.traits(id).blocks > 1) return false;
    }
    return !gpu::why_no_own(std::get<OwnKernels>(scenario.graph.problem()).kernels[number], OwnBodies::kResident);
  }

 private:
  /// Few at a time, in waves of which the first alone waits for code, and as many as the scenario has, for which there may be but one.
  ClassTimes in_workers(const SizeClass& one) {
    const Machine& known = scenario_.machine;
    const int half = std::max(1, static_cast<int>(std::min<std::size_t>(one.tasks.size() / 2, kFew)));
    const BodyProbe few = waves_of(one, own_, half);
    const BodyProbe many = waves_of(one, own_, side_by_side(one, known));
    const BodyTimes alone = measure_bodies(probes_, known, few);
    BodyTimes beside = measure_bodies(probes_, known, many);
    const bool one_wave = many.tasks.size() == static_cast<std::size_t>(many.width);
    if (one_wave) beside.warm -= alone.cold;
    phases_.add(one_wave ? alone : beside, measure_publishing(probes_, known, many));
    phases_.add_launched(probes_, known, among_others(few), alone.warm);
    pipelined_.push_back(measure_pipelined(probes_, few, alone.warm));
    return {alone.warm, std::max(alone.warm, beside.warm)};
  }

  /// The probe with a wave of each other kernel between its waves, as the scenario's graph has them: code that others displace is fetched
  /// anew. Of few at a time: many slow each other down in workers and launched alike, which hides what being launched adds.
  BodyProbe among_others(BodyProbe probe) const {
    for (std::size_t other = 0; other < own_.kernels.size(); ++other) {
      if (other == number_ || !runs_resident(scenario_, other)) continue;
      const std::vector<SizeClass> classes = classes_of(scenario_, own_kernel(other));
      if (!classes.empty()) probe.between.push_back(cycled(classes.back().tasks, static_cast<std::size_t>(probe.width)));
    }
    return probe;
  }

  /// One grid after the other, and side by side.
  ClassTimes in_grids(const SizeClass& one) {
    const Nanoseconds body = scenario_.machine.launched_kernels->body;
    Design streams = named_design("cuda-streams");
    const auto count = std::min<std::size_t>(one.tasks.size(), static_cast<std::size_t>(streams.streams));
    const double alone = block_time(probes_, grids(one, 8, true), streams) - body.count();
    const double beside = block_time(probes_, grids(one, count * kWaves, false), streams) - body.count();
    launched_ = std::max(0.0, block_time(probes_, grids(one, 8, true), named_design("cuda-graph")) - body.count() - alone);
    return {alone, std::max(alone, beside)};
  }

  /// Tasks of the class with their blocks, each after the one before where they are a chain.
  TaskGraph grids(const SizeClass& one, std::size_t count, bool chain) const {
    TaskGraphBuilder builder;
    builder.set_problem(own_);
    const OwnKernel& kernel = own_.kernels[number_];
    const std::uint32_t traits =
        builder.add_traits({.blocks = one.blocks, .threads = kernel.threads, .shared_memory = kernel.shared_memory});
    for (Task task : cycled(one.tasks, count)) {
      task.traits = traits;
      const TaskId id = builder.add_task("grid" + std::to_string(builder.size()), task);
      if (chain && index(id) > 0) builder.add_edge(task_id(index(id) - 1), id);
    }
    return std::move(builder).build();
  }

  void take_times_beside(KernelCost& cost, bool resident) {
    const SizeClass& largest = classes_.back();
    const double share = times_.back().beside / times_.back().alone;
    if (bytes_of(largest.cost) > 0 && resident) {
      const BodyProbe many = waves_of(largest, own_, side_by_side(largest, scenario_.machine));
      fit_traffic(scenario_.machine, own_kernel(number_), many, times_.back().beside, cost);
    } else if (bytes_of(largest.cost) == 0) {  // what it reads comes from the cache; it takes as long as it does in the scenario
      for (KernelCost::Point& point : cost.arithmetic) point.ns *= share;
      cost.overhead *= share;
    }
  }

  Probes& probes_;
  const scenarios::Scenario& scenario_;
  const OwnKernels& own_;
  std::size_t number_;
  std::vector<SizeClass> classes_;
  std::vector<ClassTimes> times_;
  KernelPhases phases_;
  std::vector<double> pipelined_;
  double launched_ = 0;
};

}  // namespace

scenarios::KernelCosts calibrate_own_kernels(const scenarios::Scenario& scenario, const std::string& date,
                                             std::function<void(std::string_view)> progress, CalibrationBackend backend,
                                             const std::vector<int>& registers) {
  const auto* const own = std::get_if<OwnKernels>(&scenario.graph.problem());
  if (own == nullptr)
    throw InputError("scenario '" + scenario.name + "' brings no kernels along; 'calibrate' without --kernels measures a machine");
  scenarios::KernelCosts costs{.scenario = scenario.name,
                               .machine = scenario.machine.name,
                               .device = backend.device,
                               .date = date,
                               .command = "",
                               .version = std::string(version()) + " (" + std::string(commit()) + ")",
                               .kernels = {}};
  Probes probes(scenario.machine, std::move(progress), std::move(backend));
  for (std::size_t i = 0; i < own->kernels.size(); ++i) {
    costs.kernels.push_back(OwnKernelProbe(probes, scenario, i).measure());
    if (i < registers.size()) costs.kernels.back().registers = registers[i];
  }
  return costs;
}

}  // namespace tasktwin::verify
