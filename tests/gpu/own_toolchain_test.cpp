// Compiling and linking a scenario's own kernels, which needs CUDA's compiler and linker but no GPU.
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include <unistd.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "gpu/own/code_cache.hpp"
#include "gpu/own/lto_units.hpp"
#include "gpu/own/toolchain.hpp"
#include "models/base/error.hpp"

namespace tasktwin::gpu {
namespace {

using testing::HasSubstr;

class OwnToolchain : public testing::Test {
 protected:
  void SetUp() override {
    try {
      tools_ = &Toolchain::get();
    } catch (const RunError& missing) {
      GTEST_SKIP() << missing.what();
    }
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  /// One kernel of that source, with an int.
  OwnKernels kernel_of(const std::string& source, const std::string& entry = "body") const {
    std::ofstream(folder_ / "body.cu") << source;
    OwnKernels own;
    OwnKernel& kernel = own.kernels.emplace_back();
    kernel.name = kernel.entry = entry;
    kernel.source = (folder_ / "body.cu").string();
    kernel.parameters = {{"n", ArgumentType::kInteger}};
    kernel.stated_in = "mine.yaml";
    kernel.stated_line = 3;
    return own;
  }

  std::string refusal(const OwnKernels& own) const {
    try {
      tools_->compile(body_sources(own).front(), lto_capability());
    } catch (const InputError& wrong) {
      return wrong.what();
    }
    return "";
  }

  Code link(const OwnKernels& own, std::string_view unit) const {
    const Code body = tools_->compile(body_sources(own).front(), lto_capability());
    const Code choice = tools_->compile(dispatch_source(own, std::nullopt), lto_capability());
    return tools_->link({lto_unit(unit).code, body, choice}, lto_capability(), 255);
  }

  const Toolchain* tools_ = nullptr;
  /// Of this process alone: ctest runs the tests of this file side by side.
  const std::filesystem::path folder_ = std::filesystem::path(testing::TempDir()) / ("own-toolchain-" + std::to_string(getpid()));
};

TEST_F(OwnToolchain, LinksBodiesIntoWorkersAndLaunchedKernels) {
  const OwnKernels own = kernel_of("__device__ void body(const tasktwin::Block& block, int n) { if (n == 7) block.sync(); }\n");
  for (const char* unit : {"static_queues_kernel", "stream_kernels"}) EXPECT_GT(link(own, unit).size(), 1000u) << unit;
}

TEST_F(OwnToolchain, SaysWhereASourceDoesNotCompile) {
  EXPECT_THAT(refusal(kernel_of("__device__ void body(const tasktwin::Block& block, int n) {\n  int x = nothing;\n}\n")),
              HasSubstr("body.cu(2): error: identifier \"nothing\" is undefined"));
}

TEST_F(OwnToolchain, SaysWhereArgumentsDoNotFit) {
  EXPECT_THAT(refusal(kernel_of("__device__ void body(const tasktwin::Block& block) {}\n")),
              HasSubstr("mine.yaml(3): error: too many arguments"));
  EXPECT_THAT(refusal(kernel_of("__device__ void body(const tasktwin::Block& block, const float* a) {}\n")),
              HasSubstr("mine.yaml(3): error"));
  EXPECT_THAT(refusal(kernel_of("// body is not here\n")), HasSubstr("mine.yaml(3): error: identifier \"body\" is undefined"));
}

TEST_F(OwnToolchain, SaysWhatALinkLacks) {
  const OwnKernels own = kernel_of("__device__ void elsewhere();\n__device__ void body(const tasktwin::Block&, int) { elsewhere(); }\n");
  try {
    link(own, "static_queues_kernel");
    FAIL() << "it linked";
  } catch (const InputError& wrong) {
    EXPECT_THAT(wrong.what(), HasSubstr("elsewhere"));
  }
}

TEST_F(OwnToolchain, KeepsCodeForTheNextProcess) {
  const char* const before = std::getenv("XDG_CACHE_HOME");
  const std::string kept_before = before != nullptr ? before : "";
  setenv("XDG_CACHE_HOME", folder_.c_str(), 1);
  CodeKey key;
  key.add("a source");
  int made = 0;
  const auto make = [&made] {
    ++made;
    return Code{'c', 'o', 'd', 'e'};
  };
  EXPECT_EQ(kept_code(key, ".ltoir", make), kept_code(key, ".ltoir", make));
  EXPECT_EQ(made, 1);
  CodeKey other;
  other.add("a ").add("source");
  EXPECT_NE(other.text(), key.text());
  before != nullptr ? setenv("XDG_CACHE_HOME", kept_before.c_str(), 1) : unsetenv("XDG_CACHE_HOME");
}

}  // namespace
}  // namespace tasktwin::gpu
