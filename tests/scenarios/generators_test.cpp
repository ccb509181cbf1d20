#include <gmock/gmock.h>

#include <map>
#include <set>

#include "models/base/random.hpp"
#include "scenarios/generators/chain.hpp"
#include "scenarios/generators/cholesky.hpp"
#include "scenarios/generators/fork_join.hpp"
#include "scenarios/generators/generators.hpp"
#include "scenarios/generators/layered_random.hpp"
#include "scenarios/generators/parts/distinct.hpp"
#include "scenarios/generators/task_bench.hpp"

namespace tasktwin::scenarios {
namespace {

using ::testing::ElementsAre;

std::vector<std::string> predecessor_names(const TaskGraph& graph, std::string_view name) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < graph.size(); ++i) {
    if (graph.name(task_id(i)) != name) continue;
    for (const TaskId before : graph.predecessors(task_id(i))) names.emplace_back(graph.name(before));
  }
  return names;
}

std::uint64_t checksum(const TaskGraph& graph) {
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < graph.size(); ++i) {
    sum = mix(sum ^ static_cast<std::uint64_t>(to_ns(graph[task_id(i)].cost.time)));
    for (const TaskId before : graph.predecessors(task_id(i))) sum = mix(sum ^ index(before));
  }
  return sum;
}

/// The closed form says what is made, and no two tasks share a name.
void expect_sized(std::string_view name, const GivenParameters& given) {
  const Generator& chosen = generator(name);
  const GraphSize size = chosen.plan(given).size;
  const TaskGraph graph = generate(chosen, given, 7);
  EXPECT_EQ(static_cast<std::int64_t>(graph.size()), size.tasks) << name << " " << size.formula;
  EXPECT_EQ(static_cast<std::int64_t>(graph.edge_count()), size.edges) << name << " " << size.formula;
  std::set<std::string_view> names;
  for (std::size_t i = 0; i < graph.size(); ++i) names.insert(graph.name(task_id(i)));
  EXPECT_EQ(names.size(), graph.size()) << name;
}

TEST(Generators, ClosedFormsAgreeWithWhatIsMade) {
  for (const std::int64_t n : {1, 2, 3, 4, 7, 16, 33}) {
    expect_sized("chain", {{"length", n}});
    expect_sized("independent", {{"tasks", n}});
    expect_sized("cholesky", {{"tiles", n}});
    for (const std::int64_t m : {1, 2, 3, 5, 8, 9}) {
      expect_sized("fork_join", {{"stages", n}, {"width", m}});
      expect_sized("layered_random", {{"tasks", n}, {"width", m}, {"predecessors", std::int64_t{4}}});
      for (const char* pattern : {"trivial", "stencil", "fft", "tree", "random", "all_to_all"}) {
        expect_sized("task_bench", {{"pattern", std::string(pattern)}, {"width", n}, {"steps", m}, {"predecessors", std::int64_t{3}}});
      }
    }
  }
}

TEST(Generators, EveryDefaultMakesAGraph) {
  for (const Generator& each : generators()) expect_sized(each.name, {});
}

TEST(Generators, AParameterIsRefusedByName) {
  const Generator& chain = generator("chain");
  const auto refused = [&](const GivenParameters& given) {
    try {
      chain.plan(given);
    } catch (const ParameterError& wrong) {
      return std::string(wrong.what());
    }
    return std::string();
  };
  EXPECT_EQ(refused({{"lenght", std::int64_t{1}}}).substr(0, 53), "lenght: unknown parameter; did you mean 'length'? (va");
  EXPECT_EQ(refused({{"length", std::int64_t{0}}}), "length: is 0; must be 1 to 1000000000");
  EXPECT_EQ(refused({{"length", std::string("x")}}), "length: must be a whole number");
  EXPECT_EQ(refused({{"kernel", std::int64_t{1}}}), "kernel: must be a word");
  EXPECT_THROW(generator("chian"), InputError);
}

TEST(Generators, AChainWaitsForTheOneBefore) {
  const TaskGraph graph = make_chain({.length = 3, .body = {.cost = {.time = Duration{5}}}});
  EXPECT_THAT(predecessor_names(graph, "link(2)"), ElementsAre("link(1)"));
  EXPECT_EQ(graph[task_id(1)].cost.time, Duration{5});
}

TEST(Generators, AForkJoinGoesThroughItsJoints) {
  const TaskGraph graph = make_fork_join({.stages = 2, .width = 2, .body = {}});
  EXPECT_THAT(predecessor_names(graph, "task(1,0)"), ElementsAre("joint(1)"));
  EXPECT_THAT(predecessor_names(graph, "joint(1)"), ElementsAre("task(0,0)", "task(0,1)"));
}

TEST(Generators, TaskBenchPatternsWaitForThePointsOfThePaper) {
  const auto before = [](Pattern pattern, std::string_view name) {
    return predecessor_names(make_task_bench({.pattern = pattern, .width = 8, .steps = 5, .predecessors = 3, .body = {}}, 1), name);
  };
  EXPECT_THAT(before(Pattern::kTrivial, "point(1,3)"), ElementsAre());
  EXPECT_THAT(before(Pattern::kStencil, "point(1,0)"), ElementsAre("point(0,0)", "point(0,1)"));
  EXPECT_THAT(before(Pattern::kStencil, "point(2,3)"), ElementsAre("point(1,2)", "point(1,3)", "point(1,4)"));
  EXPECT_THAT(before(Pattern::kFft, "point(1,3)"), ElementsAre("point(0,2)", "point(0,3)", "point(0,4)"));
  EXPECT_THAT(before(Pattern::kFft, "point(2,3)"), ElementsAre("point(1,1)", "point(1,3)", "point(1,5)"));
  EXPECT_THAT(before(Pattern::kFft, "point(3,3)"), ElementsAre("point(2,3)", "point(2,7)"));
  EXPECT_THAT(before(Pattern::kFft, "point(4,3)"), ElementsAre("point(3,2)", "point(3,3)", "point(3,4)")) << "starts over";
  EXPECT_THAT(before(Pattern::kTree, "point(2,3)"), ElementsAre("point(1,1)"));
  EXPECT_THAT(before(Pattern::kTree, "point(4,7)"), ElementsAre("point(3,3)"));
  EXPECT_EQ(before(Pattern::kRandom, "point(1,3)").size(), 3u);
  EXPECT_EQ(before(Pattern::kAllToAll, "point(1,3)").size(), 8u);
}

TEST(Generators, LayeredRandomStaysInTheLayerBeforeAndInItsTimes) {
  const TaskGraph graph =
      make_layered_random({.tasks = 1000, .width = 30, .predecessors = 3, .min_time = Duration{500}, .max_time = Duration{502}}, 3);
  std::set<std::int64_t> times;
  for (std::size_t i = 0; i < graph.size(); ++i) {
    times.insert(to_ns(graph[task_id(i)].cost.time));
    EXPECT_EQ(graph[task_id(i)].layer, static_cast<std::int32_t>(i / 30));
    EXPECT_EQ(graph.in_degree(task_id(i)), i < 30 ? 0u : 3u);
    for (const TaskId before : graph.predecessors(task_id(i))) EXPECT_EQ(index(before) / 30 + 1, i / 30);
  }
  EXPECT_THAT(times, ElementsAre(500, 501, 502));
}

TEST(Generators, RandomGraphsAreTheSameWithEveryCompiler) {
  const LayeredRandomParameters layered{
      .tasks = 5000, .width = 100, .predecessors = 3, .min_time = Duration{500}, .max_time = Duration{1500}};
  EXPECT_EQ(checksum(make_layered_random(layered, 1)), 644465249740345622u);
  EXPECT_NE(checksum(make_layered_random(layered, 2)), checksum(make_layered_random(layered, 1)));
  const TaskBenchParameters bench{.pattern = Pattern::kRandom, .width = 64, .steps = 20, .predecessors = 5, .body = {}};
  EXPECT_EQ(checksum(make_task_bench(bench, 1)), 6023575839634548388u);
}

TEST(Generators, DistinctDrawsEverySubsetAboutAsOften) {
  Random random(1);
  std::map<std::vector<std::int64_t>, int> seen;
  for (int i = 0; i < 10'000; ++i) ++seen[distinct(random, 2, 5)];
  EXPECT_EQ(seen.size(), 10u);
  for (const auto& [subset, count] : seen) {
    EXPECT_LT(subset[0], subset[1]);
    EXPECT_NEAR(count, 1000, 150);
  }
  EXPECT_THAT(distinct(random, 4, 4), ElementsAre(0, 1, 2, 3));
}

/// Every dependence of the sequential program: a task waits for the last writer of each tile it touches.
TEST(Cholesky, EdgesAreThoseOfTheSequentialProgram) {
  const int tiles = 7;
  const TaskGraph graph = make_cholesky({tiles, 32});
  std::map<std::pair<int, int>, std::size_t> writer;
  for (std::size_t i = 0; i < graph.size(); ++i) {
    const Task& task = graph[task_id(i)];
    const int row = task.args[0];
    const int column = task.args[1];
    const int k = task.args[2];
    EXPECT_EQ(task.args[3], 32);
    std::set<std::pair<int, int>> touched{{row, column}};
    if (task.kernel == Kernel::kTrsm) touched.insert({k, k});
    if (task.kernel == Kernel::kSyrk) touched.insert({row, k});
    if (task.kernel == Kernel::kGemm) touched.insert({{row, k}, {column, k}});
    std::set<std::size_t> expected;
    for (const auto& tile : touched) {
      if (writer.contains(tile)) expected.insert(writer[tile]);
    }
    std::set<std::size_t> found;
    for (const TaskId before : graph.predecessors(task_id(i))) found.insert(index(before));
    EXPECT_EQ(found, expected) << graph.name(task_id(i));
    writer[{row, column}] = i;
  }
}

TEST(Cholesky, KernelsCountTheirArithmetic) {
  const TaskGraph graph = make_cholesky({4, 64});
  std::map<Kernel, std::pair<int, std::int64_t>> seen;
  for (const Task& task : graph.tasks()) {
    ++seen[task.kernel].first;
    seen[task.kernel].second = task.cost.flops.count;
    EXPECT_EQ(task.cost.bytes.count, 0);
  }
  EXPECT_EQ(seen[Kernel::kPotrf], std::pair(4, std::int64_t{64 * 64 * 64 / 3}));
  EXPECT_EQ(seen[Kernel::kTrsm], std::pair(6, std::int64_t{64 * 64 * 64}));
  EXPECT_EQ(seen[Kernel::kSyrk], std::pair(6, std::int64_t{64 * 64 * 65}));
  EXPECT_EQ(seen[Kernel::kGemm], std::pair(4, std::int64_t{2 * 64 * 64 * 64}));
  EXPECT_EQ(graph.name(task_id(0)), "potrf(0)");
  EXPECT_THAT(predecessor_names(graph, "gemm(3,2,1)"), ElementsAre("gemm(3,2,0)", "trsm(2,1)", "trsm(3,1)"));
  EXPECT_EQ(std::get<CholeskyProblem>(graph.problem()), (CholeskyProblem{4, 64}));
}

}  // namespace
}  // namespace tasktwin::scenarios
