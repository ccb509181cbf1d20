#include "models/graph/graph_edits.hpp"

#include <gmock/gmock.h>

#include <array>
#include <functional>
#include <map>
#include <set>
#include <tuple>

#include "models/base/error.hpp"
#include "models/base/name_pattern.hpp"
#include "models/graph/events.hpp"
#include "models/graph/graph_copy.hpp"

namespace tasktwin {
namespace {

using ::testing::HasSubstr;

Task lasting(std::int64_t ns) {
  Task task;
  task.cost.time = Duration{ns};
  return task;
}

/// load → gemm_0 → relu_0 → gemm_1 → relu_1 → store, and load → relu_1 beside them.
TaskGraph chain() {
  TaskGraphBuilder builder;
  std::int64_t ns = 100;
  for (const char* name : {"load", "gemm_0", "relu_0", "gemm_1", "relu_1", "store"}) builder.add_task(name, lasting(ns += 100));
  for (std::size_t i = 1; i < 6; ++i) builder.add_edge(task_id(i - 1), task_id(i), {i == 1 ? 64 : 0});
  builder.add_edge(task_id(0), task_id(4));
  return std::move(builder).build();
}

std::set<std::string> edges(const TaskGraph& graph) {
  std::set<std::string> all;
  for (std::size_t i = 0; i < graph.size(); ++i) {
    for (const TaskId from : graph.predecessors(task_id(i)))
      all.insert(std::string(graph.name(from)) + ">" + std::string(graph.name(task_id(i))));
  }
  return all;
}

std::string refusal(const std::function<void()>& act) {
  try {
    act();
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

TEST(NamePattern, StandsForPartsOrForTheWhole) {
  EXPECT_TRUE(matches("gemm", "void gemm_kernel<128>"));
  EXPECT_FALSE(matches("gemm", "void GEMM_kernel"));
  EXPECT_TRUE(matches("gemm*", "gemm_0"));
  EXPECT_FALSE(matches("gemm*", "a gemm_0"));
  EXPECT_TRUE(matches("*emm_?", "gemm_0"));
  EXPECT_FALSE(matches("*emm_?", "gemm_00"));
  EXPECT_TRUE(matches("a*b*c", "a--b--b--c"));
  EXPECT_TRUE(matches("*", ""));
  EXPECT_FALSE(matches("?", ""));
}

TEST(GraphEdits, ScaleTakesTheWorkOfThoseThatAreMeant) {
  const EditedGraph edited = scale_tasks(chain(), "gemm", 0.5);
  EXPECT_EQ(edited.matched, 2u);
  EXPECT_EQ(edited.graph[task_id(1)].cost.time, Duration{150});
  EXPECT_EQ(edited.graph[task_id(3)].cost.time, Duration{250});
  EXPECT_EQ(edited.graph[task_id(2)].cost.time, Duration{400});
  EXPECT_EQ(edges(edited.graph), edges(chain()));
  EXPECT_EQ(edited.graph.input_bytes(task_id(1))[0], 32) << "what it reads over its edges is its work too";
  EXPECT_EQ(scale_tasks(chain(), "load", 0.5).graph.input_bytes(task_id(1))[0], 64) << "what it is read is not";
}

TEST(GraphEdits, ScaleTakesWhatIsPlannedWithToo) {
  TaskGraphBuilder builder;
  Task task = lasting(100);
  task.traits = builder.add_traits({.estimate = Duration{80}});
  builder.add_task("a", task);
  const EditedGraph edited = scale_tasks(std::move(builder).build(), "a", 2);
  EXPECT_EQ(edited.graph.traits(task_id(0)).estimate, Duration{160});
}

TEST(GraphEdits, ScaleKeepsAByteOfWhatMovesBytes) {
  TaskGraphBuilder builder;
  Task task;
  task.kernel = Kernel::kStream;
  task.cost.bytes = {3};
  builder.add_task("s", task);
  task.kernel = Kernel::kQkv;
  task.args = {0, 0, 8, 0};
  builder.add_task("q", task);
  const EditedGraph edited = scale_tasks(std::move(builder).build(), "*", 0.01);
  EXPECT_EQ(edited.graph[task_id(0)].cost.bytes.count, 1);
  EXPECT_EQ(edited.graph[task_id(1)].args[2], 1);
}

TEST(GraphEdits, DropLetsDependenciesGoPast) {
  const EditedGraph edited = drop_tasks(chain(), "relu*");
  EXPECT_EQ(edited.matched, 2u);
  EXPECT_EQ(edges(edited.graph), (std::set<std::string>{"load>gemm_0", "gemm_0>gemm_1", "gemm_1>store", "load>store"}));
  EXPECT_EQ(edited.from[3], std::vector{task_id(5)});
}

/// By edge, those that have some.
std::map<std::string, std::int64_t> edge_bytes(const TaskGraph& graph) {
  std::map<std::string, std::int64_t> all;
  for (std::size_t i = 0; i < graph.size(); ++i) {
    for_each_input(graph, task_id(i), [&](TaskId from, std::int64_t bytes) {
      if (bytes > 0) all[std::string(graph.name(from)) + ">" + std::string(graph.name(task_id(i)))] = bytes;
    });
  }
  return all;
}

/// p and q → x → c with 100 bytes, x2 of q → c with 30, and q → c with 1.
TaskGraph with_bytes() {
  TaskGraphBuilder builder;
  for (const char* name : {"p", "q", "x", "x2", "c"}) builder.add_task(name, lasting(1));
  for (const auto& [from, to, bytes] : {std::tuple{0, 2, 7}, {1, 2, 0}, {2, 4, 101}, {1, 3, 9}, {3, 4, 30}, {1, 4, 1}})
    builder.add_edge(task_id(static_cast<std::size_t>(from)), task_id(static_cast<std::size_t>(to)), {bytes});
  return std::move(builder).build();
}

TEST(GraphEdits, DropLetsWhatIsReadBeReadFromThoseBefore) {
  EXPECT_EQ(edge_bytes(drop_tasks(with_bytes(), "x*").graph), (std::map<std::string, std::int64_t>{{"p>c", 51}, {"q>c", 50 + 30 + 1}}));
}

TEST(GraphEdits, DropPutsNoCounterWhereBytesCome) {
  TaskGraphBuilder builder;
  for (int i = 0; i < 4; ++i) builder.add_task("p" + std::to_string(i), lasting(1));
  const TaskId join = builder.add_task("a", lasting(1));
  for (std::size_t i = 0; i < 4; ++i) builder.add_edge(task_id(i), join, {i == 3 ? 8 : 0});
  for (int i = 0; i < 4; ++i) builder.add_edge(join, builder.add_task("c" + std::to_string(i), lasting(1)), {40});
  const EditedGraph edited = drop_tasks(std::move(builder).build(), "a");
  EXPECT_EQ(edited.joins, 0u);
  EXPECT_EQ(edge_bytes(edited.graph).size(), 16u);
  EXPECT_EQ(edge_bytes(edited.graph).at("p0>c3"), 10);
}

TEST(GraphEdits, DropRefusesAllAndWhatSpawns) {
  EXPECT_EQ(refusal([] { drop_tasks(chain(), "*"); }), "no task would be left");
  TaskGraphBuilder builder;
  builder.add_task("parent", lasting(1));
  builder.add_task("child", lasting(1));
  builder.set_spawner(task_id(1), task_id(0));
  const TaskGraph graph = std::move(builder).build();
  EXPECT_THAT(refusal([&] { drop_tasks(graph, "parent"); }), HasSubstr("'parent' spawns 'child'"));
  EXPECT_EQ(drop_tasks(graph, "child").graph.size(), 1u);
}

/// A slow oracle: drops one task after the other, each with all pairs of its neighbours.
std::set<std::string> dropped_one_by_one(const TaskGraph& graph, std::string_view pattern) {
  std::set<std::pair<std::string, std::string>> all;
  for (std::size_t i = 0; i < graph.size(); ++i) {
    for (const TaskId from : graph.predecessors(task_id(i))) all.emplace(graph.name(from), graph.name(task_id(i)));
  }
  for (std::size_t i = 0; i < graph.size(); ++i) {
    const std::string name(graph.name(task_id(i)));
    if (!matches(pattern, name)) continue;
    std::set<std::pair<std::string, std::string>> next;
    for (const auto& [from, to] : all) {
      if (from != name && to != name) next.emplace(from, to);
      for (const auto& [from2, to2] : all) {
        if (to == name && from2 == name) next.emplace(from, to2);
      }
    }
    all = next;
  }
  std::set<std::string> words;
  for (const auto& [from, to] : all) words.insert(from + ">" + to);
  return words;
}

TEST(GraphEdits, DropIsThatOfTheSlowOracleOnRandomGraphs) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    std::uint64_t state = seed * 0x9E3779B97F4A7C15;
    const auto draw = [&state](std::uint64_t below) {
      state = state * 6364136223846793005 + 1442695040888963407;
      return (state >> 33) % below;
    };
    TaskGraphBuilder builder;
    for (int i = 0; i < 12; ++i) builder.add_task((draw(2) == 0 ? "a" : "b") + std::to_string(i), lasting(1));
    for (std::size_t i = 0; i < 12; ++i) {
      for (std::size_t j = i + 1; j < 12; ++j) {
        if (draw(3) == 0) builder.add_edge(task_id(i), task_id(j));
      }
    }
    const TaskGraph graph = std::move(builder).build();
    EXPECT_EQ(edges(drop_tasks(graph, "a*", DroppedJoins::kEdges).graph), dropped_one_by_one(graph, "a*")) << seed;
    // A counter in place of a join orders the same tasks.
    EXPECT_EQ(edges(with_edges_for_events(drop_tasks(graph, "a*").graph).graph), dropped_one_by_one(graph, "a*")) << seed;
  }
}

/// Four tasks, then joins "a" of all with all one behind the other, then four.
TaskGraph joined(int joins) {
  TaskGraphBuilder builder;
  std::vector<TaskId> before;
  for (int i = 0; i < 4; ++i) before.push_back(builder.add_task("p" + std::to_string(i), lasting(1)));
  for (int i = 0; i < joins; ++i) {
    const TaskId join = builder.add_task("a" + std::to_string(i), lasting(1));
    for (const TaskId from : before) builder.add_edge(from, join);
    before = {join};
  }
  for (int i = 0; i < 4; ++i) {
    const TaskId next = builder.add_task("c" + std::to_string(i), lasting(1));
    for (const TaskId from : before) builder.add_edge(from, next);
  }
  return std::move(builder).build();
}

TEST(GraphEdits, DropPutsACounterInPlaceOfAJoin) {
  const EditedGraph one = drop_tasks(joined(1), "a*");
  EXPECT_EQ(one.joins, 1u);
  ASSERT_EQ(one.graph.size(), 9u);
  EXPECT_EQ(one.graph[task_id(4)].operation, Operation::kEvent);
  EXPECT_EQ(one.graph.edge_count(), 8u);
  EXPECT_EQ(drop_tasks(joined(1), "a*", DroppedJoins::kEdges).graph.edge_count(), 16u);
  const EditedGraph three = drop_tasks(joined(3), "a*");  // one of them is enough
  EXPECT_EQ(three.joins, 1u);
  EXPECT_EQ(three.graph.edge_count(), 8u);
  EXPECT_EQ(drop_tasks(joined(2), "a0").joins, 0u) << "one task is behind it";
}

TEST(GraphEdits, MoveAsksForAStream) {
  const EditedGraph edited = move_tasks(chain(), "store", 3);
  EXPECT_EQ(edited.graph.traits(task_id(5)).stream, 3);
  EXPECT_EQ(edited.graph.traits(task_id(4)).stream, 0);
}

TEST(GraphEdits, InsertStandsBeforeThoseThatWaitForIt) {
  const EditedGraph edited = insert_task(chain(), {.name = "prefetch", .time = Duration{50}, .after = "load", .before = "gemm_1"});
  EXPECT_EQ(edited.graph.name(task_id(3)), "prefetch");
  EXPECT_TRUE(edited.from[3].empty());
  EXPECT_TRUE(edges(edited.graph).contains("load>prefetch"));
  EXPECT_TRUE(edges(edited.graph).contains("prefetch>gemm_1"));
  EXPECT_EQ(edited.matched, 2u);
}

/// What is drawn for a task stays its own when tasks before it go or come, and what comes has draws that none had.
TEST(GraphEdits, LeaveEachTaskItsDraws) {
  const TaskGraph graph = chain();
  const TaskGraph fewer = drop_tasks(graph, "gemm_0").graph;
  const TaskGraph more = insert_task(fewer, {.name = "prefetch", .time = Duration{50}, .after = "load", .before = "gemm_1"}).graph;
  for (const TaskGraph* const edited : {&fewer, &more}) {
    std::set<std::uint32_t> draws;
    for (std::size_t i = 0; i < edited->size(); ++i) {
      EXPECT_TRUE(draws.insert(edited->draw(task_id(i))).second);
      for (std::size_t k = 0; k < graph.size(); ++k) {
        if (graph.name(task_id(k)) == edited->name(task_id(i))) {
          EXPECT_EQ(edited->draw(task_id(i)), k);
        }
      }
    }
  }
}

/// a → b, of these devices and types.
TaskGraph two(std::array<std::int32_t, 2> devices, std::array<CoreType, 2> types = {CoreType::kSm, CoreType::kSm}, int blocks = 1) {
  TaskGraphBuilder builder;
  for (std::size_t i = 0; i < 2; ++i) {
    Task task = lasting(100);
    task.device = devices[i];
    task.core_type = types[i];
    task.traits = builder.add_traits({.blocks = i == 0 ? 1 : blocks, .stream = 3});
    builder.add_task(i == 0 ? "a" : "b", task);
  }
  builder.add_edge(task_id(0), task_id(1), {64});
  return std::move(builder).build();
}

TEST(GraphEdits, InsertIsWhereItsNeighboursAre) {
  const NewTask z{.name = "z", .time = Duration{5}, .after = "a", .before = "b"};
  const EditedGraph edited = insert_task(two({1, 1}, {CoreType::kAiv, CoreType::kAiv}), z);
  EXPECT_EQ(edited.graph[task_id(1)].device, 1);
  EXPECT_EQ(edited.graph[task_id(1)].core_type, CoreType::kAiv);
  EXPECT_EQ(edited.graph.traits(task_id(1)).stream, 3);
  EXPECT_EQ(insert_task(two({kAnyDevice, kAnyDevice}), z).graph[task_id(1)].device, kAnyDevice);
  EXPECT_THAT(refusal([&] { insert_task(two({0, 1}), z); }), HasSubstr("unlike devices (0, 1): say which it runs on, as device:1"));
  EXPECT_THAT(refusal([&] { insert_task(two({0, 0}, {CoreType::kAic, CoreType::kAiv}), z); }), HasSubstr("core_type:aic"));
  EXPECT_THAT(refusal([&] { insert_task(two({0, 0}, {CoreType::kMix, CoreType::kMix}), z); }), HasSubstr("core_type mix"));
  NewTask stated = z;
  stated.device = 1;
  stated.core_type = CoreType::kAic;
  stated.stream = 5;
  const EditedGraph there = insert_task(two({0, 1}, {CoreType::kAic, CoreType::kMix}), stated);
  EXPECT_EQ(there.graph[task_id(1)].device, 1);
  EXPECT_EQ(there.graph[task_id(1)].core_type, CoreType::kAic);
  EXPECT_EQ(there.graph.traits(task_id(1)).stream, 5);
}

/// A copy between devices leaves its bytes on the one that it goes to.
TEST(GraphEdits, InsertBehindACopyIsWhereTheCopyGoes) {
  TaskGraphBuilder builder;
  builder.add_task("copy", {.cost = {.bytes = {8}}, .args = {0, 0, 1}, .operation = Operation::kCopyP2p, .device = 0});
  builder.add_task("b", {.device = 1});
  builder.add_edge(task_id(0), task_id(1));
  EXPECT_EQ(insert_task(std::move(builder).build(), {.name = "z", .after = "copy", .before = "b"}).graph[task_id(1)].device, 1);
}

TEST(GraphEdits, FuseLeavesWhatIsOfAnotherDeviceTypeOrGrid) {
  const auto apart = [](const TaskGraph& graph) {
    const EditedGraph edited = fuse_tasks(graph, "*");
    EXPECT_EQ(edited.matched, 0u);
    EXPECT_EQ(edited.graph.size(), 2u);
    EXPECT_EQ(edited.apart, 1u);
    return edited.apart_as;
  };
  EXPECT_EQ(apart(two({0, 1})), "'a' has device 0, 'b' 1");
  EXPECT_EQ(apart(two({kAnyDevice, 1})), "'a' has device none that it states, 'b' 1");
  EXPECT_EQ(apart(two({1, 1}, {CoreType::kAic, CoreType::kAiv})), "'a' has core_type aic, 'b' aiv");
  EXPECT_EQ(apart(two({1, 1}, {CoreType::kSm, CoreType::kSm}, 264)), "'a' has blocks 1, 'b' 264");
  EXPECT_EQ(fuse_tasks(two({1, 1}), "*").graph[task_id(0)].device, 1);
}

/// One kernel has what any of its bodies needs, and is planned with as long as both.
TEST(GraphEdits, FuseHasTheRoomOfBothAndTheirEstimates) {
  TaskGraphBuilder builder;
  Task task = lasting(100);
  task.traits = builder.add_traits({.threads = 256, .registers = 32, .shared_memory = 100, .uses = {1, 2}, .estimate = Duration{70}});
  builder.add_task("a", task);
  task.traits = builder.add_traits({.threads = 128, .registers = 64, .shared_memory = 900, .uses = {2, 3}});
  builder.add_task("b", task);
  builder.add_edge(task_id(0), task_id(1));
  const EditedGraph edited = fuse_tasks(std::move(builder).build(), "*");
  ASSERT_EQ(edited.graph.size(), 1u);
  const TaskTraits& traits = edited.graph.traits(task_id(0));
  EXPECT_EQ(traits.threads, 256);
  EXPECT_EQ(traits.registers, 64);
  EXPECT_EQ(traits.shared_memory, 900);
  EXPECT_EQ(traits.uses, (std::vector<std::int32_t>{1, 2, 3}));
  EXPECT_EQ(traits.estimate, Duration{170});
}

TEST(GraphEdits, InsertRefusesACycleAndANameThatThereIs) {
  EXPECT_THAT(refusal([] { insert_task(chain(), {.name = "x", .after = "store", .before = "load"}); }), HasSubstr("cycle"));
  EXPECT_EQ(refusal([] { insert_task(chain(), {.name = "load"}); }), "a task is called 'load' already");
}

TEST(GraphEdits, FuseTakesChainsTogether) {
  const EditedGraph edited = fuse_tasks(chain(), "*_0");
  EXPECT_EQ(edited.matched, 2u);
  ASSERT_EQ(edited.graph.size(), 5u);
  EXPECT_EQ(edited.graph.name(task_id(1)), "gemm_0 +1");
  EXPECT_EQ(edited.graph[task_id(1)].cost.time, Duration{300 + 400});
  EXPECT_EQ(edges(edited.graph),
            (std::set<std::string>{"load>gemm_0 +1", "gemm_0 +1>gemm_1", "gemm_1>relu_1", "relu_1>store", "load>relu_1"}));
  EXPECT_EQ(edited.from[1], (std::vector{task_id(1), task_id(2)}));
}

TEST(GraphEdits, FuseLeavesWhatWaitsForMoreThanTheOneBefore) {
  // relu_1 waits for load as well, and load has two successors.
  const EditedGraph edited = fuse_tasks(chain(), "*");
  EXPECT_EQ(edited.graph.size(), 3u);  // load, gemm_0 to gemm_1, relu_1 to store
  EXPECT_EQ(edited.matched, 5u);
}

TEST(GraphEdits, APatternThatMeansNothingLeavesTheGraph) {
  for (const EditedGraph& edited : {scale_tasks(chain(), "none", 2), drop_tasks(chain(), "none"), fuse_tasks(chain(), "none")}) {
    EXPECT_EQ(edited.matched, 0u);
    EXPECT_EQ(edges(edited.graph), edges(chain()));
  }
}

}  // namespace
}  // namespace tasktwin
