#include <gmock/gmock.h>

#include <set>

#include "models/base/error.hpp"
#include "models/checks/remarks.hpp"
#include "models/program/device_graph.hpp"
#include "models/runtimes/runtimes.hpp"
#include "scenarios/designs/stated_sets.hpp"
#include "scenarios/document/document.hpp"
#include "scenarios/load/scenario.hpp"
#include "scenarios/load/varied_scenario.hpp"
#include "scenarios/machine_files/machine_file.hpp"
#include "sim/simulator.hpp"
#include "tests/scenarios/made_graph.hpp"
#include "tests/scenarios/temporary_file.hpp"

namespace tasktwin::scenarios {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::string on_two(const std::string& tasks) {
  return "scenario: s\nmachine: nvidia-h200x2\ndesigns: [cuda-streams]\ngraph:\n  tasks:\n" + tasks;
}

std::string machine_text(const std::string& devices) { return "machine: m\nfrom: dgx-h100\n" + devices + "\n"; }

Machine machine_of(const std::string& devices) {
  const TemporaryFile file(machine_text(devices));
  return load_machine(file.path());
}

std::string machine_refusal(const std::string& devices) {
  const TemporaryFile file(machine_text(devices));
  try {
    load_machine(file.path());
  } catch (const InputError& error) {
    return std::string(error.what()).substr(file.path().size() + 1);
  }
  return "";
}

TEST(DeviceMachines, AreWhatTheirFilesSay) {
  for (const auto& [name, count] : {std::pair{"nvidia-h200", 1},
                                    {"nvidia-h200x2", 2},
                                    {"nvidia-h100x2", 2},
                                    {"nvidia-h100x4", 4},
                                    {"dgx-h100", 8},
                                    {"dgx-h100x128", 1024}}) {
    const Machine machine = load_machine(name);
    EXPECT_EQ(machine.devices.count(), count) << name;
    EXPECT_EQ(machine.peers.has_value(), count > 1) << name;
    EXPECT_EQ(machine.unstated.size(), load_machine("nvidia-h200").unstated.size()) << name;
  }
  EXPECT_EQ(load_machine("dgx-h100").provenance.at("peers.link_bandwidth_gb_per_s").source, Source::kPublished);
}

/// Each die is the machine that it was; what lies between them is assumed, all of it.
TEST(DeviceMachines, OfTwoDiesAreTwiceOne) {
  const Machine one = load_machine("ascend-a2a3");
  const Machine two = load_machine("ascend-a2a3x2");
  EXPECT_EQ(two.devices.count(), 2);
  EXPECT_EQ(two.devices.links, PeerLinks::kAllToAll);
  EXPECT_EQ(two.core_count(), one.core_count());
  EXPECT_EQ(two.control_cores.count, one.control_cores.count);
  int assumed = 0;
  for (const ConstantField& field : constant_fields()) {
    if (!find_section(field.section)->present(two)) continue;
    if (field.section != "peers" && field.section != "collectives") {
      EXPECT_EQ(field.get(two), field.get(one)) << field.key;
      continue;
    }
    EXPECT_EQ(two.provenance.at(std::string(field.key)).source, Source::kAssumed) << field.key;
    ++assumed;
  }
  EXPECT_GT(assumed, 10);
}

TEST(DeviceMachines, AreWrittenAndReadBack) {
  const Machine machine = machine_of(
      "devices: {per_node: 4, nodes: 6, links: all_to_all, nics: 2, tree_down: [3, 2], tree_up: [1, 4], assumed: \"a test\"}\n"
      "collective_times:\n"
      "  - {kind: all_reduce, ranks: 4, bytes: [8, 1024], time_ns: [9500, 9800.5], assumed: \"a test\"}\n"
      "  - {kind: all_reduce, ranks: 4, in: graph, bytes: [8], time_ns: [8000], assumed: \"a test\"}");
  EXPECT_FALSE(machine.devices.multicast);
  EXPECT_TRUE(machine_of("devices: {per_node: 8, multicast: true}").devices.multicast);
  EXPECT_THAT(machine_to_yaml(machine_of("devices: {per_node: 8, multicast: true}")), HasSubstr("multicast: true"));
  const TemporaryFile file(machine_to_yaml(machine));
  const Machine back = load_machine(file.path());
  EXPECT_EQ(back.devices, machine.devices);
  EXPECT_EQ(back.collective_times, machine.collective_times);
  const std::size_t begun_with = load_machine("dgx-h100").collective_times.size();
  ASSERT_EQ(back.collective_times.size(), begun_with + 2);
  EXPECT_TRUE(back.collective_times[begun_with + 1].in_graph);
  EXPECT_EQ(back.collective_times[begun_with].points[1].time_ns, 9800.5);
  EXPECT_EQ(machine_to_yaml(back), machine_to_yaml(machine));
}

TEST(DeviceMachines, KeepWhatAFileLeavesOut) {
  const Devices eight = load_machine("dgx-h100").devices;
  Devices expected = eight;
  expected.multicast = true;
  EXPECT_EQ(machine_of("devices: {multicast: true}").devices, expected);
  expected = eight;
  expected.nodes = 16;
  expected.tree_down = {8, 2};
  expected.tree_up = {1, 8};
  EXPECT_EQ(machine_of("devices: {nodes: 16, tree_down: [8, 2], tree_up: [1, 8]}").devices, expected);
}

TEST(DeviceMachines, HaveAnotherNumberOfHostsUnderOneSwitch) {
  const TemporaryFile file("machine: four\nfrom: dgx-h100x128\ndevices: {nodes: 4}\n");
  const Devices four = load_machine(file.path()).devices;
  EXPECT_EQ(four.nodes, 4);
  EXPECT_EQ(four.per_node, 8);
  EXPECT_EQ(four.nics, 8);
  EXPECT_TRUE(four.tree_down.empty());
  const TemporaryFile odd("machine: odd\nfrom: dgx-h100x128\ndevices: {per_node: 4, nics: 4}\n");
  EXPECT_EQ(load_machine(odd.path()).devices.tree_down, load_machine("dgx-h100x128").devices.tree_down);
}

TEST(DeviceMachines, WhatContradictsItselfIsRefusedWhereItStands) {
  EXPECT_THAT(machine_refusal("devices: {per_node: 2, nodes: 2, nics: 0}"), HasSubstr("devices.nics: missing"));
  EXPECT_THAT(machine_refusal("devices: {per_node: 2, nodes: 2}"),
              HasSubstr("3:10: devices.nics: is 8, more than the 2 devices of a host"));
  EXPECT_THAT(machine_refusal("devices: {per_node: 1, nodes: 4, nics: 1, tree_down: [2], tree_up: [1]}"),
              HasSubstr("devices.tree_down: its product is 2; it must be that of the nodes, 4"));
  EXPECT_THAT(machine_refusal("devices: {per_node: 1, nodes: 4, nics: 1, tree_down: [4]}"), HasSubstr("devices.tree_up: has 0 levels"));
  EXPECT_THAT(machine_refusal("devices: {per_node: 1024, nodes: 65536, nics: 1}"), HasSubstr("at most 65536 are simulated"));
  EXPECT_THAT(machine_refusal("devices: {per_node: 2, nodes: 2, nics: 8}"),
              HasSubstr("devices.nics: is 8, more than the 2 devices of a host"));
  EXPECT_THAT(machine_refusal("devices: {links: ring}"), HasSubstr("switch"));
  EXPECT_THAT(machine_refusal("devices: {per_node: 4, links: all_to_all, multicast: true}"),
              HasSubstr("devices.multicast: is of a switch, but links are 'all_to_all'"));
  const std::string times = "collective_times:\n  - {kind: all_reduce, ranks: 2, ";
  EXPECT_THAT(machine_refusal(times + "bytes: [8, 8], time_ns: [1, 2]}"), HasSubstr("sizes must ascend"));
  EXPECT_THAT(machine_refusal(times + "bytes: [8], time_ns: [1, 2]}"), HasSubstr("must have one for each of the 1 of bytes"));
  EXPECT_THAT(machine_refusal(times + "bytes: [8], time_ns: [1]}\n  - {kind: all_reduce, ranks: 2, bytes: [9], time_ns: [1]}"),
              HasSubstr("stands twice"));
}

std::string remarked(const std::string& machine, const std::string& tasks) {
  const TemporaryFile file("scenario: s\nmachine: " + machine +
                           "\ndesigns: [{name: d, from: cuda-streams, launching: thread_per_device}]\ngraph:\n  tasks:\n" + tasks);
  const Scenario scenario = load_scenario(file.path());
  std::string all;
  for (const std::string& remark : device_remarks(scenario.graph, scenario.machine, scenario.designs.front())) all += remark + "; ";
  return all;
}

TEST(DeviceRemarks, NameNetworkCardsThatDoNothing) {
  const std::string machine = "{from: dgx-h100, devices: {per_node: 8, nodes: 2, nics: 8}}";
  const auto sum = [](const std::string& group) { return "  - {name: sum, operation: all_reduce, bytes: 64, group: [" + group + "]}\n"; };
  EXPECT_EQ(remarked(machine, sum("0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15")), "");
  EXPECT_EQ(remarked(machine, sum("0, 1, 2, 8, 9, 10")),
            "5 of the 8 network cards of a host (devices.nics) do nothing: collectives have 3 ranks of a host; ");
  EXPECT_EQ(
      remarked(machine, sum("0, 1, 2, 8")),
      "7 of the 8 network cards of a host (devices.nics) do nothing: ranks of a host are 1 to 3, and only where they are alike is there a "
      "ring for each card; ");
  EXPECT_EQ(remarked(machine, sum("0, 1")), "devices.nics does nothing: nothing is sent from host to host; ");
  EXPECT_EQ(remarked(machine, sum("0, 1") + "  - {name: far, operation: copy_p2p, bytes: 8, device: 0, to_device: 9}\n"), "");
}

TEST(DeviceRemarks, NameTablesThatTheLinksContradict) {
  const std::string sum = "  - {name: sum, operation: all_reduce, bytes: 64, group: [0, 1]}\n";
  const auto with_link = [](const std::string& rate) { return "{from: nvidia-h100x2, peers: {link_bandwidth_gb_per_s: " + rate + "}}"; };
  EXPECT_EQ(remarked("nvidia-h100x2", sum), "");
  EXPECT_EQ(remarked(with_link("300"), sum), "");
  EXPECT_THAT(remarked(with_link("50"), sum),
              HasSubstr("collective_times contradict peers.link_bandwidth_gb_per_s, 50.0 GB/s: all_reduce of 2 "
                        "ranks and 134217728 bytes would have sent at 285.7 GB/s"));
  EXPECT_THAT(remarked(with_link("5000"), sum), HasSubstr("all_reduce of 2 ranks"));
}

TEST(DeviceRemarks, SayWhatIsKnownOfFewerBlocks) {
  TaskGraphBuilder builder;
  for (const int device : {0, 1})
    builder.add_task(
        "sum@" + std::to_string(device),
        {.cost = {.bytes = {1 << 20}}, .args = {0, 1, 0}, .kernel = Kernel::kEmpty, .operation = Operation::kAllReduce, .device = device});
  const TaskGraph graph = std::move(builder).build();
  Machine machine = load_machine("nvidia-h100x2");
  Design design = named_design("cuda-streams");
  EXPECT_THAT(device_remarks(graph, machine, design), testing::IsEmpty());
  design.collective_blocks = 4;
  EXPECT_THAT(device_remarks(graph, machine, design),
              ElementsAre(HasSubstr("collective_blocks 4: that each block of a rank sends up to 55.9 GB/s is assumed")));
  machine.peers->core_read_bandwidth = 0;
  EXPECT_THAT(device_remarks(graph, machine, design),
              ElementsAre(HasSubstr("collective_blocks 4: what fewer blocks cost a collective is not known")));
  design.collective_blocks = 32;
  EXPECT_THAT(device_remarks(graph, machine, design), testing::IsEmpty());
}

/// A number of cores is the next ones; what is read is what is written.
TEST(CoreSets, AreReadAndWritten) {
  const auto with = [](const std::string& sets) {
    return "scenario: s\nmachine: nvidia-h200\ngraph: {tasks: [{name: a, time_ns: 5}, {name: b, time_ns: 5, stream: 1}, {name: c, time_ns: "
           "5, stream: 2}]}\ndesigns:\n"
           "  - {name: d, from: cuda-streams, stream_granularity: hinted, streams: 3, sets: [" +
           sets + "]}\n";
  };
  const TemporaryFile file(
      with("{name: one, cores: 8, streams: [1]}, {name: far, cores: [16, 31], layers: [0, 3], streams: [0]}, {name: rest, cores: 100}"));
  const std::vector<NamedCores> sets = load_scenario(file.path()).designs.front().sets;
  ASSERT_EQ(sets.size(), 3U);
  EXPECT_EQ(sets[0], (NamedCores{.name = "one", .cores = {0, 7}, .streams = {1}}));
  EXPECT_EQ(sets[1], (NamedCores{.name = "far", .cores = {16, 31}, .streams = {0}, .layers = {{0, 3}}}));
  EXPECT_THAT(sets[2].cores, ElementsAre(32, 131));
  EXPECT_EQ(design_sets_from(parse_document("sets", design_sets_to_json(sets).dump()).root), sets);
  EXPECT_THAT(refusal(with("{name: one, cores: 8}, {name: two, cores: [0, 15]}")),
              HasSubstr("'one' and 'two' overlap: both have core 0 (cores 0 to 7, and cores 0 to 15)"));
  EXPECT_THAT(refusal(with("{name: one, cores: 20}")), HasSubstr("sets multiples of 8 apart: 16 or 24"));
  EXPECT_THAT(refusal(with("{name: one, cores: 136}")), HasSubstr("has 132 for tasks"));
  EXPECT_THAT(refusal(with("{name: one}")), HasSubstr("cores: missing"));
  EXPECT_THAT(refusal(with("{name: one, cores: [1]}")), HasSubstr("sets[0].cores"));
  EXPECT_THAT(refusal(with("{name: one, cores: 8, stream: 1}")), HasSubstr("stream"));
}

TEST(ListedCollectives, BecomeARankForEachDeviceJoinedToItsTasks) {
  const TemporaryFile file(
      on_two("  - {name: left, time_ns: 5, device: 0}\n"
             "  - {name: right, time_ns: 5, device: 1}\n"
             "  - {name: sum, operation: all_reduce, bytes: 64, group: [0, 1], after: [left, right]}\n"
             "  - {name: next, time_ns: 5, device: 1, after: [sum]}\n"
             "  - {name: anywhere, time_ns: 5, after: [sum]}\n"
             "  - {name: shown, operation: broadcast, bytes: 64, group: [0, 1], root: 1, after: [sum]}\n"));
  const TaskGraph graph = load_scenario(file.path()).graph;
  std::map<std::string, std::set<std::string>> before;
  for (std::size_t i = 0; i < graph.size(); ++i) {
    auto& names = before[std::string(graph.name(task_id(i)))];
    for (const TaskId task : graph.predecessors(task_id(i))) names.emplace(graph.name(task));
  }
  EXPECT_THAT(before["sum@0"], ElementsAre("left"));
  EXPECT_THAT(before["sum@1"], ElementsAre("right"));
  EXPECT_THAT(before["next"], ElementsAre("sum@1"));
  EXPECT_THAT(before["anywhere"], ElementsAre("sum@0", "sum@1"));
  EXPECT_THAT(before["shown@0"], ElementsAre("sum@0"));
  EXPECT_THAT(before["shown@1"], ElementsAre("sum@1"));
  EXPECT_NO_THROW(check_devices(graph, load_machine("nvidia-h200x2")));
}

TEST(ListedCollectives, WhatMakesNoSenseIsRefusedWhereItStands) {
  const auto of = [](const std::string& task) { return refusal(on_two("  - {name: a, " + task + "}\n")); };
  EXPECT_THAT(of("operation: all_reduce, bytes: 8"), HasSubstr("group: missing; operation 'all_reduce' needs it"));
  EXPECT_THAT(of("operation: all_reduce, bytes: 8, group: [0, 0]"), HasSubstr("device 0 stands twice"));
  EXPECT_THAT(of("operation: broadcast, bytes: 8, group: [0, 1], root: 2"), HasSubstr("device 2 is none of the group"));
  EXPECT_THAT(of("operation: all_reduce, bytes: 8, group: [0, 1], device: 0"), HasSubstr("device: does not go with"));
  EXPECT_THAT(of("time_ns: 5, group: [0, 1]"), HasSubstr("group: does not go with operation 'kernel'"));
  EXPECT_THAT(of("time_ns: 5, device: 2"), HasSubstr("device"));
  EXPECT_THAT(of("operation: all_reduce, bytes: 8, group: [0, 3]"), HasSubstr("is for device 3"));
  EXPECT_THAT(of("operation: copy_p2p, bytes: 8, device: 0"), HasSubstr("to_device: missing"));
}

TEST(DeviceGenerators, MakeWhatTheySayOnAsManyDevices) {
  for (const std::int64_t devices : {2, 3, 8}) {
    made("tensor_parallel_decode", {{"devices", devices}, {"layers", std::int64_t{3}}});
    made("tensor_parallel_decode", {{"devices", devices}, {"layers", std::int64_t{3}}, {"reduction", "tasks"}});
    made("layer_pipeline", {{"stages", devices}, {"micro_batches", std::int64_t{5}}, {"layers", std::int64_t{2}}});
    made("expert_parallel", {{"devices", devices}, {"layers", std::int64_t{2}}});
    const TaskGraph step = made("data_parallel_step", {{"devices", devices}, {"layers", std::int64_t{10}}, {"bucket", std::int64_t{4}}});
    EXPECT_EQ(step.devices(), devices);
    EXPECT_NO_THROW(check_devices(step, load_machine("dgx-h100")));
  }
}

/// Every design of the shipped scenarios runs, each task on a device of its own and in order.
TEST(DeviceGenerators, OfMoreCopiesThanAreMadeAreRefused) {
  const TemporaryFile file(
      "scenario: s\nmachine: dgx-h100x128\ngraph: {generator: tensor_parallel_decode, devices: 1024, layers: 2, reduction: tasks}\n"
      "designs: [{name: d, from: cuda-streams, launching: thread_per_device}]\n");
  const Scenario scenario = load_scenario(file.path());
  EXPECT_GT(scenario.graph.edge_count(), kMostCopies);
  try {
    on_devices(scenario.graph, scenario.machine, scenario.designs.front());
    FAIL() << "not refused";
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(), HasSubstr("design 'd' puts in more than 4000000 copies between devices"));
  }
}

std::string collectives_refusal(const std::string& section, const std::string& graph) {
  const TemporaryFile file("scenario: s\nmachine: nvidia-h200x2\ngraph: " + graph + "\n" + section + "\ndesigns: [cuda-streams]\n");
  try {
    load_scenario(file.path());
  } catch (const InputError& error) {
    return std::string(error.what()).substr(file.path().size() + 1);
  }
  return "";
}

TEST(DeviceScenarios, MakeTheirCollectivesByKernelsOfTheGraph) {
  const std::string sums = "{generator: tensor_parallel_decode, devices: 2, layers: 2}";
  EXPECT_EQ(collectives_refusal("collectives: {by: two_shot, pieces: 4}", sums), "");
  EXPECT_EQ(collectives_refusal("collectives: {by: library}", sums), "");
  EXPECT_THAT(collectives_refusal("collectives: {by: library, pieces: 4}", sums),
              HasSubstr("4:28: collectives.pieces: is of the graph's own"));
  EXPECT_THAT(collectives_refusal("collectives: {by: one_shot}", "{generator: chain, length: 3}"), HasSubstr("the graph has none"));
  EXPECT_THAT(collectives_refusal("collectives: {by: oneshot}", sums), HasSubstr("one_shot"));
  EXPECT_THAT(collectives_refusal("collectives: {pieces: 4}", sums), HasSubstr("by"));
  EXPECT_THAT(collectives_refusal("collectives: {by: one_shot, pieces: 0}", sums), HasSubstr("collectives.pieces"));
  EXPECT_THAT(collectives_refusal("collectives: 5", sums), HasSubstr("collectives"));
  EXPECT_THAT(collectives_refusal("collectives: {by: one_shot, pieces: 4096}", "{generator: collectives, devices: 2, count: 100000}"),
              HasSubstr("ranks of 4096 pieces are more than"));
}

TEST(DeviceScenarios, TheirCollectivesAreVaried) {
  VariedScenario varied("tensor-parallel-resident", {});
  const std::size_t one = varied.with({}, "resident").graph.size();
  const std::vector<std::string> two{"collectives.by=two_shot"};
  EXPECT_GT(varied.with(two, "resident").graph.size(), one);
  EXPECT_EQ(varied.with({}, "resident").graph.size(), one);
  EXPECT_EQ(load_scenario("tensor-parallel-resident", two).graph.size(), varied.with(two, "resident").graph.size());
}

TEST(DeviceScenarios, RunUnderAllTheirDesigns) {
  for (const char* name : {"tensor-parallel", "tensor-parallel-tasks", "tensor-parallel-resident", "layer-pipeline", "expert-parallel"}) {
    const Scenario scenario = load_scenario(name);
    for (const Design& design : scenario.designs) {
      const Timeline timeline = sim::simulate(scenario.graph, scenario.machine, design, {.seed = scenario.seed}).timeline;
      for (std::size_t i = 0; i < scenario.graph.size(); ++i) {
        ASSERT_TRUE(is_present(timeline.tasks[i].ended)) << name << " " << design.name;
        for (const TaskId before : scenario.graph.predecessors(task_id(i)))
          ASSERT_GE(timeline.tasks[i].started, timeline.tasks[index(before)].ended) << name << " " << design.name;
      }
    }
  }
}

}  // namespace
}  // namespace tasktwin::scenarios
