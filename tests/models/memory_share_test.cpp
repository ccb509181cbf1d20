#include "models/machine/memory_share.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>

#include "models/machine/memory_paths.hpp"
#include "tests/support/free_machine.hpp"

namespace tasktwin {
namespace {

using testing::DoubleNear;
using testing::ElementsAre;
using testing::Pointwise;

/// What the bodies of each path get.
std::vector<double> rates(const MemoryLaw& law, const std::vector<double>& demands) {
  std::vector<double> shares(demands.size());
  memory_shares(law, demands, shares);
  for (std::size_t i = 0; i < demands.size(); ++i) shares[i] *= demands[i];
  return shares;
}

TEST(MemoryShare, QueuesGetAlikeInACrowdHoweverManyAreInThem) {
  // Of 240 wanted of 100 each queue has 30 under way: what is in the smaller ones gets on half as fast again.
  EXPECT_THAT(rates({.total = 100, .queue = 30}, {60, 60, 40, 40, 40}), Pointwise(DoubleNear(1e-9), {20., 20., 20., 20., 20.}));
}

TEST(MemoryShare, BodiesThatKeepLittleUnderWayGetAlikeWhateverTheirQueue) {
  // 60 of 60 and 40 of 40 are under way, as without queues.
  EXPECT_THAT(rates({.total = 50, .queue = 60}, {60, 40}), Pointwise(DoubleNear(1e-9), {30., 20.}));
  EXPECT_THAT(rates({.total = 50, .queue = 50}, {60, 40}), Pointwise(DoubleNear(1e-9), {50 * 50 / 90., 50 * 40 / 90.}));
}

TEST(MemoryShare, QueuesTakeNothingOfWhatTheMemoryDelivers) {
  for (const double contention : {0.0, 0.05, 1.0}) {
    for (const double more : {10.0, 40.0, 70.0, 400.0}) {
      const std::vector<double> demands{more, 0, 20, 60, 35};
      const std::vector<double> queued = rates({.total = 100, .contention = contention, .queue = 30}, demands);
      const std::vector<double> plain = rates({.total = 100, .contention = contention}, demands);
      const auto sum = [](const std::vector<double>& rates) { return std::accumulate(rates.begin(), rates.end(), 0.0); };
      EXPECT_NEAR(sum(queued), sum(plain), 1e-9);
      for (std::size_t i = 0; i < demands.size(); ++i) EXPECT_LE(queued[i], demands[i] + 1e-9) << "no body gets on faster than alone";
    }
  }
}

TEST(MemoryPaths, WorkersAreInTheQueuesOfTheirOwnNumbersAndBlocksBehindPortsInOrder) {
  Machine machine = free_machine();
  machine.compute_cores = {{.type = CoreType::kSm, .count = 4, .memory_ports = {7, 3, 7, 7}, .memory_queues = {5, 5, 2, 5}}};
  machine.memory->bandwidth = 100;
  machine.memory->port_bandwidth = 40;
  machine.memory->queue_bandwidth = 30;
  const std::vector<CoreType> three(3, CoreType::kSm);
  const MemoryPaths workers = MemoryPaths::of_workers(machine, three);
  EXPECT_THAT(workers.of, ElementsAre(0, 0, 1));
  EXPECT_EQ(workers.count, 2U);
  EXPECT_EQ(workers.law.queue, 30);
  EXPECT_EQ(workers.law.port, 0);
  const MemoryPaths blocks = MemoryPaths::of_blocks(machine, three);
  EXPECT_THAT(blocks.of, ElementsAre(0, 1, 0));
  EXPECT_EQ(blocks.law.port, 40);
  EXPECT_EQ(blocks.law.queue, 0);
  machine.memory->queue_bandwidth = 0;
  EXPECT_THAT(MemoryPaths::of_workers(machine, three).of, ElementsAre(0, 0, 0)) << "a path that holds nothing back";
}

}  // namespace
}  // namespace tasktwin
