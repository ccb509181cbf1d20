// What is handed to the compiler of a scenario's own kernels, which needs no CUDA.
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "gpu/executor.hpp"
#include "gpu/own/own_sources.hpp"
#include "gpu/own/source_check.hpp"
#include "models/base/error.hpp"
#include "models/runtimes/runtimes.hpp"
#include "scenarios/load/scenario.hpp"

namespace tasktwin::gpu {
namespace {

using testing::HasSubstr;
using testing::Optional;

class OwnSources : public testing::Test {
 protected:
  OwnSources() {
    std::filesystem::create_directories(folder_);
    std::ofstream(folder_ / "two.cu") << "#include \"part.hpp\"\n__device__ void one() {}\n__device__ void two() {}\n";
    std::ofstream(folder_ / "part.hpp") << "// a part\n";
    for (const char* entry : {"one", "two"}) {
      OwnKernel& kernel = own_.kernels.emplace_back();
      kernel.name = kernel.entry = entry;
      kernel.source = (folder_ / "two.cu").string();
      kernel.stated_in = "mine.yaml";
      kernel.stated_line = 7;
    }
    own_.kernels[1].threads = 64;
    own_.kernels[1].parameters = {{"a", ArgumentType::kBuffer}, {"n", ArgumentType::kInteger}, {"f", ArgumentType::kFloat}};
    own_.buffers.push_back({.name = "a", .count = 10});
  }
  ~OwnSources() override { std::filesystem::remove_all(folder_); }

  const std::filesystem::path folder_ = std::filesystem::path(testing::TempDir()) / "own-sources";
  OwnKernels own_;
};

TEST_F(OwnSources, AreReadOnceAndCalledWithTheirTasksArguments) {
  const auto sources = body_sources(own_);
  ASSERT_EQ(sources.size(), 1u);
  EXPECT_THAT(sources[0].text, HasSubstr("if (threadIdx.x >= 64u) return;"));
  EXPECT_THAT(sources[0].text, HasSubstr("#line 7 \"mine.yaml\"\n  two(block, tasktwin_pointer{tasktwin_buffers[words[1]]}, "
                                         "static_cast<int>(words[2]), __uint_as_float(words[3]));"));
  EXPECT_THAT(sources[0].text, HasSubstr("one(block);"));
  EXPECT_THAT(sources[0].includes, HasSubstr("// a part")) << "what is kept holds only while it is the same";
}

TEST_F(OwnSources, KnowTheirBlockWhereAGridIsSplit) {
  EXPECT_THAT(body_sources(own_)[0].text, HasSubstr("block{index, words[0], threadIdx.x, 64u, shared}"));
  own_.kernels[1].split = true;
  EXPECT_THAT(body_sources(own_)[0].text,
              HasSubstr("block{words[13] != 0 ? words[12] : index, words[13] != 0 ? words[13] : words[0], threadIdx.x, 64u, shared}"));
}

TEST_F(OwnSources, StayApartFromTheKernelsThatCallThemWhereASanitizerIsToNameTheirLines) {
  EXPECT_THAT(body_sources(own_)[0].text, testing::Not(HasSubstr("__noinline__")));
  ::setenv(kBodiesApart, "1", 1);
  const auto apart = body_sources(own_);
  ::unsetenv(kBodiesApart);
  EXPECT_THAT(apart[0].text, HasSubstr("__noinline__ void tasktwin_body_0("));
  EXPECT_THAT(apart[0].text, HasSubstr("__noinline__ void tasktwin_body_1("));
}

TEST(CompilerErrors, HaveFileAndLine) {
  const auto errors = errors_in(
      "a (1)/b.cu(12): error: identifier \"x\" is undefined\n    x();\n    ^\n\nb.cu(3): warning #177-D: never used\n"
      "mine.yaml(7): error #140: too many arguments in function call\nc.cu(1): catastrophic error: cannot open source file\n"
      "3 errors detected in the compilation of \"b.cu\".\n");
  ASSERT_EQ(errors.size(), 3u);
  EXPECT_EQ(errors[0].file, "a (1)/b.cu");
  EXPECT_EQ(errors[0].line, 12);
  EXPECT_EQ(errors[0].text, "identifier \"x\" is undefined");
  EXPECT_EQ(errors[1].file, "mine.yaml");
  EXPECT_EQ(errors[1].text, "too many arguments in function call");
  EXPECT_EQ(errors[2].text, "cannot open source file");
}

TEST(CompilerErrors, OfAnUnknownFormAreToldWhole) {
  const auto errors = errors_in("nvcc fatal: no host compiler\n");
  ASSERT_EQ(errors.size(), 1u);
  EXPECT_EQ(errors[0].file, "");
  EXPECT_EQ(errors[0].text, "nvcc fatal: no host compiler\n");
}

TEST_F(OwnSources, AreChosenByTheNumberOfTheKernel) {
  const std::string all = dispatch_source(own_, std::nullopt).text;
  EXPECT_THAT(all, HasSubstr("case " + std::to_string(kKernelCount) + ":\n      return tasktwin_body_0(words, index, shared);"));
  EXPECT_THAT(all, HasSubstr("tasktwin_body_1"));
  EXPECT_THAT(dispatch_source(own_, 1).text, testing::Not(HasSubstr("tasktwin_body_0")));
}

TEST_F(OwnSources, ThatAreGoneAreNamed) {
  own_.kernels[0].source = (folder_ / "gone.cu").string();
  EXPECT_THROW(body_sources(own_), InputError);
}

/// Under a design of that name.
std::optional<std::string> refusal(const OwnKernels& own, const std::string& design, int blocks = 1) {
  TaskGraphBuilder builder;
  builder.set_problem(own);
  Task task{.kernel = own_kernel(1)};
  task.traits = builder.add_traits({.blocks = blocks, .threads = own.kernels[1].threads});
  builder.add_task("t", task);
  return why_unsupported(std::move(builder).build(), scenarios::load_machine("nvidia-h200"), named_design(design));
}

TEST_F(OwnSources, RunInWorkersWhereTheyFit) {
  for (const char* design : {"cuda-streams", "cuda-graph", "static-queues", "shared-queue", "work-stealing", "central-dispatcher", "hybrid",
                             "layer-barrier", "host-dispatcher"}) {
    EXPECT_EQ(refusal(own_, design), std::nullopt) << design;
  }
  EXPECT_THAT(refusal(own_, "device-graph-launch"),
              Optional(HasSubstr("task 't' runs kernel 'two' of the scenario's own, which this executor")));
  EXPECT_EQ(refusal(own_, "cuda-graph", 5), std::nullopt);
  EXPECT_THAT(refusal(own_, "shared-queue", 5), Optional(HasSubstr("those of kernel 'two' would do the same work")));
  own_.kernels[1].threads = 512;
  EXPECT_EQ(refusal(own_, "cuda-streams"), std::nullopt);
  EXPECT_THAT(refusal(own_, "shared-queue"), Optional(HasSubstr("of 512 threads; workers run bodies of 256 or fewer")));
  own_.kernels[1].threads = 256;
  own_.kernels[1].shared_memory = 230'000;
  EXPECT_THAT(refusal(own_, "static-queues"), Optional(HasSubstr("with 230000 bytes of shared memory; workers leave bodies 221184")));
}

}  // namespace
}  // namespace tasktwin::gpu
