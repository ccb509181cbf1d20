// Designs whose workers push what they have made ready, over their axes, on a GPU.
#include <gtest/gtest.h>

#include "models/runtimes/runtimes.hpp"
#include "scenarios/generators/spawn_tree.hpp"
#include "tests/gpu/executor_cases.hpp"

namespace tasktwin::gpu {
namespace {

using namespace std::chrono_literals;

class WorkerQueueDesigns : public testing::Test {
 protected:
  void SetUp() override {
    if (const auto why = why_no_gpu()) GTEST_SKIP() << *why;
    machine_ = scenarios::load_machine("nvidia-h200");
  }

  void expect_order(const Design& design, const std::string& what, int queue_places = 0) const {
    EXPECT_EQ(run(graph_, machine_, design, {.repeats = 1, .stamps = false, .queue_places = queue_places}).ordering_violations, 0) << what;
  }

  Machine machine_;
  TaskGraph graph_ = random_graph(5'000, 200, 1us, 21);
};

TEST_F(WorkerQueueDesigns, ClaimAsManyAsTheDesignSaysFromOneQueueOrShards) {
  for (const int shards : {-1, 0, 5, 1'000}) {
    for (const auto& [claim, word] : Words<Claim>::entries) {
      for (const int depth : {1, 4}) {
        Design design = named_design("shared-queue");
        if (shards >= 0) design.ready_queue = ReadyQueue::kSharded;
        design.shards = std::max(shards, 0);
        design.claim = claim;
        design.claim_size = claim == Claim::kAll ? 1 : 8;
        design.mailbox_depth = depth;
        expect_order(design, std::string(word) + " " + std::to_string(shards) + " " + std::to_string(depth));
      }
    }
  }
}

TEST_F(WorkerQueueDesigns, StealByEachPolicyFromEitherEnd) {
  for (const ReadyQueue queue : {ReadyQueue::kPerWorker, ReadyQueue::kSharded}) {
    for (const TaskOrder order : {TaskOrder::kFifo, TaskOrder::kLifo}) {
      for (const auto& [stealing, how_much] : Words<Stealing>::entries) {
        for (const auto& [victim, whom] : Words<Victim>::entries) {
          Design design = named_design("work-stealing");
          design.ready_queue = queue;
          design.order = order;
          design.stealing = stealing;
          if (stealing != Stealing::kOff) design.victim = victim;
          if (queue == ReadyQueue::kSharded && stealing == Stealing::kOff) continue;
          if (queue == ReadyQueue::kSharded) design.shards = 20;
          expect_order(design, std::string(to_word(queue)) + " " + std::string(to_word(order)) + " " + std::string(how_much) + " " +
                                   std::string(whom));
        }
      }
    }
  }
}

TEST_F(WorkerQueueDesigns, MixFrozenListsWithASharedQueueAndThefts) {
  for (const int percent : {0, 50, 100}) {
    for (const auto& [stealing, word] : Words<Stealing>::entries) {
      Design design = quickly_placed(named_design("hybrid"));
      design.static_percent = percent;
      design.stealing = stealing;
      expect_order(design, std::to_string(percent) + " " + std::string(word));
    }
  }
  Design lists = quickly_placed(named_design("hybrid"));
  lists.ready_queue = ReadyQueue::kPerWorker;
  lists.static_percent = 100;
  lists.stealing = Stealing::kHalf;
  lists.victim = Victim::kMostLoaded;
  expect_order(lists, "lists alone");
}

TEST_F(WorkerQueueDesigns, WaitForRoomInAQueueThatIsTooSmallAndDropNothing) {
  const TaskGraph tree = scenarios::make_spawn_tree({.tasks = 5'000, .body = {.cost = {.time = 500ns}}}, 22);
  for (const char* name : {"shared-queue", "work-stealing", "hybrid"}) {
    for (const int places : {1, 3, 64}) {
      const Design design = quickly_placed(named_design(name));
      const std::string what = std::string(name) + " " + std::to_string(places);
      expect_order(design, what, places);
      EXPECT_EQ(run(tree, machine_, design, {.repeats = 1, .stamps = false, .queue_places = places}).ordering_violations, 0) << what;
    }
  }
}

TEST_F(WorkerQueueDesigns, SayWhenTheLastWorkerHasNoticedTheEnd) {
  for (const char* name : {"shared-queue", "work-stealing", "hybrid"}) {
    for (const auto& [termination, word] : Words<Termination>::entries) {
      Design design = quickly_placed(named_design(name));
      design.termination = termination;
      const Timeline timeline = run(graph_, machine_, design, {.repeats = 1}).timeline;
      ASSERT_TRUE(is_present(timeline.stopped)) << name << " " << word;
      TimePoint last_end{};
      for (const TaskTimes& times : timeline.tasks) last_end = std::max(last_end, times.ended);
      EXPECT_GE(timeline.stopped + 64ns, last_end) << name << " " << word;  // two steps of the timer
    }
  }
}

}  // namespace
}  // namespace tasktwin::gpu
