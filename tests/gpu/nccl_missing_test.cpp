// NCCL where its library cannot be had. It is looked for once in a process, so each case has one of its own.
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>

#include "gpu/executor.hpp"
#include "gpu/peers/devices/communicators.hpp"
#include "models/base/error.hpp"

namespace tasktwin::gpu {
namespace {

TaskGraph collective() {
  TaskGraphBuilder builder;
  for (int device = 0; device < 2; ++device)
    builder.add_task("sum@" + std::to_string(device),
                     {.cost = {.bytes = {64}}, .args = {0, 1, 0, 0}, .operation = Operation::kAllReduce, .device = device});
  return std::move(builder).build();
}

/// Tells the standard error of it, and ends.
[[noreturn]] void tell(const char* file) {
  setenv("TASKTWIN_NCCL", file, 1);
  const auto why = why_no_collectives(collective());
  std::fputs(why ? why->c_str() : "it is there", stderr);
  std::exit(why == why_no_nccl() && !why_no_collectives(TaskGraph{}) ? 0 : 1);
}

#if __has_include(<nccl.h>)
TEST(MissingNccl, IsSaidWithThePackagesThatHaveIt) {
  EXPECT_EXIT(tell("/nowhere/libnccl.so.2"), testing::ExitedWithCode(0), "/nowhere/libnccl.so.2 cannot be loaded .*libnccl2 .apt.");
}

TEST(MissingNccl, ALibraryThatIsNotItIsSaidToLackItsFunctions) {
  EXPECT_EXIT(tell("libm.so.6"), testing::ExitedWithCode(0), "NCCL's library lacks the function ncclGetVersion");
}

TEST(MissingNccl, MulticastStaysOffWhateverWasSet) {
  EXPECT_EXIT(
      {
        setenv("NCCL_NVLS_ENABLE", "1", 1);
        static_cast<void>(why_no_nccl());
        std::fputs(std::getenv("NCCL_NVLS_ENABLE"), stderr);
        std::exit(0);
      },
      testing::ExitedWithCode(0), "^0$");
}
#else
TEST(MissingNccl, ABuildWithoutItsHeaderSaysSo) { EXPECT_NE(why_no_nccl()->find("libnccl-dev"), std::string::npos); }
#endif

}  // namespace
}  // namespace tasktwin::gpu
