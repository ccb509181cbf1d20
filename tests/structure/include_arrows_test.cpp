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
    plant("models/units.hpp", "#pragma once\n");
    plant("sim/cores/core.hpp", "#pragma once\n#include <vector>\n#include \"models/units.hpp\"\n");
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
  ASSERT_TRUE(fs::exists(root / "models/units.hpp")) << "tests run in the root of the source tree, not in " << root;
  EXPECT_GT(scanned_files(root), 30U);
  EXPECT_THAT(broken_arrows(root), IsEmpty());
}

TEST_F(PlantedTree, IsFineAsPlanted) {
  EXPECT_EQ(scanned_files(root_), 2U);
  EXPECT_THAT(broken_arrows(root_), IsEmpty());
}

TEST_F(PlantedTree, ModelsMayIncludeNobody) {
  plant("models/design.hpp", "#pragma once\n\n  #  include \"sim/cores/core.hpp\"\n");
  EXPECT_THAT(broken_arrows(root_), ElementsAre("models/design.hpp:3: includes sim/cores/core.hpp"));
}

TEST_F(PlantedTree, SiblingsMayNotIncludeEachOther) {
  plant("gpu/executor.cu", "#include \"sim/cores/core.hpp\"\n");
  plant("scenarios/load.cpp", "#include \"sim/cores/core.hpp\"\n");
  plant("gpu/stream.cuh", "\n");
  plant("sim/cores/core.cpp", "#include \"gpu/stream.cuh\"\n");
  EXPECT_THAT(broken_arrows(root_),
              ElementsAre("scenarios/load.cpp:1: includes sim/cores/core.hpp", "sim/cores/core.cpp:1: includes gpu/stream.cuh",
                          "gpu/executor.cu:1: includes sim/cores/core.hpp"));
}

TEST_F(PlantedTree, OnlyTestsMayIncludeVerifyAndNobodyMayIncludeTests) {
  plant("verify/compare.hpp", "#include \"sim/cores/core.hpp\"\n#include \"tests/oracle.hpp\"\n");
  plant("tests/oracle.hpp", "#include \"verify/compare.hpp\"\n");
  plant("sim/cores/core.cpp", "#include \"verify/compare.hpp\"\n");
  EXPECT_THAT(broken_arrows(root_),
              ElementsAre("sim/cores/core.cpp:1: includes verify/compare.hpp", "verify/compare.hpp:2: includes tests/oracle.hpp"));
}

TEST_F(PlantedTree, IncludesAreFromTheRootAndInQuotes) {
  plant("sim/cores/core.cpp", "#include \"core.hpp\"\n#include \"sim/../sim/cores/core.hpp\"\n#include <models/units.hpp>\n");
  EXPECT_THAT(broken_arrows(root_),
              ElementsAre("sim/cores/core.cpp:1: includes core.hpp", "sim/cores/core.cpp:2: includes sim/../sim/cores/core.hpp",
                          "sim/cores/core.cpp:3: includes models/units.hpp"));
}

}  // namespace
}  // namespace tasktwin::structure
