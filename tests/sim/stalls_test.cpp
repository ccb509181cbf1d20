// Stalls are found before a run: twenty and more that were planted, none where they are mended, none in what is shipped.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "models/checks/stalls.hpp"
#include "models/runtimes/runtimes.hpp"
#include "scenarios/files/data_folder.hpp"
#include "scenarios/load/scenario.hpp"
#include "tests/sim/device_worlds.hpp"
#include "tests/sim/small_worlds.hpp"

namespace tasktwin::sim {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

/// Kernels, or tasks of workers, with what they have besides 100 ns.
struct Planted {
  std::vector<TaskTraits> tasks = {};
  std::vector<std::pair<int, int>> edges = {};
  Machine machine = plain_machine(4);
  Design design = named_design("cuda-graph");
  FrozenSchedule lists = {};
  std::vector<CoreType> types = {};  ///< of the tasks; the cores' where empty

  TaskGraph graph() const {
    TaskGraphBuilder builder;
    for (std::size_t i = 0; i < tasks.size(); ++i) {
      Task task{.cost = {.time = Duration{100}}, .core_type = types.empty() ? machine.compute_cores.front().type : types[i]};
      task.traits = builder.add_traits(tasks[i]);
      builder.add_task("t" + std::to_string(i), task);
    }
    for (const auto& [from, to] : edges) builder.add_edge(task_id(static_cast<std::size_t>(from)), task_id(static_cast<std::size_t>(to)));
    return std::move(builder).build();
  }
  std::vector<std::string> kinds() const {
    const TaskGraph made = graph();
    std::vector<std::string> found;
    for (const Stall& stall : find_stalls({made, machine, design, lists})) found.emplace_back(stall.kind);
    return found;
  }
};

using Change = std::function<void(Planted&)>;
struct Plant {
  const char* what;
  const char* kind;
  Planted planted;
  Change mend;
};

std::vector<TaskTraits> in_groups(const std::vector<int>& groups, int blocks = 1) {
  std::vector<TaskTraits> all;
  for (const int group : groups) all.push_back({.blocks = blocks, .co_resident = group});
  return all;
}

Planted submitted(std::vector<TaskTraits> tasks, std::vector<std::pair<int, int>> edges) {
  Planted planted{.tasks = std::move(tasks), .edges = std::move(edges), .design = named_design("ascend-device-built")};
  planted.design.window = 0;
  planted.design.dispatchers = 1;
  planted.machine.control_cores.count = 2;
  return planted;
}

/// `count` producers of one core, and behind each a task of `blocks` blocks that start together, of which `limit` may come early.
Planted early(int count, int blocks, int limit) {
  Planted planted{.design = named_design("ascend-host-built")};
  planted.machine.compute_cores = {{.type = CoreType::kAic, .count = 8}, {.type = CoreType::kAiv, .count = 16}};
  planted.machine.control_cores.count = 2;
  planted.design.dispatchers = 2;
  planted.design.early_dispatch = EarlyDispatch::kOn;
  planted.design.early_bound = EarlyBound::kPerEdge;
  planted.design.early_limit = limit;
  for (int i = 0; i < count; ++i) {
    planted.tasks.push_back({});
    planted.tasks.push_back({.blocks = blocks});
    planted.types.insert(planted.types.end(), {CoreType::kAic, CoreType::kAiv});
    planted.edges.emplace_back(2 * i, 2 * i + 1);
  }
  return planted;
}

Planted with_streams(Planted planted, int streams) {
  planted.design = named_design("cuda-streams");
  planted.design.streams = streams;
  planted.design.stream_granularity = StreamGranularity::kHinted;
  return planted;
}

/// Kernels that keep no matrix unit busy, which have but the second share of four cores.
Planted shared(std::vector<TaskTraits> tasks, int streams) {
  Planted planted = with_streams({.tasks = std::move(tasks)}, streams);
  planted.design.partition = 50;
  return planted;
}

std::vector<Plant> plants() {
  std::vector<Plant> all;
  const auto add = [&all](const char* what, const char* kind, Planted planted, Change mend) {
    all.push_back({what, kind, std::move(planted), std::move(mend)});
  };
  const auto edge = [](int from, int to) { return [from, to](Planted& p) { p.edges.emplace_back(from, to); }; };
  const auto cores = [](int count) { return [count](Planted& p) { p.machine.compute_cores = {{.type = CoreType::kSm, .count = count}}; }; };
  // Windows.
  Planted window = submitted({{}, {}, {}, {}}, {{0, 3}});
  window.design.window = 3;
  add("a window that an edge spans", "window", window, [](Planted& p) { p.design.window = 4; });
  Planted heap = submitted({{.output = 1024}, {.output = 1024}, {}}, {{0, 2}});
  heap.design.heap_kib = 1;
  add("a heap ring for one of two outputs", "window", heap, [](Planted& p) { p.design.heap_kib = 2; });
  Planted pool = submitted({{}, {}, {}}, {{0, 1}, {0, 2}, {1, 2}});
  pool.design.dependency_pool = 2;
  add("a pool too small for the dependencies up to the last successor", "window", pool, [](Planted& p) { p.design.dependency_pool = 3; });
  Planted scope = submitted({{.scope = 1}, {.scope = 1}, {.scope = 1}}, {});
  scope.design.window = 2;
  add("a window smaller than a scope", "window", scope, [](Planted& p) { p.design.window = 3; });
  // Lists.
  Planted lists{.tasks = {{}, {}, {}, {}}, .edges = {{0, 1}, {2, 3}}, .design = named_design("static-queues")};
  lists.lists = {{task_id(1), task_id(2)}, {task_id(3), task_id(0)}};
  add("lists in crossed order", "lists", lists, [](Planted& p) { p.lists = {{task_id(2), task_id(1)}, {task_id(3), task_id(0)}}; });
  // Kernels that meet, and that can never be there together.
  add("blocks of two that do not fit", "room", {.tasks = {{.blocks = 3, .co_resident = 1}, {.blocks = 2, .co_resident = 1}}}, cores(5));
  add("more blocks of one than cores", "room", {.tasks = {{.blocks = 5, .co_resident = 1}}}, cores(5));
  add("one behind the other", "room", {.tasks = in_groups({1, 1, 0}), .edges = {{0, 2}, {2, 1}}}, [](Planted& p) { p.edges = {{0, 2}}; });
  add("two in one stream", "room", with_streams({.tasks = in_groups({1, 1})}, 1), [](Planted& p) {
    p.design.streams = 2;
    p.tasks[1].stream = 1;
  });
  Planted resident{.tasks = in_groups({1, 1, 1})};
  resident.machine.launch_limits.resident_kernels = 2;
  add("more kernels than run at a time", "room", resident, [](Planted& p) { p.machine.launch_limits.resident_kernels = 3; });
  add("more cooperative blocks than cores", "room", {.tasks = {{.blocks = 5, .cooperative = true}}}, cores(5));
  add("a share of the cores that is too small", "room",
      shared({{.blocks = 2, .co_resident = 1}, {.blocks = 1, .stream = 1, .co_resident = 1}}, 2), cores(6));
  // In crossed order.
  add("two groups crossed by edges", "crossed order", {.tasks = in_groups({1, 1, 2, 2}), .edges = {{0, 2}, {3, 1}}}, [](Planted& p) {
    p.edges = {{0, 2}, {1, 3}};
  });
  add("three groups in a circle", "crossed order",
      {.tasks = in_groups({1, 1, 2, 2, 3, 3}), .edges = {{0, 2}, {3, 4}, {5, 1}}, .machine = plain_machine(6)}, [](Planted& p) {
        p.edges = {{0, 2}, {3, 4}, {1, 5}};
      });
  add("two groups crossed in two streams", "crossed order",
      with_streams({.tasks = {{.stream = 0, .co_resident = 1},
                              {.stream = 1, .co_resident = 2},
                              {.stream = 0, .co_resident = 2},
                              {.stream = 1, .co_resident = 1}}},
                   2),
      [](Planted& p) { std::swap(p.tasks[1].co_resident, p.tasks[3].co_resident); });
  // Groups that hold each other's cores.
  add("two groups of all cores each", "meeting", {.tasks = in_groups({1, 1, 2, 2}, 2)}, cores(7));
  add("three groups, of which any two end", "meeting", {.tasks = in_groups({1, 1, 2, 2, 3, 3}), .machine = plain_machine(3)}, cores(4));
  add("two groups, of each of which a kernel and a part of another fill the cores", "meeting",
      {.tasks = in_groups({1, 1, 2, 2}, 3), .machine = plain_machine(8)}, cores(9));
  add("two groups of which one may begin with a part", "meeting", {.tasks = in_groups({1, 1, 2, 2}, 2), .edges = {{0, 3}}}, edge(1, 2));
  add("two groups beside a kernel that ends", "meeting", {.tasks = in_groups({0, 1, 1, 2, 2}, 2), .edges = {{0, 1}}}, [](Planted& p) {
    p.edges = {{0, 1}, {1, 3}, {1, 4}, {2, 3}, {2, 4}};
  });
  add("groups that fill a share of the cores", "meeting",
      shared({{.co_resident = 1}, {.stream = 1, .co_resident = 1}, {.stream = 2, .co_resident = 2}, {.stream = 3, .co_resident = 2}}, 4),
      [](Planted& p) { p.design.partition = 25; });
  // A kernel between some that meet.
  const Planted between{.tasks = {{.blocks = 2, .co_resident = 1}, {.blocks = 3, .cooperative = true}, {.blocks = 2, .co_resident = 1}}};
  add("a cooperative kernel in the line in front of the second", "kernel between", between, [](Planted& p) { p.tasks[1].blocks = 2; });
  Planted needed = between;
  needed.edges = {{1, 2}};
  add("one that the second needs", "kernel between", needed, edge(1, 0));
  // Early dispatch.
  add("four tasks with half of their blocks", "early dispatch", early(8, 8, 4),
      [](Planted& p) { p.design.early_bound = EarlyBound::kSum; });
  add("as many as hold all cores but a few", "early dispatch", early(8, 4, 3), [](Planted& p) { p.design.early_limit = 4; });
  Planted wide = early(4, 12, 5);
  add("tasks wider than a dispatcher's cores", "early dispatch", wide, [](Planted& p) { p.design.early_limit = 1; });
  Planted built = early(8, 8, 4);
  built.design.graph_build = GraphBuild::kDevice;
  built.machine.control_cores.count = 3;
  built.design.window = 16;
  add("within a window", "early dispatch", built, [](Planted& p) { p.design.window = 2; });
  Planted chained = early(8, 8, 4);
  add("tasks that are not behind each other", "early dispatch", chained, [](Planted& p) {
    for (int i = 0; i + 1 < 8; ++i) p.edges.emplace_back(2 * i + 1, 2 * i + 2);
  });
  return all;
}

TEST(PlantedStalls, AreAllFoundAndOnlyWhereTheyAre) {
  EXPECT_GE(plants().size(), 20u);
  for (const Plant& plant : plants()) {
    EXPECT_THAT(plant.planted.kinds(), testing::ElementsAre(plant.kind)) << plant.what;
    Planted mended = plant.planted;
    plant.mend(mended);
    EXPECT_THAT(mended.kinds(), IsEmpty()) << plant.what << ", mended";
  }
}

/// Of two all_reduces in two streams, over these devices of four, each of whose ranks has so many blocks.
std::vector<std::string> of_two_collectives(const std::vector<int>& one, const std::vector<int>& other, int blocks) {
  Machine machine = device_machine(4);
  machine.collectives->blocks = blocks;
  machine.collectives->block_bytes = 1;
  DeviceGraphs graphs;
  graphs.collective(Operation::kAllReduce, one, 4000, 0, 0);
  graphs.collective(Operation::kAllReduce, other, 4000, 0, 1);
  return possible_stalls(graphs.build(), machine, device_streams());
}

TEST(PlantedStalls, OfCollectivesOfUnlikeGroupsHoweverDevicesAreNumbered) {
  const std::vector<std::pair<std::vector<int>, std::vector<int>>> pairs{{{0, 1, 2}, {1, 2}},    {{0, 1, 2}, {0, 1}},
                                                                         {{0, 1, 2}, {0, 2}},    {{0, 1, 2, 3}, {2, 3}},
                                                                         {{0, 1, 2}, {1, 2, 3}}, {{0, 2, 3}, {0, 1, 3}}};
  for (const auto& [one, other] : pairs) {
    EXPECT_THAT(of_two_collectives(one, other, 3), testing::ElementsAre(HasSubstr("groups of ranks")));
    EXPECT_THAT(of_two_collectives(other, one, 3), testing::ElementsAre(HasSubstr("groups of ranks")));
    EXPECT_THAT(of_two_collectives(one, other, 2), IsEmpty());
  }
}

TEST(Stalls, AreNotInventedOfOneCommunicatorOrOneCommonDevice) {
  EXPECT_THAT(of_two_collectives({0, 1}, {0, 1}, 3), IsEmpty()) << "which makes one at a time";
  EXPECT_THAT(of_two_collectives({0, 1, 2}, {2, 3}, 3), IsEmpty()) << "whoever comes first there ends first";
}

TEST(Stalls, AreNotInventedWhereBlocksLeftOverGoFirst) {
  EXPECT_THAT((Planted{.tasks = in_groups({1, 2}, 3)}.kinds()), IsEmpty()) << "of three and one block on four cores the three end";
  EXPECT_THAT((Planted{.tasks = in_groups({1, 1, 2, 2}, 3), .machine = plain_machine(10)}.kinds()), IsEmpty());
}

TEST(PlantedStalls, OfKernelsThatMeetAcrossDevices) {
  const auto found = [](int blocks) {
    DeviceGraphs graphs;
    for (int group = 1; group <= 2; ++group) {
      for (int device = 0; device < 2; ++device)
        graphs.add({.cost = {.time = Duration{100}}, .device = device}, {.blocks = blocks, .stream = group, .co_resident = group});
    }
    return possible_stalls(graphs.build(), device_machine(2), device_streams());
  };
  EXPECT_THAT(found(2), IsEmpty());
  EXPECT_THAT(found(3), testing::ElementsAre(HasSubstr("hold cores and wait for")));
}

/// The first of a pair holds a whole device, whose kernel has to end before the second can begin on the other device.
TEST(PlantedStalls, OfAKernelThatAPartnerNeedsOnAHeldDevice) {
  const auto found = [](int blocks, bool first) {
    DeviceGraphs graphs;
    const TaskId kernel = graphs.add({.cost = {.time = Duration{100}}}, {.blocks = 4});
    const TaskId hop = graphs.add({.cost = {.time = Duration{100}}, .device = 1}, {});
    const TaskId near = graphs.add({.cost = {.time = Duration{100}}}, {.blocks = blocks, .stream = 1, .co_resident = 1});
    const TaskId far = graphs.add({.cost = {.time = Duration{100}}, .device = 1}, {.stream = 1, .co_resident = 1});
    graphs.edge(kernel, hop);
    graphs.edge(hop, far);
    if (first) graphs.edge(kernel, near);
    return possible_stalls(graphs.build(), device_machine(2), device_streams());
  };
  EXPECT_THAT(found(4, false), testing::ElementsAre(HasSubstr("needs the end of 't0', for which there is no room beside")));
  EXPECT_THAT(found(4, true), IsEmpty());
  EXPECT_THAT(found(3, false), IsEmpty()) << "its blocks take turns on the core that is left";
}

/// Two that fit a core together, and one between that asks for more than the first leaves.
TEST(PlantedStalls, OfAKernelThatAsksForMoreThanTheFirstLeaves) {
  const auto found = [](std::int64_t kib) {
    Machine machine = plain_machine(4);
    machine.core_limits = {.blocks = 4, .threads = 256, .registers = 65536, .shared_memory = 100 << 10};
    TaskGraphBuilder builder;
    for (const auto& [asks, group] : {std::pair<std::int64_t, int>{60, 1}, {kib, 0}, {40, 1}}) {
      const std::uint32_t traits =
          builder.add_traits({.blocks = 4, .threads = 32, .registers = 16, .shared_memory = asks << 10, .co_resident = group});
      builder.add_task("t" + std::to_string(builder.size()), {.cost = {.time = Duration{100}}, .traits = traits});
    }
    return possible_stalls(std::move(builder).build(), machine, named_design("cuda-graph"));
  };
  EXPECT_THAT(found(50), testing::ElementsAre(HasSubstr("stands in line behind 't1'")));
  EXPECT_THAT(found(40), IsEmpty());
}

TEST(PlantedStalls, SayTheFewestTasksAndTheBoundThatAvoidsThem) {
  const Planted planted = early(8, 8, 4);
  const TaskGraph graph = planted.graph();
  const auto stalls = find_stalls({graph, planted.machine, planted.design, planted.lists});
  ASSERT_EQ(stalls.size(), 1u);
  EXPECT_EQ(stalls[0].holders.size(), 3u) << "four blocks of three leave four of 16 idle, two a dispatcher";
  EXPECT_THAT(stalls[0].text(),
              testing::AllOf(HasSubstr("3 tasks, 't1', 't3' and 't5', may each have up to 4 blocks"), HasSubstr("of the 16"),
                             HasSubstr("early_bound 'sum' avoids that"), HasSubstr("at least 8 under 'per_edge'")));
}

TEST(Stalls, AreNotInventedInWhatIsShipped) {
  int looked_at = 0;
  std::vector<std::string> names = scenarios::shipped_scenarios();
  for (const std::string& name : scenarios::shipped_suite()) names.push_back(name);
  for (const std::string& name : names) {
    const scenarios::Scenario scenario = scenarios::load_scenario(name);
    for (const Design& design : scenario.designs) {
      ++looked_at;
      if (name == "ascend-moe-fanout" && design.early_bound == EarlyBound::kPerEdge) continue;
      EXPECT_THAT(possible_stalls(scenario.graph, scenario.machine, design), IsEmpty()) << name << " under " << design.name;
    }
  }
  EXPECT_GT(looked_at, 100);
}

TEST(Stalls, OfEachKindHaveANameAndAMeaning) {
  for (const StallKind& kind : stall_kinds()) {
    EXPECT_FALSE(kind.name.empty());
    EXPECT_FALSE(kind.meaning.empty()) << kind.name;
  }
}

}  // namespace
}  // namespace tasktwin::sim
