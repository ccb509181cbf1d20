// A million tasks under each persistent executor, on a GPU; --gtest_filter='-*MillionTasks*' leaves them out.
#include <gtest/gtest.h>

#include "tests/gpu/executor_cases.hpp"

namespace tasktwin::gpu {
namespace {

using namespace std::chrono_literals;

class MillionTasks : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    if (const auto why = why_no_gpu()) GTEST_SKIP() << *why;
  }

  /// Made once for all executors.
  static const TaskGraph& graph() {
    static const TaskGraph made = random_graph(1'000'000, 1'000, 2us, 6);
    return made;
  }
};

TEST_P(MillionTasks, RunTenTimesInOrderAndEveryStampIsThere) {
  const Machine machine = scenarios::load_machine("nvidia-h200");
  const Design design = quickly_placed(design_for(GetParam()));
  const Measurement measured = run(graph(), machine, design, {.repeats = 1, .order_checks = 10});
  EXPECT_EQ(measured.ordering_violations, 0);
  EXPECT_EQ(stamp_fault(graph(), measured.timeline, true), "");
}

INSTANTIATE_TEST_SUITE_P(Designs, MillionTasks, testing::ValuesIn(kPersistentExecutors),
                         [](const auto& test) { return plain_name(test.param); });

}  // namespace
}  // namespace tasktwin::gpu
