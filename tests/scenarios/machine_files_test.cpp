#include <gmock/gmock.h>

#include <cstdlib>
#include <fstream>

#include "models/error.hpp"
#include "scenarios/machine_file.hpp"
#include "scenarios/scenario.hpp"
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
  for (const ConstantField& field : constant_fields()) EXPECT_EQ(field.get(a), field.get(b)) << field.name;
  for (std::size_t i = 0; i < kKernelCount; ++i) {
    for (const KernelField& field : kernel_fields()) EXPECT_EQ(field.get(a.kernels[i]), field.get(b.kernels[i])) << field.name;
    EXPECT_EQ(a.kernels[i].arithmetic, b.kernels[i].arithmetic);
  }
  ASSERT_EQ(a.provenance.size(), b.provenance.size());
  for (const auto& [key, provenance] : a.provenance) {
    ASSERT_TRUE(b.provenance.contains(key)) << key;
    EXPECT_EQ(provenance.source, b.provenance.find(key)->second.source);
    EXPECT_EQ(provenance.date, b.provenance.find(key)->second.date);
    EXPECT_EQ(provenance.interval, b.provenance.find(key)->second.interval);
  }
}

TEST(MachineFiles, ShippedOnesStateEveryConstantWithSourceAndDate) {
  for (const std::string name : {"nvidia-h200", "ascend-a2a3"}) {
    const Machine machine = load_machine(name);
    EXPECT_EQ(machine.name, name);
    for (const ConstantField& field : constant_fields()) {
      ASSERT_TRUE(machine.provenance.contains(field.name)) << name << " " << field.name;
      EXPECT_FALSE(machine.provenance.find(field.name)->second.source.empty());
      EXPECT_NE(machine.provenance.find(field.name)->second.date, kUndated);
    }
  }
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
  machine.provenance["poll_ns"] = {"a \"source\", {with} [brackets]: 'x' # no comment", "2024-02-29", Interval{0.1, 1.0 / 3}};
  double value = 0.1;
  for (const ConstantField& field : constant_fields()) field.set(machine, value = value * 1.09 + 1.0 / 3);
  for (const KernelField& field : kernel_fields()) field.set(machine.kernels[3], value = value * 1.09 + 1.0 / 3);
  machine.memory->in_step = 1.0 / 3;  // a part of another
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
  changed.provenance["poll_ns"].source += "!";
  EXPECT_NE(machine_hash(changed), hash);
}

TEST(MachineFiles, AConstantThatIsNotStatedHasItsDefaultAndIsNotWritten) {
  const std::string text = machine_to_yaml(load_machine("nvidia-h200"));
  for (const ConstantField& field : constant_fields()) {
    const std::string name(field.name);
    const TemporaryFile file(replaced(text, "  " + name + ": {value", "  # " + name + ": {value"));
    const Machine machine = load_machine(file.path());
    EXPECT_EQ(field.get(machine), field.get(Constants{})) << name;
    EXPECT_FALSE(machine.provenance.contains(field.name)) << name;
    EXPECT_EQ(machine_to_yaml(machine).find("\n  " + name + ":"), std::string::npos) << name;
  }
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
  machine.provenance[kLimitsKey] = {"a data sheet", "2026-01-02"};
  machine.control_cores.code_scale = 0.8125;
  machine.provenance[kCodeScaleKey] = {"a fit", "2026-01-03"};
  const TemporaryFile file(machine_to_yaml(machine));
  expect_same(machine, load_machine(file.path()));
  EXPECT_NE(machine_hash(machine), machine_hash(load_machine("ascend-a2a3")));
}

TEST(MachineFiles, LimitsAndCodeScaleNeedASourceAndARange) {
  Machine machine = load_machine("ascend-a2a3");
  machine.provenance[kCodeScaleKey] = {"a fit", "2026-01-03"};
  machine.control_cores.code_scale = 0.5;
  const std::string text = machine_to_yaml(machine);
  EXPECT_EQ(machine_refusal(replaced(text, ", source: \"a fit\"", "")).substr(0, 46), "7:15: control_cores.code_scale.source: missing");
  EXPECT_THAT(machine_refusal(replaced(text, "value: 0.5", "value: -1")), HasSubstr("7:23: control_cores.code_scale.value: is -1"));
  EXPECT_THAT(machine_refusal(replaced(text, "constants:\n", "limits: {threads: -1, source: s, date: 2026-01-01}\nconstants:\n")),
              HasSubstr("8:19: limits.threads: is -1; must be 0 to 1000000"));
  EXPECT_THAT(machine_refusal(replaced(text, "constants:\n", "limits: {threads: 1}\nconstants:\n")),
              HasSubstr("8:9: limits.source: missing"));
}

TEST(MachineFiles, APartOfTheContentionIsAtMostAllOfIt) {
  Machine machine = load_machine("nvidia-h200");
  machine.memory->in_step = 1.5;
  EXPECT_THAT(machine_refusal(machine_to_yaml(machine)), HasSubstr("constants.memory_in_step_ratio.value: is 1.5; must be at most 1"));
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
  EXPECT_THAT(machine_refusal(replaced(text, "  launch_ns:", "  lunch_ns:")),
              HasSubstr("8:3: constants.lunch_ns: unknown key; did you mean 'launch_ns'?"));
  EXPECT_EQ(machine_refusal(replaced(text, "count: 132", "count: 0")), "4:23: compute_cores[0].count: is 0; must be 1 to 1000000");
  EXPECT_EQ(machine_refusal(replaced(text, "type: sm", "type: smm")),
            "4:12: compute_cores[0].type: unknown value 'smm'; did you mean 'sm'? (valid: sm, aic, aiv)");
  EXPECT_EQ(machine_refusal(replaced(text, "lanes: 32", "lanes: 0")), "5:34: control_cores.lanes: is 0; must be 1 to 1024");
  const std::string head = text.substr(0, text.find("constants:"));
  EXPECT_EQ(machine_refusal(head), "1:1: constants: missing (times in ns, bandwidths in GB/s (bytes per ns))");
  EXPECT_THAT(machine_refusal(replaced(text, "launch_ns: {value: ", "launch_ns: {value: -")),
              HasSubstr("8:22: constants.launch_ns.value: is -"));
  EXPECT_THAT(machine_refusal(replaced(text, "launch_ns: {value: ", "launch_ns: {valeu: ")),
              HasSubstr("8:15: constants.launch_ns.valeu: unknown key; did you mean 'value'?"));
}

TEST(MachineFiles, DatesAreCalendarDates) {
  const std::string text = sample_text();
  const std::string date = load_machine("nvidia-h200").provenance["launch_ns"].date;
  EXPECT_THAT(machine_refusal(replaced(text, "date: " + date, "date: 2026-02-30")),
              HasSubstr("constants.launch_ns.date: is '2026-02-30'; must be a date such as 2026-11-21, or 'undated'"));
  EXPECT_THAT(machine_refusal(replaced(text, "date: " + date, "date: 21.11.2026")), HasSubstr("constants.launch_ns.date: is '21.11.2026'"));
  EXPECT_EQ(machine_refusal(replaced(text, "date: " + date, "date: undated")), "");
}

TEST(MachineFiles, AnIntervalGoesUp) {
  Machine machine = load_machine("nvidia-h200");
  machine.provenance["poll_ns"].interval = Interval{2, 1};
  EXPECT_THAT(machine_refusal(machine_to_yaml(machine)),
              HasSubstr("constants.poll_ns.interval: its first number must not be above its second"));
  const std::string text = replaced(sample_text(), "poll_per_core_ns: {", "poll_per_core_ns: {interval: [1], ");
  EXPECT_THAT(machine_refusal(text), HasSubstr("constants.poll_per_core_ns.interval"));
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
      "machine:\n  from: nvidia-h200\n  control_cores: {lanes: 7}\n  constants: {poll_ns: 1.25, launch_ns: {value: 9, source: me, date: "
      "2026-01-02}}\n"
      "  kernels: {spin: {overhead_ns: 3}}\n");
  const Scenario scenario = load_scenario(file.path());
  const Machine base = load_machine("nvidia-h200");
  EXPECT_EQ(scenario.machine.device_control->poll.count(), 1.25);
  EXPECT_EQ(scenario.machine.host_calls->launch.count(), 9);
  EXPECT_EQ(scenario.machine.device_control->dispatch, base.device_control->dispatch);
  EXPECT_EQ(scenario.machine.control_cores.lanes, 7);
  EXPECT_EQ(scenario.machine.control_cores.count, base.control_cores.count);
  EXPECT_EQ(scenario.machine.kernel_cost(Kernel::kSpin).overhead.count(), 3);
  EXPECT_EQ(scenario.machine.provenance.find("poll_ns")->second.source, "scenario s");
  EXPECT_EQ(scenario.machine.provenance.find("launch_ns")->second.source, "me");
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
}

TEST(MachineFiles, OfCoresThatTheMachineHasNotItTellsNoPorts) {
  EXPECT_TRUE(with_cores("{type: sm, count: 133}").compute_cores.front().memory_ports.empty());
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
