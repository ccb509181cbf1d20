#include "scenarios/document/faults.hpp"

#include <algorithm>

#include <gmock/gmock.h>

#include "scenarios/load/scenario.hpp"
#include "tests/scenarios/temporary_file.hpp"

namespace tasktwin::scenarios {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;

std::vector<std::string> faults_of(const std::string& text) {
  std::vector<std::string> faults;
  std::string all = refusal(text);
  for (std::size_t end = 0; !all.empty(); all.erase(0, end)) {
    end = std::min(all.find('\n'), all.size());
    faults.push_back(all.substr(0, end));
    end = std::min(end + 1, all.size());
  }
  return faults;
}

TEST(Faults, AllThatDoesNotFitTheSchemaIsToldInTheOrderOfTheFile) {
  EXPECT_THAT(faults_of("scenario: s\n"
                        "machine: {from: nvidia-h200, memory: {bandwith_gb_per_s: 5}}\n"
                        "graph: {generator: chain, length: many, kernl: spin}\n"
                        "designs:\n"
                        "- {name: x, fill: never}\n"
                        "- {order: fifo}\n"),
              ElementsAre(StartsWith("2:39: machine.memory.bandwith_gb_per_s: unknown key; did you mean 'bandwidth_gb_per_s'?"),
                          StartsWith("3:35: graph.length: is the text 'many'; must be a whole number, "),
                          StartsWith("3:41: graph.kernl: unknown key; did you mean 'kernel'?"),
                          StartsWith("5:19: designs[0].fill: unknown value 'never'; valid: always, "),
                          StartsWith("6:3: designs[1].name: missing (")));
}

TEST(Faults, AKeyThatIsMisspeltIsNotMissingBesides) {
  EXPECT_THAT(faults_of("scenarioo: s\nmachine: nvidia-h200\ngraph: {generator: chain}\ndesigns: [shared-queue]\n"),
              ElementsAre(StartsWith("1:1: scenarioo: unknown key; did you mean 'scenario'?")));
}

TEST(Faults, ThoseOfTheReaderAndOfTheSchemaAreToldTogether) {
  EXPECT_THAT(faults_of("scenario: &a s\nmachine: nvidia-h200\nseed: .nan\nseed: 4\ngraph: {generator: chain, length: !!int 3, tine: 1}\n"
                        "description: *a\ndesigns: [shared-queue]\n"),
              ElementsAre(StartsWith("3:7: seed: is not a number (NaN)"), "4:1: the key 'seed' stands twice in one map (first in line 3)",
                          StartsWith("5:35: graph.length: tags"), StartsWith("5:44: graph.tine: unknown key"),
                          StartsWith("6:14: description: aliases (*name) are not supported")));
}

TEST(Faults, EveryBadTaskAndDesignIsTold) {
  EXPECT_THAT(faults_of("scenario: s\nmachine: nvidia-h200\ndesigns:\n- shared-que\n- shared-queue\n- {name: shared-queue, fill: always}\n"
                        "graph:\n  tasks:\n"
                        "  - {name: a, time_ns: 1}\n"
                        "  - {name: a, time_ns: 2}\n"
                        "  - {name: b, kernel: fma, time_ns: 5, after: [a, c, a]}\n"
                        "  - {name: d, time_ns: 1, spawned_by: e}\n"),
              ElementsAre(StartsWith("4:3: designs[0]: unknown design 'shared-que'; did you mean 'shared-queue'?"),
                          StartsWith("6:10: designs[2].name: 'shared-queue' is a named design"),
                          StartsWith("10:12: graph.tasks[1].name: 'a' is already the name of the task in line 9"),
                          StartsWith("11:28: graph.tasks[2].time_ns: goes with kernel 'spin'"),
                          StartsWith("11:51: graph.tasks[2].after[1]: no task is called 'c'"),
                          StartsWith("11:54: graph.tasks[2].after[2]: 'a' is listed twice"),
                          StartsWith("12:39: graph.tasks[3].spawned_by: no task is called 'e'")));
}

TEST(Faults, EveryTaskThatTheMachineCannotRunIsTold) {
  EXPECT_THAT(faults_of(with_graph("\n  tasks:\n  - {name: a, core_type: aic, time_ns: 1}\n  - {name: b, time_ns: 1}\n"
                                   "  - {name: c, time_ns: 1, threads: 32, registers: 300}")),
              ElementsAre(StartsWith("6:26: graph.tasks[0].core_type: task 'a' needs core type 'aic'"),
                          StartsWith("8:51: graph.tasks[2].registers: task 'c' needs 300 registers a thread")));
}

TEST(Faults, AMachineThatIsNotThereHidesNoFaultOfTheGraph) {
  EXPECT_THAT(faults_of("scenario: s\nmachine: nowhere\ndesigns: [shared-queue]\ngraph:\n  tasks:\n  - {name: a}\n"),
              ElementsAre(StartsWith("2:10: machine: no such file"), StartsWith("6:5: graph.tasks[0].time_ns: missing")));
}

TEST(Faults, OfThoseAlikeThreeAreTold) {
  std::string tasks = "\n  tasks:\n";
  for (int i = 0; i < 25; ++i) tasks += "  - {name: t" + std::to_string(i) + ", time_us: 1}\n";
  const auto faults = faults_of(with_graph(tasks + "  - {name: other, time_ns: -1}\n"));
  ASSERT_EQ(faults.size(), 4U);
  EXPECT_THAT(faults[0], StartsWith("6:16: graph.tasks[0].time_us: unknown key"));
  EXPECT_THAT(faults[2], testing::EndsWith(" (and 22 more like this)"));
  EXPECT_THAT(faults[3], StartsWith("31:28: graph.tasks[25].time_ns"));
}

TEST(Faults, TwentyAreToldAndTheRestCounted) {
  std::string tasks = "\n  tasks:\n";
  for (int i = 0; i < 25; ++i)
    tasks += "  - {name: t" + std::to_string(i) + ", time_us" + std::string(1, static_cast<char>('a' + i)) + ": 1}\n";
  const auto faults = faults_of(with_graph(tasks));
  ASSERT_EQ(faults.size(), kMostFaults + 1);
  EXPECT_THAT(faults.front(), StartsWith("6:16: graph.tasks[0].time_usa: unknown key"));
  EXPECT_EQ(faults.back(), "and 5 more");
}

TEST(Faults, OfAMachineFileAreToldTogether) {
  const TemporaryFile file(
      "machine: mine\nfrom: nvidia-h200\nlimits: {thread: 3}\nmemory: {bandwidth_gb_per_s: fast}\nmeasured: {on: today}\n", "mine.yaml");
  try {
    load_machine(file.path());
    FAIL();
  } catch (const InputFaults& error) {
    const auto& told = error.all();
    ASSERT_EQ(told.size(), 3U) << error.what();
    EXPECT_THAT(told[0].what(), HasSubstr("mine.yaml:3:10: limits.thread: unknown key; did you mean 'threads'?"));
    EXPECT_THAT(told[1].what(), HasSubstr("mine.yaml:4:30: memory.bandwidth_gb_per_s: is the text 'fast'; must be "));
    EXPECT_THAT(told[2].what(), HasSubstr("mine.yaml:5:12: measured.on: unknown key; valid: date, device"));
  }
}

TEST(Faults, OfOneOverrideAreToldOnce) {
  const TemporaryFile file("scenario: s\nmachine: nvidia-h200\ngraph: {generator: chain}\ndesigns: [shared-queue, static-queues]\n");
  const std::vector<std::string> overrides{"designs.mailbox_dept=1", "graph.lenght=2"};
  try {
    load_scenario(file.path(), overrides);
    FAIL();
  } catch (const InputFaults& error) {
    ASSERT_EQ(error.all().size(), 2U) << error.what();
    EXPECT_THAT(error.what(), HasSubstr("override 'designs.mailbox_dept=1': designs[0].mailbox_dept: unknown key"));
    EXPECT_THAT(error.what(), HasSubstr("override 'graph.lenght=2': graph.lenght: unknown key"));
  }
}

}  // namespace
}  // namespace tasktwin::scenarios
