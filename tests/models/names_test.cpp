#include "models/base/names.hpp"

#include <algorithm>
#include <array>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "models/base/random.hpp"
#include "models/design/design.hpp"
#include "models/graph/kernel.hpp"

namespace tasktwin {
namespace {

template <class E>
class EveryEnumeration : public testing::Test {};
using Enumerations = testing::Types<Kernel, CoreType, Driver, Release, ReadyQueue, TaskOrder, Placement, Fill>;
TYPED_TEST_SUITE(EveryEnumeration, Enumerations);

TYPED_TEST(EveryEnumeration, HasOneWordForEachValueInDeclarationOrder) {
  const auto& entries = Words<TypeParam>::entries;
  std::set<std::string_view> words;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    EXPECT_EQ(static_cast<std::size_t>(entries[i].first), i);
    EXPECT_EQ(from_word<TypeParam>(to_word(entries[i].first)), entries[i].first);
    words.insert(entries[i].second);
  }
  EXPECT_EQ(words.size(), entries.size());
  EXPECT_EQ(to_word(static_cast<TypeParam>(entries.size())), "?") << "a value without a word";
  EXPECT_EQ(from_word<TypeParam>("no such word"), std::nullopt);
}

/// By its definition: what it costs to make the first letters equal, over all three ways.
std::size_t slow_distance(std::string_view a, std::string_view b) {
  if (a.empty() || b.empty()) return a.size() + b.size();
  const std::size_t substitution = slow_distance(a.substr(1), b.substr(1)) + (a[0] == b[0] ? 0 : 1);
  return std::min({substitution, slow_distance(a.substr(1), b) + 1, slow_distance(a, b.substr(1)) + 1});
}

TEST(NearestWord, IsTheFirstOfTheNearestByEditDistance) {
  Random random(7);
  const auto draw = [&random] {
    std::string word;
    for (std::int64_t letters = random.between(0, 6); letters > 0; --letters) word += static_cast<char>('a' + random.between(0, 2));
    return word;
  };
  int found = 0;
  for (int round = 0; round < 200; ++round) {
    const std::string word = draw();
    const std::vector<std::string> texts{draw(), draw(), draw()};
    const std::vector<std::string_view> choices(texts.begin(), texts.end());
    const auto best = std::ranges::min_element(choices, {}, [&word](std::string_view choice) { return slow_distance(word, choice); });
    const auto nearest = nearest_word(word, choices);
    if (slow_distance(word, *best) <= 2) {
      ASSERT_EQ(nearest, *best) << word;
      ++found;
    } else {
      ASSERT_EQ(nearest, std::nullopt) << word;
    }
  }
  EXPECT_GT(found, 50);
  EXPECT_LT(found, 200);
}

TEST(NearestWord, AllowsALongWordAThirdOfItsLetters) {
  const std::vector<std::string_view> choices{"abcdefghi"};
  EXPECT_EQ(nearest_word("abcdefxyz", choices), "abcdefghi");
  EXPECT_EQ(nearest_word("abcdewxyz", choices), std::nullopt);
}

TEST(NearestWord, IsElseTheFirstThatBeginsWithFourLettersOrMore) {
  const std::vector<std::string_view> choices{"static-queues", "shared-queue", "shared-memory"};
  EXPECT_EQ(nearest_word("shared", choices), "shared-queue");
  EXPECT_EQ(nearest_word("sha", choices), std::nullopt);
  EXPECT_EQ(nearest_word("time", std::array<std::string_view, 2>{"name", "time_ns"}), "time_ns");
}

TEST(NearestWord, GivesUpOnWordsNobodyTypes) {
  const std::string endless(1'000'000, 'a');
  const std::vector<std::string_view> choices{"aaa"};
  EXPECT_EQ(nearest_word(endless, choices), std::nullopt);
}

TEST(Suggest, AsksOnlyWhereAWordIsNear) {
  const auto words = all_words<Release>();
  EXPECT_EQ(suggest("counter", words), "; did you mean 'counters'? (valid: events, counters, dispatcher, barrier)");
  EXPECT_EQ(suggest("telepathy", words), "; valid: events, counters, dispatcher, barrier");
  const std::vector<std::string_view> many(57, "x");
  EXPECT_EQ(suggest("telepathy", many), "; valid: x, x, x, x, x, x, x, x, x, x, … 47 more");
  EXPECT_EQ(suggest("anything", {}), "; there are none");
}

}  // namespace
}  // namespace tasktwin
