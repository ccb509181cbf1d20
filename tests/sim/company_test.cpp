// How much bodies that read memory hold each other up, by when they began.
#include "sim/memory/company.hpp"

#include <gtest/gtest.h>

#include "sim/simulator.hpp"
#include "tests/sim/small_worlds.hpp"

namespace tasktwin::sim {
namespace {

constexpr TimePoint at(std::int64_t ns) { return TimePoint{Duration{ns}}; }

TEST(Company, CountsThoseThatBeganWithinTheTimeOfASingleRequest) {
  Company company({.total = 1, .contention = 0.8, .in_step_window = Duration{600}, .in_step = 0.75});
  EXPECT_EQ(company.contention(), 0.8);
  company.come(7, Reading::kInPieces, at(100));
  company.come(3, Reading::kInPieces, at(700));
  EXPECT_EQ(company.contention(), 0.8) << "both in step";
  company.come(5, Reading::kInPieces, at(1301));
  EXPECT_DOUBLE_EQ(company.contention(), 0.8 * 2 / 3) << "601 ns after the second";
  company.go(7);
  EXPECT_DOUBLE_EQ(company.contention(), 0.8 / 2);
  company.come(7, Reading::kInPieces, at(2000));
  company.come(8, Reading::kInPieces, at(3000));
  company.come(9, Reading::kInPieces, at(4000));
  EXPECT_DOUBLE_EQ(company.contention(), 0.8 * 0.25) << "one of five is less";
  for (const std::uint32_t flow : {3, 5, 7, 9}) company.go(flow);
  EXPECT_EQ(company.contention(), 0.8) << "alone";
}

TEST(Company, WhoReadsWithoutABreakIsInStepWithAll) {
  Company company({.total = 1, .contention = 0.8, .in_step_window = Duration{600}, .in_step = 1});
  company.come(0, Reading::kInPieces, at(0));
  company.come(1, Reading::kSteadily, at(1000));
  EXPECT_EQ(company.contention(), 0.8);
  company.come(2, Reading::kInPieces, at(2000));
  EXPECT_DOUBLE_EQ(company.contention(), 0.8 * 2 / 3);
  company.come(3, Reading::kInPieces, at(2100));
  EXPECT_DOUBLE_EQ(company.contention(), 0.8 * 3 / 4);
  company.go(1);
  EXPECT_DOUBLE_EQ(company.contention(), 0.8 * 2 / 3);
}

TEST(Company, IsNoneOfTheirBusinessWhereContentionIsAlwaysTheSame) {
  Company company({.total = 1, .contention = 0.8});
  company.come(0, Reading::kInPieces, at(0));
  company.come(1, Reading::kInPieces, at(5000));
  EXPECT_EQ(company.contention(), 0.8);
  company.go(0);
}

/// Of two bodies that read for some 2 us each and share one memory, the time of the second, which begins `wait` ns after the first.
std::int64_t second_takes(std::int64_t wait, double in_step, BandwidthSolver solver) {
  Machine machine = plain_machine(3);
  machine.memory->core_bandwidth = 10;
  machine.memory->bandwidth = 40;
  machine.memory->contention = 1;
  machine.memory->in_step = in_step;
  machine.kernels[static_cast<std::size_t>(Kernel::kGateUp)].bandwidth = 10;
  TaskGraphBuilder builder;
  Task reader;
  reader.kernel = Kernel::kGateUp;
  reader.cost.bytes = {20000};
  Task spin;
  spin.kernel = Kernel::kSpin;
  spin.cost.time = Duration{wait};
  builder.add_task("first", reader);
  const TaskId before = builder.add_task("wait", spin);
  const TaskId second = builder.add_task("second", reader);
  builder.add_edge(before, second);
  Design design = named_design("static-queues");
  design.placement = Placement::kRoundRobin;
  const Timeline timeline = simulate(std::move(builder).build(), machine, design, {.bandwidth_solver = solver}).timeline;
  const TaskTimes& times = timeline.tasks[index(second)];
  return to_ns(times.ended - times.started);
}

TEST(Company, BodiesApartHoldEachOtherUpLess) {
  for (const BandwidthSolver solver : {BandwidthSolver::kVirtualTime, BandwidthSolver::kSimGrid}) {
    EXPECT_EQ(second_takes(500, 1, solver), second_takes(500, 0, solver));
    EXPECT_LT(second_takes(700, 1, solver), second_takes(700, 0, solver));
  }
}

}  // namespace
}  // namespace tasktwin::sim
