#include <gmock/gmock.h>

#include "models/runtimes/runtimes.hpp"
#include "scenarios/load/scenario.hpp"
#include "sim/wirings.hpp"
#include "tests/verify/support/process.hpp"
#include "tests/verify/support/strict_json.hpp"
#include "verify/explain/one_design.hpp"

namespace tasktwin::verify {
namespace {

using ::testing::ContainsRegex;
using ::testing::HasSubstr;

TEST(StartUp, CountsAlikeUnderAllResidentDesigns) {
  scenarios::Scenario scenario = scenarios::load_scenario("example");
  for (const Design& design : named_designs()) {
    const Runtime& runtime = runtime_of(design);
    if (!runtime.resident() || design.name.starts_with("ascend")) continue;
    const DesignAccount one = account(scenario, design, 1);
    EXPECT_EQ(one.path.of(PathCause::kStartUp), round_ns(sim::first_poll(design, *scenario.machine.first_poll))) << design.name;
    EXPECT_EQ(one.path.of(PathCause::kRest), Duration{0}) << design.name;
  }
}

TEST(ExplainOne, SaysWhereTheTimeGoesAndWhatWouldHelp) {
  const tests::Outcome outcome = tests::tasktwin("explain example central-dispatcher");
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("central-dispatcher takes "));
  EXPECT_THAT(outcome.out, HasSubstr("the largest parts of its observed critical path are"));
  EXPECT_THAT(outcome.out, HasSubstr("Of the design's axes it would help most to have "));
  EXPECT_THAT(outcome.out, ContainsRegex("each[ \n]at half"));
}

TEST(ExplainOne, SharesOfTheTableAddUp) {
  const nlohmann::json result = tests::strict_json(tests::tasktwin("explain example --format json").out);
  const auto& one = result["designs"][0];
  std::int64_t path = 0;
  for (const auto& [cause, time] : one["path"].items()) path += time.get<std::int64_t>();
  EXPECT_EQ(path, one["makespan_ns"]);
  std::int64_t cores = one["busy_ns"];
  for (const auto& [cause, time] : one["idle"].items()) cores += time.get<std::int64_t>();
  EXPECT_EQ(cores, one["cores"].get<std::int64_t>() * one["makespan_ns"].get<std::int64_t>());
  EXPECT_GT(result["changes"]["tried"], 10);
  for (const auto& change : result["changes"]["axes"]) EXPECT_LT(change["makespan_ns"], one["makespan_ns"]);
}

/// A body that reads another device's memory is not short of its own device's bandwidth.
TEST(ExplainOne, ReadsOfOtherDevicesAreTransfers) {
  const scenarios::Scenario scenario = scenarios::load_scenario("tensor-parallel-tasks");
  for (const Design& design : scenario.designs) {
    if (design.peer_data != PeerData::kRead) continue;
    EXPECT_GT(account(scenario, design, 1).path.of(PathCause::kTransfer), Duration{16'000}) << design.name;
  }
  const scenarios::Scenario spinning = scenarios::load_scenario(
      "tensor-parallel-resident", std::vector<std::string>{"graph.attention_bytes=0", "graph.mlp_bytes=0", "graph.layers=2"});
  const DesignAccount one = account(spinning, spinning.designs.front(), 1);
  EXPECT_GT(one.path.of(PathCause::kTransfer), Duration{4 * 800}) << "the latency of a read each";
  EXPECT_LT(one.path.of(PathCause::kBandwidth), Duration{200});
}

/// A change that is quicker and reads what is not there yet, or hangs in some orders, helps nobody.
TEST(ExplainOne, ProposesNoRaceAndNoHang) {
  for (const char* const scenario : {"ascend-bgemm", "ascend-moe-fanout", "ascend-unlike-parts", "ascend-resident-scheduler"}) {
    const nlohmann::json result = tests::strict_json(tests::tasktwin(std::string("explain ") + scenario + " --format json").out);
    for (const auto& change : result.at("changes").at("axes"))
      EXPECT_THAT(change.at("what").get<std::string>(), testing::Not(HasSubstr("output_flush"))) << scenario;
  }
}

TEST(ExplainOne, RefusesWhatIsNoDesign) {
  const tests::Outcome outcome = tests::tasktwin("explain example statik-queues");
  EXPECT_EQ(outcome.code, 2);
  EXPECT_THAT(outcome.err, HasSubstr("did you mean 'static-queues'?"));
}

}  // namespace
}  // namespace tasktwin::verify
