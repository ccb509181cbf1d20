#include "gpu/executor.hpp"

#include <algorithm>
#include <numeric>

#include <cuda_runtime_api.h>

#include "gpu/cuda/clock_rate.hpp"
#include "gpu/cuda/cuda_error.hpp"
#include "gpu/cuda/green_context.hpp"
#include "gpu/device/capability.hpp"
#include "gpu/device/conditional_support.hpp"
#include "gpu/device/hardware_queues.hpp"
#include "gpu/executors.hpp"
#include "gpu/host/timed_calls.hpp"
#include "gpu/peers/devices/communicators.hpp"
#include "gpu/peers/devices/peer_access.hpp"
#include "gpu/program_run.hpp"
#include "gpu/run/memory_of_run.hpp"
#include "gpu/run/run_series.hpp"
#include "gpu/run/unended_run.hpp"
#include "gpu/run_again.hpp"
#include "gpu/supported/supported.hpp"
#include "models/base/error.hpp"
#include "models/design/design_parts.hpp"
#include "models/graph/events.hpp"
#include "models/run/event_times.hpp"
#include "models/runtimes/event_counting.hpp"
#include "models/runtimes/runtimes.hpp"

namespace tasktwin::gpu {

namespace {

Capability capability_of(const cudaDeviceProp& properties) {
  return {properties.major,
          properties.minor,
          static_cast<std::int64_t>(properties.sharedMemPerBlockOptin),
          {.blocks = properties.maxBlocksPerMultiProcessor,
           .threads = properties.maxThreadsPerMultiProcessor,
           .registers = properties.regsPerMultiprocessor,
           .shared_memory = static_cast<std::int64_t>(properties.sharedMemPerMultiprocessor),
           .reserved = static_cast<std::int64_t>(properties.reservedSharedMemPerBlock)}};
}

std::size_t median_position(const std::vector<Duration>& values) {
  std::vector<std::size_t> order(values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::sort(order, {}, [&values](std::size_t i) { return values[i]; });
  return order[order.size() / 2];
}

/// Runs before those that count, by turns as those. One would do for the memory traffic of the check runs; but the host's calls on a graph
/// of a thousand nodes get faster from launch to launch, by a third over the first ten of each (seen with an H200 and driver 580).
int warm_ups(const Design& design) { return runtime_of(design).graph() ? 16 : 1; }

Measurement measure(Executor& executor, const Design& design, const RunOptions& options, Again again) {
  Measurement measurement;
  for (int check = 0; check < options.order_checks; ++check)
    measurement.ordering_violations += executor.run(RunMode::kCheckOrder).ordering_violations;
  if (const auto residual = options.check_results && options.order_checks > 0 ? executor.check_result() : std::nullopt) {
    measurement.residual = residual->error;
    measurement.residual_limit = residual->limit;
  }
  for (int round = 0; round < warm_ups(design); ++round) {
    executor.run(RunMode::kPlain);
    if (options.stamps && round > 0) executor.run(RunMode::kStamped);
  }
  if (options.rounds) measurement.dispatch_rounds = run_steadily(executor, RunMode::kRounds).dispatch_rounds;
  RunSeries series = run_series(executor, options.repeats, options.stamps, again);
  measurement.makespans = std::move(series.makespans);
  measurement.stamped_makespans = std::move(series.stamped_makespans);
  measurement.host_call = Nanoseconds{median(std::move(series.host_calls))};
  if (series.stamped.empty()) return measurement;
  RunResult& middle = series.stamped[median_position(measurement.stamped_makespans)];
  measurement.timeline = std::move(middle.timeline);
  if (!options.rounds) measurement.dispatch_rounds = std::move(middle.dispatch_rounds);
  return measurement;
}

}  // namespace

std::optional<std::string> why_no_gpu() {
  ask_for_hardware_queues(0);
  int devices = 0;
  const cudaError_t status = cudaGetDeviceCount(&devices);
  if (status == cudaErrorInsufficientDriver) {
    int version = 0;
    // CUDA says the same of a driver that is too old and of none.
    if (cudaDriverGetVersion(&version) != cudaSuccess || version == 0) return "NVIDIA's driver is not installed";
  }
  if (status != cudaSuccess) return cudaGetErrorString(status);
  if (devices == 0) return "none is there";
  cudaDeviceProp properties{};
  check(cudaGetDeviceProperties(&properties, 0), "asking for the GPU's properties");
  const std::string gpu = "GPU '" + std::string(properties.name) + "' ";
  if (const auto why = why_too_old(capability_of(properties))) return gpu + *why;
  if (!has_code_here()) {
    return gpu + "has compute capability " + std::to_string(properties.major) + "." + std::to_string(properties.minor) +
           ", which this build has no code for; configure with -DCMAKE_CUDA_ARCHITECTURES=" +
           std::to_string(10 * properties.major + properties.minor);
  }
  return std::nullopt;
}

std::optional<std::string> why_not_here(const TaskGraph& graph, const Machine& machine, const Design& design) {
  cudaDeviceProp properties{};
  check(cudaGetDeviceProperties(&properties, 0), "asking for the GPU's properties");
  if (auto why = why_not_capable(capability_of(properties), graph, design)) return why;
  const int multiprocessors = properties.multiProcessorCount;
  if (runtime_of(design).resident() && machine.core_count() > multiprocessors) {
    return "machine '" + machine.name + "' has " + std::to_string(machine.core_count()) + " compute cores, but the GPU has " +
           std::to_string(multiprocessors) + " multiprocessors";
  }
  if (machine.devices.count() > 1) {
    if (auto why = why_no_peers(machine.devices.count())) return why;
  }
  int driver = 0;
  check(cudaDriverGetVersion(&driver), "asking for the driver's version");
  if (auto why = why_no_conditional_nodes(design.graph_predicates, driver)) return why;
  if (!design.sets.empty()) return why_no_partition(std::span<const NamedCores>(design.sets));
  return design.partition == 0 ? std::nullopt : why_no_partition(design.partition);
}

std::optional<std::string> why_no_collectives(const TaskGraph& graph) { return graph.has_collectives() ? why_no_nccl() : std::nullopt; }

namespace {

/// `options` for a graph of some of another one's tasks: what they have by TaskId goes by its own, of tasks that it has.
class PartOptions {
 public:
  PartOptions(const RunOptions& options, const GraphPart& part, std::size_t tasks) : options_(options) {
    std::vector<std::uint32_t> place(tasks, kNoPlace);
    for (std::size_t i = 0; i < part.original.size(); ++i) place[index(part.original[i])] = static_cast<std::uint32_t>(i);
    if (options.replayed != nullptr && options.replayed->tasks.size() == tasks) {  // of any other it is refused
      for (const TaskId original : part.original) replayed_.tasks.push_back(options.replayed->tasks[index(original)]);
      options_.replayed = &replayed_;
    }
    if (options.lists != nullptr) {
      for (const auto& list : *options.lists) {
        std::vector<TaskId>& placed = lists_.emplace_back();
        for (const TaskId task : list) {
          if (index(task) < tasks && place[index(task)] != kNoPlace) placed.push_back(TaskId{place[index(task)]});
        }
      }
      options_.lists = &lists_;
    }
    options_.ignored_edges.clear();
    for (const auto& [from, to] : options.ignored_edges) {
      if (place[index(from)] != kNoPlace && place[index(to)] != kNoPlace)
        options_.ignored_edges.emplace_back(TaskId{place[index(from)]}, TaskId{place[index(to)]});
    }
    options_.never_released.clear();
    for (const TaskId task : options.never_released) {
      if (place[index(task)] != kNoPlace) options_.never_released.push_back(TaskId{place[index(task)]});
    }
  }

  const RunOptions& get() const { return options_; }

 private:
  RunOptions options_;
  Timeline replayed_;
  FrozenSchedule lists_;
};

Measurement run_with(const TaskGraph& graph, const Machine& machine, const Design& design, const RunOptions& options,
                     const HostProgram* program, Again again);

/// Under a design that counts no events: with edges in their place.
Measurement run_joined(const TaskGraph& graph, const Machine& machine, const Design& design, const RunOptions& options,
                       const HostProgram* program, Again again) {
  const GraphPart joined = with_edges_for_events(graph);
  const PartOptions part(options, joined, graph.size());
  Measurement measurement = run_with(joined.graph, machine, design, part.get(), program, again);
  if (measurement.timeline.tasks.empty()) return measurement;
  std::vector<TaskTimes> tasks(graph.size());
  for (std::size_t i = 0; i < joined.original.size(); ++i) tasks[index(joined.original[i])] = measurement.timeline.tasks[i];
  measurement.timeline.tasks = std::move(tasks);
  for (BlockTimes& block : measurement.timeline.blocks) block.task = joined.original[index(block.task)];
  for (PeerTransfer& transfer : measurement.timeline.transfers) transfer.of = joined.original[index(transfer.of)];
  note_events(graph, measurement.timeline.tasks, &TaskTimes::ended);
  return measurement;
}

Measurement run_with(const TaskGraph& graph, const Machine& machine, const Design& design, const RunOptions& options,
                     const HostProgram* program, Again again) {
  check_design(design, machine);
  if (event_count(graph) > 0 && !counts_events(design)) return run_joined(graph, machine, design, options, program, again);
  if (const auto why = why_unsupported(graph, machine, design))
    throw InputError("design '" + design.name + "' cannot run on the GPU: " + *why);
  check_parts(graph, design);
  if (graph.size() == 0) throw InputError("the graph has no tasks to run");
  if (options.repeats < 1) throw InputError("repeats is " + std::to_string(options.repeats) + "; it must be 1 or more");
  if (options.rounds && !runtime_of(design).dispatched())
    throw InputError("rounds are asked for, but design '" + design.name + "' has no dispatchers");
  if (options.queue_places < 0)
    throw InputError("queue_places is " + std::to_string(options.queue_places) + "; it must be 0 or more, 0 for as many as are of use");
  if (program == nullptr && runtime_of(design).id == RuntimeId::kHostProgram)
    throw InputError("design '" + design.name + "': stream_wait 'program' makes the calls of a host program, and none is given");
  ask_for_hardware_queues(design.hardware_queues);
  if (const auto why = why_not_here(graph, machine, design))
    throw InputError("design '" + design.name + "' cannot run on this GPU: " + *why);
  if (const auto why = why_no_collectives(graph))
    throw InputError("design '" + design.name + "' cannot run here: collectives need NCCL: " + *why);

  const std::optional<TaskGraph> gated = with_gates(graph, design);
  MemoryOfRun memory;
  Measurement measurement =
      use_or_leave(make_executor({gated ? *gated : graph, machine, design, options, program}), [&](Executor& executor) {
        memory.settle();
        return measure(executor, design, options, again);
      });
  if (gated) measurement.timeline.tasks.resize(graph.size());
  if (!measurement.timeline.tasks.empty()) note_events(graph, measurement.timeline.tasks, &TaskTimes::ended);
  return measurement;
}

}  // namespace

Measurement run(const TaskGraph& graph, const Machine& machine, const Design& design, const RunOptions& options) {
  return run_with(graph, machine, design, options, nullptr, Again::kRunsAndSeries);
}

Measurement run_again(const TaskGraph& graph, const Machine& machine, const Design& design, const RunOptions& options, Again again) {
  return run_with(graph, machine, design, options, nullptr, again);
}

Measurement run_program(const TaskGraph& graph, const Machine& machine, const Design& design, const RunOptions& options,
                        const HostProgram& program) {
  return run_with(graph, machine, design, options, &program, Again::kRunsAndSeries);
}

}  // namespace tasktwin::gpu
