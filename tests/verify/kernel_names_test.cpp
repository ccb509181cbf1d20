#include <filesystem>
#include <fstream>
#include <string>

#include <unistd.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "verify/capture/spool/kernel_names.hpp"
#include "verify/capture/spool/triton_signature.hpp"

namespace tasktwin::verify {
namespace {

using testing::ElementsAre;

/// A kernel of these parameters and statements, as Triton writes them.
std::string ttir(const std::string& name, const std::string& parameters, const std::string& body) {
  return "#loc = loc(\"k.py\":1:0)\nmodule {\n  tt.func public @" + name + "(" + parameters + ") attributes {noinline = false} {\n" + body +
         "    tt.return loc(#loc)\n  } loc(#loc)\n} loc(#loc)\n";
}

const std::string kPointers =
    "%x: !tt.ptr<f32> {tt.divisibility = 16 : i32} loc(\"x\"(#loc)), %o: !tt.ptr<bf16> loc(\"o, (odd)\"(#loc)), %n: i32 loc(\"n\"(#loc))";

std::vector<std::string> parameters(const std::string& text) { return read_triton_kernel(text).parameters.value(); }

TEST(TritonSignature, SaysWhatIsReadAndWritten) {
  const std::string body =
      "    %0 = tt.splat %x : !tt.ptr<f32> -> tensor<8x!tt.ptr<f32>> loc(#loc)\n"
      "    %1 = tt.addptr %0, %c : tensor<8x!tt.ptr<f32>>, tensor<8xi32> loc(#loc)\n"
      "    %2 = tt.load %1 : tensor<8x!tt.ptr<f32>> loc(#loc)\n"
      "    %3 = \"tt.reduce\"(%2) <{axis = 0 : i32}> ({\n"
      "    ^bb0(%a: f32 loc(#loc), %b: f32 loc(#loc)):\n"
      "      %4 = arith.addf %a, %b : f32 loc(#loc)\n"
      "      tt.reduce.return %4 : f32 loc(#loc)\n"
      "    }) : (tensor<8xf32>) -> f32 loc(#loc)\n"
      "    tt.store %o, %3 : !tt.ptr<bf16> loc(#loc)\n";
  const TritonKernel kernel = read_triton_kernel(ttir("sum", kPointers, body));
  EXPECT_EQ(kernel.name, "sum");
  EXPECT_THAT(kernel.parameters.value(), ElementsAre("f32 const*", "bf16*", "i32"));
}

TEST(TritonSignature, FollowsPointersThroughLoops) {
  const std::string loop =
      "    %r:2 = scf.for %i = %a to %b step %c iter_args(%p = %x, %s = %z) -> (!tt.ptr<f32>, f32)  : i32 {\n"
      "      %0 = tt.atomic_rmw fadd, acq_rel, gpu, %p, %s : (!tt.ptr<f32>, f32) -> f32 loc(#loc)\n"
      "      %q = tt.addptr %p, %c : !tt.ptr<f32>, i32 loc(#loc)\n"
      "      scf.yield %q, %0 : !tt.ptr<f32>, f32 loc(#loc)\n"
      "    } {tt.num_stages = 3 : i32} loc(#loc)\n";
  EXPECT_THAT(parameters(ttir("k", kPointers, loop)), ElementsAre("f32*", "bf16 const*", "i32"));
  EXPECT_THAT(parameters(ttir("k", kPointers, loop + "    tt.store %r#0, %z : !tt.ptr<f32> loc(#loc)\n")),
              ElementsAre("f32*", "bf16 const*", "i32"));
  const std::string swapped =
      "    %r:2 = scf.for %i = %a to %b step %c iter_args(%p = %x, %q = %o) -> (!tt.ptr<f32>, !tt.ptr<bf16>)  : i32 {\n"
      "      scf.yield %q, %p : !tt.ptr<f32>, !tt.ptr<bf16> loc(#loc)\n"
      "    } loc(#loc)\n";
  EXPECT_FALSE(read_triton_kernel(ttir("k", kPointers, swapped)).parameters);
}

TEST(TritonSignature, FollowsDescriptorsAndChoices) {
  EXPECT_THAT(parameters(ttir("k", kPointers,
                              "    %d = tt.make_tensor_descriptor %x, [%n], [%c] : <f32>, <tensor<8xf32>> loc(#loc)\n"
                              "    tt.descriptor_store %d[%c], %v : !tt.tensordesc<tensor<8xf32>>, tensor<8xf32> loc(#loc)\n"
                              "    %e = arith.select %c, %o, %o : !tt.ptr<bf16> loc(#loc)\n"
                              "    %f = tt.load %e : !tt.ptr<bf16> loc(#loc)\n")),
              ElementsAre("f32*", "bf16 const*", "i32"));
}

TEST(TritonSignature, SaysWhatCannotBeTold) {
  EXPECT_THAT(parameters(ttir("k", kPointers,
                              "    %0 = tt.load %x : !tt.ptr<f32> loc(#loc)\n"
                              "    %1 = tt.int_to_ptr %0 : i64 -> !tt.ptr<f32> loc(#loc)\n")),
              ElementsAre("f32**", "bf16**", "i32"));
  for (const char* line :
       {"    tt.call @helper(%x) : (!tt.ptr<f32>) -> () loc(#loc)\n", "    %0 = tt.ptr_to_int %x : !tt.ptr<f32> -> i64\n",
        "    %0 = scf.if %c -> (!tt.ptr<f32>) {\n", "nonsense %x\n", "%\n"})
    EXPECT_FALSE(read_triton_kernel(ttir("k", kPointers, line)).parameters) << line;
  EXPECT_FALSE(read_triton_kernel(ttir("k", "%d: !tt.tensordesc<tensor<8xf32>> loc(#loc)", "")).parameters);
  for (const char* text : {"", "module {\n", "  tt.func public @k", "  tt.func public @k(%x", "  tt.func public @k() {\n"}) {
    EXPECT_FALSE(read_triton_kernel(text).parameters) << text;
  }
}

TEST(KernelNames, AreThoseOfAllKernelsOfAName) {
  const std::filesystem::path cache = std::filesystem::temp_directory_path() / ("tasktwin-names-" + std::to_string(::getpid()));
  const auto write = [&](const std::string& folder, const std::string& file, const std::string& text) {
    std::filesystem::create_directories(cache / folder);
    std::ofstream(cache / folder / (file + ".ttir")) << text;
  };
  const std::string one = "%x: !tt.ptr<f32> loc(#loc)";
  const std::string store = "    tt.store %x, %c : !tt.ptr<f32> loc(#loc)\n";
  const std::string longest(150, 'k');
  write("a", "reads", ttir("reads", one, ""));
  write("b", "both", ttir("both", one, ""));
  write("c", "both", ttir("both", one + ", %n: i32 loc(#loc)", store));
  write("d", "unlike", ttir("unlike", one, ""));
  write("e", "unlike", ttir("unlike", "%n: i32 loc(#loc)", ""));
  write("f", "unclear", ttir("unclear", one, ""));
  write("g", "unclear", ttir("unclear", one, "    tt.call @f(%x) : (!tt.ptr<f32>) -> () loc(#loc)\n"));
  write("h", longest.substr(0, 120), ttir(longest, one, store));
  EXPECT_THAT(kernel_names({"reads", "_Z4axpyPKfPf", "both", "unlike", "unclear", "other", longest}, {cache, cache / "none"}),
              ElementsAre("reads(f32 const*)", "axpy(float const*, float*)", "both(f32*, i32)", "unlike(?)", "unclear", "other",
                          longest + "(f32*)"));
  std::filesystem::remove_all(cache);
}

}  // namespace
}  // namespace tasktwin::verify
