// Several workers a multiprocessor, on a GPU.
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "gpu/problems/buffer_values.hpp"
#include "models/base/error.hpp"
#include "models/runtimes/runtimes.hpp"
#include "scenarios/generators/spawn_tree.hpp"
#include "tests/gpu/executor_cases.hpp"

namespace tasktwin::gpu {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;

const std::string kOwnFetches[] = {"static-queues", "shared-queue", "work-stealing", "hybrid", "layer-barrier"};

Design beside(std::string_view name, int workers) {
  Design design = quickly_placed(named_design(name));
  design.workers_per_core = workers;
  return design;
}

class WorkersBeside : public OnTheGpu {
 protected:
  /// An H200 with so many cores.
  static Machine cores(int count) { return machine_of(count, named_design("shared-queue")); }
};

TEST_F(WorkersBeside, KeepTheOrderUnderEachDesign) {
  const TaskGraph graph = random_graph(8'000, 300, 1us, 31);
  for (const std::string& name : kOwnFetches) {
    for (const int workers : {1, 2, 3, 4}) {
      for (const int count : {1, 5, 132}) {
        const std::string what = name + " " + std::to_string(workers) + " on " + std::to_string(count);
        const Measurement measured = run(graph, cores(count), beside(name, workers), {.repeats = 1});
        EXPECT_EQ(measured.ordering_violations, 0) << what;
        EXPECT_EQ(stamp_fault(graph, measured.timeline, true), "") << what;
        EXPECT_EQ(measured.timeline.workers_per_core, workers) << what;
        EXPECT_EQ(measured.timeline.cores.size(), static_cast<std::size_t>(workers * count)) << what;
      }
    }
  }
}

/// Bodies of 50 us, one for each worker: all run at once only if all workers stand on the device at once.
TEST_F(WorkersBeside, AreAllThereAtOnce) {
  for (const int workers : {2, 4}) {
    TaskGraphBuilder builder;
    for (int i = 0; i < workers * 132; ++i) builder.add_task("t" + std::to_string(i), {.cost = {.time = 50us}});
    const TaskGraph graph = std::move(builder).build();
    const Measurement measured = run(graph, machine_, beside("static-queues", workers), {.repeats = 3});
    for (const Duration makespan : measured.makespans) EXPECT_LT(makespan, Duration{80us}) << workers;
    std::vector<bool> met(graph.size());
    for (const TaskTimes& times : measured.timeline.tasks) met[index(times.core)] = true;
    EXPECT_EQ(std::ranges::count(met, true), std::ssize(met)) << workers;
  }
}

/// Two bodies of arithmetic take nearly twice as long on one multiprocessor, and no longer on two.
TEST_F(WorkersBeside, StandOnTheMultiprocessorThatTheirNumberSays) {
  const auto time_of_second = [this](int place) {  // of two long bodies, the second in the list of that worker
    TaskGraphBuilder builder;
    for (int i = 0; i <= place; ++i) {
      const bool is_long = i == 0 || i == place;
      builder.add_task("t" + std::to_string(i), {.cost = {.time = {}, .flops = {is_long ? 40'000'000 : 0}, .bytes = {}},
                                                 .kernel = is_long ? Kernel::kFma : Kernel::kEmpty});
    }
    const Measurement measured = run(std::move(builder).build(), machine_, beside("static-queues", 2), {.repeats = 3});
    const TaskTimes& times = measured.timeline.tasks[static_cast<std::size_t>(place)];
    return static_cast<double>((times.ended - times.started).count());
  };
  const double apart = time_of_second(7);
  const double together = time_of_second(132);  // the second worker of multiprocessor 0
  EXPECT_GT(together, 1.6 * apart);
  EXPECT_LT(together, 2.2 * apart);
}

TEST_F(WorkersBeside, EndUnderEachTerminationScheme) {
  const TaskGraph tree = scenarios::make_spawn_tree({.tasks = 20'000, .body = {.cost = {.time = 500ns}}}, 14);
  for (const char* name : {"shared-queue", "work-stealing", "hybrid"}) {
    for (const auto& [termination, word] : Words<Termination>::entries) {
      Design design = beside(name, 4);
      design.termination = termination;
      const Measurement measured = run(tree, machine_, design, {.repeats = 1});
      EXPECT_EQ(measured.ordering_violations, 0) << name << " " << word;
      EXPECT_EQ(stamp_fault(tree, measured.timeline, true), "") << name << " " << word;
    }
  }
}

TEST_F(WorkersBeside, AreToldByFlagsAndHoldSeveralTasks) {
  const TaskGraph graph = random_graph(5'000, 150, 1us, 14);
  Design flags = beside("static-queues", 2);
  flags.notification = Notification::kFlag;
  EXPECT_EQ(run(graph, machine_, flags, {.repeats = 1}).ordering_violations, 0);
  for (const char* name : {"shared-queue", "work-stealing", "layer-barrier"}) {
    Design deep = beside(name, 4);
    deep.mailbox_depth = 4;
    EXPECT_EQ(run(graph, machine_, deep, {.repeats = 1}).ordering_violations, 0) << name;
  }
}

TEST_F(WorkersBeside, ReadAndCompute) {
  const TaskGraph plain = random_graph(3'000, 200, 1us, 33);
  TaskGraphBuilder builder;
  for (std::size_t i = 0; i < plain.size(); ++i) {
    Task task = plain[task_id(i)];
    if (i % 3 == 1) task.kernel = Kernel::kStream, task.cost = {.time = {}, .flops = {}, .bytes = {65'536}};
    if (i % 3 == 2) task.kernel = Kernel::kFma, task.cost = {.time = {}, .flops = {500'000}, .bytes = {}};
    builder.add_task(std::string(plain.name(task_id(i))), task);
  }
  for (std::size_t i = 0; i < plain.size(); ++i) {
    for (const TaskId next : plain.successors(task_id(i))) builder.add_edge(task_id(i), next);
  }
  const TaskGraph graph = std::move(builder).build();
  for (const std::string& name : kOwnFetches) {
    const Measurement measured = run(graph, machine_, beside(name, 4), {.repeats = 1});
    EXPECT_EQ(measured.ordering_violations, 0) << name;
    EXPECT_EQ(stamp_fault(graph, measured.timeline, true), "") << name;
  }
}

TEST_F(WorkersBeside, AreNamedWhereARunIsEnded) {
  std::string words;
  try {
    run(chain(264), machine_, beside("static-queues", 2), {.repeats = 1, .watchdog = 300ms, .never_released = {task_id(133)}});
  } catch (const RunError& error) {
    words = error.what();
  }
  EXPECT_THAT(words, HasSubstr("core 1 (worker 133) waits for task 'link133'"));
  EXPECT_EQ(run(chain(264), machine_, beside("static-queues", 2), {.repeats = 1}).ordering_violations, 0) << "the device is usable";
}

/// A thread a walk: each load's address comes from the one before.
constexpr const char* kWalk = R"(#include <tasktwin/kernel.hpp>
__device__ void walk(const tasktwin::Block& block, const int* next, int* out, int first, int steps) {
  int at = first + block.thread;
  for (int step = 0; step < steps; ++step) at = next[at];
  out[first + block.thread] = at;
}
)";

TEST_F(WorkersBeside, ComputeWhatTheScenariosOwnKernelsDo) {
  constexpr int kTasks = 1056;
  constexpr int kSteps = 20;
  const std::filesystem::path folder = std::filesystem::path(testing::TempDir()) / "walks";
  std::filesystem::create_directories(folder);
  std::ofstream(folder / "walk.cu") << kWalk;
  std::ofstream text(folder / "walks.yaml");
  text << "scenario: walks\nmachine: nvidia-h200\nbuffers:\n  - {name: next, type: int32, count: " << kTasks * 256
       << ", fill: uniform, range: " << kTasks * 256 << "}\n  - {name: out, type: int32, count: " << kTasks * 256
       << "}\nkernels:\n  - name: walk\n    source: walk.cu\n    shared_memory_bytes: 16384\n    parameters:\n"
          "      - {name: next, type: buffer, value: next}\n      - {name: out, type: buffer, value: out}\n"
          "      - {name: first, type: integer}\n      - {name: steps, type: integer, value: "
       << kSteps << "}\n    cost: {bytes: 2048}\ngraph:\n  tasks:\n";
  for (int i = 0; i < kTasks; ++i)
    text << "    - {name: w" << i << ", kernel: walk, arguments: {first: " << i * 256 << "}"
         << (i < 8 ? "" : ", after: [w" + std::to_string(i - 8) + "]") << "}\n";
  text << "designs: [shared-queue]\n";
  text.close();
  const scenarios::Scenario scenario = scenarios::load_scenario((folder / "walks.yaml").string());
  const auto& own = std::get<OwnKernels>(scenario.graph.problem());
  const BufferValues next = BufferValues::of(own.buffers[0], 0);
  for (const std::string& name : kOwnFetches) {
    for (const int workers : {2, 4}) {
      std::map<std::string, std::vector<std::byte>> buffers;
      const Measurement measured = run(scenario.graph, scenario.machine, beside(name, workers), {.repeats = 1, .kept_buffers = &buffers});
      EXPECT_EQ(measured.ordering_violations, 0) << name << " " << workers;
      std::vector<int> out(kTasks * 256);
      ASSERT_EQ(buffers.at("out").size(), out.size() * sizeof(int));
      std::memcpy(out.data(), buffers.at("out").data(), buffers.at("out").size());
      int wrong = 0;
      for (std::size_t i = 0; i < out.size(); ++i) {
        auto at = static_cast<std::int64_t>(i);
        for (int step = 0; step < kSteps; ++step) at = next.whole(static_cast<std::uint64_t>(at));
        wrong += out[i] != at;
      }
      EXPECT_EQ(wrong, 0) << name << " " << workers;
    }
  }
}

}  // namespace
}  // namespace tasktwin::gpu
