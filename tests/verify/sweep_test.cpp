#include "verify/predict/sweep.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "models/base/error.hpp"

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
  EXPECT_THAT(refusal("designs.order"), HasSubstr("'tasktwin search' alone takes all words"));
  EXPECT_THAT(refusal("a="), HasSubstr("empty value"));
  EXPECT_THAT(refusal("a=1,,2"), HasSubstr("empty value"));
  EXPECT_THAT(refusal("a=[1,2"), HasSubstr("lacks a closing ]"));
  EXPECT_THAT(refusal("a"), HasSubstr("path=v1,v2"));
}

std::vector<std::string> names_of(const std::vector<std::string>& paths) {
  std::vector<Variation> variations;
  for (const std::string& path : paths) variations.push_back({path, {"1"}});
  return column_names(variations);
}

TEST(Variations, AreNamedAfterTheirLastKey) {
  EXPECT_THAT(names_of({"seed", "graph.time_ns", "machine.device_mailboxes.hop_ns", "designs.mailbox_depth"}),
              ElementsAre("seed", "time_ns", "hop_ns", "mailbox_depth"));
}

TEST(Variations, NameTheOneDesignThatVaries) {
  EXPECT_THAT(names_of({"designs.my-dispatcher.mailbox_depth", "designs.order"}), ElementsAre("my-dispatcher\nmailbox_depth", "order"));
}

TEST(Variations, OfOneNameSayWhereTheyAre) {
  EXPECT_THAT(names_of({"machine.device_control.poll_ns", "machine.host_control.poll_ns", "seed"}),
              ElementsAre("device_control\npoll_ns", "host_control\npoll_ns", "seed"));
  EXPECT_THAT(names_of({"graph.operators.up.cut.columns", "graph.operators.down.cut.columns"}),
              ElementsAre("up\ncut\ncolumns", "down\ncut\ncolumns"));
}

TEST(Places, OfNumbersAscendAndOfWordsStay) {
  EXPECT_THAT(places({"a", {"10", "9.5", "-1", "1e2"}}),
              UnorderedElementsAre(Pair("-1", 0), Pair("9.5", 1), Pair("10", 2), Pair("1e2", 3)));
  EXPECT_THAT(places({"a", {"10", "always", "2"}}), UnorderedElementsAre(Pair("10", 0), Pair("always", 1), Pair("2", 2)));
}

TEST(Combinations, AreTheCrossProductTheLastFastest) {
  EXPECT_THAT(combinations({{"a", {"1", "2"}}, {"b", {"x", "y"}}}, 4),
              ElementsAre(ElementsAre("1", "x"), ElementsAre("1", "y"), ElementsAre("2", "x"), ElementsAre("2", "y")));
}

TEST(Combinations, AreRefusedWhereTheyAreTooManyOrContradictory) {
  EXPECT_THROW(combinations({{"a", {"1", "2"}}, {"b", {"x", "y"}}}, 3), InputError);
  EXPECT_THROW(combinations({{"a", {"1"}}, {"a", {"2"}}}, 3), InputError);
}

}  // namespace
}  // namespace tasktwin::verify
