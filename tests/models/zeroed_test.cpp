#include "models/base/zeroed.hpp"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "models/base/random.hpp"
#include "models/base/sparse.hpp"

namespace tasktwin {
namespace {

TEST(Zeroed, IsZeroUntilItIsWritten) {
  for (const std::size_t size : {0UL, 1UL, 1000UL, 1'000'000UL}) {
    Zeroed<std::uint64_t> values(size);
    ASSERT_EQ(values.size(), size);
    EXPECT_EQ(values.empty(), size == 0);
    if (size == 0) continue;
    values[size - 1] = 7;
    EXPECT_EQ(values[0], size == 1 ? 7U : 0U);
    EXPECT_EQ(values[size / 2], size == 1 ? 7U : 0U);
    const Zeroed<std::uint64_t> moved = std::move(values);
    EXPECT_EQ(moved[size - 1], 7U);
  }
}

TEST(Zeroed, TakesTheValuesOfAnotherInPlaceOfItsOwn) {
  Zeroed<int> values(10);
  values[3] = 1;
  values = Zeroed<int>(200'000);
  EXPECT_EQ(values.size(), 200'000U);
  EXPECT_EQ(values[3], 0);
}

TEST(Sparse, KeepsReferencesWhateverIsAskedForLater) {
  for (const std::size_t size : {10UL, 1'000'000UL}) {
    Sparse<std::string> texts(size);
    const Sparse<std::string>& seen = texts;
    EXPECT_EQ(seen[5], "");
    std::string& first = texts[size - 1];
    first = "last";
    for (std::size_t i = 0; i < 5; ++i) texts[i * (size / 10)] = std::to_string(i);
    for (std::size_t i = 0; i < 5; ++i) EXPECT_EQ(seen[i * (size / 10)], std::to_string(i));
    EXPECT_EQ(&texts[size - 1], &first);
    EXPECT_EQ(seen[size - 1], "last");
    EXPECT_EQ(seen[size - 2], "") << "unused";
  }
}

TEST(Zeroed, CopiesAreOfTheSameValuesAndTheirOwn) {
  for (const std::size_t size : {10UL, 200'000UL}) {
    Zeroed<int> values(size);
    values[3] = 1;
    Zeroed<int> copy = values;
    values[3] = 2;
    EXPECT_EQ(copy[3], 1);
    EXPECT_EQ(copy[4], 0);
    values = copy;
    copy[3] = 5;
    EXPECT_EQ(values[3], 1);
  }
}

TEST(Sparse, CopiesAreOfTheSameValuesAndTheirOwn) {
  for (const std::size_t size : {10UL, 20'000UL}) {
    Sparse<std::string> texts(size);
    texts[7] = "seven";
    Sparse<std::string> copy = texts;
    texts[8] = "eight";
    std::string& of_copy = copy[9];
    of_copy = "nine";
    for (std::size_t i = 10; size > 10 && i < 500; ++i) copy[i] = "more";
    EXPECT_EQ(&copy[9], &of_copy) << "references stay right after a copy";
    EXPECT_EQ(copy[7], "seven");
    EXPECT_EQ(std::as_const(copy)[8], "");
    EXPECT_EQ(std::as_const(texts)[9], "");
    texts = copy;
    copy[7] = "other";
    EXPECT_EQ(texts[7], "seven");
    EXPECT_EQ(texts[9], "nine");
    EXPECT_EQ(texts[8], "");
  }
}

TEST(Sparse, HasWhatIsWrittenLikeAVector) {
  constexpr std::size_t kSize = 20'000;
  Sparse<std::uint64_t> sparse(kSize);
  std::vector<std::uint64_t> plain(kSize);
  Random random(1);
  for (int step = 0; step < 50'000; ++step) {
    const auto at = static_cast<std::size_t>(random.between(0, kSize - 1));
    ++plain[at];
    ++sparse[at];
  }
  for (std::size_t i = 0; i < kSize; ++i) ASSERT_EQ(std::as_const(sparse)[i], plain[i]);
}

}  // namespace
}  // namespace tasktwin
