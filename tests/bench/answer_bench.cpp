// From a scenario's file to the answer: what 'simulate' does before it prints, and the points of a sweep and of a search.
#include <benchmark/benchmark.h>

#include <cstdio>
#include <fstream>
#include <string>
#include <vector>

#include <unistd.h>

#include "models/runtimes/runtimes.hpp"
#include "scenarios/load/scenario.hpp"
#include "sim/simulator.hpp"
#include "verify/pool/process_pool.hpp"
#include "verify/predict/prediction.hpp"
#include "verify/search/search_trial.hpp"

namespace {

using namespace tasktwin;

/// A scenario's file of layers of random tasks, three predecessors each, on an H200; gone with the object.
class LayeredFile {
 public:
  explicit LayeredFile(std::int64_t tasks) : path_("/tmp/tasktwin-bench-" + std::to_string(::getpid()) + ".yaml") {
    std::ofstream(path_) << "scenario: layered\nmachine: nvidia-h200\ndesigns: [central-dispatcher, static-queues]\n"
                         << "graph: {generator: layered_random, tasks: " << tasks << ", width: " << (tasks < 1000 ? 60 : 264)
                         << ", predecessors: 3, min_time_ns: 500, max_time_ns: 1500}\n";
  }
  ~LayeredFile() { std::remove(path_.c_str()); }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

double resident_bytes() {
  std::ifstream statm("/proc/self/statm");
  double pages = 0;
  statm >> pages >> pages;
  return pages * static_cast<double>(::sysconf(_SC_PAGESIZE));
}

/// The most that was resident since the last call, or since the process began; 0 where the system does not tell.
double peak_resident_bytes() {
  std::ifstream status("/proc/self/status");
  double kib = 0;
  for (std::string word; status >> word;) {
    if (word == "VmHWM:") status >> kib;
  }
  std::ofstream("/proc/self/clear_refs") << "5";  // the peak begins anew (man 5 proc_pid_clear_refs)
  return 1024 * kib;
}

/// Reads the file and simulates one design of it; with `table` also works out what the table of 'simulate' says beside the makespan.
void file_to_answer(benchmark::State& state, const std::string& design, bool table) {
  const LayeredFile file(state.range(0));
  const double before = resident_bytes();
  peak_resident_bytes();
  for (auto _ : state) {
    const scenarios::Scenario scenario = scenarios::load_scenario(file.path());
    const verify::Prediction prediction = verify::predict(scenario, named_design(design), scenario.seed);
    benchmark::DoNotOptimize(prediction.timeline.makespan());
    if (table) benchmark::DoNotOptimize(verify::assess(scenario, prediction).over_bound);
  }
  state.counters["peak bytes/task"] = (peak_resident_bytes() - before) / static_cast<double>(state.range(0));
}

/// 480 points of a graph of 300 tasks, as 'sweep' has them simulated by so many processes.
void sweep(benchmark::State& state) {
  const LayeredFile file(300);
  const std::vector<std::string> files{file.path()};
  for (auto _ : state) {
    verify::TrialRunner runner(files, {});
    const auto pool =
        verify::make_pool([&runner](std::string_view request) { return runner.serve(request); }, static_cast<std::size_t>(state.range(0)));
    double sum = 0;
    verify::run_in_order(
        *pool, 480,
        [](std::size_t i) {
          return verify::Trial{.design = "central-dispatcher",
                               .overrides = {"machine.device_mailboxes.hop_ns=" + std::to_string(300 + 10 * (i / 24)),
                                             "designs.mailbox_depth=" + std::to_string(1 + i % 4),
                                             "machine.device_control.poll_ns=" + std::to_string(20 + i / 4 % 6)},
                               .remarked = true};
        },
        [&sum](std::size_t, const verify::TrialResult& result) { sum += result.makespans.front(); });
    benchmark::DoNotOptimize(sum);
  }
}

}  // namespace

int main(int argc, char** argv) {
  for (const char* const design : {"central-dispatcher", "static-queues"}) {
    for (const bool table : {false, true}) {
      benchmark::RegisterBenchmark(((table ? "file_to_table/" : "file_to_answer/") + std::string(design)).c_str(), file_to_answer,
                                   std::string(design), table)
          ->Arg(1'000'000)
          ->Arg(5'000'000)
          ->Unit(benchmark::kMillisecond)
          ->Iterations(1);
    }
  }
  benchmark::RegisterBenchmark("sweep_480_points", sweep)->Arg(1)->Arg(2)->Unit(benchmark::kMillisecond)->UseRealTime();
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
}
