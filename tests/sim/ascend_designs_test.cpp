// What the scenarios about an Ascend runtime's next choices find, held to what is simulated.
#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "models/base/error.hpp"
#include "models/checks/stalls.hpp"
#include "scenarios/load/scenario.hpp"
#include "sim/simulator.hpp"
#include "tests/support/finding.hpp"

namespace tasktwin::sim {
namespace {

using scenarios::load_scenario;
using scenarios::Scenario;
using Overrides = std::vector<std::string>;

constexpr std::uint64_t kSeeds = 30;

const Design& design_of(const Scenario& scenario, std::string_view name) {
  const auto found = std::ranges::find(scenario.designs, name, &Design::name);
  EXPECT_NE(found, scenario.designs.end()) << name;
  return *found;
}

struct Runs {
  double mean_us = 0;  ///< of those that end
  int hung = 0;
};
Runs runs(const Scenario& scenario, std::string_view name, std::uint64_t seeds = kSeeds) {
  Runs made;
  int ended = 0;
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    try {
      made.mean_us +=
          static_cast<double>(
              simulate(scenario.graph, scenario.machine, design_of(scenario, name), {.seed = seed}).timeline.makespan().count()) /
          1e3;
      ++ended;
    } catch (const RunError&) {
      ++made.hung;
    }
  }
  made.mean_us /= std::max(1, ended);
  return made;
}
/// In per cent of the other's time.
double longer(const Scenario& scenario, std::string_view name, std::string_view other, std::uint64_t seeds = kSeeds) {
  return 100 * (runs(scenario, name, seeds).mean_us / runs(scenario, other, seeds).mean_us - 1);
}
bool may_hang(const Scenario& scenario, std::string_view name) {
  return !possible_stalls(scenario.graph, scenario.machine, design_of(scenario, name)).empty();
}

TEST(AscendDesigns, EpiloguesSubmittedOneByOneHangUnderABoundPerEdge) {
  const Scenario one_by_one = load_scenario("ascend-moe-fanout");
  EXPECT_TRUE(may_hang(one_by_one, "per-edge"));
  EXPECT_FALSE(may_hang(one_by_one, "in-sum"));
  EXPECT_TRUE(says(one_by_one.finding, "# of 30 simulated runs hang", runs(one_by_one, "per-edge").hung));
  EXPECT_EQ(runs(one_by_one, "in-sum").hung, 0);
  EXPECT_TRUE(says(one_by_one.finding, "within # %", std::abs(longer(one_by_one, "in-sum", "not-early")), 1));
  const Scenario grouped = load_scenario("ascend-moe-fanout", Overrides{"graph.group=12"});
  EXPECT_FALSE(may_hang(grouped, "per-edge"));
  EXPECT_EQ(runs(grouped, "per-edge").hung, 0);
  EXPECT_TRUE(says(grouped.finding, "saves # %", -longer(grouped, "per-edge", "not-early"), 1));
}

TEST(AscendDesigns, EarlyDispatchSavesWhateverAStagedTaskCosts) {
  const Scenario scenario = load_scenario("ascend-early-dispatch");
  const Scenario dear = load_scenario("ascend-early-dispatch", Overrides{"machine.device_control.stage_ns=775"});
  EXPECT_TRUE(says(scenario.finding, "saves # % at 0.46 us", -longer(scenario, "idle-core", "not-early"), 1));
  EXPECT_TRUE(says(scenario.finding, "and # % at 0.78", -longer(dear, "idle-core", "not-early"), 1));
  EXPECT_TRUE(says(scenario.finding, "takes # % longer than to idle cores", longer(scenario, "any-slot", "idle-core"), 1));
  EXPECT_TRUE(says(scenario.finding, "and # % less", -longer(dear, "any-slot", "idle-core"), 1));
  EXPECT_NEAR(longer(scenario, "idle-pass", "idle-core"), 0, 0.05) << "the trigger makes no difference";
  EXPECT_TRUE(says(scenario.finding, "one at a time saves # %", -longer(scenario, "one-at-a-time", "not-early"), 1));
  const auto at_pace = [](const char* scale) {
    const Scenario paced = load_scenario("ascend-early-dispatch", Overrides{std::string("machine.control_cores.code_scale=") + scale});
    return -longer(paced, "idle-core", "not-early");
  };
  EXPECT_TRUE(says(scenario.finding, "idle cores is # % with code_scale 0.5", at_pace("0.5"), 1));
  EXPECT_TRUE(says(scenario.finding, "and # % with 1", at_pace("1"), 1));
}

TEST(AscendDesigns, ResidentSchedulersGainWhereTasksAreShort) {
  constexpr std::uint64_t kFew = 5;  // the machine's spread is a hundredth of the difference where there is one
  const auto longer_with = [&](const Overrides& overrides) {
    return longer(load_scenario("ascend-resident-scheduler", overrides), "by-aicores", "by-aicpu", kFew);
  };
  const std::string finding = load_scenario("ascend-resident-scheduler").finding;
  EXPECT_TRUE(says(finding, "they take # % longer", longer_with({}), 1));
  const Overrides quick{"machine.ready_queues.take_ns=100", "machine.ready_queues.hop_ns=250",
                        "machine.device_control.poll_per_core_ns=195"};
  EXPECT_TRUE(says(finding, "from # % less", -longer_with(quick), 1));
  EXPECT_TRUE(says(finding, "to # % more", longer_with({"machine.ready_queues.take_ns=1040", "machine.ready_queues.hop_ns=2080"}), 1));
  EXPECT_LT(longer_with(quick), -0.26) << "what was measured lies within";
  const auto makes = [&](const std::string& constant, const char* least, const char* most) {
    return std::abs(longer_with({"machine." + constant + "=" + most}) - longer_with({"machine." + constant + "=" + least}));
  };
  EXPECT_TRUE(says(finding, "take_ns alone makes # %", makes("ready_queues.take_ns", "100", "1040"), 1));
  EXPECT_EQ(makes("ready_queues.hop_ns", "250", "2080"), 0);
  double others = 0;
  for (const auto& [constant, least, most] :
       std::initializer_list<std::array<const char*, 3>>{{"device_control.poll_per_core_ns", "92", "195"},
                                                         {"control_cores.code_scale", "0.5", "1"},
                                                         {"resident_cores.push_ns", "100", "600"},
                                                         {"resident_cores.release_ns", "100", "600"},
                                                         {"resident_cores.start_ns", "300", "700"},
                                                         {"memory.read_latency_ns", "100", "600"},
                                                         {"memory.atomic_latency_ns", "100", "600"}}) {
    others = std::max(others, makes(constant, least, most));
  }
  EXPECT_LT(others, 0.65);
  const Overrides short_tasks{"graph.blocks=4", "graph.qk_time_ns=20600", "graph.softmax_time_ns=15200", "graph.pv_time_ns=19100",
                              "graph.update_time_ns=16300"};
  EXPECT_TRUE(says(finding, "they save # %", -longer_with(short_tasks), 0));
  const Overrides shorter{"graph.blocks=8", "graph.qk_time_ns=10300", "graph.softmax_time_ns=7600", "graph.pv_time_ns=9550",
                          "graph.update_time_ns=8200"};
  EXPECT_TRUE(says(finding, "and # % of 8 to 10", -longer_with(shorter), 0));
}

/// The case that no constant was fitted to: silicon's 724.9 us are met within 1.3 %.
TEST(AscendDesigns, TheHeldOutBatchedGemmIsMet) {
  const Scenario scenario = load_scenario("ascend-bgemm");
  constexpr std::uint64_t kFew = 3;
  double window_us = 0;
  for (std::uint64_t seed = 1; seed <= kFew; ++seed) {
    const Timeline timeline =
        simulate(scenario.graph, scenario.machine, design_of(scenario, "ascend-device-built"), {.seed = seed}).timeline;
    TimePoint first = TimePoint::max();
    for (const TaskTimes& task : timeline.tasks) first = std::min(first, task.dispatched);
    window_us += static_cast<double>((timeline.seen - first).count()) / 1e3 / kFew;
  }
  EXPECT_NEAR(window_us / 724.9, 1, 0.013);
}

TEST(AscendDesigns, PartsOfUnlikeLengthStartEachWhenItsCoreIsFree) {
  const Scenario scenario = load_scenario("ascend-unlike-parts");
  EXPECT_TRUE(says(scenario.finding, "takes # us", runs(scenario, "four").mean_us));
  EXPECT_TRUE(says(scenario.finding, "start together # % more", longer(scenario, "together", "four")));
  EXPECT_TRUE(says(scenario.finding, "(`not-behind`) saves # %", -longer(scenario, "not-behind", "four")));
  EXPECT_TRUE(says(scenario.finding, "a resolver take # % less", -longer(scenario, "three-and-resolver", "four"), 1));
  EXPECT_TRUE(says(scenario.finding, "one scheduler alone takes # % more", longer(scenario, "one", "four")));
}

TEST(AscendDesigns, AnA5SaysWhichOfItsConstantsAreAnothersAndWhichAreAssumed) {
  const Machine a5 = scenarios::load_machine("ascend-a5");
  EXPECT_EQ(a5.inherited.at("device_control.submit_ns"), "ascend-a2a3");
  EXPECT_TRUE(a5.assumed.contains("device_control.poll_per_core_ns"));
  EXPECT_EQ(a5.core_count(), 36 + 72);
  EXPECT_EQ(a5.control_cores.count, 5);
  EXPECT_TRUE(scenarios::load_machine("ascend-a2a3").inherited.empty()) << "not of a shipped machine that is not provisional";
}

TEST(AscendDesigns, WhatWorkersCannotTakeIsRefusedByName) {
  const Scenario fanned = load_scenario("ascend-moe-fanout");
  const Scenario resident = load_scenario("ascend-resident-scheduler");
  try {
    simulate(fanned.graph, fanned.machine, design_of(resident, "by-aicores"));
    FAIL() << "tasks of several cores that start together are taken";
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("'epilogue(0)' occupies several cores that start together"), std::string::npos)
        << error.what();
  }
}

}  // namespace
}  // namespace tasktwin::sim
