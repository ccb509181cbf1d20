#include "gpu/problems/check_problem.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "models/base/error.hpp"
#include "tests/gpu/problem_graphs.hpp"

namespace tasktwin::gpu {
namespace {

using testing::HasSubstr;

constexpr DecodeProblem kModel{
    .layers = 2, .hidden = 64, .heads = 8, .kv_heads = 2, .mlp = 96, .vocabulary = 40, .kv_length = 11, .slices = 3};

std::string refusal(const TaskGraph& graph) {
  try {
    check_problem(graph);
  } catch (const InputError& error) {
    return error.what();
  }
  return "accepted";
}

std::string refusal(Kernel kernel, std::array<std::int32_t, 4> args, const Problem& problem) {
  return refusal(one_task({.args = args, .kernel = kernel}, problem));
}

std::string refusal(const Problem& problem) { return refusal(one_task({.kernel = Kernel::kEmpty}, problem)); }

std::string refusal_with(int DecodeProblem::*field, int value) {
  DecodeProblem model = kModel;
  model.*field = value;
  return refusal(model);
}

TEST(CheckProblem, AcceptsWhatTheGeneratorsMake) {
  EXPECT_EQ(refusal(scenarios::make_cholesky({5, 48})), "accepted");
  EXPECT_EQ(refusal(scenarios::make_llama_decode({})), "accepted");
  for (const DecodeProblem& model : kDecodeCases) EXPECT_EQ(refusal(uneven_decode(model)), "accepted");
  EXPECT_EQ(refusal(one_task({.kernel = Kernel::kStream})), "accepted");
  EXPECT_EQ(refusal(decode_in_grids()), "accepted");
}

TEST(CheckProblem, RefusesAGridWhoseLastBlockIsBesideTheMatrix) {
  TaskGraphBuilder builder;
  builder.set_problem(kModel);
  builder.add_task("a", {.args = {0, 0, 8, 0}, .kernel = Kernel::kGateUp, .traits = builder.add_traits({.blocks = 13})});
  EXPECT_EQ(refusal(std::move(builder).build()), "task 'a' of kernel 'gate_up': argument 2 (first row) is 96; it must be 0 to 95");
}

TEST(CheckProblem, RefusesTilesThatTheKernelsDoNotHave) {
  EXPECT_EQ(refusal(CholeskyProblem{2, 20}),
            "Cholesky factorisation: tile_size is 20; it must be a multiple of 16, 16 to 128 to run on the GPU");
  EXPECT_THAT(refusal(CholeskyProblem{2, 144}), HasSubstr("tile_size is 144"));
  EXPECT_THAT(refusal(CholeskyProblem{2, 0}), HasSubstr("tile_size is 0"));
  EXPECT_THAT(refusal(CholeskyProblem{0, 16}), HasSubstr("tiles is 0; it must be 1 or more"));
}

TEST(CheckProblem, RefusesDecodersThatTheKernelsCannotRun) {
  EXPECT_EQ(refusal_with(&DecodeProblem::kv_heads, 3), "decode step: kv_heads is 3; it must be a divisor of heads, 8 to run on the GPU");
  EXPECT_THAT(refusal_with(&DecodeProblem::hidden, 65), HasSubstr("hidden is 65; it must be a multiple of heads, 8"));
  EXPECT_THAT(refusal_with(&DecodeProblem::hidden, 8 * 4), HasSubstr("hidden / heads is 4; it must be a multiple of 8, 8 to 256"));
  EXPECT_THAT(refusal_with(&DecodeProblem::hidden, 8 * 264), HasSubstr("hidden / heads is 264"));
  EXPECT_THAT(refusal_with(&DecodeProblem::hidden, 65536), HasSubstr("hidden is 65536; it must be at most 32768"));
  EXPECT_THAT(refusal_with(&DecodeProblem::mlp, 100), HasSubstr("mlp is 100; it must be a multiple of 8"));
  EXPECT_THAT(refusal_with(&DecodeProblem::mlp, 40'000), HasSubstr("mlp is 40000"));
  EXPECT_THAT(refusal_with(&DecodeProblem::slices, 12), HasSubstr("slices is 12; it must be 1 to kv_length, 11"));
  EXPECT_THAT(refusal_with(&DecodeProblem::layers, 0), HasSubstr("layers is 0"));
  EXPECT_THAT(refusal_with(&DecodeProblem::heads, 0), HasSubstr("heads is 0"));
  EXPECT_THAT(refusal_with(&DecodeProblem::kv_heads, 0), HasSubstr("kv_heads is 0"));
  EXPECT_THAT(refusal_with(&DecodeProblem::kv_length, -1), HasSubstr("kv_length is -1"));
  EXPECT_THAT(refusal_with(&DecodeProblem::vocabulary, 0), HasSubstr("vocabulary is 0"));
}

TEST(CheckProblem, RefusesTasksOfAnotherProblem) {
  EXPECT_EQ(refusal(Kernel::kPotrf, {0, 0, 0, 16}, {}), "task 'a' of kernel 'potrf' needs a graph generated as a Cholesky factorisation");
  EXPECT_EQ(refusal(Kernel::kQkv, {0, 0, 8, 0}, CholeskyProblem{2, 16}),
            "task 'a' of kernel 'qkv' needs a graph generated as a decode step");
}

TEST(CheckProblem, RefusesTilesOutsideTheMatrix) {
  const CholeskyProblem matrix{4, 16};
  EXPECT_EQ(refusal(Kernel::kGemm, {4, 2, 1, 16}, matrix), "task 'a' of kernel 'gemm': argument 1 (tile row) is 4; it must be 2 to 3");
  EXPECT_THAT(refusal(Kernel::kGemm, {3, 3, 1, 16}, matrix), HasSubstr("argument 2 (tile column) is 3; it must be 2"));
  EXPECT_THAT(refusal(Kernel::kGemm, {3, 2, -1, 16}, matrix), HasSubstr("argument 3 (step) is -1; it must be 0 to 3"));
  EXPECT_THAT(refusal(Kernel::kGemm, {3, 2, 1, 32}, matrix), HasSubstr("argument 4 (tile size) is 32; it must be 16"));
  EXPECT_THAT(refusal(Kernel::kSyrk, {3, 2, 1, 16}, matrix), HasSubstr("argument 2 (tile column) is 2; it must be 3"));
  EXPECT_THAT(refusal(Kernel::kTrsm, {1, 1, 1, 16}, matrix), HasSubstr("argument 1 (tile row) is 1; it must be 2 to 3"));
  EXPECT_THAT(refusal(Kernel::kPotrf, {2, 1, 1, 16}, matrix), HasSubstr("argument 1 (tile row) is 2; it must be 1"));
}

TEST(CheckProblem, RefusesArgumentsOutsideTheModel) {
  EXPECT_THAT(refusal(Kernel::kQkv, {2, 0, 8, 0}, kModel), HasSubstr("argument 1 (layer) is 2; it must be 0 to 1"));
  EXPECT_THAT(refusal(Kernel::kQkv, {0, 90, 8, 0}, kModel), HasSubstr("argument 3 (rows) is 8; it must be 1 to 6"));
  EXPECT_THAT(refusal(Kernel::kProject, {0, 64, 8, 0}, kModel), HasSubstr("argument 2 (first row) is 64; it must be 0 to 63"));
  EXPECT_THAT(refusal(Kernel::kGateUp, {0, 0, 97, 0}, kModel), HasSubstr("argument 3 (rows) is 97; it must be 1 to 96"));
  EXPECT_THAT(refusal(Kernel::kDown, {0, 0, 0, 0}, kModel), HasSubstr("argument 3 (rows) is 0; it must be 1 to 64"));
  EXPECT_THAT(refusal(Kernel::kHead, {0, 39, 2, 0}, kModel), HasSubstr("argument 3 (rows) is 2; it must be 1"));
  EXPECT_THAT(refusal(Kernel::kRmsNorm, {2, 1, 0, 0}, kModel), HasSubstr("argument 2 (which norm) is 1; it must be 0"));
  EXPECT_THAT(refusal(Kernel::kRmsNorm, {3, 0, 0, 0}, kModel), HasSubstr("argument 1 (layer) is 3; it must be 0 to 2"));
  EXPECT_THAT(refusal(Kernel::kAttention, {0, 2, 0, 4}, kModel), HasSubstr("argument 2 (KV head) is 2; it must be 0 to 1"));
  EXPECT_THAT(refusal(Kernel::kAttention, {0, 0, 3, 4}, kModel), HasSubstr("argument 3 (first position) is 3; it must be 0"));
  EXPECT_THAT(refusal(Kernel::kAttention, {0, 0, 8, 4}, kModel), HasSubstr("argument 4 (positions) is 4; it must be 3"));
  EXPECT_THAT(refusal(Kernel::kAttentionMerge, {0, 0, 2, 0}, kModel), HasSubstr("argument 3 (slices) is 2; it must be 3"));
}

}  // namespace
}  // namespace tasktwin::gpu
