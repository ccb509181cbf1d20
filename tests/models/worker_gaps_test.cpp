// Held against intervals that are gone through one worker after the other.
#include "models/policies/worker_gaps.hpp"

#include <gtest/gtest.h>

#include "models/base/random.hpp"
#include "models/policies/list_scheduling.hpp"

namespace tasktwin {
namespace {

WorkerGaps::Place one_after_the_other(const std::vector<BusyIntervals>& busy, const std::vector<std::size_t>& workers, std::int64_t ready,
                                      std::int64_t length) {
  WorkerGaps::Place best{INT64_MAX, 0};
  for (std::size_t i = 0; i < workers.size(); ++i) {
    const std::int64_t start = busy[i].earliest_start(ready, length);
    if (start < best.start) best = {start, workers[i]};
  }
  return best;
}

TEST(WorkerGaps, FindTheFirstThatIsFreeOnTheLowestWorker) {
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    Random random(seed);
    std::vector<std::size_t> workers;
    for (std::size_t worker = 0; worker < 1 + seed % 9; ++worker) workers.push_back(3 * worker + seed % 3);
    const std::int64_t shortest = seed % 2 == 0 ? 0 : 4;
    WorkerGaps gaps(workers, shortest);
    std::vector<BusyIntervals> busy(workers.size());
    for (int task = 0; task < 400; ++task) {
      const std::int64_t ready = random.between(0, 2 * task);
      const std::int64_t length = random.between(shortest, 12);
      const WorkerGaps::Place found = gaps.earliest(ready, length);
      const WorkerGaps::Place expected = one_after_the_other(busy, workers, ready, length);
      ASSERT_EQ(found.start, expected.start) << "seed " << seed << ", task " << task;
      ASSERT_EQ(found.worker, expected.worker) << "seed " << seed << ", task " << task;
      const auto at = static_cast<std::size_t>(std::ranges::find(workers, found.worker) - workers.begin());
      const BusyIntervals::Interval gap = busy[at].take(found.start, found.start + length);
      gaps.take(found.worker, found.start, found.start + length, gap.begin, gap.end);
    }
  }
}

}  // namespace
}  // namespace tasktwin
