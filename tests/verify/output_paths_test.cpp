#include "verify/output/files/output_paths.hpp"

#include <gtest/gtest.h>

#include "models/base/error.hpp"
#include "tests/verify/support/cases.hpp"

namespace tasktwin::verify {
namespace {

TEST(OutputPlan, PutsTheCaseBeforeTheExtensionWhereThereAreSeveral) {
  EXPECT_EQ(OutputPlan("--trace", "a/t.json", false, false).path("s", "d"), "a/t.json");
  EXPECT_EQ(OutputPlan("--trace", "a/t.json", false, true).path("s", "d"), "a/t.d.json");
  EXPECT_EQ(OutputPlan("--trace", "a/t.json", true, false).path("s", "d"), "a/t.s.d.json");
  EXPECT_EQ(OutputPlan("--trace", "a/t", false, true).path("s", "../d"), "a/t._._d");
  EXPECT_EQ(OutputPlan("--trace", "/dev/null", true, true).path("s", "d"), "/dev/null");
}

TEST(OutputPlan, RefusesAnInputUnderAnyName) {
  const tests::TemporaryFolder folder;
  tests::write_text(folder / "in.yaml", "x");
  std::filesystem::create_symlink(folder / "in.yaml", folder / "link");
  std::filesystem::create_hard_link(folder / "in.yaml", folder / "hard");
  const OutputPlan plan("--trace", "x", false, false);
  EXPECT_THROW(plan.check(folder / "in.yaml", {folder / "in.yaml"}), InputError);
  EXPECT_THROW(plan.check(folder / "./in.yaml", {folder / "in.yaml"}), InputError);
  EXPECT_THROW(plan.check(folder / "link", {folder / "in.yaml"}), InputError);
  EXPECT_THROW(plan.check(folder / "hard", {folder / "in.yaml"}), InputError);
  EXPECT_NO_THROW(plan.check(folder / "out.json", {folder / "in.yaml"}));
}

TEST(OutputPlan, RefusesAFolderAndWhatLiesInNone) {
  const tests::TemporaryFolder folder;
  const OutputPlan plan("--trace", "x", false, false);
  EXPECT_THROW(plan.check(folder.path(), {}), InputError);
  EXPECT_THROW(plan.check(folder / "none/out.json", {}), InputError);
}

TEST(OutputPlan, RefusesTwoOutputsInOneFile) {
  EXPECT_THROW(check_distinct({"a/x", "a/../a/x"}), InputError);
  EXPECT_NO_THROW(check_distinct({"a/x", "a/y", "/dev/null", "/dev/null"}));
}

}  // namespace
}  // namespace tasktwin::verify
