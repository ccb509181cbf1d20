// Blocks that share a core: by how much they hold each other up.
#include <gtest/gtest.h>

#include "models/cost/footprint.hpp"
#include "models/runtimes/runtimes.hpp"
#include "sim/simulator.hpp"
#include "tests/sim/small_worlds.hpp"

namespace tasktwin::sim {
namespace {

struct Body {
  Kernel kernel = Kernel::kFma;
  std::int64_t flops = 0;
  std::int64_t bytes = 0;
  TaskTraits traits{.threads = 256};
  std::int64_t time_ns = 0;
};

/// Kernels that do not depend on each other; a flop takes a nanosecond.
std::vector<std::int64_t> ends(const std::vector<Body>& bodies, const Machine& machine) {
  TaskGraphBuilder builder;
  for (const Body& body : bodies) {
    Task task{.cost = {.time = Duration{body.time_ns}, .flops = {body.flops}, .bytes = {body.bytes}}, .kernel = body.kernel};
    task.traits = builder.add_traits(body.traits);
    builder.add_task("k" + std::to_string(builder.size()), task);
  }
  const Timeline timeline = simulate(std::move(builder).build(), machine, named_design("cuda-streams")).timeline;
  return times(timeline, &TaskTimes::ended);
}

Machine machine_of(int cores) {
  Machine machine = plain_machine(cores);
  machine.core_limits.threads = 2048;
  KernelCost& fma = machine.kernels[static_cast<std::size_t>(Kernel::kFma)];
  fma.arithmetic = {{1000, 1000}};
  fma.issue = 0.8;
  fma.warp_issue = 0.2;
  return machine;
}

using Ends = std::vector<std::int64_t>;

TEST(SharedCores, HoldNobodyUpUntilTheirSharesAddUpToMoreThanOne) {
  EXPECT_EQ(ends({{.flops = 1000}}, machine_of(1)), Ends{1000});
  EXPECT_EQ(ends({{.flops = 1000}, {.flops = 1000}}, machine_of(1)), (Ends{1600, 1600}));  // 2 x 0.8
  EXPECT_EQ(ends({{.flops = 1000}, {.flops = 1000}}, machine_of(2)), (Ends{1000, 1000}));
}

TEST(SharedCores, GoOnAsAloneWhenTheOtherHasEnded) {
  // Both at 1 / 1.6 until the shorter one ends at 800, then 500 are left.
  EXPECT_EQ(ends({{.flops = 500}, {.flops = 1000}}, machine_of(1)), (Ends{800, 1300}));
}

TEST(SharedCores, TakeLessInBlocksOfFewWarpsAndTakeLongerAlone) {
  // One warp takes 0.2: a quarter of what a block of eight takes, and four times as long; five of them go on beside each other.
  const Body warp{.flops = 1000, .traits = {.threads = 32}};
  EXPECT_EQ(ends({warp}, machine_of(1)), Ends{4000});
  EXPECT_EQ(ends({warp, warp, warp, warp, warp}, machine_of(1)), (Ends{4000, 4000, 4000, 4000, 4000}));
  // Beside a block of eight one makes 1.0, two 1.2.
  EXPECT_EQ(ends({warp, {.flops = 1000}}, machine_of(1)), (Ends{4000, 1000}));
  EXPECT_EQ(ends({warp, warp, {.flops = 1000}}, machine_of(1)), (Ends{4200, 4200, 1200}));
}

TEST(SharedCores, DoNotHoldUpBodiesThatTakeNothing) {
  EXPECT_EQ(ends({{.kernel = Kernel::kSpin, .time_ns = 1000}, {.flops = 1000}, {.flops = 1000}}, machine_of(1)), (Ends{1000, 1600, 1600}));
}

TEST(SharedCores, ReadNoMoreTogetherThanOneCoreDraws) {
  Machine machine = machine_of(1);
  machine.memory->core_bandwidth = 10;
  machine.memory->bandwidth = 1000;
  machine.launched_kernels->stream_latency = Nanoseconds{4096};
  // 64 threads and 32 KiB: 24 KiB under way, 6 bytes/ns; without a ring 4 KiB, 1 byte/ns.
  const Body ring{.kernel = Kernel::kStream, .bytes = 6000, .traits = {.threads = 64, .shared_memory = 32768}};
  const Body plain{.kernel = Kernel::kStream, .bytes = 6000, .traits = {.threads = 64}};
  EXPECT_EQ(ends({plain}, machine), Ends{6000});
  EXPECT_EQ(ends({ring}, machine), Ends{1000});
  EXPECT_EQ(ends({ring, ring}, machine), (Ends{1200, 1200}));  // 10 of 12
  // Six bytes/ns and one a byte go on beside each other.
  EXPECT_EQ(ends({ring, plain}, machine), (Ends{1000, 6000}));
}

TEST(SharedCores, HoldUpReadersThatIssueToo) {
  Machine machine = machine_of(1);
  machine.memory->core_bandwidth = 10;
  machine.memory->bandwidth = 1000;
  machine.kernels[static_cast<std::size_t>(Kernel::kStream)].issue = 0.4;
  // 0.8 + 0.4: both take 1.2 times as long, and then the arithmetic goes on alone.
  EXPECT_EQ(ends({{.flops = 2000}, {.kernel = Kernel::kStream, .bytes = 10'000}}, machine), (Ends{2200, 1200}));
}

}  // namespace
}  // namespace tasktwin::sim
