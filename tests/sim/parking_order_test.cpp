// Workers that park and leave, held against plain vectors.
#include "sim/workers/parking_order.hpp"

#include <gtest/gtest.h>

#include "models/base/random.hpp"

namespace tasktwin::sim {
namespace {

TEST(ParkingOrder, IsThatOfAVectorOfWhichAnyoneMayLeave) {
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    Random random(seed);
    constexpr std::size_t kWorkers = 150;
    constexpr std::size_t kHomes = 7;
    ParkingOrder order;
    ParkedAtHome homes(kHomes, kWorkers);
    std::vector<CoreId> parked;
    for (int step = 0; step < 2000; ++step) {
      const auto worker = core_id(static_cast<std::size_t>(random.between(0, kWorkers - 1)));
      const std::size_t home = index(worker) % kHomes;
      if (const auto found = std::ranges::find(parked, worker); found != parked.end()) {
        parked.erase(found);
        order.erase(worker);
        homes.erase(home, worker);
      } else {
        parked.push_back(worker);
        order.push_back(worker);
        homes.push_back(home, worker);
      }
      ASSERT_EQ(order.size(), parked.size());
      if (!parked.empty()) {
        const auto before = static_cast<std::size_t>(random.between(0, std::ssize(parked) - 1));
        ASSERT_EQ(order.at(before), parked[before]);
      }
      const auto first = std::ranges::find_if(parked, [home](CoreId one) { return index(one) % kHomes == home; });
      ASSERT_EQ(homes.first(home), first == parked.end() ? kNoCore : *first);
    }
  }
  EXPECT_EQ(ParkedAtHome(2, 2).first(5), kNoCore) << "a queue that is nobody's home";
}

}  // namespace
}  // namespace tasktwin::sim
