// Files as tools write them, whole: tests/data/README.md tells whose they are.
#include <gmock/gmock.h>

#include "scenarios/swimlane/swimlane_capture.hpp"
#include "tests/scenarios/imports/reading.hpp"

namespace tasktwin::scenarios {
namespace {

using ::testing::HasSubstr;

std::string data_file(const std::string& name) { return "tests/data/" + name; }

struct Real {
  const char* file;
  const char* format;
  std::size_t tasks;
  std::size_t edges;
};

class RealFiles : public ::testing::TestWithParam<Real> {};

TEST_P(RealFiles, AreReadWhole) {
  const std::string path = data_file(GetParam().file);
  EXPECT_EQ(importer_of(path).name, GetParam().format);
  const Imported read = import_file(path, {}, {});
  EXPECT_EQ(read.graph.size(), GetParam().tasks);
  EXPECT_EQ(read.graph.edge_count(), GetParam().edges);
}

INSTANTIATE_TEST_SUITE_P(Others, RealFiles,
                         ::testing::Values(Real{"others/daggen-100.dot", "dot", 102, 130},
                                           Real{"others/chakra.json.gz", "chakra", 3664, 181'878},
                                           Real{"others/chakra-small.json", "chakra", 7, 6},
                                           Real{"forms/workflow.json", "wfformat", 11, 24},
                                           Real{"programs/encoder.graph.dot.gz", "cuda-graph-dot", 84, 83}));

TEST(RealCycle, IsNamedAndLeftOut) {
  const std::string path = data_file("forms/sized-cycle.dot");
  try {
    import_file(path, {}, {});
    ADD_FAILURE();
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(), HasSubstr("the edges make a cycle: "));
    EXPECT_THAT(error.what(), HasSubstr("--drop-edges '3->1' leaves it out"));
  }
  const Imported opened = import_file(path, {}, {.drop_edges = {"3->1"}});
  EXPECT_EQ(edges_of(opened.graph),
            (std::set<std::string>{"root>0:8388608", "0>1:10001", "1>2", "2>3", "3>4", "0>4:4096", "4>end:10014000"}));
}

TEST(RealCaptures, SeveralRunsAreChosenAndLossesAreWarnedOf) {
  const std::string deps = data_file("captures/two-runs.deps.json");
  EXPECT_THROW(read_swimlane(data_file("captures/two-runs.json"), deps), InputError);
  const SwimlaneCapture second = read_swimlane(data_file("captures/two-runs.json"), deps, 8);
  EXPECT_EQ(second.graph.size(), 8u);
  EXPECT_TRUE(second.warnings.empty());
  const SwimlaneCapture lossy = read_swimlane(data_file("captures/dropped.json"), deps);
  EXPECT_EQ(lossy.graph.size(), 6u);
  ASSERT_EQ(lossy.warnings.size(), 2u);
  EXPECT_THAT(lossy.warnings.front(), HasSubstr("2 hand-overs"));
}

}  // namespace
}  // namespace tasktwin::scenarios
