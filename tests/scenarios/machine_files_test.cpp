#include <gmock/gmock.h>

#include <cstdlib>
#include <fstream>
#include <set>

#include "models/base/error.hpp"
#include "scenarios/load/scenario.hpp"
#include "scenarios/machine_files/machine_file.hpp"
#include "tests/scenarios/temporary_file.hpp"

namespace tasktwin::scenarios {
namespace {

using ::testing::HasSubstr;

std::string machine_refusal(const std::string& text) {
  const TemporaryFile file(text);
  try {
    load_machine(file.path());
  } catch (const InputError& error) {
    return std::string(error.what()).substr(file.path().size() + 1);
  }
  return "";
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

/// Of the constants that the machine does not state those that a file must.
std::vector<std::string> lacking(const Machine& machine) {
  std::vector<std::string> keys;
  for (const ConstantField* field : constants_of(machine)) {
    if (!field->may_lack && machine.unstated.contains(field->key)) keys.emplace_back(field->key);
  }
  return keys;
}

void expect_same(const Machine& a, const Machine& b) {
  EXPECT_EQ(a.name, b.name);
  EXPECT_EQ(a.description, b.description);
  ASSERT_EQ(a.compute_cores.size(), b.compute_cores.size());
  for (std::size_t i = 0; i < a.compute_cores.size(); ++i) {
    EXPECT_EQ(a.compute_cores[i].type, b.compute_cores[i].type);
    EXPECT_EQ(a.compute_cores[i].count, b.compute_cores[i].count);
    EXPECT_EQ(a.compute_cores[i].per_cluster, b.compute_cores[i].per_cluster);
    EXPECT_EQ(a.compute_cores[i].memory_ports, b.compute_cores[i].memory_ports);
    EXPECT_EQ(a.compute_cores[i].memory_queues, b.compute_cores[i].memory_queues);
  }
  EXPECT_EQ(a.control_cores.count, b.control_cores.count);
  EXPECT_EQ(a.control_cores.lanes, b.control_cores.lanes);
  EXPECT_EQ(a.control_cores.occupied_cores, b.control_cores.occupied_cores);
  EXPECT_EQ(a.control_cores.code_scale, b.control_cores.code_scale);
  EXPECT_EQ(a.core_limits, b.core_limits);
  EXPECT_EQ(a.launch_limits, b.launch_limits);
  EXPECT_EQ(a.memory_limits, b.memory_limits);
  for (const MachineSection& section : machine_sections()) EXPECT_EQ(section.present(a), section.present(b)) << section.name;
  for (const ConstantField* field : constants_of(a)) EXPECT_EQ(field->get(a), field->get(b)) << field->key;
  EXPECT_EQ(a.measured, b.measured);
  EXPECT_EQ(a.unstated, b.unstated);
  for (std::size_t i = 0; i < kKernelCount; ++i) {
    for (const KernelField& field : kernel_fields()) EXPECT_EQ(field.get(a.kernels[i]), field.get(b.kernels[i])) << field.name;
    EXPECT_EQ(a.kernels[i].arithmetic, b.kernels[i].arithmetic);
  }
  EXPECT_EQ(a.provenance, b.provenance);
}

TEST(MachineFiles, AScenarioInTheirPlaceIsCalledOne) {
  EXPECT_EQ(machine_refusal(with_graph("{generator: chain}")),
            " is a scenario, no machine file; its 'machine' names one, and 'tasktwin scenario validate' checks it");
}

TEST(MachineFiles, ShippedOnesSayOfEveryConstantOfTheirSectionsWhereItIsFrom) {
  for (const std::string name : {"nvidia-h200", "ascend-a2a3"}) {
    const Machine machine = load_machine(name);
    EXPECT_EQ(machine.name, name);
    EXPECT_THAT(lacking(machine), testing::IsEmpty()) << name;
    for (const ConstantField* field : constants_of(machine)) {
      if (machine.unstated.contains(field->key)) continue;
      const Provenance& provenance = machine.provenance.at(field->key);
      EXPECT_NE(provenance.source, Source::kStated) << name << " " << field->key;
      EXPECT_FALSE(provenance.text.empty()) << name << " " << field->key;
    }
  }
  // Of an Ascend card, and of machines of several devices.
  const std::set<std::string_view> not_here{"collectives", "distances", "group_queue", "host_build", "network", "peers"};
  for (const MachineSection& section : machine_sections())
    EXPECT_EQ(section.present(load_machine("nvidia-h200")), !not_here.contains(section.name)) << section.name;
  EXPECT_FALSE(load_machine("ascend-a2a3").graph_launch) << "there are no CUDA graphs";
  EXPECT_EQ(load_machine("nvidia-h200").core_count(), 132);
  EXPECT_EQ(load_machine("ascend-a2a3").core_count(), 72);
}

TEST(MachineFiles, WrittenAndReadBackTheyAreTheSame) {
  for (const std::string name : {"nvidia-h200", "ascend-a2a3"}) {
    const Machine machine = load_machine(name);
    const std::string text = machine_to_yaml(machine);
    const TemporaryFile file(text);
    expect_same(machine, load_machine(file.path()));
    EXPECT_EQ(machine_to_yaml(load_machine(file.path())), text);
  }
}

TEST(MachineFiles, OddValuesAndTextsSurviveTheRoundTrip) {
  Machine machine = load_machine("nvidia-h200");
  machine.description = "quotes \" and \\ and # and: colons\nand ümlauts\tand tabs";
  machine.provenance["device_control.poll_ns"] = {Source::kMeasured, "a \"source\", {with} [brackets]: 'x' # no comment", "2024-02-29",
                                                  Interval{0.1, 1.0 / 3}};
  double value = 0.1;
  for (const ConstantField* field : constants_of(machine)) {
    if (field->unit != Unit::kCount && !machine.unstated.contains(field->key)) field->set(machine, value = value * 1.08 + 1.0 / 3);
  }
  for (const KernelField& field : kernel_fields()) {
    value = value * 1.09 + 1.0 / 3;
    field.set(machine.kernels[3], field.max == 1 ? 1.0 / 3 : value);  // a part of another
  }
  machine.kernels[3].traffic = 4.0 / 3;
  machine.kernels[2].arithmetic = {{0.1 + 0.2, 1e-300}, {123456789.123456789, 5e11}};
  const TemporaryFile file(machine_to_yaml(machine));
  expect_same(machine, load_machine(file.path()));
}

TEST(MachineFiles, TheHashFollowsEveryPart) {
  const Machine machine = load_machine("nvidia-h200");
  const std::string hash = machine_hash(machine);
  EXPECT_EQ(hash.size(), 16u);
  EXPECT_EQ(machine_hash(load_machine("nvidia-h200")), hash);
  Machine changed = machine;
  changed.device_control->poll += Nanoseconds{1e-9};
  EXPECT_NE(machine_hash(changed), hash);
  changed = machine;
  changed.provenance["device_control.poll_ns"].text += "!";
  EXPECT_NE(machine_hash(changed), hash);
}

TEST(MachineFiles, AConstantThatIsNotStatedIsKnownToBeSoAndIsNotWritten) {
  const std::string text = machine_to_yaml(load_machine("nvidia-h200"));
  for (const std::string key : {"streams.event_gap_ns", "links.d2h_bandwidth_gb_per_s", "allocators.pool_look_ns"}) {
    const std::string name = key.substr(key.find('.') + 1);
    const TemporaryFile file(replaced(text, "  " + name + ": {value", "  # " + name + ": {value"));
    const Machine machine = load_machine(file.path());
    EXPECT_THAT(lacking(machine), testing::ElementsAre(key));
    EXPECT_FALSE(machine.provenance.contains(key));
    EXPECT_EQ(machine_to_yaml(machine).find("\n  " + name + ":"), std::string::npos) << name;
  }
}

TEST(MachineFiles, ADesignThatReadsAConstantThatIsNotStatedIsRefused) {
  const TemporaryFile machine(replaced(machine_to_yaml(load_machine("nvidia-h200")), "  event_gap_ns: {value", "  # event_gap_ns: {value"));
  const auto refusal = [&machine](const std::string& design) {
    const TemporaryFile file("scenario: s\ngraph: {generator: chain}\ndesigns: [" + design + "]\nmachine: " + machine.path() + "\n");
    try {
      load_scenario(file.path());
    } catch (const InputError& wrong) {
      return std::string(wrong.what());
    }
    return std::string();
  };
  EXPECT_EQ(refusal("static-queues"), "");
  EXPECT_THAT(refusal("cuda-streams"),
              HasSubstr("3:11: designs[0]: machine 'nvidia-h200' (" + machine.path() + ") does not state streams.event_gap_ns"));
}

TEST(MachineFiles, AMachineWithoutWhatATaskNeedsIsRefusedWithTheTask) {
  const TemporaryFile machine("machine: mine\nfrom: nvidia-h200\nwithout: [links]\n");
  const TemporaryFile file(
      "scenario: s\nmachine: " + machine.path() +
      "\ngraph: {tasks: [{name: a, time_ns: 5}, {name: in, operation: copy_h2d, bytes: 5}]}\ndesigns: [cuda-streams]\n");
  try {
    load_scenario(file.path());
    FAIL();
  } catch (const InputError& wrong) {
    EXPECT_EQ(std::string(wrong.what()),
              file.path() +
                  ":4:11: designs[0]: design 'cuda-streams' needs 'links' (paths between the memories of host and devices) for task "
                  "'in' (copy_h2d), which machine 'mine' (" +
                  machine.path() + ") does not have\n" + file.path() +
                  ":3:62: graph.tasks[1].operation: task 'in' is a copy_h2d, for which there is no bandwidth on machine 'mine'");
  }
}

TEST(MachineFiles, AMachineStartsFromAnother) {
  const TemporaryFile file("machine: mine\nfrom: nvidia-h200\nwithout: [graph_launch]\nstreams: {gap_ns: 7}\ncontrol_cores: {count: 3}\n");
  const Machine base = load_machine("nvidia-h200");
  const Machine machine = load_machine(file.path());
  EXPECT_EQ(machine.name, "mine");
  EXPECT_EQ(machine.streams->gap, Nanoseconds{7});
  EXPECT_EQ(machine.streams->event_gap, base.streams->event_gap);
  EXPECT_EQ(machine.control_cores.count, 3);
  EXPECT_EQ(machine.control_cores.lanes, base.control_cores.lanes);
  EXPECT_FALSE(machine.graph_launch);
  EXPECT_FALSE(machine.provenance.contains("graph_launch.launch_ns"));
  EXPECT_EQ(machine.provenance.at("streams.gap_ns").source, Source::kStated);
  EXPECT_THAT(lacking(machine), testing::IsEmpty());
}

TEST(MachineFiles, FilesThatStartFromEachOtherAreRefused) {
  const TemporaryFile file("machine: mine\nfrom: ./input.yaml\n");
  std::ofstream(file.folder() / "input.yaml") << "machine: other\nfrom: " << file.path() << "\n";
  EXPECT_THAT(machine_refusal("machine: mine\nfrom: nvidia-h20\n"), HasSubstr("2:7: from: no such file, and no shipped machine"));
  try {
    load_machine(file.path());
    FAIL();
  } catch (const InputError& wrong) {
    EXPECT_EQ(std::string(wrong.what()), (file.folder() / "./input.yaml").string() + ":2:7: from: the files start from each other, " +
                                             file.path() + " from " + (file.folder() / "./input.yaml").string());
  }
}

TEST(MachineFiles, AFileThatStartsFromItselfIsRefusedAtOnce) {
  const TemporaryFile file("machine: mine\nfrom: ./file.yaml\n");
  try {
    load_machine(file.path());
    FAIL();
  } catch (const InputError& wrong) {
    EXPECT_THAT(wrong.what(), HasSubstr(file.path() + ":2:7: from: the files start from each other"));
  }
}

TEST(MachineFiles, AFewFilesMayStartFromOneAnotherInARow) {
  const auto refusal_of_a_chain = [](int files) {
    const TemporaryFile first("machine: m\nfrom: ./1.yaml\n");
    for (int i = 1; i < files; ++i) {
      std::ofstream(first.folder() / (std::to_string(i) + ".yaml"))
          << "machine: m\nfrom: " << (i + 1 < files ? "./" + std::to_string(i + 1) + ".yaml" : "nvidia-h200") << "\n";
    }
    try {
      load_machine(first.path());
    } catch (const InputError& wrong) {
      return std::string(wrong.what());
    }
    return std::string();
  };
  EXPECT_EQ(refusal_of_a_chain(16), "");
  EXPECT_THAT(refusal_of_a_chain(17), HasSubstr(":2:7: from: more than 16 files start from another, one after the other"));
}

TEST(MachineFiles, WhatAMachineStartsFromIsAFileThatCanBeRead) {
  EXPECT_EQ(machine_refusal("machine: mine\nfrom: [nvidia-h200]\n"), "2:7: from: is a list; must be text");
  EXPECT_EQ(machine_refusal("machine: mine\nfrom: 5\n"), "2:7: from: is the number 5; must be text (put it in quotes)");
  EXPECT_THAT(machine_refusal("machine: mine\nfrom: .\n"), HasSubstr("2:7: from: "));
  EXPECT_THAT(machine_refusal("machine: mine\nfrom: .\n"), HasSubstr("is a folder; a file is needed"));
  const TemporaryFile file("machine: mine\nfrom: ./base.yaml\n");
  std::ofstream(file.folder() / "base.yaml") << "machine: base\nfrom: nvidia-h200\nstream: {}\n";
  try {
    load_machine(file.path());
    FAIL();
  } catch (const InputError& wrong) {
    EXPECT_THAT(wrong.what(), HasSubstr("base.yaml:3:1: stream: unknown key; did you mean 'streams'?"));
  }
}

TEST(MachineFiles, OnlyWhatIsThereCanBeLeftOut) {
  EXPECT_EQ(machine_refusal("machine: mine\nfrom: ascend-a2a3\nwithout: [graph_launch]\n"),
            "3:11: without: there is no 'graph_launch' to leave out");
  EXPECT_EQ(machine_refusal("machine: mine\nfrom: nvidia-h200\nwithout: [links, links]\n"),
            "3:18: without: there is no 'links' to leave out");
}

TEST(MachineFiles, WhatIsAssumedForOneReasonStandsTogether) {
  const std::string text =
      "machine: mine\nfrom: ascend-a2a3\nwithout: [barriers]\n"
      "barriers: {assumed: [{value: 9, reason: none known, constants: [leave_ns, arrive_ns]}]}\n";
  const TemporaryFile file(text);
  const Machine machine = load_machine(file.path());
  EXPECT_EQ(machine.barriers->leave, Nanoseconds{9});
  EXPECT_EQ(machine.provenance.at("barriers.arrive_ns"), (Provenance{Source::kAssumed, "none known"}));
  EXPECT_THAT(machine_refusal(replaced(text, "barriers: {", "barriers: {leave_ns: 3, ")), HasSubstr("'leave_ns' is stated besides"));
  EXPECT_THAT(machine_refusal(replaced(text, "arrive_ns]", "arive_ns]")), HasSubstr("did you mean 'arrive_ns'?"));
  EXPECT_THAT(machine_refusal(replaced(text, "arrive_ns]", "leave_ns]")), HasSubstr("'leave_ns' is stated besides"));
}

TEST(MachineFiles, WhatIsAssumedIsInTheRangeOfEachConstant) {
  const auto assumed = [](const std::string& section, const std::string& value, const std::string& constant) {
    return machine_refusal("machine: mine\nfrom: nvidia-h200\nwithout: [" + section + "]\n" + section + ": {assumed: [{value: " + value +
                           ", reason: none known, constants: [" + constant + "]}]}\n");
  };
  EXPECT_EQ(assumed("resident_cores", "7", "lanes"), "");
  EXPECT_EQ(assumed("resident_cores", "0", "lanes"),
            "4:36: resident_cores.assumed[0].value: is 0; 'lanes' must be a whole number, 1 to 1000000");
  EXPECT_THAT(assumed("resident_cores", "2.5", "start_ns, lanes"), HasSubstr("is 2.5; 'lanes' must be a whole number"));
}

TEST(MachineFiles, AMethodIsOneOfTheFile) {
  const std::string text = machine_to_yaml(load_machine("nvidia-h200"));
  const std::size_t at = text.find(", method: ", text.find("  event_gap_ns:")) + 10;
  const std::string name = text.substr(at, text.find('}', at) - at);
  EXPECT_THAT(machine_refusal(replaced(text, "method: " + name + "}", "method: " + name + "x}")),
              HasSubstr(".method: 'methods' has no '" + name + "x'; did you mean '" + name + "'?"));
  EXPECT_THAT(machine_refusal(replaced(text, "method: " + name + "}", "method: " + name + ", assumed: so}")),
              HasSubstr("has two sources; method, published and assumed exclude each other"));
}

TEST(MachineFiles, LimitsPortsQueuesAndCodeScaleSurviveTheRoundTrip) {
  Machine machine = load_machine("ascend-a2a3");
  machine.compute_cores[0].memory_ports.assign(static_cast<std::size_t>(machine.compute_cores[0].count), 3);
  machine.compute_cores[0].memory_ports[1] = 0;
  machine.compute_cores[1].memory_queues.assign(static_cast<std::size_t>(machine.compute_cores[1].count), 5);
  machine.compute_cores[1].memory_queues[2] = 7;
  machine.core_limits = {.blocks = 3, .threads = 5, .registers = 7, .shared_memory = 5'000'000'000};
  machine.launch_limits = {.hardware_queues = 11, .resident_kernels = 13, .priorities = 5, .partition_granularity = 17};
  machine.memory_limits = {.copy_engines = 2, .capacity = 9'000'000'000'000, .page = 19, .pool_segment = 23, .staging = 29, .cache = 31};
  machine.provenance[kLimitsKey] = {Source::kPublished, "a data sheet", "2026-01-02"};
  machine.control_cores.code_scale = 0.8125;
  machine.provenance[kCodeScaleKey] = {Source::kAssumed, "a fit", "2026-01-03"};
  const TemporaryFile file(machine_to_yaml(machine));
  expect_same(machine, load_machine(file.path()));
  EXPECT_NE(machine_hash(machine), machine_hash(load_machine("ascend-a2a3")));
}

TEST(MachineFiles, LimitsAndCodeScaleHaveARange) {
  Machine machine = load_machine("ascend-a2a3");
  machine.control_cores.code_scale = 0.5;
  const std::string text = machine_to_yaml(machine);
  EXPECT_THAT(machine_refusal(replaced(text, "value: 0.5", "value: -1")), HasSubstr("control_cores.code_scale.value: is -1"));
  EXPECT_THAT(machine_refusal(replaced(text, "device_control:\n", "limits: {threads: -1}\ndevice_control:\n")),
              HasSubstr(":19: limits.threads: is -1; must be 0 to 1000000"));
}

TEST(MachineFiles, APartIsAtMostTheWhole) {
  Machine machine = load_machine("nvidia-h200x2");
  machine.collectives->efficiency = 1.5;
  EXPECT_THAT(machine_refusal(machine_to_yaml(machine)), HasSubstr("is 1.5; 'efficiency_ratio' must be 0 to 1"));
}

TEST(MachineFiles, ClustersMustComeOutEven) {
  const std::string text = machine_to_yaml(load_machine("ascend-a2a3"));
  EXPECT_EQ(machine_refusal(replaced(text, "count: 48, per_cluster: 2", "count: 48, per_cluster: 5")),
            "5:41: compute_cores[1].per_cluster: is 5; count, 48, must be a multiple of it");
  EXPECT_EQ(machine_refusal(replaced(text, "count: 48, per_cluster: 2", "count: 48, per_cluster: 3")),
            "5:41: compute_cores[1].per_cluster: is 3; that makes 16 clusters, but the aic cores make 24");
  EXPECT_EQ(machine_refusal(replaced(text, "count: 48, per_cluster: 2", "count: 40")), "") << "a group apart from the clusters";
  EXPECT_EQ(machine_refusal(replaced(text, "count: 48, per_cluster: 2", "count: 48, per_cluster: 2, memory_ports: [0, 1]")),
            "5:58: compute_cores[1].memory_ports: has 2 entries; must have one for each of the 48 cores");
  EXPECT_EQ(machine_refusal(replaced(text, "count: 48, per_cluster: 2", "count: 48, per_cluster: 2, memory_queues: [0, 1]")),
            "5:59: compute_cores[1].memory_queues: has 2 entries; must have one for each of the 48 cores");
}

/// The shipped machine's constants with cores of a known number.
std::string sample_text() {
  Machine machine = load_machine("nvidia-h200");
  machine.description = "a sample";
  machine.compute_cores = {{CoreType::kSm, 132}};
  machine.control_cores = {8, 32, 1};
  machine.core_limits = {};
  machine.launch_limits = {};
  machine.memory_limits = {};
  machine.provenance.erase(kLimitsKey);
  return machine_to_yaml(machine);
}

TEST(MachineFiles, FaultsAreLocated) {
  const std::string text = sample_text();
  EXPECT_THAT(machine_refusal(replaced(text, "  event_gap_ns:", "  event_gab_ns:")),
              HasSubstr(":3: streams.event_gab_ns: unknown key; did you mean 'event_gap_ns'?"));
  EXPECT_THAT(machine_refusal(replaced(text, "\nstreams:", "\nstream:")), HasSubstr(":1: stream: unknown key; did you mean 'streams'?"));
  EXPECT_EQ(machine_refusal(replaced(text, "count: 132", "count: 0")), "5:23: compute_cores[0].count: is 0; must be 1 to 100000");
  EXPECT_EQ(machine_refusal(replaced(text, "type: sm", "type: smm")),
            "5:12: compute_cores[0].type: unknown value 'smm'; did you mean 'sm'? (valid: sm, aic, aiv)");
  EXPECT_EQ(machine_refusal(replaced(text, "lanes: 32", "lanes: 0")), "6:34: control_cores.lanes: is 0; must be 1 to 1024");
  EXPECT_EQ(machine_refusal("machine: mine\n").substr(0, 19), "1:1: compute_cores:");
  EXPECT_THAT(machine_refusal(replaced(text, "event_gap_ns: {value: ", "event_gap_ns: {value: -")),
              HasSubstr(":25: streams.event_gap_ns.value: is -"));
  EXPECT_THAT(machine_refusal(replaced(text, "event_gap_ns: {value: ", "event_gap_ns: {valeu: ")),
              HasSubstr(":18: streams.event_gap_ns.valeu: unknown key; did you mean 'value'?"));
}

TEST(MachineFiles, DatesAreCalendarDates) {
  const std::string text = sample_text();
  const std::string date = "date: " + load_machine("nvidia-h200").measured.date;
  EXPECT_THAT(machine_refusal(replaced(text, date, "date: 2026-02-30")),
              HasSubstr("measured.date: is '2026-02-30'; must be a date such as 2026-11-21"));
  EXPECT_THAT(machine_refusal(replaced(text, date, "date: 21.11.2026")), HasSubstr("measured.date: is '21.11.2026'"));
}

TEST(MachineFiles, AnIntervalGoesUp) {
  Machine machine = load_machine("nvidia-h200");
  machine.provenance["device_control.poll_ns"].interval = Interval{2, 1};
  EXPECT_THAT(machine_refusal(machine_to_yaml(machine)),
              HasSubstr("device_control.poll_ns.interval: its first number must not be above its second"));
  EXPECT_THAT(machine_refusal("machine: mine\nfrom: nvidia-h200\nstreams: {event_gap_ns: {value: 1, interval: [1]}}\n"),
              HasSubstr("3:46: streams.event_gap_ns.interval"));
  EXPECT_EQ(machine_refusal("machine: mine\nfrom: nvidia-h200\nstreams: {event_gap_ns: {value: 1, interval: [1, 2, 3]}}\n"),
            "3:46: streams.event_gap_ns.interval: has 3 items; must have at most 2");
}

TEST(MachineFiles, TrafficIsAtLeastATenth) {
  Machine machine = load_machine("nvidia-h200");
  machine.kernels[static_cast<std::size_t>(Kernel::kStream)].traffic = 0.05;
  EXPECT_THAT(machine_refusal(machine_to_yaml(machine)), HasSubstr("kernels.stream.traffic"));
}

TEST(MachineFiles, ArithmeticPointsMustRise) {
  Machine machine = load_machine("nvidia-h200");
  machine.kernels[static_cast<std::size_t>(Kernel::kStream)].arithmetic = {{5, 5}, {5, 6}};
  EXPECT_THAT(machine_refusal(machine_to_yaml(machine)),
              HasSubstr("kernels.stream.arithmetic[1]: flops must rise from point to point, from above 0, and ns must not fall"));
}

TEST(MachineFiles, AScenarioChangesSingleConstants) {
  const TemporaryFile file(
      "scenario: s\ngraph: {generator: chain}\ndesigns: [shared-queue]\n"
      "machine:\n  from: nvidia-h200\n  control_cores: {lanes: 7}\n  device_control: {poll_ns: 1.25}\n"
      "  host_calls: {launch_ns: {value: 9, assumed: so, date: 2026-01-02}}\n"
      "  kernels: {spin: {overhead_ns: 3}}\n");
  const Scenario scenario = load_scenario(file.path());
  const Machine base = load_machine("nvidia-h200");
  EXPECT_EQ(scenario.machine.device_control->poll.count(), 1.25);
  EXPECT_EQ(scenario.machine.host_calls->launch.count(), 9);
  EXPECT_EQ(scenario.machine.device_control->dispatch, base.device_control->dispatch);
  EXPECT_EQ(scenario.machine.control_cores.lanes, 7);
  EXPECT_EQ(scenario.machine.control_cores.count, base.control_cores.count);
  EXPECT_EQ(scenario.machine.kernel_cost(Kernel::kSpin).overhead.count(), 3);
  EXPECT_EQ(scenario.machine.provenance.at("device_control.poll_ns").text, "scenario s");
  EXPECT_EQ(scenario.machine.provenance.at("host_calls.launch_ns").text, "so");
  EXPECT_NE(scenario.machine_hash, machine_hash(base));
}

Machine with_cores(const std::string& groups) {
  return load_scenario(TemporaryFile("scenario: s\ngraph: {generator: chain}\ndesigns: [shared-queue]\n"
                                     "machine: {from: nvidia-h200, compute_cores: [" +
                                     groups + "]}\n")
                           .path())
      .machine;
}

TEST(MachineFiles, FewerCoresAreTheFirstOnesOfTheMachine) {
  const CoreGroup all = load_machine("nvidia-h200").compute_cores.front();
  const CoreGroup few = with_cores("{type: sm, count: 5}").compute_cores.front();
  EXPECT_EQ(few.memory_ports, std::vector<int>(all.memory_ports.begin(), all.memory_ports.begin() + 5));
  EXPECT_EQ(few.memory_queues, std::vector<int>(all.memory_queues.begin(), all.memory_queues.begin() + 5));
  const CoreGroup told = with_cores("{type: sm, count: 2, memory_queues: [7, 6]}").compute_cores.front();
  EXPECT_EQ(told.memory_ports.size(), 2u);
  EXPECT_EQ(told.memory_queues, (std::vector<int>{7, 6}));
  EXPECT_EQ(with_cores("{type: sm, count: 132}").compute_cores.front().memory_queues, all.memory_queues);
  EXPECT_EQ(with_cores("{type: sm, count: 132}").compute_cores.front().memory_ports, all.memory_ports);
}

TEST(MachineFiles, CoresListedAnewBelongToClustersAsBefore) {
  const auto changed = [](const std::string& groups) {
    return "scenario: s\ngraph: {generator: chain, core_type: aic}\ndesigns: [ascend-host-built]\nmachine: {from: ascend-a2a3, "
           "compute_cores: [" +
           groups + "]}\n";
  };
  const auto cores = [&](const std::string& groups) { return load_scenario(TemporaryFile(changed(groups)).path()).machine.compute_cores; };
  EXPECT_EQ(cores("{type: aic, count: 12}, {type: aiv, count: 24}")[1].per_cluster, 2);
  EXPECT_EQ(cores("{type: aic, count: 12}, {type: aiv, count: 24}")[0].per_cluster, 1);
  EXPECT_EQ(cores("{type: aic, count: 12}, {type: aiv, count: 25, per_cluster: 0}")[1].per_cluster, 0);
  try {
    cores("{type: aic, count: 12}, {type: aiv, count: 25}");
    FAIL() << "25 cores make no clusters of 2";
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(), HasSubstr("machine.compute_cores[1].per_cluster: is 2; count, 25, must be a multiple of it"));
  }
}

TEST(MachineFiles, AFileThatChangesAnotherIsNotDescribedAsThatOne) {
  const TemporaryFile plain("machine: mine\nfrom: ascend-a2a3\ncontrol_cores: {count: 2}\n");
  EXPECT_EQ(load_machine(plain.path()).description, "as ascend-a2a3, with changes");
  const TemporaryFile own("machine: mine\ndescription: my chip\nfrom: ascend-a2a3\n");
  EXPECT_EQ(load_machine(own.path()).description, "my chip");
}

TEST(MachineFiles, OfCoresThatTheMachineHasNotItTellsNoPorts) {
  EXPECT_TRUE(with_cores("{type: sm, count: 133}").compute_cores.front().memory_ports.empty());
  EXPECT_TRUE(with_cores("{type: sm, count: 1}, {type: aic, count: 4}").compute_cores.back().memory_ports.empty());
  EXPECT_TRUE(with_cores("{type: sm, count: 1}, {type: aic, count: 4}").compute_cores.back().memory_queues.empty());
}

TEST(MachineFiles, APathIsRelativeToTheScenarioFile) {
  const TemporaryFile file("scenario: s\ngraph: {generator: chain}\ndesigns: [shared-queue]\nmachine: ./mine.yaml\n");
  std::ofstream(file.folder() / "mine.yaml") << replaced(machine_to_yaml(load_machine("nvidia-h200")), "machine: nvidia-h200",
                                                         "machine: mine");
  EXPECT_EQ(load_scenario(file.path()).machine.name, "mine");
}

}  // namespace
}  // namespace tasktwin::scenarios
