#include <gmock/gmock.h>

#include <algorithm>

#include "scenarios/claim_files/claim_file.hpp"
#include "tests/scenarios/temporary_file.hpp"

namespace tasktwin::scenarios {
namespace {

using ::testing::HasSubstr;

const MakespanSides& sides(const Comparison& comparison) { return std::get<MakespanSides>(comparison.sides); }

/// A claim whose `designs` and comparisons begin in lines 8 and 11.
std::string claim_with(const std::string& comparisons,
                       const std::string& designs = "[{name: mine, from: shared-queue, mailbox_depth: 1}]") {
  return "claim: X1\ntitle: t\nclaimed: c\nsource: s\nworkload: w\nmachine: nvidia-h200\ngraph: {generator: chain, length: 5}\ndesigns: " +
         designs + "\nseed: 4\ncomparisons:\n" + comparisons + "\n";
}

const std::string kGood = "  - {scenario: a, baseline: mine, contender: static-queues, ratio: {at_least: 1.5}}";

/// What load_claim refuses `text` with, without the file's name; "" if it does not.
std::string refused(const std::string& text) {
  const TemporaryFile file(text);
  try {
    load_claim(file.path());
  } catch (const InputError& wrong) {
    const std::string message = wrong.what();
    const std::string prefix = file.path() + ":";
    return message.starts_with(prefix) ? message.substr(prefix.size()) : message;
  }
  return "";
}

TEST(ClaimFiles, EveryShippedOneLoadsUnderItsFilesName) {
  const auto ids = shipped_claims();
  EXPECT_GE(ids.size(), 13u);
  EXPECT_LT(std::ranges::find(ids, "C2"), std::ranges::find(ids, "C10")) << "short ones first";
  for (const std::string& id : ids) {
    SCOPED_TRACE(id);
    const Claim claim = load_claim(id);
    EXPECT_EQ(claim.id, id);
    for (const Comparison& comparison : claim.comparisons) {
      EXPECT_LE(id.size() + comparison.name.size(), 23u) << comparison.name << " would be cut in the table";
    }
  }
}

TEST(ClaimFiles, AComparisonTakesWhatItLacksFromTheTop) {
  const TemporaryFile file(claim_with(kGood + "\n  - scenario: b\n    graph: {generator: chain, length: 7}\n    seed: 9\n"
                                              "    baseline: {design: mine, graph: {generator: chain, length: 3}}\n"
                                              "    contender: shared-queue\n    ratio: {at_least: 0.5, at_most: 2}"));
  const Claim claim = load_claim(file.path());
  EXPECT_EQ(claim.id, "X1");
  ASSERT_EQ(claim.comparisons.size(), 2u);
  const Comparison& first = claim.comparisons[0];
  EXPECT_EQ(sides(first).baseline.graph.size(), 5u);
  EXPECT_EQ(sides(first).baseline.seed, 4u);
  EXPECT_EQ(sides(first).baseline.designs.front().mailbox_depth, 1);
  EXPECT_EQ(sides(first).contender.designs.front().name, "static-queues");
  EXPECT_EQ(first.claimed.at_least, 1.5);
  EXPECT_EQ(first.claimed.at_most, std::nullopt);
  const Comparison& second = claim.comparisons[1];
  EXPECT_EQ(sides(second).baseline.graph.size(), 3u);
  EXPECT_EQ(sides(second).contender.graph.size(), 7u);
  EXPECT_EQ(sides(second).contender.seed, 9u);
  EXPECT_EQ(second.where.line, 12);
}

TEST(ClaimFiles, ARangeHoldsAtItsEdges) {
  const ClaimedRatio both{.at_least = 1.5, .at_most = 2.0};
  EXPECT_FALSE(both.holds(1.499));
  EXPECT_TRUE(both.holds(1.5));
  EXPECT_TRUE(both.holds(2.0));
  EXPECT_FALSE(both.holds(2.001));
  EXPECT_TRUE((ClaimedRatio{.at_least = 1.5, .at_most = {}}.holds(1e9)));
  EXPECT_TRUE((ClaimedRatio{.at_least = {}, .at_most = 2.0}.holds(1e-9)));
}

TEST(ClaimFiles, FaultsOfTheClaimItselfHaveTheirPlace) {
  EXPECT_EQ(refused(claim_with(kGood)), "");
  EXPECT_EQ(refused(claim_with("  - {scenario: a, baseline: mime, contender: mine, ratio: {at_least: 1}}")).substr(0, 82),
            "11:29: comparisons[0].baseline: unknown design 'mime'; did you mean 'mine'? (valid");
  EXPECT_EQ(refused(claim_with("  - {scenario: a, baseline: {design: x}, contender: mine, ratio: {at_least: 1}}")).substr(0, 59),
            "11:38: comparisons[0].baseline.design: unknown design 'x'; ");
  EXPECT_EQ(refused(claim_with(kGood, "[{name: mine, from: shared-queue, mailbox_depth: 1}, {name: idle, from: shared-queue}]")),
            "8:63: designs[1]: no comparison uses it");
  EXPECT_EQ(refused(claim_with("  - {scenario: a, baseline: mine, contender: hybrid, ratio: {}}")),
            "11:61: comparisons[0].ratio: is empty; give at_least, at_most or both");
  EXPECT_EQ(refused(claim_with("  - {scenario: a, baseline: mine, contender: hybrid, ratio: {at_least: 2, at_most: 1}}")),
            "11:84: comparisons[0].ratio.at_most: is below at_least (2)");
  EXPECT_EQ(refused(claim_with(kGood + "\n" + kGood)), "12:16: comparisons[1].scenario: the name 'a' stands twice");
  EXPECT_THAT(refused(claim_with("  - {scenario: a, baseline: mine, contender: hybrid, ratio: {at_lest: 1}}")),
              HasSubstr("11:62: comparisons[0].ratio.at_lest: unknown key; did you mean 'at_least'?"));
  EXPECT_THAT(refused(claim_with("  - {scenario: a, baseline: mine, contender: hybrid, ratio: {at_least: 0}}")),
              HasSubstr("comparisons[0].ratio.at_least: is 0; must be more than 0"));
  EXPECT_THAT(refused(claim_with("  - {scenario: a, baseline: mine, ratio: {at_least: 1}}")),
              HasSubstr("11:5: comparisons[0].contender: missing"));
  EXPECT_THAT(refused("claim: X1\n"), HasSubstr("title: missing (the claim in one line)"));
}

TEST(ClaimFiles, FaultsOfASideAreThoseOfAScenario) {
  const auto graph = [](const std::string& text) {
    return refused(claim_with("  - {scenario: a, graph: " + text + ", baseline: mine, contender: hybrid, ratio: {at_least: 1}}"));
  };
  EXPECT_THAT(graph("{generator: chain, lenght: 3}"), HasSubstr("11:45: graph.lenght: unknown key; did you mean 'length'?"));
  EXPECT_THAT(graph("{generator: chain, length: 0}"), HasSubstr("11:53: graph.length: is 0; must be 1 to"));
  EXPECT_THAT(refused(claim_with(kGood, "[{name: mine, from: shared-queue, shards: 3}]")),
              HasSubstr("8:11: designs[0]: design 'mine': shards"));
  std::string elsewhere = claim_with(kGood);
  elsewhere.replace(elsewhere.find("nvidia-h200"), 11, "nvidia-h201");
  EXPECT_THAT(refused(elsewhere), HasSubstr("6:10: machine: no such file, and no shipped machine 'nvidia-h201'; did you mean"));
}

TEST(ClaimFiles, AMetgComparisonHasAPatternInPlaceOfAGraph) {
  const auto claim = [](const std::string& more) {
    return "claim: X1\ntitle: t\nclaimed: c\nsource: s\nworkload: w\nmachine: nvidia-h200\ncomparisons:\n  - {scenario: a, " + more +
           ", ratio: {at_least: 10}}\n";
  };
  const TemporaryFile file(claim("metg: fft, baseline: cuda-graph, contender: static-queues"));
  const Claim loaded = load_claim(file.path());
  const auto& metg = std::get<MetgSides>(loaded.comparisons.front().sides);
  EXPECT_EQ(metg.pattern, "fft");
  EXPECT_EQ(metg.baseline, "cuda-graph");
  EXPECT_EQ(metg.contender, "static-queues");
  EXPECT_EQ(metg.machine.name, "nvidia-h200");
  EXPECT_THAT(refused(claim("metg: ftt, baseline: a, contender: b")),
              HasSubstr("8:25: comparisons[0].metg: unknown value 'ftt'; did you mean 'fft'?"));
  EXPECT_THAT(refused(claim("metg: fft, graph: {generator: chain}, baseline: a, contender: b")),
              HasSubstr("8:30: comparisons[0].graph: goes without 'metg'"));
  EXPECT_THAT(refused(claim("metg: fft, baseline: {design: a}, contender: b")),
              HasSubstr("comparisons[0].baseline: with 'metg' it is the name of an executor"));
}

TEST(ClaimFiles, AnUnknownClaimGetsTheShippedOnes) {
  EXPECT_THAT(refused("claim: [\n"), HasSubstr(":"));
  try {
    load_claim("C999");
    ADD_FAILURE() << "there is no such claim";
  } catch (const InputError& wrong) {
    EXPECT_THAT(wrong.what(), HasSubstr("C999: no such file, and no shipped claim 'C999'"));
  }
}

}  // namespace
}  // namespace tasktwin::scenarios
