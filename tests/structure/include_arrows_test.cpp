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

TEST(SimulatorWings, StandOnEachOtherInOneOrderAndAreReadableInOneGo) {
  EXPECT_THAT(circular_arrows(".", "sim"), IsEmpty());
  EXPECT_THAT(crowded_folders(".", "sim", 20), IsEmpty());
}

}  // namespace
}  // namespace tasktwin::structure
