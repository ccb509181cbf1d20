#include <gmock/gmock.h>

#include <cstdlib>
#include <filesystem>

#include "scenarios/swimlane/swimlane_capture.hpp"
#include "tests/scenarios/imports/reading.hpp"

namespace tasktwin::scenarios {
namespace {

using ::testing::HasSubstr;

/// Files of other tools are not in the tree: $TASKTWIN_SHARED, or the folder `shared` beside it, has them.
std::string shared_file(const std::string& name) {
  const char* const folder = std::getenv("TASKTWIN_SHARED");
  return (std::filesystem::path(folder != nullptr ? folder : "../shared") / name).string();
}

struct Real {
  const char* file;
  const char* format;
  std::size_t tasks;
  std::size_t edges;
};

class RealFiles : public ::testing::TestWithParam<Real> {};

TEST_P(RealFiles, AreReadWhole) {
  const std::string path = shared_file(GetParam().file);
  if (!std::filesystem::exists(path)) GTEST_SKIP() << path << " is not there";
  EXPECT_EQ(importer_of(path).name, GetParam().format);
  const Imported read = import_file(path, {}, {});
  EXPECT_EQ(read.graph.size(), GetParam().tasks);
  EXPECT_EQ(read.graph.edge_count(), GetParam().edges);
}

INSTANTIATE_TEST_SUITE_P(Others, RealFiles,
                         ::testing::Values(Real{"real-files/daggen-100.dot", "dot", 102, 130},
                                           Real{"real-files/simgrid-dag.dot", "dot", 12, 11},
                                           Real{"real-files/wfformat-blast.json", "wfformat", 43, 120},
                                           Real{"real-programs/encoder.graph.dot.gz", "cuda-graph-dot", 84, 83}));

TEST(RealCycle, IsNamedAndLeftOut) {
  const std::string path = shared_file("real-files/simgrid-dag-with-cycle.dot");
  if (!std::filesystem::exists(path)) GTEST_SKIP() << path << " is not there";
  try {
    import_file(path, {}, {});
    ADD_FAILURE();
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(), HasSubstr("the edges make a cycle: "));
    EXPECT_THAT(error.what(), HasSubstr("--drop-edges '6->1' leaves it out"));
  }
  EXPECT_EQ(import_file(path, {}, {.drop_edges = {"6->1"}}).graph.size(), 12u);
}

TEST(RealCaptures, SeveralRunsAreChosenAndLossesAreWarnedOf) {
  const std::string deps = shared_file("cases/capture-two-runs.deps.json");
  if (!std::filesystem::exists(deps)) GTEST_SKIP() << deps << " is not there";
  EXPECT_THROW(read_swimlane(shared_file("cases/capture-two-runs.json"), deps), InputError);
  const SwimlaneCapture second = read_swimlane(shared_file("cases/capture-two-runs.json"), deps, 8);
  EXPECT_EQ(second.graph.size(), 8u);
  EXPECT_TRUE(second.warnings.empty());
  const SwimlaneCapture lossy = read_swimlane(shared_file("cases/capture-dropped.json"), deps);
  EXPECT_EQ(lossy.graph.size(), 6u);
  ASSERT_EQ(lossy.warnings.size(), 2u);
  EXPECT_THAT(lossy.warnings.front(), HasSubstr("2 hand-overs"));
}

/// What is in the archive of the traces, one of two.
void expect_chakra(const std::string& member, std::size_t tasks, std::size_t edges) {
  const std::string archive = shared_file("real-files/chakra-json.tar.gz");
  if (!std::filesystem::exists(archive)) GTEST_SKIP() << archive << " is not there";
  const TemporaryFile file("", "trace.json");
  const std::string command = "tar xzf '" + archive + "' -O jsonData/" + member + " > '" + file.path() + "'";
  ASSERT_EQ(std::system(command.c_str()), 0);
  const Imported read = import_file(file.path(), {}, {});
  EXPECT_EQ(read.graph.size(), tasks);
  EXPECT_EQ(read.graph.edge_count(), edges);
}

TEST(RealChakra, TheLargeOneIsReadWhole) { expect_chakra("chakra.0.json", 3664, 181'878); }
TEST(RealChakra, TheSmallOneIsReadWhole) { expect_chakra("small_chakra.0.json", 7, 6); }

}  // namespace
}  // namespace tasktwin::scenarios
