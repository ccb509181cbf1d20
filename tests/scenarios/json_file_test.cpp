#include "scenarios/formats/json_file.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/scenarios/temporary_file.hpp"

namespace tasktwin::scenarios {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

std::string json_refusal(const std::string& text) {
  try {
    parse_json("f", text);
  } catch (const InputError& wrong) {
    return wrong.what();
  }
  return "";
}

TEST(StrictJson, KeepsValuesAndTheOrderOfKeys) {
  const std::string text = R"({"z":[1,-2,2.5,true,null,"ü\n"],"a":{"b":18446744073709551615},"e":[],"o":{}})";
  EXPECT_EQ(parse_json("f", text).dump(), text);
  EXPECT_EQ(parse_json("f", " 7 "), 7);
}

TEST(StrictJson, PlacesSyntaxErrors) {
  EXPECT_THAT(json_refusal(""), StartsWith("f:1:1: is no JSON: "));
  EXPECT_THAT(json_refusal("{\n \"a\": 1,\n}"), StartsWith("f:3:1: is no JSON: "));
  EXPECT_THAT(json_refusal("[1] x"), StartsWith("f:1:5: is no JSON: "));
  EXPECT_THAT(json_refusal("[NaN]"), StartsWith("f:1:2: is no JSON: "));
  EXPECT_THAT(json_refusal("[\"\xff\"]"), HasSubstr("UTF-8"));
  EXPECT_THAT(json_refusal("[\"\xed\xa0\x80\"]"), HasSubstr("is no JSON"));
  EXPECT_THAT(json_refusal("[\"\\ud800\"]"), HasSubstr("is no JSON"));
  EXPECT_LT(json_refusal("[\"" + std::string(1 << 20, 'x')).size(), 300U) << "what it quotes is cut";
}

TEST(StrictJson, RefusesKeysThatStandTwice) {
  EXPECT_EQ(json_refusal("{\"a\": 1,\n  \"b\": 2, \"a\": 3}"), "f:2:11: the key 'a' stands twice in an object");
  EXPECT_EQ(json_refusal(R"({"o": {"x": 1, "x": 1}})"), "f:1:16: the key 'x' stands twice in an object");
  EXPECT_EQ(json_refusal(R"({"\u0061": 1, "a": 1})"), "f:1:15: the key 'a' stands twice in an object");
  EXPECT_EQ(json_refusal(R"([{"a": 1}, {"a": 1, "b": {"a": 1}}])"), "");
}

TEST(StrictJson, RefusesNumbersBeyond64Bits) {
  EXPECT_EQ(json_refusal("{\n\"format\": 1e400}"), "f:2:11: the number '1e400' is beyond 64 bits");
  EXPECT_EQ(json_refusal("[1, 123456789012345678901234567890]"), "f:1:5: the number '123456789012345678901234567890' is beyond 64 bits");
  EXPECT_EQ(json_refusal("[-9223372036854775809]"), "f:1:2: the number '-9223372036854775809' is beyond 64 bits");
  EXPECT_EQ(json_refusal("[1e300]"), "f:1:2: the number '1e300' is beyond 64 bits");
  EXPECT_EQ(json_refusal("[0.1e-400]"), "f:1:2: the number '0.1e-400' is beyond 64 bits");
  EXPECT_EQ(json_refusal("[0e400, -0.0, 9223372036854775807, 18446744073709551615]"), "");
}

TEST(StrictJson, RefusesDepthWithoutRecursion) {
  EXPECT_EQ(json_refusal(std::string(64, '[') + std::string(64, ']')), "");
  EXPECT_EQ(json_refusal(std::string(400'000, '[')), "f:1:65: is nested deeper than 64 levels");
  std::string objects;
  for (int i = 0; i < 400'000; ++i) objects += "{\"a\":";
  EXPECT_EQ(json_refusal(objects), "f:1:321: is nested deeper than 64 levels");
}

TEST(StrictJson, ReadsObjectsOfManyKeysInReasonableTime) {
  std::string text = "{\"k\": 0";
  for (int i = 0; i < 200'000; ++i) text += ",\"k" + std::to_string(i) + "\": 0";
  EXPECT_EQ(parse_json("f", text + "}").size(), 200'001U);
}

TEST(StrictJson, RefusesMoreValuesThanItHolds) {
  std::string text = "[";
  for (std::size_t i = 0; i <= kMaxJsonValues; ++i) text += "0,";
  EXPECT_THAT(json_refusal(text), HasSubstr(": more than 16777216 values"));
}

TEST(StrictJson, RefusesFilesThatAreNoneOrTooLarge) {
  const TemporaryFile file("[1, 2, 3]");
  EXPECT_EQ(read_json_file(file.path()).size(), 3U);
  EXPECT_THROW(read_json_file(file.path(), 8), InputError);
  EXPECT_THROW(read_json_file(file.folder().string()), InputError);
}

TEST(JsonPlace, NamesThePathOfWhatItRefuses) {
  const std::string name = "f";
  const JsonValue json = parse_json(name, R"({"a": [{"b": -1.5, "c": "x"}], "t": true})");
  const JsonPlace root(name, json);
  const auto fault = [](const auto& work) {
    try {
      work();
    } catch (const InputError& wrong) {
      return std::string(wrong.what());
    }
    return std::string();
  };
  const JsonPlace item = root.at("a")[0];
  EXPECT_EQ(fault([&] { item.at("b").whole(0, 9); }), "f: a[0].b: is '-1.5'; must be a whole number, 0 to 9");
  EXPECT_EQ(fault([&] { item.at("b").number(0, 9); }), "f: a[0].b: is '-1.5'; must be a number, 0.0 to 9.0");
  EXPECT_EQ(fault([&] { root.at("a").number(0, 9); }), "f: a: is a list of 1; must be a number, 0.0 to 9.0");
  EXPECT_EQ(fault([&] { item.object_of({"b", "cc"}); }), "f: a[0]: has an unknown key 'c'; did you mean 'b'? (valid: b, cc)");
  EXPECT_EQ(fault([&] { item.at("c").boolean(); }), "f: a[0].c: must be true or false, not string");
  EXPECT_EQ(item.at("b").number(-2, 0), -1.5);
  EXPECT_TRUE(root.object_of({"a", "t"}).at("t").boolean());
}

}  // namespace
}  // namespace tasktwin::scenarios
