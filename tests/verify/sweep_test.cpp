#include "verify/sweep.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "models/error.hpp"

namespace tasktwin::verify {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Pair;
using testing::UnorderedElementsAre;

std::string refusal(std::string_view text) {
  try {
    parse_variation(text);
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

TEST(Variation, SplitsAtCommasOutsideOfValues) {
  EXPECT_EQ(parse_variation("graph.time_ns=500").path, "graph.time_ns");
  EXPECT_THAT(parse_variation("graph.time_ns=500,1000").values, ElementsAre("500", "1000"));
  EXPECT_THAT(parse_variation("a=[1, 2],{b: [3,4], c: 5},'x,y',\"]\"").values, ElementsAre("[1, 2]", "{b: [3,4], c: 5}", "'x,y'", "\"]\""));
  EXPECT_THAT(parse_variation("a=b=c").values, ElementsAre("b=c"));
}

TEST(Variation, RefusesWhatItCannotRead) {
  EXPECT_THAT(refusal("graph.time_ns"), HasSubstr("names no path"));
  EXPECT_THAT(refusal("=5"), HasSubstr("names no path"));
  EXPECT_THAT(refusal("a="), HasSubstr("empty value"));
  EXPECT_THAT(refusal("a=1,,2"), HasSubstr("empty value"));
  EXPECT_THAT(refusal("a=[1,2"), HasSubstr("lacks a closing ]"));
  EXPECT_THAT(refusal("a"), HasSubstr("path=v1,v2"));
}

TEST(Combinations, AreTheCrossProductTheLastFastest) {
  EXPECT_THAT(combinations({{"a", {"1", "2"}}, {"b", {"x", "y"}}}, 4),
              ElementsAre(ElementsAre("1", "x"), ElementsAre("1", "y"), ElementsAre("2", "x"), ElementsAre("2", "y")));
}

TEST(Combinations, AreRefusedWhereTheyAreTooManyOrContradictory) {
  EXPECT_THROW(combinations({{"a", {"1", "2"}}, {"b", {"x", "y"}}}, 3), InputError);
  EXPECT_THROW(combinations({{"a", {"1"}}, {"a", {"2"}}}, 3), InputError);
}

TEST(ShortNames, HaveAsManyKeysAsTellThemApart) {
  const auto named = [](std::vector<std::string> paths) {
    std::vector<Variation> variations;
    for (std::string& path : paths) variations.push_back({std::move(path), {"1"}});
    return short_names(variations);
  };
  EXPECT_THAT(named({"graph.time_ns", "designs.mailbox_depth", "seed"}), ElementsAre("time_ns", "mailbox_depth", "seed"));
  EXPECT_THAT(named({"designs.a.fill", "designs.b.fill", "seed"}), ElementsAre("a.fill", "b.fill", "seed"));
  EXPECT_THAT(named({"fill", "designs.fill", "designs.b.fill"}), ElementsAre("fill", "designs.fill", "b.fill"));
  EXPECT_THAT(named({"machine.copies.launch_ns", "graph.tasks[3].launch_ns"}), ElementsAre("copies.launch_ns", "tasks[3].launch_ns"));
}

TEST(Places, OfNumbersAscendAndOfWordsStay) {
  EXPECT_THAT(places({"a", {"10", "9.5", "-1", "1e2"}}),
              UnorderedElementsAre(Pair("-1", 0), Pair("9.5", 1), Pair("10", 2), Pair("1e2", 3)));
  EXPECT_THAT(places({"a", {"10", "always", "2"}}), UnorderedElementsAre(Pair("10", 0), Pair("always", 1), Pair("2", 2)));
}

}  // namespace
}  // namespace tasktwin::verify
