// Designs that differ within a graph, on a GPU: every order holds, gates too, and what the simulator says is told beside what was measured.
#include <gtest/gtest.h>

#include <algorithm>
#include <iostream>
#include <limits>
#include <map>

#include "gpu/executor.hpp"
#include "gpu/probes/launch_probes.hpp"
#include "models/runtimes/runtimes.hpp"
#include "scenarios/generators/expert_decode.hpp"
#include "scenarios/load/scenario.hpp"
#include "sim/simulator.hpp"

namespace tasktwin::gpu {
namespace {

class MixedDesigns : public testing::Test {
 protected:
  void SetUp() override {
    if (const auto why = why_no_gpu()) GTEST_SKIP() << *why;
  }

  static void expect_gates_hold(const TaskGraph& graph, const Timeline& timeline, int layer) {
    TimePoint lower{};
    TimePoint first = TimePoint::max();
    for (std::size_t i = 0; i < graph.size(); ++i) {
      if (graph[task_id(i)].layer < layer) lower = std::max(lower, timeline.tasks[i].ended);
      if (graph[task_id(i)].layer == layer) first = std::min(first, timeline.tasks[i].started);
    }
    EXPECT_GE(first, lower) << "layer " << layer;
  }
};

TEST_F(MixedDesigns, KeepEveryOrderAndAreToldBesideTheirPrediction) {
  const scenarios::Scenario scenario = scenarios::load_scenario("question-mixed-designs");
  for (const Design& design : scenario.designs) {
    if (const auto why = why_unsupported(scenario.graph, scenario.machine, design)) FAIL() << design.name << ": " << *why;
    const Measurement measured = run(scenario.graph, scenario.machine, design, {.repeats = 5, .order_checks = 2});
    EXPECT_EQ(measured.ordering_violations, 0) << design.name;
    ASSERT_EQ(measured.timeline.tasks.size(), scenario.graph.size()) << design.name;
    std::vector<Duration> makespans = measured.makespans;
    std::ranges::nth_element(makespans, makespans.begin() + 2);
    const Duration predicted = sim::simulate(scenario.graph, scenario.machine, design, {.seed = scenario.seed}).timeline.makespan();
    std::cout << design.name << ": measured " << to_ns(makespans[2]) << " ns, predicted " << to_ns(predicted) << " ns\n";
    for (const DesignPart& part : design.parts) {
      if (part.release == Release::kBarrier) expect_gates_hold(scenario.graph, measured.timeline, part.layers->front());
    }
  }
}

TEST_F(MixedDesigns, EachSeatAndAGateBeforeEachLayerKeepEveryOrder) {
  const TaskGraph graph = scenarios::make_expert_decode({.layers = 2, .groups = 3, .dense_tiles = 20, .sequences = 30, .experts = 20}, 1);
  const Machine machine = scenarios::load_machine("nvidia-h200");
  Design design = named_design("hybrid");
  design.name = "gates";
  design.parts = {{.kinds = {"attention"}, .ready_queue = ReadyQueue::kShared}, {.layers = {{1, 9}}, .release = Release::kBarrier}};
  for (const Stealing stealing : {Stealing::kOff, Stealing::kOne, Stealing::kHalf}) {
    for (const int depth : {1, 2}) {
      design.stealing = stealing;
      design.mailbox_depth = depth;
      const Measurement measured = run(graph, machine, design, {.repeats = 1, .order_checks = 2});
      EXPECT_EQ(measured.ordering_violations, 0) << to_word(stealing) << " " << depth;
      for (const int layer : {2, 3, 4, 5, 7, 8, 9}) expect_gates_hold(graph, measured.timeline, layer);
    }
  }
}

}  // namespace
}  // namespace tasktwin::gpu
