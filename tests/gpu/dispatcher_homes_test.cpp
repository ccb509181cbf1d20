// Where the GPU's dispatchers put ready tasks, and what they refuse; needs no GPU.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "gpu/persistent/dispatchers/dispatcher_homes.hpp"
#include "models/runtimes/runtimes.hpp"
#include "tests/gpu/executor_cases.hpp"

namespace tasktwin::gpu {
namespace {

using testing::HasSubstr;
using testing::Optional;

/// The cores that dispatcher d owns, counted one by one.
std::uint32_t owned_by(std::uint32_t d, const Homes& homes) {
  std::uint32_t owned = 0;
  for (std::uint32_t core = 0; core < homes.workers; ++core) owned += core % homes.dispatchers == d;
  return owned;
}

TEST(DispatcherHomes, AreTheFirstFromThePushersOnThatOwnEnoughCoresForTheTask) {
  for (std::uint32_t dispatchers = 1; dispatchers <= 8; ++dispatchers) {
    for (const std::uint32_t workers : {1u, 3u, 7u, 8u, 15u, 131u}) {
      for (std::uint32_t count = 1; count <= dispatchers + 2; ++count) {
        for (const bool together : {false, true}) {
          const Homes homes{count, dispatchers, workers, together};
          std::vector<std::uint32_t> most(count);
          for (std::uint32_t d = 0; d < dispatchers; ++d) most[homes.of(d)] = std::max(most[homes.of(d)], owned_by(d, homes));
          for (std::uint32_t home = 0; home < count; ++home) ASSERT_EQ(homes.cores(home), most[home]) << dispatchers << " " << workers;
          for (std::uint32_t blocks = 1; blocks <= most[0]; ++blocks) {
            const std::uint32_t needed = together ? blocks : 1;
            for (std::uint32_t first = 0; first < count; ++first) {
              std::uint32_t expected = first;
              while (most[expected] < needed) expected = (expected + 1) % count;
              ASSERT_EQ(homes.for_task(first, blocks), expected) << dispatchers << " " << workers << " " << count << " " << blocks;
            }
          }
        }
      }
    }
  }
}

std::optional<std::string> refusal(const TaskGraph& graph, auto&& change) {
  Design design = named_design("central-dispatcher");
  change(design);
  return why_unsupported(graph, scenarios::load_machine("nvidia-h200"), design);
}

TEST(DispatcherRefusals, NameTheAxisAndWhatIsPossible) {
  const TaskGraph graph = chain(2);
  EXPECT_THAT(refusal(graph,
                      [](Design& d) {
                        d.ready_queue = ReadyQueue::kSharded;
                        d.dispatchers = 4;
                        d.shards = 5;
                      }),
              Optional(HasSubstr("shards 5: each of the GPU's needs a dispatcher that takes from it; use at most 4")));
  EXPECT_THAT(refusal(graph, [](Design& d) { d.placement = Placement::kLocality; }), Optional(HasSubstr("placement 'locality'")));
  EXPECT_THAT(refusal(graph, [](Design& d) { d.ownership = Ownership::kShared; }), Optional(HasSubstr("ownership 'shared'")));
  EXPECT_THAT(refusal(graph, [](Design& d) { d.resolvers = 1; }), Optional(HasSubstr("resolvers 1")));
  EXPECT_EQ(refusal(graph,
                    [](Design& d) {
                      d.ready_queue = ReadyQueue::kPerDispatcher;
                      d.stealing = Stealing::kHalf;
                    }),
            std::nullopt);
}

TEST(DispatcherRefusals, AreOfGangsThatNoDispatcherOwnsTheCoresFor) {
  TaskGraphBuilder builder;
  Task wide;
  wide.traits = builder.add_traits({.blocks = 18});
  builder.add_task("wide", wide);
  const TaskGraph graph = std::move(builder).build();
  EXPECT_THAT(refusal(graph, [](Design&) {}),
              Optional(HasSubstr("task 'wide' needs 18 cores at once, but each dispatcher owns at most 17; use fewer dispatchers")));
  EXPECT_EQ(refusal(graph, [](Design& d) { d.dispatchers = 7; }), std::nullopt);
  EXPECT_EQ(refusal(graph, [](Design& d) { d.gang = Gang::kApart; }), std::nullopt);
}

TEST(DispatcherRefusals, AreNotOfSpawnedTasks) {
  TaskGraphBuilder builder;
  builder.add_task("parent", {});
  builder.add_task("child", {});
  builder.set_spawner(TaskId{1}, TaskId{0});
  EXPECT_EQ(refusal(std::move(builder).build(), [](Design&) {}), std::nullopt);
}

}  // namespace
}  // namespace tasktwin::gpu
