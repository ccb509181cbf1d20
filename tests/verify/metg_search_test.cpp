#include "verify/bench/metg/metg_search.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "models/base/random.hpp"

namespace tasktwin::verify {
namespace {

using End = MetgSearch::End;
using ::testing::DoubleNear;

/// An executor that adds `overhead_ns` to every task has METG(50 %) at twice that.
double with_overhead(Duration length, double overhead_ns) { return static_cast<double>(to_ns(length)) + overhead_ns; }

/// Every length in turn: the first that is efficient, by position; lengths.size() where none is.
std::size_t first_efficient(const std::vector<Duration>& lengths, const std::function<double(Duration)>& granularity) {
  std::size_t i = 0;
  while (i < lengths.size() && LengthPoint{lengths[i], granularity(lengths[i])}.efficiency() < 0.5) ++i;
  return i;
}

TEST(MetgLengths, CoverFiftyNanosecondsToAMillisecondInStepsOfRootTwo) {
  const auto lengths = metg_lengths();
  EXPECT_EQ(lengths.front(), Duration{50});
  EXPECT_EQ(lengths.back(), Duration{1'000'000});
  for (std::size_t i = 1; i < lengths.size(); ++i) {
    EXPECT_GT(lengths[i], lengths[i - 1]);
    EXPECT_LT(static_cast<double>(to_ns(lengths[i])) / static_cast<double>(to_ns(lengths[i - 1])), 1.43);
  }
}

TEST(MetgSearch, FindsTwiceAConstantOverhead) {
  for (const double overhead : {60.0, 100.0, 150.0, 777.0, 4321.0, 250'000.0, 900'000.0}) {
    const MetgSearch search = search_metg(metg_lengths(), [&](Duration length) { return with_overhead(length, overhead); });
    ASSERT_EQ(search.end, End::kFound) << overhead;
    EXPECT_THAT(search.metg_ns, DoubleNear(2 * overhead, 0.01 * overhead)) << overhead;
  }
}

TEST(MetgSearch, VisitsFewLengthsAndEachOnce) {
  std::multiset<Duration> asked;
  const MetgSearch search = search_metg(metg_lengths(), [&](Duration length) {
    asked.insert(length);
    return with_overhead(length, 300);
  });
  EXPECT_LE(asked.size(), 8U);
  EXPECT_EQ(std::set<Duration>(asked.begin(), asked.end()).size(), asked.size());
  ASSERT_EQ(search.points.size(), asked.size());
  EXPECT_TRUE(std::ranges::is_sorted(search.points, {}, &LengthPoint::length));
}

TEST(MetgSearch, SaysWhereTheCurveNeverReachesHalf) {
  // 32 streams on 132 multiprocessors leave a quarter at best.
  const MetgSearch search = search_metg(metg_lengths(), [](Duration length) { return 4.125 * static_cast<double>(to_ns(length)); });
  EXPECT_EQ(search.end, End::kAbove);
  EXPECT_DOUBLE_EQ(search.metg_ns, 4.125e6);
}

TEST(MetgSearch, SaysWhereEvenTheShortestIsEfficient) {
  const MetgSearch search = search_metg(metg_lengths(), [](Duration length) { return with_overhead(length, 10); });
  EXPECT_EQ(search.end, End::kBelow);
  EXPECT_DOUBLE_EQ(search.metg_ns, 60);
}

TEST(MetgSearch, TakesALengthThatIsExactlyHalfEfficient) {
  const std::vector<Duration> lengths{Duration{100}, Duration{200}, Duration{400}};
  const MetgSearch search = search_metg(lengths, [](Duration length) { return with_overhead(length, 200); });
  ASSERT_EQ(search.end, End::kFound);
  EXPECT_DOUBLE_EQ(search.metg_ns, 400);
}

TEST(MetgSearch, TakesTheLowerOfTwoCrossingsNextToEachOther) {
  // 400 is efficient, 566 by noise is not, 800 is: bisection meets 800 from below first.
  const std::vector<Duration> lengths{Duration{200}, Duration{283}, Duration{400}, Duration{566}, Duration{800}, Duration{1131}};
  const std::vector<double> granularities{550, 600, 780, 1150, 1100, 1430};
  const MetgSearch search = search_metg(lengths, [&](Duration length) {
    return granularities[static_cast<std::size_t>(std::ranges::find(lengths, length) - lengths.begin())];
  });
  ASSERT_EQ(search.end, End::kFound);
  EXPECT_GT(search.metg_ns, 600);
  EXPECT_LT(search.metg_ns, 780);
}

TEST(MetgSearch, OnNoisyCurvesEndsBetweenAnInefficientAndAnEfficientNeighbour) {
  const auto lengths = metg_lengths();
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    Random random(seed);
    const double overhead = 80 * std::pow(2, static_cast<double>(seed % 12));
    std::map<Duration, double> granularities;
    for (const Duration length : lengths) granularities[length] = with_overhead(length, overhead) * (0.8 + 0.4 * random.uniform());
    const auto granularity = [&](Duration length) { return granularities.at(length); };
    const MetgSearch search = search_metg(lengths, granularity);
    ASSERT_EQ(search.end, End::kFound) << seed;
    // Noise of 20 % makes two neighbouring lengths ambiguous at most, and so far down is looked.
    const std::size_t first = first_efficient(lengths, granularity);
    ASSERT_GT(first, 0U);
    EXPECT_DOUBLE_EQ(search.metg_ns,
                     interpolate_metg({lengths[first - 1], granularity(lengths[first - 1])}, {lengths[first], granularity(lengths[first])}))
        << seed;
  }
}

TEST(InterpolateMetg, IsLogLinearInGranularity) {
  // 40 % at 1000 ns and 60 % at 4000 ns: half way in efficiency, so the geometric mean.
  EXPECT_NEAR(interpolate_metg({Duration{400}, 1000}, {Duration{2400}, 4000}), 2000, 1e-9);
  EXPECT_NEAR(interpolate_metg({Duration{400}, 1000}, {Duration{2000}, 4000}), 4000, 1e-9);
}

}  // namespace
}  // namespace tasktwin::verify
