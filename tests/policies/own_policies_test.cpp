#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "gpu/supported/supported.hpp"
#include "models/base/error.hpp"
#include "models/policies/policy_call.hpp"
#include "scenarios/load/scenario.hpp"
#include "sim/simulator.hpp"
#include "tests/sim/timeline_text.hpp"

namespace tasktwin {
namespace {

using scenarios::Scenario;
using testing::HasSubstr;

std::string object(const std::string& name) { return std::string(TASKTWIN_POLICIES) + "/lib" + name + ".so"; }
std::string example(const std::string& name) { return std::string(TASKTWIN_EXAMPLES) + "/libpolicy_" + name + ".so"; }

std::string policy(const std::string& file, const std::string& name, const std::string& parameters = "") {
  return "{policy: '" + file + "', name: " + name + (parameters.empty() ? "" : ", parameters: {" + parameters + "}") + "}";
}

/// A Cholesky factorisation on 20 cores under `designs`, each an item of a list in YAML; of the file own.yaml.
Scenario scenario_of(const std::string& designs) {
  const std::filesystem::path folder = std::filesystem::temp_directory_path() / ("tasktwin-policies-" + std::to_string(::getpid()));
  std::filesystem::create_directories(folder);
  const std::filesystem::path file = folder / "own.yaml";
  std::ofstream(file) << "scenario: own\nmachine: {from: nvidia-h200, compute_cores: [{type: sm, count: 20}]}\n"
                         "graph: {generator: cholesky, tiles: 8, tile_size: 64}\ndesigns:\n"
                      << designs;
  struct Removed {
    ~Removed() { std::filesystem::remove_all(folder); }
    const std::filesystem::path& folder;
  } const removed{folder};
  return scenarios::load_scenario(file.string());
}

Timeline run(const Scenario& scenario, const Design& design, std::uint64_t seed = 3) {
  return sim::simulate(scenario.graph, scenario.machine, design, {.seed = seed}).timeline;
}

struct OwnCase {
  const char* base;  ///< the design
  const char* axis;
  const char* name;     ///< of the policy
  const char* further;  ///< other axes
};
void PrintTo(const OwnCase& one, std::ostream* out) { *out << one.base << ' ' << one.axis << ' ' << one.name; }

class BuiltInPolicy : public testing::TestWithParam<OwnCase> {};

TEST_P(BuiltInPolicy, FromOutsideGivesTheSameTimelineByteByByte) {
  const auto [base, axis, name, further] = GetParam();
  std::string word = name;
  if (word.ends_with("-again")) word.resize(word.size() - 6);
  const std::string begin = std::string("from: ") + base + ", " + further + axis + ": ";
  const Scenario scenario =
      scenario_of("  - {name: built-in, " + begin + word + "}\n  - {name: outside, " + begin + policy(object("built_in"), name) + "}\n");
  for (const std::uint64_t seed : {1, 2, 3}) {
    const Timeline expected = run(scenario, scenario.designs[0], seed);
    const Timeline actual = run(scenario, scenario.designs[1], seed);
    EXPECT_EQ(sim::to_text(actual), sim::to_text(expected)) << sim::first_differences(expected, actual);
  }
}

std::vector<OwnCase> orders() {
  std::vector<OwnCase> all;
  for (const char* const base : {"shared-queue", "central-dispatcher", "host-dispatcher", "work-stealing"}) {
    for (const char* const name :
         {"fifo", "fifo-again", "lifo", "lifo-again", "random", "critical_path", "longest", "shortest", "most_successors", "priority"})
      // There lifo is a stack: what a thief has taken goes on top, whenever it became ready.
      if (std::string(base) != "work-stealing" || !std::string(name).starts_with("lifo")) all.push_back({base, "order", name, ""});
  }
  return all;
}

INSTANTIATE_TEST_SUITE_P(Orders, BuiltInPolicy, testing::ValuesIn(orders()));
INSTANTIATE_TEST_SUITE_P(Placements, BuiltInPolicy,
                         testing::ValuesIn(std::vector<OwnCase>{
                             {"central-dispatcher", "placement", "least_loaded", "mailbox_depth: 2, "},
                             {"central-dispatcher", "placement", "locality", "mailbox_depth: 2, "},
                             {"central-dispatcher", "placement", "least_loaded", "ready_queue: per_worker, mailbox_depth: 2, "},
                             {"central-dispatcher", "placement", "locality", "ready_queue: per_worker, mailbox_depth: 2, "},
                             {"host-dispatcher", "placement", "locality", "mailbox_depth: 2, "},
                             {"static-queues", "placement", "heft", ""},
                             {"static-queues", "placement", "round_robin", ""},
                             {"layer-barrier", "placement", "round_robin", ""},
                             {"central-dispatcher", "placement", "heft", "ready_queue: per_worker, "}}));
INSTANTIATE_TEST_SUITE_P(Thieves, BuiltInPolicy,
                         testing::ValuesIn(std::vector<OwnCase>{
                             {"work-stealing", "victim", "random", ""},
                             {"work-stealing", "victim", "next", ""},
                             {"work-stealing", "victim", "nearest", ""},
                             {"work-stealing", "victim", "most_loaded", ""},
                             {"work-stealing", "stealing", "one", ""},
                             {"work-stealing", "stealing", "half", ""},
                             {"central-dispatcher", "victim", "random", "ready_queue: per_dispatcher, stealing: half, dispatchers: 2, "},
                             {"central-dispatcher", "victim", "next", "ready_queue: per_dispatcher, stealing: half, dispatchers: 2, "},
                             {"central-dispatcher", "stealing", "one", "ready_queue: per_dispatcher, dispatchers: 2, "}}));
INSTANTIATE_TEST_SUITE_P(Fills, BuiltInPolicy,
                         testing::ValuesIn(std::vector<OwnCase>{
                             {"central-dispatcher", "fill", "always", "mailbox_depth: 2, dispatchers: 2, "},
                             {"central-dispatcher", "fill", "not_in_tail", "mailbox_depth: 2, dispatchers: 2, "},
                             {"central-dispatcher", "fill", "when_no_core_idle", "mailbox_depth: 2, dispatchers: 2, "}}));

TEST(OwnPolicy, OfTheExamplesRuns) {
  const Scenario scenario = scenario_of(
      "  - {name: ordered, from: shared-queue, order: {policy: '" + example("order") + "'}}\n" +
      "  - {name: placed, from: central-dispatcher, mailbox_depth: 2, placement: {policy: '" + example("placement") + "'}}\n" +
      "  - {name: stolen, from: work-stealing, victim: {policy: '" + example("victim") + "'}, stealing: {policy: '" + example("victim") +
      "'}}\n  - {name: listed, from: static-queues, placement: {policy: '" + example("schedule") + "'}}\n" +
      "  - {name: filled, from: central-dispatcher, mailbox_depth: 2, fill: " + policy(example("fill"), "careful", "share: 0.25") + "}\n");
  for (const Design& design : scenario.designs) EXPECT_GT(run(scenario, design).makespan(), Duration{0}) << design.name;
}

TEST(OwnPolicy, AskedAgainChangesItsMind) {
  const Scenario scenario =
      scenario_of("  - {name: soon, from: shared-queue, order: " + policy(example("order"), "patient", "patience_ns: 1000") +
                  "}\n  - {name: late, from: shared-queue, order: " + policy(example("order"), "patient", "patience_ns: 1.0e+9") +
                  "}\n  - {name: never, from: shared-queue, order: critical_path}\n");
  EXPECT_EQ(sim::to_text(run(scenario, scenario.designs[1])), sim::to_text(run(scenario, scenario.designs[2])));
  EXPECT_NE(sim::to_text(run(scenario, scenario.designs[0])), sim::to_text(run(scenario, scenario.designs[2])));
}

TEST(OwnPolicy, IsWrittenByItsFileNameAndParameters) {
  const Scenario scenario =
      scenario_of("  - {name: soon, from: shared-queue, order: " + policy(example("order"), "patient", "patience_ns: 1500") + "}\n");
  const Design& design = scenario.designs.front();
  const AxisField& axis = axis_named("order");
  EXPECT_EQ(axis.text(design), example("order") + ":patient(patience_ns=1500)");
  EXPECT_FALSE(axis.is_default(design));
  Design other = design;
  axis.set_word(other, "fifo");
  EXPECT_EQ(axis.text(other), "fifo");
  EXPECT_NE(other, design);
}

void expect_refused(const OwnCase& wrong, const std::string& why) {
  const Scenario scenario = scenario_of(std::string("  - {name: mine, from: ") + wrong.base + ", " + wrong.further + wrong.axis + ": " +
                                        policy(object("faulty_calls"), wrong.name) + "}\n");
  try {
    run(scenario, scenario.designs.front());
    FAIL() << wrong.name << " is not refused";
  } catch (const PolicyError& refused) {
    EXPECT_THAT(refused.what(), HasSubstr(std::string("faulty_calls.so:") + wrong.name + "': ")) << wrong.name;
    EXPECT_THAT(refused.what(), HasSubstr(why)) << wrong.name;
  }
  EXPECT_GT(run(scenario, named_design("shared-queue")).makespan(), Duration{0});  // nothing is lost
}

TEST(OwnPolicy, ThatDoesWrongInACallIsNamedWithIt) {
  for (const auto& [name, why] : std::vector<std::pair<const char*, const char*>>{
           {"throws", "': it threw: not on Sundays"}, {"throws-a-number", "no std::exception"}, {"no-number", "is not a number (NaN)"}}) {
    expect_refused({"shared-queue", "order", name, ""}, why);
    expect_refused({"central-dispatcher", "order", name, "mailbox_depth: 2, "}, "rank of task '");
  }
  expect_refused({"shared-queue", "order", "makes-none", ""}, "making it for a run: it gave none (null)");
  expect_refused({"shared-queue", "order", "too-few", ""}, "ranks: there are 2 ranks for");
  expect_refused({"central-dispatcher", "placement", "nowhere", "mailbox_depth: 2, "}, "it chose none of");
  expect_refused({"central-dispatcher", "placement", "core-1000", "mailbox_depth: 2, "}, "candidate 1000, which does not exist");
  expect_refused({"static-queues", "placement", "forgets", ""}, "is in no list");
  expect_refused({"static-queues", "placement", "twice", ""}, "is in the lists twice");
  expect_refused({"static-queues", "placement", "core-too-many", ""}, "is on core 20, which does not exist; there are cores 0 to 19");
  expect_refused({"static-queues", "placement", "no-such-task", ""}, "has task 1000000, but the graph has");
  expect_refused({"static-queues", "placement", "backwards", ""}, "can never start");
  expect_refused({"work-stealing", "victim", "itself", ""}, "it chose the thief's own queue");
  expect_refused({"work-stealing", "victim", "queue-1000", ""}, "queue 1000, which does not exist; there are 0 to 19");
  expect_refused({"work-stealing", "victim", "endless", ""}, "attempts in a round");
  expect_refused({"work-stealing", "stealing", "nothing", ""}, "it is 0; it must be 1 to");
  expect_refused({"work-stealing", "stealing", "too-much", ""}, "it must be 1 to");
  expect_refused({"central-dispatcher", "fill", "throws", "mailbox_depth: 2, dispatchers: 2, "}, "it threw: full up");
}

TEST(OwnPolicy, IsRefusedWithPlaceAndChoices) {
  const auto expect = [](const std::string& base, const std::string& axes, const std::string& why) {
    try {
      scenario_of("  - {name: mine, from: " + base + ", " + axes + "}\n");
      FAIL() << axes << " is not refused";
    } catch (const InputError& refused) {
      EXPECT_THAT(refused.what(), HasSubstr("own.yaml:5:")) << axes;
      EXPECT_THAT(refused.what(), HasSubstr(why)) << axes;
    }
  };
  expect("shared-queue", "order: {policy: none.so}", "designs[0].order: ");
  expect("shared-queue", "order: {policy: none.so}", "no such file");
  expect("shared-queue", "order: {name: patient}", "designs[0].order.policy: missing");
  expect("shared-queue", "order: {policy: 'x.so', parameter: {}}", "unknown key");
  expect("shared-queue", "order: {policy: 3}", "designs[0].order.policy: is the number 3; must be text");
  expect("shared-queue", "order: {policy: 'x.so', parameters: {weight: heavy}}", "must be a number");
  expect("shared-queue", "order: " + policy(example("order"), "patient", "patience: 3"),
         "has no parameter 'patience'; did you mean 'patience_ns'?");
  expect("shared-queue", "order: " + policy(example("order"), "impatient"), "no policy 'impatient' of order");
  expect("shared-queue", "order: " + policy(example("victim"), "third"), "no policy of order, but neighbour (victim), third (stealing)");
  expect("shared-queue", "order: {policy: '" + object("built_in") + "'}", "several policies of order");
  expect("shared-queue", "order: " + policy(object("faulty_calls"), "like-nothing"), "has a 'like'");
  expect("shared-queue", "order: first", "unknown value 'first'");
  expect("shared-queue", "claim: {policy: x.so}", "claim");
  expect("static-queues", "order: " + policy(example("order"), "patient"), "order must be 'fifo' where the placement is frozen");
  expect("shared-queue", "victim: " + policy(example("victim"), "neighbour"), "victim has no effect here");
  expect("shared-queue", "placement: " + policy(example("placement"), "near-inputs"), "placement");
}

TEST(OwnPolicy, AskedInTheRunIsRefusedByExecutors) {
  const Scenario scenario =
      scenario_of("  - {name: online, from: central-dispatcher, order: " + policy(example("order"), "patient") +
                  "}\n  - {name: ranks, from: central-dispatcher, order: " + policy(object("built_in"), "longest") +
                  "}\n  - {name: lists, from: static-queues, placement: " + policy(example("schedule"), "first-free") +
                  "}\n  - {name: plain, from: central-dispatcher, order: longest}\n  - static-queues\n");
  const auto why = [&scenario](std::size_t design) {
    return gpu::why_unsupported(scenario.graph, scenario.machine, scenario.designs[design]).value_or("");
  };
  EXPECT_THAT(why(0), HasSubstr("libpolicy_order.so:patient': is asked while the run goes on"));
  EXPECT_EQ(why(1), why(3));
  EXPECT_EQ(why(2), why(4));
}

}  // namespace
}  // namespace tasktwin
