#include "verify/calibration/own_kernels.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>
#include <vector>

#include "gpu/supported/supported.hpp"
#include "models/base/error.hpp"
#include "models/runtimes/runtimes.hpp"
#include "verify/calibration/left_contents.hpp"
#include "verify/calibration/probes/kernel_phases.hpp"
#include "verify/calibration/size_classes.hpp"
#include "verify/system/version.hpp"

namespace tasktwin::verify {

namespace {

double flops_of(const Cost& cost) { return static_cast<double>(cost.flops.count); }
double bytes_of(const Cost& cost) { return static_cast<double>(cost.bytes.count); }

/// Times by bytes, on a line through what was measured of the smallest and of the largest class.
struct ByteLine {
  double intercept = 0;
  double slope = 0;
};

/// Where times grow faster than bytes the line goes through nothing; of bodies that compute below what was measured of any class, for what
/// takes longer is arithmetic.
ByteLine line_through(const std::vector<SizeClass>& classes, const std::vector<ClassTimes>& times, bool computes) {
  const double from = bytes_of(classes.front().cost);
  const double to = bytes_of(classes.back().cost);
  if (to > from) {
    const double slope = std::max(0.0, (times.back().alone - times.front().alone) / (to - from));
    if (const double intercept = times.front().alone - slope * from; intercept >= 0) return {intercept, slope};
  }
  ByteLine line{0, times.back().alone / to};
  for (std::size_t i = 0; i < classes.size() && computes; ++i) {
    if (bytes_of(classes[i].cost) > 0) line.slope = std::min(line.slope, times[i].alone / bytes_of(classes[i].cost));
  }
  return line;
}

/// Arithmetic by size where bodies compute, bytes by size where they only move them, one time where they state neither. The bytes of those
/// that compute have a rate of their own where they may be `waited_for`.
void take_times_alone(const std::vector<SizeClass>& classes, const std::vector<ClassTimes>& times, bool waited_for, KernelCost& cost) {
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
  if (computes && !waited_for) return;
  if (bytes_of(classes.back().cost) > 0) {
    const ByteLine line = line_through(classes, times, computes);
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
        classes_(classes_of(scenario, number)) {}

  scenarios::MeasuredKernel measure() {
    const OwnKernel& kernel = own_.kernels[number_];
    if (classes_.empty()) throw InputError("scenario '" + scenario_.name + "' has no task of kernel '" + kernel.name + "'");
    KernelCost cost;
    const bool resident = runs_resident(scenario_, number_);
    if (resident) {
      in_workers();
    } else {
      for (const SizeClass& one : classes_) times_.push_back(in_grids(one));
    }
    scenarios::MeasuredKernel measured{.kernel = kernel.name,
                                       .source_hash = kernel.source_hash,
                                       .threads = kernel.threads,
                                       .shared_memory = kernel.shared_memory,
                                       .cost = {}};
    if (scenario_.table_parameters.contains(number_)) {
      for (std::size_t i = 0; i < classes_.size(); ++i) measured.table.emplace_back(classes_[i].value, std::llround(times_[i].beside));
    } else {
      take_times(cost, resident);
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
  void in_workers() {
    times_ = measure_classes(probes_, scenario_.machine, own_, classes_);
    for (const ClassTimes& one : times_) {
      phases_.add(one.few, measure_publishing(probes_, scenario_.machine, one.probe));
      phases_.add_launched(probes_, scenario_.machine, among_others(one.probe), one.alone);
      pipelined_.push_back(measure_pipelined(probes_, one.probe, one.alone));
    }
  }

  /// The probe with a wave of each other kernel between its waves, as the scenario's graph has them: code that others displace is fetched
  /// anew. Of few at a time: many slow each other down in workers and launched alike, which hides what being launched adds.
  BodyProbe among_others(BodyProbe probe) const {
    for (std::size_t other = 0; other < own_.kernels.size(); ++other) {
      if (other == number_ || !runs_resident(scenario_, other)) continue;
      const std::vector<SizeClass> classes = classes_of(scenario_, other);
      if (!classes.empty()) probe.between.push_back(cycled(classes.back().tasks, static_cast<std::size_t>(probe.width)));
    }
    return probe;
  }

  /// One grid after the other, and side by side.
  ClassTimes in_grids(const SizeClass& one) {
    constexpr std::size_t kGridWaves = 6;
    const Nanoseconds body = scenario_.machine.launched_kernels->body;
    Design streams = named_design("cuda-streams");
    const auto count = std::min<std::size_t>(one.tasks.size(), static_cast<std::size_t>(streams.streams));
    const double alone = block_time(probes_, grids(one, 8, true), streams) - body.count();
    const double beside = block_time(probes_, grids(one, count * kGridWaves, false), streams) - body.count();
    launched_ = std::max(0.0, block_time(probes_, grids(one, 8, true), named_design("cuda-graph")) - body.count() - alone);
    return {.probe = {}, .few = {}, .alone = alone, .beside = std::max(alone, beside)};
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

  /// Bodies that wait for the memory take it up as much as makes them as long side by side as they were; others take as long as they did
  /// side by side.
  void take_times(KernelCost& cost, bool resident) {
    const bool wait = resident && wait_for_memory();
    if (!wait && (resident || bytes_of(classes_.back().cost) == 0)) {
      for (ClassTimes& one : times_) one.alone = one.beside;
    }
    take_times_alone(classes_, times_, wait || !resident, cost);
    const SizeClass& largest = classes_.back();
    if (wait) {
      fit_traffic(scenario_.machine, own_kernel(number_), waves_of(largest.tasks, own_, times_.back().width), times_.back().beside, cost);
    }
  }

  /// Whether its bodies, as many at a time as the scenario has, would together draw a part of the memory's bandwidth at which they feel
  /// each other.
  bool wait_for_memory() const {
    constexpr double kFelt = 0.25;
    const double bandwidth = scenario_.machine.memory->bandwidth;
    double most = 0;
    std::size_t tasks = 0;
    for (std::size_t i = 0; i < classes_.size(); ++i) {
      if (times_[i].alone > 0) most = std::max(most, bytes_of(classes_[i].cost) / times_[i].alone);
      tasks += classes_[i].tasks.size();
    }
    const std::size_t width = std::min(tasks, static_cast<std::size_t>(scenario_.machine.core_count()));
    return static_cast<double>(width) * most > kFelt * bandwidth;
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
  const auto contents = left_contents(scenario, backend);
  if (!contents.empty()) {
    backend.run = [run = backend.run, &contents](const TaskGraph& graph, const Machine& machine, const Design& design,
                                                 gpu::RunOptions options) {
      options.first_contents = &contents;
      return run(graph, machine, design, options);
    };
  }
  Probes probes(scenario.machine, std::move(progress), std::move(backend));
  for (std::size_t i = 0; i < own->kernels.size(); ++i) {
    costs.kernels.push_back(OwnKernelProbe(probes, scenario, i).measure());
    if (i < registers.size()) costs.kernels.back().registers = registers[i];
  }
  return costs;
}

}  // namespace tasktwin::verify
