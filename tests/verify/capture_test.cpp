#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "models/base/error.hpp"
#include "models/dependences/kernel_signature.hpp"
#include "scenarios/files/byte_source.hpp"
#include "scenarios/importers/importers.hpp"
#include "tests/verify/support/captured_program.hpp"
#include "tests/verify/support/cases.hpp"
#include "verify/capture/captured_files.hpp"
#include "verify/capture/captured_run.hpp"

namespace tasktwin::verify {
namespace {

using spool::Op;
using Program = tests::CapturedProgram;
using testing::ElementsAre;
using testing::HasSubstr;
using Json = nlohmann::json;

constexpr std::uint64_t kBuffer = 0x7f0000000000;

std::string slurp(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

class Capture : public testing::Test {
 protected:
  Json written(CaptureFacts facts = {}) {
    facts.command = {"program"};
    captures_ = write_captures(folder_ / "", {}, folder_ / "out.json.gz", facts);
    return Json::parse(scenarios::read_unpacked(captures_.front().path));
  }
  static Json events(const Json& file, const std::string& category) {
    Json chosen = Json::array();
    for (const Json& event : file.at("traceEvents")) {
      if (event.value("cat", "") == category) chosen.push_back(event);
    }
    return chosen;
  }

  tests::TemporaryFolder folder_;
  std::vector<WrittenCapture> captures_;
};

TEST_F(Capture, IsKnownByItsFirstKeyAndHasKinetosShape) {
  Program program(folder_ / "");
  program.function(0, "_Z4axpyPKfPf");
  program.run(program.launch(7, 1'000), 7, 3'000, 4'500);
  const Json file = written();
  EXPECT_TRUE(scenarios::read_unpacked(folder_ / "out.json.gz").starts_with("{\"tasktwin_capture\":{"));
  const Json call = events(file, "cuda_runtime").at(0);
  EXPECT_EQ(call.at("name"), "cudaLaunchKernel");
  EXPECT_EQ(call.at("args").at("call_stream"), 7);
  EXPECT_FALSE(call.at("args").contains("stream"));
  EXPECT_EQ(call.at("tid"), 11);
  const Json kernel = events(file, "kernel").at(0);
  EXPECT_EQ(kernel.at("name"), "axpy(float const*, float*)");
  EXPECT_EQ(kernel.at("args").at("correlation"), call.at("args").at("correlation"));
  EXPECT_DOUBLE_EQ(kernel.at("ts").get<double>() - call.at("ts").get<double>(), 2.0);
  EXPECT_DOUBLE_EQ(kernel.at("dur").get<double>(), 1.5);
  for (const auto& [what, count] : file.at("tasktwin_capture").at("lost").items()) EXPECT_EQ(count, 0) << what;
}

TEST_F(Capture, AWaitHasTheLastRecordBeforeIt) {
  Program program(folder_ / "");
  program.call(Op::kEventCreate, 0, 0, {.object = 0xe1});
  const std::uint32_t first = program.call(Op::kEventRecord, 7, 1'000, {.object = 0xe1});
  program.call(Op::kStreamWaitEvent, 8, 2'000, {.object = 0xe1});
  const std::uint32_t second = program.call(Op::kEventRecord, 7, 3'000, {.object = 0xe1});
  program.call(Op::kStreamWaitEvent, 8, 4'000, {.object = 0xe1});
  program.call(Op::kEventDestroy, 0, 5'000, {.object = 0xe1});
  program.call(Op::kEventCreate, 0, 6'000, {.object = 0xe1});  // the handle again, another event
  program.call(Op::kStreamWaitEvent, 8, 7'000, {.object = 0xe1});
  const Json file = written();
  std::vector<std::int64_t> records;
  std::vector<int> of;
  for (const Json& call : events(file, "cuda_runtime")) {
    if (call.at("args").at("op") != "stream_wait_event") continue;
    records.push_back(call.at("args").at("record"));
    of.push_back(call.at("args").at("event"));
  }
  EXPECT_THAT(records, ElementsAre(first, second, -1));
  EXPECT_THAT(of, ElementsAre(1, 1, 2));
  EXPECT_EQ(file.at("tasktwin_capture").at("lost").at("waits_without_record"), 1);
}

TEST_F(Capture, CallsOfACaptureIntoAGraphQueueNothing) {
  Program program(folder_ / "");
  const std::uint32_t before = program.call(Op::kEventRecord, 7, 0, {.object = 0xe1});
  program.call(Op::kCaptureBegin, 7, 1'000);
  program.launch(7, 2'000, {}, 501);
  program.call(Op::kEventRecord, 7, 3'000, {.object = 0xe2});
  program.call(Op::kStreamWaitEvent, 8, 4'000, {.object = 0xe2});
  program.launch(8, 5'000, {}, 502);
  program.call(Op::kCaptureEnd, 7, 6'000);
  program.call(Op::kStreamWaitEvent, 8, 7'000, {.object = 0xe1});
  const Json file = written();
  std::vector<bool> capturing;
  for (const Json& call : events(file, "cuda_runtime")) capturing.push_back(call.at("args").contains("capturing"));
  EXPECT_THAT(capturing, ElementsAre(false, false, true, true, true, true, false, false));
  EXPECT_EQ(events(file, "cuda_runtime").back().at("args").at("record"), before);
  EXPECT_EQ(file.at("tasktwin_capture").at("lost").at("launches_without_times"), 0);
}

/// Ids of nodes as CUPTI gives them.
constexpr std::uint64_t node_id(std::uint64_t graph, std::uint64_t number) { return graph << 32 | number; }

/// What CUPTI tells of a graph 1, kernel → child graph → memset, that is instantiated as graph 5. The child graph, a kernel before another,
/// is made as graph 2, held in graph 1 as its copy 3 and in graph 5 as 6; in 5 the driver takes its nodes in as numbers 3 and 4.
class GraphStory {
 public:
  explicit GraphStory(spool::ThreadLog& log) : log_(log) {
    made(2, 0, kKernel);
    made(2, 1, kKernel);
    edge(2, 0, 1);
    made(1, 0, kKernel);
    copied_child(3, 2);
    made(1, 1, kChild);
    edge(1, 0, 1);
    made(1, 2, kMemset);
    edge(1, 1, 2);
    copied(5, 0, 1, 0, kKernel);
    copied_child(6, 3);
    copied(5, 1, 1, 1, kChild);
    copied(5, 2, 1, 2, kMemset);
    edge(5, 0, 1);
    edge(5, 1, 2);
    // The driver's own rewriting.
    edge(5, 0, 3);
    edge(5, 4, 2);
    edge(5, 0, 1, true);
    edge(5, 1, 2, true);
    made(5, 5, kKernel);
    edge(5, 4, 5);
    edge(5, 4, 2, true);
    log_.write(spool::GraphExecRecord{{}, ++time_, 5, 1});
  }

 private:
  static constexpr std::uint32_t kKernel = 0, kMemset = 2, kChild = 4;

  void made(std::uint32_t graph, std::uint64_t number, std::uint32_t type) {
    log_.write(spool::GraphNodeRecord{{}, ++time_, node_id(graph, number), graph, type});
  }
  void copied(std::uint32_t graph, std::uint64_t number, std::uint32_t of, std::uint64_t original, std::uint32_t type) {
    made(graph, number, type);
    log_.write(spool::NodeCloneRecord{{}, ++time_, node_id(graph, number), node_id(of, original), graph, of, type, 0});
  }
  void copied_child(std::uint32_t graph, std::uint32_t of) {
    copied(graph, 0, of, 0, kKernel);
    copied(graph, 1, of, 1, kKernel);
    edge(graph, 0, 1);
  }
  void edge(std::uint32_t graph, std::uint64_t from, std::uint64_t to, bool removed = false) {
    log_.write(spool::EdgeRecord{{}, ++time_, node_id(graph, from), node_id(graph, to), graph, removed ? 1U : 0U});
  }

  spool::ThreadLog& log_;
  std::uint64_t time_ = 100;
};

TEST_F(Capture, ExecutableGraphsHaveTheNodesThatRunAndTheEdgesThatWereMade) {
  Program program(folder_ / "");
  program.call(Op::kMalloc, 0, 0, {.address = kBuffer, .bytes = 4096});
  program.launch(7, 50, {kBuffer}, node_id(2, 1));
  const GraphStory story(program.log());
  const std::uint32_t launch = program.call(Op::kGraphLaunch, 7, 1'000, {.object = 5});
  for (const std::uint64_t number : {0U, 3U, 4U}) program.run(launch, 7, 2'000 + number, 2'001 + number, node_id(5, number));
  const Json file = written();
  const Json& graph = file.at("tasktwin_capture").at("graphs").at(0);
  EXPECT_EQ(graph.at("exec"), 5);
  std::map<std::uint64_t, Json> nodes;
  for (const Json& node : graph.at("nodes")) nodes[node.at("node").get<std::uint64_t>() & 0xffff] = node;
  EXPECT_EQ(nodes.size(), 4U);
  EXPECT_EQ(nodes.at(2).at("type"), "memset");
  EXPECT_EQ(nodes.at(4).at("definition"), node_id(2, 1));
  EXPECT_EQ(nodes.at(4).at("pointers"), Json::parse("[[0,0," + std::to_string(kBuffer) + "]]"));
  std::set<std::pair<std::uint64_t, std::uint64_t>> edges;
  for (const Json& edge : graph.at("edges"))
    edges.emplace(edge.at(0).get<std::uint64_t>() & 0xffff, edge.at(1).get<std::uint64_t>() & 0xffff);
  EXPECT_THAT(edges, ElementsAre(std::pair(0U, 3U), std::pair(3U, 4U), std::pair(4U, 2U)));
  EXPECT_EQ(file.at("tasktwin_capture").at("lost").at("nodes_without_definition"), 0);
}

TEST_F(Capture, PointersAreThoseIntoMemoryThatWasAllocatedEvenIfItIsFree) {
  Program program(folder_ / "");
  program.call(Op::kMalloc, 0, 0, {.address = kBuffer, .bytes = 4096});
  program.launch(7, 1'000, {kBuffer + 512, kBuffer + 4096, 12});
  program.call(Op::kFree, 0, 2'000, {.address = kBuffer});
  program.launch(7, 3'000, {kBuffer});
  const Json file = written();
  const Json calls = events(file, "cuda_runtime");
  EXPECT_EQ(calls.at(1).at("args").at("pointers"), Json::parse("[[0,0," + std::to_string(kBuffer + 512) + "]]"));
  EXPECT_EQ(calls.at(3).at("args").at("pointers"), Json::parse("[[0,0," + std::to_string(kBuffer) + "]]"));
}

TEST_F(Capture, NamesBothSidesOfARace) {
  Program program(folder_ / "");
  program.function(0, "_Z4axpyPKfPf");
  program.call(Op::kMalloc, 0, 0, {.address = kBuffer, .bytes = 4096});
  for (const std::uint32_t stream : {8U, 9U})
    program.log().write(spool::StreamRecord{{}, stream, 1, 0, 0, spool::StreamKind::kNonBlocking, 0});
  for (std::uint64_t round = 0; round < 2; ++round) {
    const std::uint64_t begin = 10'000 * (round + 1);
    program.launch(8, begin, {kBuffer + 512, kBuffer});
    program.launch(9, begin + 1'000, {kBuffer, kBuffer + 1024});
    program.call(Op::kDeviceSync, 0, begin + 2'000);
  }
  const Json file = written();
  const Json& races = file.at("tasktwin_capture").at("races");
  ASSERT_EQ(races.size(), 1U);
  EXPECT_EQ(races.at(0).at("kind"), "use_without_wait");
  EXPECT_EQ(races.at(0).at("times"), 2);
  EXPECT_EQ(races.at(0).at("first").at("call_stream"), 8);
  EXPECT_THAT(captures_to_text(captures_, {}),
              HasSubstr("race, 2 times: axpy(float const*, float*) on stream 8 (call 2) and axpy(float "
                        "const*, float*) on stream 9 (call 3) use 0x7f0000000000, and nothing orders them"));
}

TEST(KernelSignature, TellsWhatPointersAreTo) {
  using enum ParameterUse;
  EXPECT_THAT(parameter_uses("axpy(float const*, float*, float)"), ElementsAre(kReadOnly, kReadWrite, kNone));
  EXPECT_THAT(parameter_uses("void f<int, (E)1>(std::array<char*, 2ul>, float const*, void (*)(int))"),
              ElementsAre(kNone, kReadOnly, kNone));
  EXPECT_THAT(parameter_uses("laswp(int, float* const*, float**, float const* const*)"),
              ElementsAre(kNone, kAnything, kAnything, kAnything));
  EXPECT_THAT(parameter_uses("add(float* __restrict__, float const* __restrict__)"), ElementsAre(kReadWrite, kReadOnly));
  EXPECT_THAT(parameter_uses("nvjet_sm90_hsh_128x64"), testing::IsEmpty());
}

/// What a kernel of that name does with pointers at these places; those that are no operands are left out.
std::vector<ParameterUse> operand_uses(const char* name, const std::vector<ParameterWord>& pointers) {
  std::vector<ParameterUse> uses;
  for (const PointerUse& one : pointer_uses(structure_use(name).value(), pointers)) {
    if (one.operand) {
      uses.push_back(one.use);
    } else {
      EXPECT_EQ(one.use, ParameterUse::kReadWrite) << name;
    }
  }
  return uses;
}
std::vector<ParameterWord> at(const std::vector<std::uint32_t>& offsets) {
  std::vector<ParameterWord> words;
  for (const std::uint32_t offset : offsets) words.push_back({0, offset});
  return words;
}

TEST(KernelSignature, KnowsTheStructuresOfPyTorchsKernels) {
  using enum ParameterUse;
  EXPECT_THAT(operand_uses("void at::native::reduce_kernel<512, 1, at::native::ReduceOp<float> >(at::native::ReduceOp<float>)",
                           at({128, 984, 992, 1016})),
              ElementsAre(kReadOnly, kReadWrite, kReadWrite));
  EXPECT_FALSE(structure_use("axpy(float const*, float*, float)"));
  const char* const stack = "void at::native::(anonymous namespace)::CatArrayBatchedCopy_vectorized<float, 4>(char*, Inputs<float>)";
  EXPECT_THAT(operand_uses(stack, {{0, 0}, {1, 0}, {1, 8}}), ElementsAre(kReadWrite, kReadOnly, kReadOnly));
  EXPECT_TRUE(structure_use(stack)->partly_filled);
}

/// A functor may hold pointers of its own, ahead of the array of operands.
TEST(KernelSignature, TellsOperandsOfLoopsFromPointersOfTheirFunctors) {
  using enum ParameterUse;
  const char* const loop =
      "void at::native::vectorized_elementwise_kernel<4, Scatter, std::array<char*, 3ul> >(int, Scatter, std::array<char*, 3ul>)";
  EXPECT_THAT(operand_uses(loop, {{1, 0}, {2, 0}, {2, 8}, {2, 16}}), ElementsAre(kReadWrite, kReadOnly, kReadOnly));
  EXPECT_THAT(operand_uses("void at::native::vectorized_elementwise_kernel<4, Scatter>(int, Scatter)", {{1, 0}, {2, 0}}),
              ElementsAre(kReadWrite, kReadWrite));
  const char* const unscale =
      "void at::native::vectorized_elementwise_kernel<4, at::native::_amp_non_finite_check_and_unscale_cuda_(at::Tensor&)::{lambda()#1}, "
      "std::array<char*, 2ul> >(int, Lambda, std::array<char*, 2ul>)";
  EXPECT_THAT(operand_uses(unscale, {{1, 0}, {2, 0}, {2, 8}}), ElementsAre(kReadWrite, kReadWrite, kReadWrite));
}

/// Operands with strides stand behind a table of as many, in which words that were never filled may look like pointers.
TEST(KernelSignature, FindsTheResultOfLoopsWithStrides) {
  using enum ParameterUse;
  const char* const loop =
      "void at::native::elementwise_kernel<128, 4, at::native::gpu_kernel_impl_nocast<Add>(at::TensorIteratorBase&)::{lambda(int)#1}>(int, "
      "Lambda)";
  EXPECT_THAT(operand_uses(loop, at({48, 136, 504, 512})), ElementsAre(kReadOnly, kReadOnly, kReadWrite, kReadOnly));
  EXPECT_THAT(operand_uses(loop, at({248, 608, 616, 624})), ElementsAre(kReadOnly, kReadWrite, kReadOnly, kReadOnly));
  EXPECT_THAT(operand_uses(loop, at({408})), ElementsAre(kReadWrite));
  EXPECT_THAT(operand_uses(loop, at({16, 24})), testing::IsEmpty());
  EXPECT_TRUE(structure_use(loop)->partly_filled);
  EXPECT_THAT(operand_uses("void at::native::elementwise_kernel<128, 4, Other>(int, Other)", at({504, 512})),
              ElementsAre(kReadWrite, kReadWrite));
}

TEST(KernelSignature, KnowsWhereTheFactorsOfCublassProductsStand) {
  const char* const product = "nvjet_sm90_tst_64x32_64x16_1x2_h_bz_bias_TNT";
  EXPECT_THAT(operand_uses(product, at({176, 240, 432, 496, 1632, 1704})), testing::Each(ParameterUse::kReadOnly));
  EXPECT_THAT(operand_uses(product, at({328, 560, 688, 1264, 1608, 2000})), testing::Each(ParameterUse::kReadWrite));
  EXPECT_FALSE(structure_use("nvjet_sm100_tst_64x32"));
}

TEST(KernelSignature, KnowsTensorsOfPyTorchByTheirElements) {
  using enum ParameterUse;
  EXPECT_THAT(parameter_uses("void triu<float>(at::cuda::detail::TensorInfo<float, int>, at::cuda::detail::TensorInfo<float const, int>)"),
              ElementsAre(kReadWrite, kReadOnly));
  EXPECT_THAT(parameter_uses("void norm<float>(torch::headeronly::detail::GenericPackedTensorAccessor<torch::headeronly::detail::"
                             "TensorAccessor<c10::ArrayRef<long>, float const, 3ul, Traits, int>, Check<4ul, int>, float const, 4ul, "
                             "Traits, int>, torch::headeronly::detail::GenericPackedTensorAccessor<Accessor<float, 3ul>, Check<4ul, int>, "
                             "float, 4ul, Traits, int>, Pair<float const, int>)"),
              ElementsAre(kReadOnly, kReadWrite, kNone));
}

TEST(KernelSignature, KnowsWhatKernelsOfLibrariesOnlyRead) {
  using enum ParameterUse;
  EXPECT_THAT(operand_uses("void cutlass::Kernel2<cutlass_80_simt_sgemm_64x64_8x5_nn_align1>(cutlass_80_simt_sgemm_64x64_8x5_nn_align1::"
                           "Params)",
                           at({280, 288, 296, 304})),
              ElementsAre(kReadOnly, kReadOnly, kReadWrite, kReadWrite));
  EXPECT_THAT(operand_uses("sm80_xmma_fprop_implicit_gemm_f32f32_f32f32_f32_nchwkcrs_nchw_tilesize32x32x8_execute_kernel__5x_cudnn",
                           at({0, 8, 16, 24})),
              ElementsAre(kReadOnly, kReadOnly, kReadWrite, kReadWrite));
  EXPECT_FALSE(structure_use("cudnn_generated_fort_native_sdpa_sm90_flash_fprop_wgmma_f16_knob_7_64x128x64_4x1x1_cga1x1x1_kernel0_0"));
}

TEST(KernelSignature, KnowsWhatAttentionOnlyReads) {
  using enum ParameterUse;
  const auto of = [](const std::string& name) { return operand_uses(name.c_str(), at({0, 8, 16, 112})); };
  const std::string params = ">(pytorch_flash::Flash_fwd_params)";
  EXPECT_THAT(of("void pytorch_flash::flash_fwd_kernel<Traits, false" + params), ElementsAre(kReadOnly, kReadOnly, kReadOnly, kReadWrite));
  EXPECT_THAT(of("void pytorch_flash::flash_fwd_splitkv_kernel<Traits, true, false" + params),
              ElementsAre(kReadOnly, kReadOnly, kReadOnly, kReadWrite));
  EXPECT_THAT(of("void pytorch_flash::flash_fwd_splitkv_kernel<Traits, false, true" + params),  // it appends to the keys and values
              ElementsAre(kReadOnly, kReadWrite, kReadWrite, kReadWrite));
  EXPECT_THAT(operand_uses("fmha_cutlassF_f32_aligned_64x64_rf_sm80(PyTorchMemEffAttention::AttentionKernel<float, 64>::Params)",
                           at({0, 24, 48, 64, 80})),
              ElementsAre(kReadOnly, kReadOnly, kReadOnly, kReadWrite, kReadWrite));
}

TEST(KernelSignature, TellsWhereTheWorkOfACollectiveStands) {
  EXPECT_EQ(collective_work("ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevKernelArgsStorage<4096ul>)"), 48U);
  EXPECT_EQ(collective_work("ncclSymkDevKernel_AllReduce_RSxLD_AGxST_sum_f32(ncclSymkDevWorkArgs)"), ~0U);
  EXPECT_EQ(collective_work("axpy(float const*, float*)"), 0U);
}

TEST_F(Capture, SaysWhatIsLost) {
  Program program(folder_ / "");
  program.launch(7, 0);
  program.head().records_dropped = 3;
  program.head().ended_normally = 0;
  const Json file = written();
  EXPECT_EQ(file.at("tasktwin_capture").at("ended"), "abruptly");
  EXPECT_EQ(file.at("tasktwin_capture").at("lost").at("launches_without_times"), 1);
  const std::string said = captures_to_text(captures_, {});
  EXPECT_THAT(said, HasSubstr("3 device records were dropped by CUPTI"));
  EXPECT_THAT(said, HasSubstr("1 launches have no device times: the program left without ending CUDA"));
}

TEST_F(Capture, AFullSpoolDropsAndGoesOn) {
  Program program(folder_ / "", 1);  // one chunk
  std::size_t written_runs = 0;
  while (program.log().write(spool::KernelRun{})) ++written_runs;
  EXPECT_GT(written_runs, 1'000U);
  EXPECT_FALSE(program.log().write(spool::KernelRun{}));
}

TEST_F(Capture, OfARangeHasWhatIsCalledInIt) {
  Program program(folder_ / "");
  spool::CallRecord before = program.record(Op::kEventRecord, 7, 0, 100);
  before.flags |= spool::kOutsideRange;
  program.put(before, {.object = 0xe1});
  program.range("step", 500, 5'000);
  program.range("caf\xe9 \"1\"\n", 600, 700);
  program.head().range_entered = 1;
  program.call(Op::kStreamWaitEvent, 8, 1'000, {.object = 0xe1});
  program.run(program.launch(8, 2'000), 8, 6'000, 7'000);
  program.run(99, 8, 8'000, 9'000);
  const Json file = written({.range = "step"});
  EXPECT_EQ(events(file, "cuda_runtime").size(), 2U);
  EXPECT_EQ(events(file, "cuda_runtime").at(0).at("args").at("record"), before.correlation);
  EXPECT_EQ(events(file, "kernel").size(), 1U);
  EXPECT_EQ(events(file, "user_annotation").at(0).at("name"), "step");
  EXPECT_EQ(events(file, "user_annotation").at(1).at("name"), "caf\xef\xbf\xbd \"1\"\n");
}

TEST_F(Capture, RefusesARangeThatWasNeverEnteredAndNamesTheNearest) {
  Program program(folder_ / "");
  program.range("step", 500, 5'000);
  const auto write = [this] { written({.range = "stp"}); };
  EXPECT_THAT(write, testing::ThrowsMessage<RunError>(HasSubstr("--range 'stp' was never entered; did you mean 'step'?")));
}

TEST_F(Capture, RefusesProgramsWithoutCuda) {
  Program program(folder_ / "");
  program.head().cuda_loaded = 0;
  EXPECT_THAT([this] { written(); }, testing::ThrowsMessage<RunError>(HasSubstr("'program' did not use CUDA")));
}

TEST_F(Capture, RefusesWhereAnotherToolHasCupti) {
  Program program(folder_ / "");
  program.head().cupti_errors = 1;
  std::strcpy(program.head().first_error.data(), "cuptiSubscribe: CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED");
  EXPECT_THAT([this] { written(); }, testing::ThrowsMessage<RunError>(HasSubstr("CUPTI serves another tool")));
}

TEST_F(Capture, JoinsTheHostsTimesOfAnotherRunCallByCall) {
  std::filesystem::create_directories(folder_ / "host");
  std::filesystem::create_directories(folder_ / "records");
  Program host(folder_ / "host");
  host.put(host.record(Op::kEventCreate, 0, 0, 100), {.object = 1});
  host.put(host.record(Op::kEventRecord, 0, 150, 170), {.object = 1});
  host.put(host.record(Op::kEventQuery, 0, 180, 190), {.object = 1});  // one look is enough here
  host.put(host.record(Op::kStreamWaitEvent, 0, 200, 230), {.object = 1});
  Program records(folder_ / "records");
  records.put(records.record(Op::kEventCreate, 0, 0, 1'000), {.object = 1});
  records.put(records.record(Op::kEventRecord, 0, 2'000, 3'000), {.object = 1});
  for (int i = 0; i < 3; ++i) records.put(records.record(Op::kEventQuery, 0, 4'000, 4'100), {.object = 1});
  records.put(records.record(Op::kStreamWaitEvent, 0, 5'000, 6'000), {.object = 1});
  const auto captures = write_captures(folder_ / "records", {.host = folder_ / "host"}, folder_ / "out.json",
                                       {.pass = CapturePass::kBoth, .command = {"program"}});
  EXPECT_EQ(captures.front().undisturbed, 3U);
  const Json file = Json::parse(slurp(folder_ / "out.json"));
  const Json calls = events(file, "cuda_runtime");
  EXPECT_EQ(calls.at(1).at("args").at("undisturbed"), Json::parse("[0.050,0.020]"));
  EXPECT_EQ(calls.back().at("args").at("undisturbed"), Json::parse("[0.010,0.030]"));
  EXPECT_FALSE(calls.at(2).at("args").contains("undisturbed"));
}

TEST_F(Capture, SaysInWhichTensorsOfAnotherRunAddressesLie) {
  std::filesystem::create_directories(folder_ / "tensors");
  std::filesystem::create_directories(folder_ / "records");
  Program tensors(folder_ / "tensors");  // each tensor has an allocation of its own
  tensors.function(0, "_Z4axpyPKfPf");
  tensors.call(Op::kMalloc, 0, 0, {.address = kBuffer, .bytes = 512});
  tensors.call(Op::kMalloc, 0, 0, {.address = kBuffer + 4096, .bytes = 1024});
  tensors.launch(7, 1'000, {kBuffer, kBuffer + 4096 + 256});
  Program records(folder_ / "records");
  records.function(0, "_Z4axpyPKfPf");
  records.call(Op::kMalloc, 0, 0, {.address = kBuffer, .bytes = 1 << 20});
  records.run(records.launch(7, 1'000, {kBuffer + 8192, kBuffer + 256}), 7, 3'000, 4'500);
  const auto captures = write_captures(folder_ / "records", {.tensors = folder_ / "tensors"}, folder_ / "out.json",
                                       {.command = {"program"}, .tensors = true});
  EXPECT_EQ(captures.front().tensors, 1U);
  const Json file = Json::parse(slurp(folder_ / "out.json"));
  EXPECT_EQ(events(file, "cuda_runtime").back().at("args").at("tensors"), Json::parse("[[1,0,512],[2,256,1024]]"));
}

TEST_F(Capture, SaysWhatIsAllocatedWhereItsFirstCallIsMade) {
  Program program(folder_ / "");
  const auto outside = [&program](Op op, std::uint64_t begin_ns, const spool::OtherArguments& arguments) {
    spool::CallRecord call = program.record(op, 0, begin_ns, begin_ns + 10);
    call.flags |= spool::kOutsideRange;
    program.put(call, arguments);
  };
  program.range("step", 900, 3'500);
  program.head().range_entered = 1;
  outside(Op::kMalloc, 100, {.address = kBuffer, .bytes = 4096});
  outside(Op::kMallocHost, 200, {.address = kBuffer + 8192, .bytes = 64});
  outside(Op::kMalloc, 300, {.address = kBuffer + 16384, .bytes = 64});
  outside(Op::kFree, 400, {.address = kBuffer + 16384});
  program.call(Op::kDeviceSync, 0, 1'000);
  outside(Op::kFree, 2'000, {.address = kBuffer});
  program.call(Op::kDeviceSync, 0, 3'000);
  const Json memory = written({.range = "step"}).at("tasktwin_capture").at("memory");
  ASSERT_EQ(memory.size(), 3U);
  EXPECT_EQ(memory.at(0), (Json{{"address", kBuffer}, {"bytes", 4096}}));
  EXPECT_EQ(memory.at(1), (Json{{"address", kBuffer + 8192}, {"bytes", 64}, {"host", true}}));
  EXPECT_EQ(memory.at(2).at("free"), true);
  EXPECT_TRUE(memory.at(2).contains("ts"));
}

/// Each call and each of its arguments is known to the reader, which refuses what is none of the format's.
TEST_F(Capture, IsImportedWhateverItsCallsDo) {
  Program program(folder_ / "");
  program.function(0, "_Z4axpyPKfPf");
  std::uint64_t time = 1'000;
  for (std::size_t op = 0; op < spool::kOpWords.size(); ++op, time += 1'000) {
    if (static_cast<Op>(op) == Op::kKernel) continue;
    program.call(static_cast<Op>(op), 7, time, {.object = 3, .address = kBuffer + 64, .source = kBuffer, .bytes = 64});
  }
  program.run(program.launch(7, time), 7, time + 3'000, time + 4'500);
  written();
  const std::string file = captures_.front().path.string();
  EXPECT_EQ(scenarios::import_file(file, "capture", {}).graph.size(), 1U);
}

}  // namespace
}  // namespace tasktwin::verify
