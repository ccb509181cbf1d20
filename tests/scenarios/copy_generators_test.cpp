#include <gmock/gmock.h>

#include <set>

#include "models/program/buffers.hpp"
#include "scenarios/generators/copy_pipeline.hpp"
#include "scenarios/generators/inference_scratch.hpp"
#include "scenarios/generators/item_chunks.hpp"
#include "scenarios/generators/kv_cache.hpp"
#include "scenarios/generators/mixed_bound.hpp"
#include "scenarios/load/scenario.hpp"
#include "tests/scenarios/made_graph.hpp"
#include "tests/scenarios/temporary_file.hpp"

namespace tasktwin::scenarios {
namespace {

using ::testing::HasSubstr;

TEST(CopyGenerators, ClosedFormsAgreeWithWhatIsMadeAndBuffersAreInOrder) {
  for (const std::int64_t n : {1, 2, 7, 64}) {
    made("copy_pipeline", {{"chunks", n}});
    made("inference_scratch", {{"requests", n}});
    for (const std::int64_t steps : {1, 2, 5}) made("kv_cache", {{"sequences", n}, {"steps", steps}});
    made("item_chunks", {{"items", n}, {"tasks", n}});
    made("mixed_bound", {{"pairs", n}});
    made("mixed_bound", {{"pairs", n}, {"flops", std::int64_t{0}}});
  }
}

TEST(CopyGenerators, KeepTheOrderOfTheHostsProgram) {
  const TaskGraph graph = make_kv_cache({.sequences = 2, .steps = 2, .bytes = 100});
  std::vector<std::string> names;
  for (const TaskId task : graph.topological_order()) names.emplace_back(graph.name(task));
  EXPECT_THAT(names, ::testing::ElementsAre("alloc(0,0)", "attend(0,0)", "alloc(1,0)", "attend(1,0)", "alloc(0,1)", "attend(0,1)",
                                            "free(0,0)", "alloc(1,1)", "attend(1,1)", "free(1,0)", "free(0,1)", "free(1,1)"));
  EXPECT_EQ(graph[graph.topological_order()[4]].cost.bytes.count, 200);
  EXPECT_EQ(graph.traits(task_id(2)).stream, 1);
}

TEST(ItemChunks, TheLastEighthIsHeavyHoweverItIsCut) {
  for (const std::int64_t tasks : {1, 3, 132, 800}) {
    const TaskGraph graph = make_item_chunks({.items = 800, .tasks = tasks, .item_time = Duration{1000}, .heavy_percent = 120});
    std::int64_t sum = 0;
    for (const Task& task : graph.tasks()) sum += to_ns(task.cost.time);
    EXPECT_EQ(sum, 700 * 1000 + 100 * 1200) << tasks;
  }
  const TaskGraph single = make_item_chunks({.items = 16, .tasks = 16, .item_time = Duration{10}, .heavy_percent = 800});
  EXPECT_EQ(to_ns(single[task_id(13)].cost.time), 10);
  EXPECT_EQ(to_ns(single[task_id(14)].cost.time), 80);
}

std::string refusal(const std::string& tasks) {
  const TemporaryFile file(with_graph("{tasks: [" + tasks + "]}"));
  try {
    load_scenario(file.path());
    return "";
  } catch (const InputError& error) {
    return error.what();
  }
}

TEST(Operations, AreListedWithWhatGoesWithThem) {
  EXPECT_EQ(
      refusal("{name: a, operation: copy_h2d, bytes: 8, host_memory: pageable, stream: 3}, {name: b, operation: host, time_ns: 5, "
              "after: [a]}, {name: c, operation: alloc, bytes: 8, buffer: x}, {name: d, operation: memset, bytes: 8, buffer: x, after: "
              "[c]}, {name: e, operation: free, buffer: x, after: [d]}"),
      "");
  EXPECT_THAT(refusal("{name: a, operation: copy_h2d}"), HasSubstr("graph.tasks[0].bytes: missing; operation 'copy_h2d' needs it"));
  EXPECT_THAT(refusal("{name: a, operation: copy_h3d, bytes: 1}"), HasSubstr("did you mean 'copy_h2d'?"));
  EXPECT_THAT(refusal("{name: a, operation: alloc, bytes: 1}"), HasSubstr("graph.tasks[0].buffer: missing"));
  EXPECT_THAT(refusal("{name: a, operation: free, buffer: x, bytes: 1}"),
              HasSubstr("graph.tasks[0].bytes: does not go with operation 'free'"));
  EXPECT_THAT(refusal("{name: a, operation: host, time_ns: 1, core_type: sm}"), HasSubstr("core_type: does not go with operation 'host'"));
  EXPECT_THAT(refusal("{name: a, time_ns: 1, buffer: x}"), HasSubstr("buffer: does not go with operation 'kernel'"));
  EXPECT_THAT(refusal("{name: a, operation: copy_p2p, bytes: 1, host_memory: pinned}"), HasSubstr("host_memory: does not go with"));
}

TEST(Operations, BuffersAreAllocatedOnceAndFreedLast) {
  const std::string alloc = "{name: a, operation: alloc, bytes: 8, buffer: x}";
  EXPECT_THAT(refusal(alloc + ", {name: b, operation: alloc, bytes: 8, buffer: x}"),
              HasSubstr("graph.tasks[1]: task 'b' is of operation 'alloc' and allocates the buffer that task 'a' allocates"));
  EXPECT_THAT(refusal(alloc + ", {name: b, operation: free, buffer: x}"), HasSubstr("no task which it waits for allocates"));
  EXPECT_THAT(refusal(alloc + ", {name: b, operation: memset, bytes: 9, buffer: x, after: [a]}"),
              HasSubstr("more bytes than its buffer has, 8"));
  EXPECT_THAT(
      refusal(alloc + ", {name: b, operation: memset, bytes: 8, buffer: x, after: [a]}, {name: c, operation: free, buffer: x, after: "
                      "[a]}"),
      HasSubstr("does not wait for task 'b', which has its buffer"));
  EXPECT_THAT(refusal(alloc + ", {name: b, operation: free, buffer: x, after: [a]}, {name: c, operation: free, buffer: x, after: [a]}"),
              HasSubstr("task 'b' frees"));
}

}  // namespace
}  // namespace tasktwin::scenarios
