#include "models/program/race_check.hpp"

#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tasktwin {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using Kind = OrderStepKind;

constexpr std::uint64_t kX = 0x1000;
const std::vector<StreamOrder> kTwo{StreamOrder::kOwn, StreamOrder::kOwn};

OrderStep work(std::uint32_t stream, std::vector<MemoryAccess> accesses) {
  return {.kind = Kind::kWork, .stream = stream, .accesses = std::move(accesses)};
}
OrderStep writes(std::uint32_t stream, std::uint64_t address = kX) { return work(stream, {{address, address + 1, true}}); }
OrderStep reads(std::uint32_t stream, std::uint64_t address = kX) { return work(stream, {{address, address + 1, false}}); }
OrderStep record(std::uint32_t stream, std::uint32_t number) { return {.kind = Kind::kRecord, .stream = stream, .record = number}; }
OrderStep wait(std::uint32_t stream, std::uint32_t number) { return {.kind = Kind::kStreamWait, .stream = stream, .record = number}; }
OrderStep allocate(std::uint64_t address = kX, std::uint64_t bytes = 256) {
  return {.kind = Kind::kAllocate, .address = address, .bytes = bytes};
}
OrderStep free_at(std::uint64_t address = kX) { return {.kind = Kind::kFree, .address = address}; }
OrderStep allocate_on(std::uint32_t stream) { return {.kind = Kind::kAllocate, .stream = stream, .address = kX, .bytes = 256}; }
OrderStep free_on(std::uint32_t stream) { return {.kind = Kind::kFree, .stream = stream, .address = kX}; }

TEST(RaceCheck, FindsAUseThatDoesNotWait) {
  EXPECT_THAT(find_races(std::vector{allocate(), writes(0), reads(1)}, kTwo), ElementsAre(Race{RaceKind::kUseWithoutWait, 1, 2, kX}));
  EXPECT_THAT(find_races(std::vector{allocate(), reads(0), writes(1)}, kTwo), ElementsAre(Race{RaceKind::kUseWithoutWait, 1, 2, kX}));
}

TEST(RaceCheck, TakesStreamOrderEventsAndHostWaitsForOrder) {
  EXPECT_THAT(find_races(std::vector{allocate(), writes(0), reads(0)}, kTwo), IsEmpty());
  EXPECT_THAT(find_races(std::vector{allocate(), writes(0), record(0, 5), wait(1, 5), reads(1)}, kTwo), IsEmpty());
  for (const OrderStep& sync : {OrderStep{.kind = Kind::kHostWaitAll}, OrderStep{.kind = Kind::kHostWaitStream, .stream = 0}})
    EXPECT_THAT(find_races(std::vector{allocate(), writes(0), sync, reads(1)}, kTwo), IsEmpty());
  EXPECT_THAT(
      find_races(std::vector{allocate(), writes(0), record(0, 5), OrderStep{.kind = Kind::kHostWaitRecord, .record = 5}, reads(1)}, kTwo),
      IsEmpty());
}

TEST(RaceCheck, AnEventHoldsWhatCameBeforeItsRecord) {
  EXPECT_THAT(find_races(std::vector{allocate(), record(0, 5), writes(0), wait(1, 5), reads(1)}, kTwo),
              ElementsAre(Race{RaceKind::kUseWithoutWait, 2, 4, kX}));
}

TEST(RaceCheck, ReadsDoNotRaceWithReadsNorBytesWithOtherBytes) {
  EXPECT_THAT(find_races(std::vector{allocate(), reads(0), reads(1)}, kTwo), IsEmpty());
  EXPECT_THAT(find_races(std::vector{allocate(), writes(0), writes(1, kX + 8)}, kTwo), IsEmpty());
  EXPECT_THAT(find_races(std::vector{allocate(), work(0, {{kX, kX + 64, true}}), reads(1, kX + 8)}, kTwo),
              ElementsAre(Race{RaceKind::kUseWithoutWait, 1, 2, kX + 8}));
}

TEST(RaceCheck, TheLegacyStreamOrdersBlockingStreamsAndNoOthers) {
  const std::vector orders{StreamOrder::kBlocking, StreamOrder::kBlocking, StreamOrder::kLegacy, StreamOrder::kOwn};
  EXPECT_THAT(find_races(std::vector{allocate(), writes(0), work(2, {}), reads(1)}, orders), IsEmpty());
  EXPECT_THAT(find_races(std::vector{allocate(), writes(0), writes(2), reads(1)}, orders), IsEmpty());
  EXPECT_THAT(find_races(std::vector{allocate(), writes(3), reads(2)}, orders), ElementsAre(Race{RaceKind::kUseWithoutWait, 1, 2, kX}));
}

TEST(RaceCheck, FindsAUseBehindAFreeAndAFreeThatDoesNotWait) {
  EXPECT_THAT(find_races(std::vector{allocate(), writes(0), free_at(), reads(0)}, kTwo),
              ElementsAre(Race{RaceKind::kUseAfterFree, 2, 3, kX}));
  EXPECT_THAT(find_races(std::vector{allocate_on(0), record(0, 5), wait(1, 5), writes(1), free_on(0)}, kTwo),
              ElementsAre(Race{RaceKind::kUseAfterFree, 3, 4, kX}));
  EXPECT_THAT(find_races(std::vector{allocate_on(0), writes(0), free_on(0)}, kTwo), IsEmpty());
  EXPECT_THAT(find_races(std::vector{allocate_on(0), writes(1)}, kTwo), ElementsAre(Race{RaceKind::kUseWithoutWait, 0, 1, kX}));
}

TEST(RaceCheck, MemoryThatIsAllocatedAgainIsNotFreed) {
  EXPECT_THAT(find_races(std::vector{allocate(), writes(0), free_at(), allocate(), writes(1)}, kTwo), IsEmpty());
}

}  // namespace
}  // namespace tasktwin
