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
    ParkingOrder order(kWorkers);
    ParkedAtHome homes(kHomes, kWorkers);
    std::vector<CoreId> parked;
    if (seed % 2 == 1) {  // some, together
      for (std::size_t worker = 20; worker < 140; ++worker) {
        parked.push_back(core_id(worker));
        homes.push_back(worker % kHomes, core_id(worker));
      }
      order.push_back(core_id(20), core_id(140));
    }
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
      ASSERT_EQ(order.contains(worker), std::ranges::find(parked, worker) != parked.end());
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

TEST(ParkingOrder, TakesManyAtOnceAsOneAfterTheOther) {
  ParkingOrder one_by_one(80);
  ParkingOrder together(80);
  for (ParkingOrder* const order : {&one_by_one, &together}) {
    order->push_back(core_id(70));
    order->push_back(core_id(2));
    order->push_back(core_id(1));
    order->erase(core_id(2));
  }
  for (std::size_t core = 5; core < 70; ++core) one_by_one.push_back(core_id(core));
  together.push_back(core_id(5), core_id(70));
  for (ParkingOrder* const order : {&one_by_one, &together}) {
    order->erase(core_id(30));
    order->push_back(core_id(0));
  }
  ASSERT_EQ(together.size(), one_by_one.size());
  for (std::size_t before = 0; before < together.size(); ++before) EXPECT_EQ(together.at(before), one_by_one.at(before));
}

}  // namespace
}  // namespace tasktwin::sim
