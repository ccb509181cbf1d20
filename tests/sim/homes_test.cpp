#include "sim/workers/homes.hpp"

#include <gtest/gtest.h>

namespace tasktwin::sim {
namespace {

constexpr CoreType kA = CoreType::kAic;
constexpr CoreType kV = CoreType::kAiv;

TEST(Homes, OfAWorkerIsItsNumberModuloTheirs) {
  const std::vector<CoreType> workers(5, kA);
  const Homes homes(workers, 2);
  EXPECT_EQ(homes.of(core_id(3)), 1u);
  EXPECT_EQ(homes.of(core_id(4)), 0u);
}

TEST(Homes, TaskGoesToThePushersHomeOrTheNextWithAWorkerForIt) {
  const std::vector<CoreType> workers{kA, kA, kV, kV};
  Homes homes(workers, 4);
  EXPECT_EQ(homes.place(core_id(1), kA), 1u);
  EXPECT_EQ(homes.place(core_id(1), kV), 2u);
  EXPECT_EQ(homes.place(core_id(3), kA), 0u);  // past the end
}

TEST(Homes, HomeWithWorkersOfTwoTypesTakesBoth) {
  const std::vector<CoreType> workers{kA, kA, kV, kV};
  Homes homes(workers, 2);
  EXPECT_EQ(homes.place(core_id(1), kA), 1u);
  EXPECT_EQ(homes.place(core_id(1), kV), 1u);
}

TEST(Homes, RootsAreDealtOutInTurnForEachTypeByItself) {
  const std::vector<CoreType> workers{kA, kA, kV, kV};
  Homes homes(workers, 4);
  std::vector<std::size_t> places;
  for (const CoreType type : {kA, kV, kA, kV, kA, kV}) places.push_back(homes.place(kNoCore, type));
  EXPECT_EQ(places, (std::vector<std::size_t>{0, 2, 1, 3, 0, 2}));
}

TEST(Homes, ShardsBeyondTheWorkersAreNobodysHome) {
  const std::vector<CoreType> workers(2, kA);
  Homes homes(workers, 5);
  EXPECT_EQ(homes.place(kNoCore, kA), 0u);
  EXPECT_EQ(homes.place(kNoCore, kA), 1u);
  EXPECT_EQ(homes.place(kNoCore, kA), 0u);
}

}  // namespace
}  // namespace tasktwin::sim
