// What is known of copies, allocations and functions of the host without a GPU: who refuses them, where their bytes lie, what is looked at.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <vector>

#include "gpu/operations/allocators/live_pages.hpp"
#include "gpu/operations/host_function.hpp"
#include "gpu/operations/operation_contents.hpp"
#include "gpu/operations/operation_layout.hpp"
#include "models/program/stream_plan.hpp"
#include "models/runtimes/runtimes.hpp"
#include "tests/gpu/executor_cases.hpp"
#include "tests/models/operation_graphs.hpp"

namespace tasktwin::gpu {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Optional;

constexpr std::int64_t kMiB = 1 << 20;

std::optional<std::string> refusal(const TaskGraph& graph, const Design& design) {
  return why_unsupported(graph, scenarios::load_machine("nvidia-h200"), design);
}

TaskGraph one_transfer(Operation operation, bool pageable = false) {
  OperationGraph graph;
  graph.transfer(operation, 0, 1000, 0, pageable);
  return graph.build();
}

TaskGraph one_buffer(int alloc_stream, int free_stream) {
  OperationGraph graph;
  graph.chain({graph.alloc(alloc_stream, 1, kMiB), graph.kernel(alloc_stream, 0), graph.free(free_stream, 1)});
  return graph.build();
}

TEST(OperationSupport, IsOfStreamsAndOfGraphsAsFarAsTheyHaveNodesForThem) {
  OperationGraph host;
  host.host(0, 10);
  const Design streams = hinted_streams(2);
  const Design graphs = named_design("cuda-graph");
  for (const Operation operation : {Operation::kCopyH2d, Operation::kCopyD2h, Operation::kMemset}) {
    EXPECT_EQ(refusal(one_transfer(operation), streams), std::nullopt) << to_word(operation);
    EXPECT_EQ(refusal(one_transfer(operation), graphs), std::nullopt) << to_word(operation);
  }
  EXPECT_EQ(refusal(host.build(), streams), std::nullopt);
  EXPECT_EQ(refusal(host.build(), graphs), std::nullopt);
  EXPECT_EQ(refusal(one_transfer(Operation::kCopyH2d, true), streams), std::nullopt);
  EXPECT_THAT(refusal(one_transfer(Operation::kCopyH2d, true), graphs), Optional(HasSubstr("pageable")));
  EXPECT_EQ(refusal(one_buffer(0, 1), streams), std::nullopt);
  EXPECT_THAT(refusal(one_buffer(0, 1), graphs), Optional(AllOf(HasSubstr("task 't0' is of operation 'alloc'"), HasSubstr("streams"))));
}

TEST(OperationSupport, NamesWhatNobodyRuns) {
  EXPECT_THAT(refusal(one_transfer(Operation::kCopyP2p), hinted_streams(1)), Optional(HasSubstr("a second device")));
  for (const std::string& executor : kExecutors) {
    const Design design = design_for(executor);
    if (design.driver == Driver::kStreams || design.driver == Driver::kCudaGraph) continue;
    EXPECT_THAT(refusal(one_transfer(Operation::kCopyH2d), design),
                Optional(AllOf(HasSubstr("task 't0' is a copy_h2d; this executor runs kernels only"), HasSubstr("'cuda_graph'"))))
        << executor;
  }
  OperationGraph unfreed;
  unfreed.transfer(Operation::kCopyH2d, 0, 10, 3);
  EXPECT_THAT(refusal(unfreed.build(), hinted_streams(1)), Optional(HasSubstr("no task which it waits for allocates")));
}

TEST(OperationSupport, NamesTheAxisThatGoesWithKernelsOnly) {
  const auto changed = [](const std::function<void(Design&)>& change) {
    Design design = hinted_streams(2);
    change(design);
    check_design(design, scenarios::load_machine("nvidia-h200"));
    return refusal(one_transfer(Operation::kCopyH2d), design);
  };
  EXPECT_THAT(changed([](Design& d) { d.stream_wait = StreamWait::kCallback; }), Optional(HasSubstr("stream_wait 'callback'")));
  EXPECT_THAT(changed([](Design& d) { d.programmatic_launch = ProgrammaticLaunch::kOn; }), Optional(HasSubstr("programmatic_launch 'on'")));
  EXPECT_THAT(changed([](Design& d) {
                d.stream_granularity = StreamGranularity::kPerTaskType;
                d.streams = named_design("cuda-streams").streams;
                d.partition = 50;
              }),
              Optional(HasSubstr("partition 50")));
  EXPECT_THAT(changed([](Design& d) {
                d.sets = {{.name = "part", .cores = {0, 31}, .streams = {}, .kinds = {}, .layers = {}}};
              }),
              Optional(HasSubstr("sets of cores ('part')")));
  EXPECT_EQ(changed([](Design& d) { d.stream_wait = StreamWait::kDeviceSync; }), std::nullopt);
}

TEST(OperationSupport, IsNotOfAllocationsThatReplaysRepeatOrACacheWouldGiveOutTooEarly) {
  OperationGraph kept;
  kept.alloc(0, 1, 100);
  Design design = hinted_streams(2);
  EXPECT_EQ(refusal(kept.build(), design), std::nullopt);
  design.replays = 2;
  EXPECT_THAT(refusal(kept.build(), design), Optional(AllOf(HasSubstr("replays"), HasSubstr("task 't0'"))));
  EXPECT_EQ(refusal(one_buffer(0, 1), design), std::nullopt);
  design.allocator = Allocator::kCaching;
  EXPECT_EQ(refusal(one_buffer(1, 1), design), std::nullopt);
  EXPECT_THAT(refusal(one_buffer(0, 1), design),
              Optional(AllOf(HasSubstr("allocator 'caching'"), HasSubstr("'t0' is in stream 0"), HasSubstr("'t2'"))));
}

std::vector<std::uint32_t> hinted(const TaskGraph& graph) {
  std::vector<std::uint32_t> streams;
  for (std::size_t i = 0; i < graph.size(); ++i) streams.push_back(static_cast<std::uint32_t>(graph.traits(task_id(i)).stream));
  return streams;
}

TEST(OperationLayout, GivesEveryCopyBytesOfItsOwn) {
  OperationGraph made;
  const TaskId in = made.transfer(Operation::kCopyH2d, 0, 1000);
  const TaskId out = made.transfer(Operation::kCopyD2h, 0, 600);
  const TaskId set = made.transfer(Operation::kMemset, 0, 5);
  const TaskId slow = made.transfer(Operation::kCopyD2h, 0, 100, 0, true);
  const TaskId nothing = made.transfer(Operation::kCopyH2d, 0, 0);
  made.kernel(0, 5);
  const TaskGraph graph = made.build();
  const OperationLayout layout(graph, {});
  const auto place = [&](TaskId task) { return layout.places[index(task)]; };
  EXPECT_EQ(place(in).device, 0u);
  EXPECT_EQ(place(out).device, 1024u);
  EXPECT_EQ(place(set).device, 2048u);
  EXPECT_EQ(place(slow).device, 2560u);
  EXPECT_EQ(layout.device_bytes, 3072u);
  EXPECT_EQ(place(out).host, 1024u);
  EXPECT_EQ(place(slow).host, 0u) << "pageable memory is another piece";
  EXPECT_EQ(place(nothing).host, 2048u);
  EXPECT_EQ(layout.pinned_bytes, 2048u);
  EXPECT_EQ(layout.pageable_bytes, 512u);
  for (const TaskId task : {in, out, set, slow, nothing}) EXPECT_TRUE(place(task).checked);
}

TEST(OperationLayout, LooksAtBuffersOnlyWhereNobodyElseIsAtThem) {
  OperationGraph made;
  const TaskId bare = made.alloc(0, 1, 100);
  const TaskId bare_free = made.free(1, 1);
  const TaskId used = made.alloc(0, 2, 100);
  const TaskId in = made.transfer(Operation::kCopyH2d, 0, 100, 2);
  const TaskId out = made.transfer(Operation::kCopyD2h, 0, 100, 2);
  const TaskId across = made.alloc(0, 3, 100);
  const TaskId left = made.transfer(Operation::kCopyH2d, 0, 100, 3);
  const TaskId right = made.transfer(Operation::kMemset, 1, 100, 3);
  const TaskId lone = made.alloc(0, 4, 100);
  const TaskId only = made.transfer(Operation::kMemset, 1, 100, 4);
  const TaskGraph graph = made.build();
  const OperationLayout layout(graph, hinted(graph));
  for (const TaskId task : {bare, bare_free, in, out, only}) EXPECT_TRUE(layout.places[index(task)].checked) << index(task);
  for (const TaskId task : {used, across, left, right, lone}) EXPECT_FALSE(layout.places[index(task)].checked) << index(task);
  EXPECT_EQ(layout.device_bytes, 0u);
  const OperationLayout apart(graph, {});
  EXPECT_FALSE(apart.places[index(in)].checked) << "nodes of a graph are in no stream";
}

TEST(OperationContents, AreLookedAtFromTheFirstWordToTheLast) {
  for (const std::uint64_t count : {1ULL, 2ULL, 65536ULL, 65537ULL, 200'003ULL}) {
    std::vector<std::uint32_t> words(count);
    Contents contents{words.data(), count, 17, 1};
    for (std::uint64_t at = 0; at < count; ++at) words[at] = contents.word(at);
    EXPECT_TRUE(holds(contents)) << count;
    EXPECT_FALSE(holds(contents.spoilt())) << count;
    EXPECT_LE(contents.looks(), Contents::kMostLookedAt + 1);
    for (std::uint64_t look = 0; look < contents.looks(); ++look) ASSERT_LT(contents.position(look), count);
    for (const std::uint64_t at : {std::uint64_t{0}, count - 1}) {
      ++words[at];
      EXPECT_FALSE(holds(contents)) << count << " " << at;
      --words[at];
    }
  }
  EXPECT_EQ(Contents{}.looks(), 0u);
  std::uint32_t word = 0;
  EXPECT_EQ((Contents{&word, 0, 1, 1}.looks()), 0u);
}

TEST(LivePages, CountsPagesThatSomethingLiesIn) {
  LivePages pages(100);
  pages.add(250, 40);
  EXPECT_EQ(pages.bytes(), 100);
  pages.add(290, 10);
  EXPECT_EQ(pages.bytes(), 100);
  pages.add(300, 201);
  EXPECT_EQ(pages.bytes(), 400);
  pages.remove(250, 40);
  EXPECT_EQ(pages.bytes(), 400);
  pages.remove(290, 10);
  EXPECT_EQ(pages.bytes(), 300);
}

TEST(HostFunction, TakesItsTimeAndThenLeavesItsMark) {
  std::uint32_t done = 0;
  HostFunction function{.time = Duration{200'000}, .mark = 7, .done = &done};
  const auto before = HostFunction::Clock::now();
  HostFunction::run(&function);
  EXPECT_EQ(done, 7u);
  EXPECT_GE(function.started, before);
  EXPECT_GE(function.ended - function.started, function.time);
}

}  // namespace
}  // namespace tasktwin::gpu
