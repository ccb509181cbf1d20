#include "tests/structure/include_arrows.hpp"

#include <unistd.h>

#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tasktwin::structure {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::IsEmpty;

/// A small tree of folders and files that is gone at the end.
class PlantedTree : public testing::Test {
 protected:
  PlantedTree() : root_(fs::temp_directory_path() / ("tasktwin-arrows-" + std::to_string(getpid()))) {
    plant("models/base/units.hpp", "#pragma once\n");
    plant("sim/cores/core.hpp", "#pragma once\n#include <vector>\n#include \"models/base/units.hpp\"\n");
  }
  ~PlantedTree() override {
    std::error_code ignored;
    fs::remove_all(root_, ignored);
  }

  void plant(const fs::path& file, const std::string& text) {
    fs::create_directories((root_ / file).parent_path());
    std::ofstream(root_ / file) << text;
  }

  fs::path root_;
};

TEST(IncludeArrows, HoldInThisTree) {
  const fs::path root = fs::current_path();
  ASSERT_TRUE(fs::exists(root / "models/base/units.hpp")) << "tests run in the root of the source tree, not in " << root;
  EXPECT_GT(scanned_files(root), 30U);
  EXPECT_THAT(broken_arrows(root), IsEmpty());
}

TEST_F(PlantedTree, IsFineAsPlanted) {
  EXPECT_EQ(scanned_files(root_), 2U);
  EXPECT_THAT(broken_arrows(root_), IsEmpty());
}

TEST_F(PlantedTree, ModelsMayIncludeNobody) {
  plant("models/design/design.hpp", "#pragma once\n\n  #  include \"sim/cores/core.hpp\"\n");
  EXPECT_THAT(broken_arrows(root_), ElementsAre("models/design/design.hpp:3: includes sim/cores/core.hpp"));
}

TEST_F(PlantedTree, SiblingsMayNotIncludeEachOther) {
  plant("gpu/executor.cu", "#include \"sim/cores/core.hpp\"\n");
  plant("scenarios/load/load.cpp", "#include \"sim/cores/core.hpp\"\n");
  plant("gpu/cuda/stream_handle.cuh", "\n");
  plant("sim/cores/core.cpp", "#include \"gpu/cuda/stream_handle.cuh\"\n");
  EXPECT_THAT(broken_arrows(root_),
              ElementsAre("scenarios/load/load.cpp:1: includes sim/cores/core.hpp",
                          "sim/cores/core.cpp:1: includes gpu/cuda/stream_handle.cuh", "gpu/executor.cu:1: includes sim/cores/core.hpp"));
}

TEST_F(PlantedTree, OnlyTestsMayIncludeVerifyAndNobodyMayIncludeTests) {
  plant("verify/compare.hpp", "#include \"sim/cores/core.hpp\"\n#include \"tests/oracle.hpp\"\n");
  plant("tests/oracle.hpp", "#include \"verify/compare.hpp\"\n");
  plant("sim/cores/core.cpp", "#include \"verify/compare.hpp\"\n");
  EXPECT_THAT(broken_arrows(root_),
              ElementsAre("sim/cores/core.cpp:1: includes verify/compare.hpp", "verify/compare.hpp:2: includes tests/oracle.hpp"));
}

TEST_F(PlantedTree, IncludesAreFromTheRootAndInQuotes) {
  plant("sim/cores/core.cpp", "#include \"core.hpp\"\n#include \"sim/../sim/cores/core.hpp\"\n#include <models/base/units.hpp>\n");
  EXPECT_THAT(broken_arrows(root_),
              ElementsAre("sim/cores/core.cpp:1: includes core.hpp", "sim/cores/core.cpp:2: includes sim/../sim/cores/core.hpp",
                          "sim/cores/core.cpp:3: includes models/base/units.hpp"));
}

TEST_F(PlantedTree, WingsThatIncludeEachOtherAreFoundOnTheirWayRound) {
  plant("sim/engine/clock.hpp", "#pragma once\n#include \"sim/cores/core.hpp\"\n");
  plant("sim/cores/core.hpp", "#pragma once\n#include \"sim/memory/memory.hpp\"\n");
  plant("sim/memory/memory.hpp", "#pragma once\n");
  EXPECT_THAT(circular_arrows(root_, "sim"), IsEmpty());
  plant("sim/memory/memory.hpp", "#pragma once\n#include \"sim/engine/clock.hpp\"\n");
  EXPECT_THAT(circular_arrows(root_, "sim"),
              ElementsAre("sim/cores/core.hpp: includes sim/memory/memory.hpp", "sim/engine/clock.hpp: includes sim/cores/core.hpp",
                          "sim/memory/memory.hpp: includes sim/engine/clock.hpp"));
}

TEST_F(PlantedTree, CrowdedFoldersAreCounted) {
  for (const std::string name : {"a", "b", "c"}) plant("sim/engine/" + name + ".hpp", "#pragma once\n");
  EXPECT_THAT(crowded_folders(root_, "sim", 3), IsEmpty());
  EXPECT_THAT(crowded_folders(root_, "sim", 2), ElementsAre("sim/engine: 3 files"));
}

TEST_F(PlantedTree, ExemptFoldersMayBeCrowded) {
  for (const std::string name : {"a", "b", "c"}) plant("sim/engine/" + name + ".hpp", "#pragma once\n");
  EXPECT_THAT(crowded_folders(root_, "sim", 2, {"sim/engine"}), IsEmpty());
}

TEST_F(PlantedTree, FilesOfAHallItselfAreARoom) {
  plant("sim/simulator.hpp", "#pragma once\n#include \"sim/cores/core.hpp\"\n");
  EXPECT_THAT(circular_arrows(root_, "sim"), IsEmpty());
  plant("sim/cores/core.hpp", "#pragma once\n#include \"sim/simulator.hpp\"\n");
  EXPECT_THAT(circular_arrows(root_, "sim"),
              ElementsAre("sim/cores/core.hpp: includes sim/simulator.hpp", "sim/simulator.hpp: includes sim/cores/core.hpp"));
}

TEST_F(PlantedTree, DecisionsByWhatARuntimeIsAreFoundOutsideItsRoom) {
  plant("models/runtimes/hybrid.cpp", "bool is(Design d) { return d.driver == Driver::kStreams; }\n");
  plant("sim/cores/core.cpp", "// d.driver == Driver::kStreams\nbool on(Design d) { return d.release != Release::kEvents; }\n");
  EXPECT_THAT(runtime_decisions(root_), ElementsAre("sim/cores/core.cpp:2:bool on(Design d) { return d.release != Release::kEvents; }"));
}

/// A hall, how many files a room of it may hold, and the rooms whose every file is one implementation behind one interface.
struct Hall {
  const char* name;
  std::size_t most;
  std::set<std::string> exempt;
};

const Hall kHalls[] = {
    {"models", 25, {"models/policies", "models/machine/mechanisms"}},
    {"scenarios", 25, {"scenarios/generators", "scenarios/importers"}},
    {"sim", 20, {}},
    {"gpu", 25, {"gpu/bodies", "gpu/executors", "gpu/probes"}},
    {"verify", 25, {"verify/cli/commands"}},
};

TEST(Rooms, IncludeEachOtherInOneOrderAndAreReadableInOneGo) {
  for (const Hall& hall : kHalls) {
    EXPECT_THAT(circular_arrows(".", hall.name), IsEmpty()) << hall.name;
    EXPECT_THAT(crowded_folders(".", hall.name, hall.most, hall.exempt), IsEmpty()) << hall.name;
  }
}

/// Two sources of one stem in a hall cost a reader a wrong file; a runtime's wiring, executor and support have its name.
TEST(Rooms, HaveNoTwoSourcesOfOneStem) {
  const std::set<std::string> twins{"sim/wirings", "gpu/executors", "gpu/supported", "models/runtimes"};
  for (const Hall& hall : kHalls) EXPECT_THAT(repeated_stems(".", hall.name, twins), IsEmpty()) << hall.name;
}

/// Which runtime a design is is answered in models/runtimes/; what is left reads an axis within one runtime.
TEST(Runtimes, AreToldApartInTheirRoom) {
  const std::vector<std::string> decisions = runtime_decisions(".");
  EXPECT_LE(decisions.size(), 60U) << testing::PrintToString(decisions);
}

}  // namespace
}  // namespace tasktwin::structure
