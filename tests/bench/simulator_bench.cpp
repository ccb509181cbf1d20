// How many tasks a second the simulator's run loop goes through, beside a bare binary heap on the same graph, and what idle cores add.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <ctime>
#include <iostream>
#include <limits>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "models/cost/body_cost.hpp"
#include "models/runtimes/runtimes.hpp"
#include "scenarios/generators/layered_random.hpp"
#include "scenarios/machine_files/load_machine.hpp"
#include "sim/simulator.hpp"
#include "tests/bench/heap_reference.hpp"
#include "tests/support/free_machine.hpp"

namespace {

using namespace tasktwin;

constexpr int kWorkers = 132;

/// Three predecessors a task, twice as wide as the machine, 500 to 1500 ns each.
const TaskGraph& layered(std::int64_t tasks) {
  static std::map<std::int64_t, TaskGraph> graphs;
  const auto [found, made] = graphs.try_emplace(tasks);
  if (made) found->second = scenarios::make_layered_random({.tasks = tasks, .width = 2 * kWorkers}, 1);
  return found->second;
}

/// Something of everything that dispatchers can be asked to do.
Design richest() {
  return {.name = "richest-combination",
          .ready_queue = ReadyQueue::kSharded,
          .order = TaskOrder::kCriticalPath,
          .placement = Placement::kLeastLoaded,
          .dispatchers = 4,
          .resolvers = 1,
          .orchestrators = 2,
          .loop = Loop::kInterleaved,
          .sweep = Sweep::kBusyCores,
          .claim = Claim::kGuided,
          .shards = 2,
          .stealing = Stealing::kHalf,
          .victim = Victim::kMostLoaded,
          .mailbox_depth = 3,
          .fill = Fill::kNotInTail,
          .graph_build = GraphBuild::kDevice,
          .window = 16384,
          .backoff_ns = 20,
          .termination = Termination::kVote};
}

/// With the control cores that `design` asks for; one where it takes all there are.
Machine machine(const Design& design) {
  Machine machine = free_machine();
  machine.name = "bench";
  machine.compute_cores = {{CoreType::kSm, kWorkers}};
  machine.control_cores.count = std::max(1, design.dispatchers) + design.resolvers + orchestrator_count(design);
  machine.device_control->poll = machine.device_control->dispatch = machine.device_control->complete = Nanoseconds{2};
  machine.device_mailboxes->hop = machine.device_mailboxes->publish = Nanoseconds{100};
  machine.resident_cores->counter_hop = machine.resident_cores->list_read = machine.memory->read_latency = machine.memory->atomic_latency =
      Nanoseconds{100};
  machine.memory->atomic_service = Nanoseconds{1};
  machine.host_calls->launch = Nanoseconds{4};
  machine.ready_queues->steal = Nanoseconds{100};
  machine.device_control->submit = machine.device_control->hop = Nanoseconds{2};
  if (design.name == "richest-combination") {
    machine.ready_queues->service = Nanoseconds{2};
    machine.device_mailboxes->hop_sigma = Nanoseconds{20};
  }
  machine.streams->launch_latency = machine.streams->gap = machine.streams->event_gap = Nanoseconds{100};
  machine.memory->bandwidth = 3000;
  machine.memory->core_bandwidth = 50;
  return machine;
}

/// Tasks per second of the run loop alone: without building the wiring or collecting the timeline.
void simulate(benchmark::State& state, const Design& design) {
  const TaskGraph& graph = layered(state.range(0));
  const Machine on = machine(design);
  for (auto _ : state) {
    const sim::Simulation simulation = sim::simulate(graph, on, design);
    state.SetIterationTime(simulation.wall_seconds);
    benchmark::DoNotOptimize(simulation.timeline.makespan());
  }
  state.counters["tasks/s"] =
      benchmark::Counter(static_cast<double>(state.iterations()) * static_cast<double>(graph.size()), benchmark::Counter::kIsRate);
}

std::vector<Duration> durations_of(const TaskGraph& graph, const Machine& on) {
  std::vector<Duration> durations;
  for (std::size_t i = 0; i < graph.size(); ++i) durations.push_back(body_cost(on, graph, task_id(i), CoreType::kSm, 1).fixed);
  return durations;
}

/// The same tasks under the same central-dispatcher, and the same phases out: anything else is an error.
void bare_heap(benchmark::State& state) {
  const TaskGraph& graph = layered(state.range(0));
  const Design& design = named_design("central-dispatcher");
  const Machine on = machine(design);
  const std::vector<Duration> durations = durations_of(graph, on);
  if (bench::schedule_on_bare_heap(graph, on, durations, kWorkers, design.mailbox_depth) !=
      sim::simulate(graph, on, design).timeline.tasks) {
    state.SkipWithError("the reference and the simulator differ");
    return;
  }
  for (auto _ : state) {
    benchmark::DoNotOptimize(bench::schedule_on_bare_heap(graph, on, durations, kWorkers, design.mailbox_depth));
  }
  state.counters["tasks/s"] =
      benchmark::Counter(static_cast<double>(state.iterations()) * static_cast<double>(graph.size()), benchmark::Counter::kIsRate);
}

/// The run loop of central-dispatcher beside the bare heap, in turns: the shortest of each counts, whatever else the machine does.
void loop_beside_heap(benchmark::State& state) {
  const TaskGraph& graph = layered(state.range(0));
  const Design& design = named_design("central-dispatcher");
  const Machine on = machine(design);
  const std::vector<Duration> durations = durations_of(graph, on);
  double loop = std::numeric_limits<double>::infinity();
  double heap = loop;
  for (auto _ : state) {
    const auto begun = std::chrono::steady_clock::now();
    benchmark::DoNotOptimize(bench::schedule_on_bare_heap(graph, on, durations, kWorkers, design.mailbox_depth));
    heap = std::min(heap, std::chrono::duration<double>(std::chrono::steady_clock::now() - begun).count());
    const double seconds = sim::simulate(graph, on, design).wall_seconds;
    loop = std::min(loop, seconds);
    state.SetIterationTime(seconds);
  }
  state.counters["of the heap's rate"] = heap / loop;
}

/// A shipped machine with `cores` cores of one type in place of its own.
Machine machine_with(const std::string& name, CoreType type, int cores) {
  Machine machine = scenarios::load_machine(name);
  machine.compute_cores = {{type, cores}};
  return machine;
}

constexpr double kMostForIdleCores = 3.5;  ///< three, and what a busy machine adds

/// Processor time of a whole call of simulate(), its wiring and timeline included, on a machine of 100 000 cores beside one of 2 000, in
/// turns: the shortest of each counts. It is to grow with the tasks: with fifty times the cores to at most kMostForIdleCores as much.
/// Returns the ratio.
double idle_cores(benchmark::State& state, const Design& design, std::int64_t width) {
  struct Side {
    Machine on;
    double shortest = std::numeric_limits<double>::infinity();
  };
  constexpr std::int64_t kTasks = 2000;
  const bool ascend = design.name.starts_with("ascend");
  const std::string name = ascend ? "ascend-a2a3" : "nvidia-h200";
  const CoreType type = ascend ? CoreType::kAiv : CoreType::kSm;
  const TaskGraph graph = scenarios::make_layered_random({.tasks = kTasks, .width = width, .core_type = type}, 1);
  std::array sides{Side{machine_with(name, type, 2000)}, Side{machine_with(name, type, 100'000)}};
  for (auto _ : state) {
    for (Side& side : sides) {
      const std::clock_t begin = std::clock();
      benchmark::DoNotOptimize(sim::simulate(graph, side.on, design).timeline.makespan());
      side.shortest = std::min(side.shortest, static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC);
    }
    state.SetIterationTime(sides[1].shortest);
  }
  state.counters["2000_cores_ms"] = sides[0].shortest * 1e3;
  state.counters["100000_cores_ms"] = sides[1].shortest * 1e3;
  const double ratio = sides[1].shortest / sides[0].shortest;
  state.counters["ratio"] = ratio;
  return ratio;
}

}  // namespace

int main(int argc, char** argv) {
  benchmark::RegisterBenchmark("bare_heap", bare_heap)->Arg(100'000)->Arg(1'000'000)->Unit(benchmark::kMillisecond)->UseRealTime();
  benchmark::RegisterBenchmark("loop_beside_heap", loop_beside_heap)
      ->Arg(100'000)
      ->Arg(1'000'000)
      ->Unit(benchmark::kMillisecond)
      ->Iterations(9)
      ->UseManualTime();
  std::vector<Design> designs(named_designs().begin(), named_designs().end());
  designs.push_back(richest());
  for (const Design& design : designs) {
    auto* registered = benchmark::RegisterBenchmark(design.name.c_str(), [&design](benchmark::State& state) { simulate(state, design); });
    registered->Arg(100'000)->Unit(benchmark::kMillisecond)->UseManualTime();
    if (design.name == "central-dispatcher") registered->Arg(1'000'000);
  }
  std::vector<std::string> too_slow;
  for (const Design& design : named_designs()) {
    if (!has_workers(design.driver)) continue;
    for (const auto& [shape, width] : {std::pair{"layers", 100}, std::pair{"chain", 1}, std::pair{"independent", 2000}}) {
      const std::string name = "idle_cores/" + design.name + "/" + shape;
      benchmark::RegisterBenchmark(name.c_str(),
                                   [&, name, width = width](benchmark::State& state) {
                                     if (idle_cores(state, design, width) > kMostForIdleCores) too_slow.push_back(name);
                                   })
          ->Unit(benchmark::kMillisecond)
          ->Iterations(15)
          ->UseManualTime();
    }
  }
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
  for (const std::string& name : too_slow) std::cerr << name << ": 100 000 cores take more than 3.5 times what 2 000 take\n";
  return too_slow.empty() ? 0 : 1;
}
