#include "models/base/units.hpp"

#include <type_traits>

#include <gtest/gtest.h>

#include "models/base/ids.hpp"
#include "models/run/timeline.hpp"

namespace tasktwin {
namespace {

template <class A, class B>
concept Addable = requires(A a, B b) {
  a + b;
};

TEST(Units, KindsDoNotMix) {
  static_assert(Addable<Bytes, Bytes>);
  static_assert(!Addable<Bytes, Flops>);
  static_assert(!std::is_convertible_v<Bytes, std::int64_t>);
  static_assert(!std::is_convertible_v<std::int64_t, TaskId>);
  static_assert(!std::is_convertible_v<TaskId, CoreId>);
  static_assert(!std::is_convertible_v<std::chrono::steady_clock::time_point, TimePoint>);
}

TEST(Units, QuantitiesAddScaleAndCompare) {
  Bytes bytes{3};
  bytes += Bytes{4};
  EXPECT_EQ(bytes, Bytes{7});
  EXPECT_EQ(2 * bytes + Bytes{1}, Bytes{15});
  EXPECT_LT(Flops{1}, Flops{2});
}

TEST(Units, TimeIsInWholeNanoseconds) {
  static_assert(std::is_integral_v<Duration::rep>);
  EXPECT_EQ(to_ns(at_ns(5) + Duration{7}), 12);
  EXPECT_EQ(to_ns(std::chrono::microseconds{2}), 2000);
  EXPECT_FALSE(is_present(kAbsent));
  EXPECT_TRUE(is_present(at_ns(0)));
}

TEST(Ids, KeepTheirPosition) {
  EXPECT_EQ(index(task_id(17)), 17U);
  EXPECT_EQ(index(core_id(3)), 3U);
  EXPECT_EQ(index(dispatcher_id(2)), 2U);
  EXPECT_NE(kNoCore, core_id(0));
}

TEST(Timeline, MakespanEndsWithTheLastCompletionWritten) {
  Timeline timeline;
  EXPECT_EQ(timeline.makespan(), Duration{0});
  timeline.tasks = {{.started = at_ns(1), .ended = at_ns(90), .published = at_ns(95)},
                    {.started = at_ns(2), .ended = at_ns(93), .published = at_ns(94)}};
  EXPECT_EQ(timeline.makespan(), Duration{95});
}

TEST(Timeline, MakespanEndsWithTheLastBodyWherePublishingIsNotObserved) {
  Timeline timeline;
  timeline.tasks = {{.started = at_ns(1), .ended = at_ns(90)}, {.started = at_ns(2), .ended = at_ns(40)}};
  EXPECT_EQ(timeline.makespan(), Duration{90});
  EXPECT_EQ(finish(timeline.tasks[1]), at_ns(40));
}

}  // namespace
}  // namespace tasktwin
