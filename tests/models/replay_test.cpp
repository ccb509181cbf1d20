#include "models/policies/built_in.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "models/base/error.hpp"
#include "tests/models/graphs.hpp"

namespace tasktwin {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing_graphs::graph_of;

/// t1 waits for t0, t3 for t2; three workers, of which worker 2 cannot run t0.
class Replay : public testing::Test {
 protected:
  Replay() : graph_(graph_of({5, 5, 5, 5}, {{0, 1}, {2, 3}})) {
    set(0, 1, 10);
    set(1, 0, 20);
    set(2, 1, 5);
    set(3, 0, 15);
  }
  void set(std::size_t task, std::size_t core, std::int64_t started) {
    timeline_.tasks.resize(graph_.size());
    timeline_.tasks[task].core = core_id(core);
    timeline_.tasks[task].started = at_ns(started);
  }
  FrozenSchedule lists(const Timeline* timeline) const {
    return make_frozen_schedule(
        Placement::kReplay,
        {graph_, 3, [](TaskId task, std::size_t worker) { return index(task) == 0 && worker == 2 ? std::int64_t{-1} : std::int64_t{5}; },
         [](TaskId, TaskId, bool) { return std::int64_t{0}; }, timeline});
  }
  std::string refusal() const {
    try {
      lists(&timeline_);
    } catch (const InputError& error) {
      return error.what();
    }
    return "none";
  }

  TaskGraph graph_;
  Timeline timeline_;
};

TEST_F(Replay, GivesEachCoreItsTasksInTheOrderOfTheirStart) {
  EXPECT_THAT(lists(&timeline_), ElementsAre(ElementsAre(task_id(3), task_id(1)), ElementsAre(task_id(2), task_id(0)), IsEmpty()));
}

TEST_F(Replay, PutsTasksThatStartedTogetherInTopologicalOrder) {
  set(0, 1, 7);
  set(1, 1, 7);
  EXPECT_THAT(lists(&timeline_), ElementsAre(ElementsAre(task_id(3)), ElementsAre(task_id(2), task_id(0), task_id(1)), IsEmpty()));
}

TEST_F(Replay, NeedsATimeline) { EXPECT_THROW(lists(nullptr), InputError); }

TEST_F(Replay, NamesATaskThatTheTimelineLacks) {
  timeline_.tasks[3] = {};
  EXPECT_EQ(refusal(), "placement 'replay': the timeline has no start of task 't3'");
  timeline_.tasks.pop_back();
  EXPECT_EQ(refusal(), "placement 'replay': the timeline is of 3 tasks, the graph has 4");
}

TEST_F(Replay, NamesATaskOnACoreThatIsNotThereOrCannotRunIt) {
  set(0, 2, 10);
  EXPECT_EQ(refusal(), "placement 'replay': task 't0' ran on core 2, which is not of a type that can run it");
  set(0, 3, 10);
  EXPECT_EQ(refusal(), "placement 'replay': task 't0' ran on core 3, but there are cores 0 to 2 only");
}

TEST_F(Replay, RefusesATimelineThatBreaksADependency) {
  set(1, 0, 9);
  EXPECT_EQ(refusal(), "placement 'replay': in the timeline task 't1' started before its predecessor 't0'");
}

}  // namespace
}  // namespace tasktwin
