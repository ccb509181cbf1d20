// What estimates take by the C interface: a design of 300 tasks from opening to closing it, and an edit in the last quarter of a run beside
// one that matters from the beginning.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <chrono>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "scenarios/generators/layered_random.hpp"
#include "verify/c_interface/tasktwin.h"

namespace {

using Machine = std::unique_ptr<tasktwin_machine, decltype(&tasktwin_free_machine)>;
using Graph = std::unique_ptr<tasktwin_graph, decltype(&tasktwin_free_graph)>;
using Estimate = std::unique_ptr<tasktwin_estimate, decltype(&tasktwin_free_estimate)>;

constexpr int kCores = 132;

/// Three predecessors a task, 20 wide, 500 to 1500 ns each; lists by turns.
struct Program {
  explicit Program(std::int64_t size) {
    const tasktwin::TaskGraph graph = tasktwin::scenarios::make_layered_random({.tasks = size, .width = 20}, 1);
    for (std::uint32_t i = 0; i < graph.size(); ++i) {
      const auto place = static_cast<std::int32_t>(i);
      tasks.push_back({graph[tasktwin::TaskId{i}].cost.time.count(), 0, TASKTWIN_SM, 0, place % kCores, place / kCores});
      for (const tasktwin::TaskId before : graph.predecessors(tasktwin::TaskId{i}))
        edges.push_back({static_cast<std::uint32_t>(before), i});
    }
  }
  std::vector<tasktwin_task> tasks;
  std::vector<tasktwin_edge> edges;
};

struct World {
  explicit World(std::int64_t size)
      : program(size),
        machine(tasktwin_new_machine("nvidia-h200"), tasktwin_free_machine),
        graph(tasktwin_new_graph(program.tasks.data(), program.tasks.size(), program.edges.data(), program.edges.size()),
              tasktwin_free_graph) {}
  Estimate open(const std::string& design) const {
    return {tasktwin_new_estimate(graph.get(), machine.get(), design.c_str(), 1), tasktwin_free_estimate};
  }
  Program program;
  Machine machine;
  Graph graph;
};

std::int64_t makespan(tasktwin_estimate* estimate) {
  tasktwin_result result{};
  return estimate != nullptr && tasktwin_run(estimate, &result) == 0 ? result.makespan_ns : -1;
}

void design(benchmark::State& state, const std::string& text) {
  const World world(300);
  for (auto _ : state) {
    const Estimate estimate = world.open(text);
    if (makespan(estimate.get()) < 0) state.SkipWithError(tasktwin_error());
  }
}

/// An edit, its run and its undoing, of a task that `share` of the tasks come before.
double seconds(tasktwin_estimate* estimate, const std::vector<tasktwin_change>& change) {
  const auto begin = std::chrono::steady_clock::now();
  tasktwin_edit(estimate, change.data(), change.size());
  benchmark::DoNotOptimize(makespan(estimate));
  tasktwin_settle(estimate, 0);
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

/// Both in turns: the shortest of each counts, whatever else the machine does. "of_whole" is what an edit takes beside a whole run.
void edit(benchmark::State& state, std::int32_t kind) {
  const World world(state.range(0));
  const Estimate estimate = world.open("{from: static-queues, placement: replay}");
  makespan(estimate.get());
  const auto tasks = static_cast<std::uint32_t>(world.program.tasks.size());
  const std::uint32_t late = tasks - tasks / 8;  // in the midst of the last quarter
  std::vector<tasktwin_change> in_part;
  if (kind == TASKTWIN_SET_TIME) in_part = {{kind, late, 0, 2000}};
  std::uint32_t other = tasks - 1;  // one that does not wait for it yet
  const auto waits = [&](const tasktwin_edge& edge) { return edge.from == late && edge.to == other; };
  while (std::ranges::any_of(world.program.edges, waits)) --other;
  if (kind == TASKTWIN_ADD_EDGE) in_part = {{kind, late, other, 0}};
  if (kind == TASKTWIN_MOVE) in_part = {{kind, tasks - 1, (tasks - 2) % kCores, (tasks - 2) / kCores + 1}};
  const std::vector<tasktwin_change> whole{{TASKTWIN_SET_TIME, 0, 0, 2000}};
  double part = std::numeric_limits<double>::infinity();
  double all = part;
  for (auto _ : state) {
    all = std::min(all, seconds(estimate.get(), whole));
    const double one = seconds(estimate.get(), in_part);
    part = std::min(part, one);
    state.SetIterationTime(one);
  }
  tasktwin_result result{};
  if (tasktwin_edit(estimate.get(), in_part.data(), in_part.size()) != 0 || tasktwin_run(estimate.get(), &result) != 0)
    state.SkipWithError(tasktwin_error());
  state.counters["simulated"] = result.simulated;
  state.counters["whole_us"] = all * 1e6;
  state.counters["edit_us"] = part * 1e6;
  state.counters["of_whole"] = part / all;
}

}  // namespace

int main(int argc, char** argv) {
  for (const char* text : {"shared-queue", "central-dispatcher", "cuda-streams", "cuda-graph", "static-queues",
                           "{from: static-queues, placement: replay}", "{from: static-queues, placement: round_robin}"})
    benchmark::RegisterBenchmark(("design/" + std::string(text)).c_str(), design, text)->Unit(benchmark::kMicrosecond);
  for (const auto& [name, kind] :
       {std::pair{"edit/time", TASKTWIN_SET_TIME}, std::pair{"edit/edge", TASKTWIN_ADD_EDGE}, std::pair{"edit/placement", TASKTWIN_MOVE}})
    benchmark::RegisterBenchmark(name, edit, kind)->Arg(300)->Arg(3000)->Unit(benchmark::kMicrosecond)->Iterations(300)->UseManualTime();
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
}
