#include <filesystem>
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "models/cost/body_cost.hpp"
#include "models/graph/kernel_labels.hpp"
#include "scenarios/load/scenario.hpp"
#include "scenarios/tasks/kernel_costs.hpp"

namespace tasktwin::scenarios {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::EndsWith;
using testing::HasSubstr;
using testing::IsEmpty;

/// A scenario with a kernel of its own, line by line; the source has functions `scale` and `sum`.
class OwnKernelScenarios : public testing::Test {
 protected:
  OwnKernelScenarios() {
    fs::create_directories(folder_);
    write("scale.cu", "#include <tasktwin/kernel.hpp>\n__device__ void scale() {}\n__device__ void sum() {}\n");
  }
  ~OwnKernelScenarios() override { fs::remove_all(folder_); }

  void write(const std::string& name, const std::string& text) const { std::ofstream(folder_ / name) << text; }

  Scenario load(const std::string& kernel, const std::string& tasks) const {
    write("mine.yaml",
          "scenario: mine\nmachine: nvidia-h200\ndesigns: [shared-queue]\nbuffers:\n"
          "  - {name: a, type: float, count: 100, fill: uniform}\n  - {name: b, type: half, count: 100}\nkernels:\n" +
              kernel + "graph:\n  tasks:\n" + tasks);
    return load_scenario((folder_ / "mine.yaml").string());
  }

  std::string refusal(const std::string& kernel, const std::string& tasks) const {
    try {
      load(kernel, tasks);
    } catch (const InputError& wrong) {
      const std::string text = wrong.what();
      const std::size_t file = text.find("mine.yaml:");
      return file == std::string::npos ? text : text.substr(file + std::string("mine.yaml:").size());
    }
    return "";
  }

  static const OwnKernels& own(const Scenario& scenario) { return std::get<OwnKernels>(scenario.graph.problem()); }
  static Duration expected(const Scenario& scenario, std::size_t task) {
    return expected_cost(scenario.machine, scenario.graph, task_id(task), CoreType::kSm).alone(scenario.machine);
  }

  const fs::path folder_ =
      fs::path(testing::TempDir()) / (std::string("own-") + testing::UnitTest::GetInstance()->current_test_info()->name());
};

constexpr const char* kScale =
    "  - {name: scale, source: scale.cu, threads: 128, shared_memory_bytes: 4096, parameters: [{name: in, type: buffer}, "
    "{name: rows, type: integer, value: 7}, {name: factor, type: float}], cost: {flops: 1000000, flops_per_ns: 500}}\n";
constexpr const char* kTask = "  - {name: t, kernel: scale, arguments: {in: a, factor: 0.5}}\n";

TEST_F(OwnKernelScenarios, GiveTheirTasksArgumentsFootprintAndCost) {
  const Scenario scenario = load(kScale, std::string(kTask) + "  - {name: u, kernel: scale, arguments: {in: b, rows: -2, factor: 2}}\n");
  ASSERT_EQ(own(scenario).kernels.size(), 1u);
  EXPECT_EQ(own(scenario).kernels[0].entry, "scale");
  EXPECT_THAT(own(scenario).kernels[0].source, EndsWith("scale.cu"));
  const Task& task = scenario.graph[task_id(1)];
  EXPECT_EQ(task.kernel, own_kernel(0));
  EXPECT_EQ(scenario.graph.kernel_name(task_id(1)), "scale");
  const ArgumentRow& row = own(scenario).arguments[static_cast<std::size_t>(task.args[0])];
  EXPECT_THAT((std::array{row[0], row[1], row[2]}), ElementsAre(1u, static_cast<std::uint32_t>(-2), 0x40000000u));
  EXPECT_EQ(own(scenario).arguments[static_cast<std::size_t>(scenario.graph[task_id(0)].args[0])][1], 7u) << "the preset";
  EXPECT_EQ(scenario.graph.traits(task_id(0)).threads, 128);
  EXPECT_EQ(scenario.graph.traits(task_id(0)).shared_memory, 4096);
  EXPECT_EQ(task.cost.flops.count, 1'000'000);
  EXPECT_NEAR(static_cast<double>(to_ns(expected(scenario, 0))), 2000, 400)
      << "at the rate that the kernel states, beside what fma has as overhead";
  EXPECT_THAT(scenario.remarks, ElementsAre(HasSubstr("the costs of kernel 'scale' come from flops, bytes and tables as stated")));
}

TEST_F(OwnKernelScenarios, BlocksOfASplitGridKnowTheirNumber) {
  const Scenario scenario =
      load(kScale, std::string(kTask) + "  - {name: u, kernel: scale, blocks: 3, split: true, arguments: {in: b, factor: 2}}\n");
  ASSERT_EQ(scenario.graph.size(), 4u);
  EXPECT_TRUE(own(scenario).kernels[0].split);
  const auto row = [&](std::size_t task) {
    return own(scenario).arguments[static_cast<std::size_t>(scenario.graph[task_id(task)].args[0])];
  };
  EXPECT_EQ(row(0)[kMostSplitArguments + 1], 0u) << "a whole grid";
  for (const std::size_t block : {0, 1, 2}) {
    EXPECT_EQ(row(1 + block)[kMostSplitArguments], block);
    EXPECT_EQ(row(1 + block)[kMostSplitArguments + 1], 3u);
    EXPECT_EQ(row(1 + block)[0], 1u) << "buffer b";
    EXPECT_EQ(expected(scenario, 1 + block), expected(scenario, 0)) << "as long as one of a block";
  }
  std::string parameters;
  for (int i = 0; i < 12; ++i)
    parameters += std::string(i == 0 ? "" : ", ") + "{name: p" + std::to_string(i) + ", type: integer, value: 1}";
  EXPECT_THAT(refusal("  - {name: scale, source: scale.cu, parameters: [" + parameters + "], cost: {flops: 5}}\n",
                      "  - {name: t, kernel: scale, blocks: 2, split: true}\n"),
              HasSubstr("graph.tasks[0].split: goes with kernels of at most 11 parameters; kernel 'scale' has 12"));
}

TEST_F(OwnKernelScenarios, HaveTimesByAParameter) {
  const std::string kernel =
      "  - {name: sum, source: scale.cu, parameters: [{name: rows, type: integer}], cost: {by: rows, table: [{value: 10, time_ns: 1000}, "
      "{value: 20, time_ns: 3000}]}}\n";
  std::string tasks;
  for (const int rows : {5, 10, 15, 20, 99})
    tasks += "  - {name: t" + std::to_string(rows) + ", kernel: sum, arguments: {rows: " + std::to_string(rows) + "}}\n";
  const Scenario scenario = load(kernel, tasks);
  std::vector<std::int64_t> times;
  for (const Task& task : scenario.graph.tasks()) times.push_back(to_ns(task.cost.time));
  EXPECT_THAT(times, ElementsAre(1000, 1000, 2000, 3000, 3000));
  EXPECT_THAT(scenario.remarks, testing::Contains(HasSubstr("the table of kernel 'sum' is of rows from 10 to 20, but 2 tasks have others, "
                                                            "the first rows 5: the time of the nearest row is taken")));
}

TEST_F(OwnKernelScenarios, TakeCostsThatWereMeasured) {
  const Scenario before = load(kScale, kTask);
  const OwnKernel& kernel = own(before).kernels[0];
  KernelCosts costs{.scenario = "mine",
                    .machine = "nvidia-h200",
                    .device = "a card",
                    .date = "2026-11-26",
                    .command = "c",
                    .version = "v",
                    .kernels = {}};
  costs.kernels.push_back(
      {.kernel = "scale", .source_hash = kernel.source_hash, .threads = 128, .shared_memory = 4096, .registers = 90, .cost = {}});
  costs.kernels[0].cost.overhead = Nanoseconds{40};
  costs.kernels[0].cost.arithmetic = {{.flops = 1e6, .ns = 8000}};
  write("mine.kernels.yaml", kernel_costs_to_yaml(costs));
  const Scenario measured = load(kScale, kTask);
  EXPECT_EQ(to_ns(expected(measured, 0)), 8040);
  EXPECT_EQ(measured.graph.traits(task_id(0)).registers, 90);
  EXPECT_EQ(before.graph.traits(task_id(0)).registers, 0);
  EXPECT_THAT(measured.remarks, IsEmpty());

  write("scale.cu", "__device__ void scale() { /* another */ }\n");
  const Scenario stale = load(kScale, kTask);
  EXPECT_LT(to_ns(expected(stale, 0)), 4000);
  EXPECT_THAT(stale.remarks, ElementsAre(HasSubstr("'scale' is left aside: its source has changed since it was measured"),
                                         HasSubstr("come from flops, bytes and tables as stated")));
}

TEST_F(OwnKernelScenarios, OfAnotherMachineAreLeftAside) {
  write("mine.kernels.yaml", "kernel_costs: mine\nmachine: other\nmeasured: {device: d, date: 2026-11-26}\nkernels: []\n");
  EXPECT_THAT(load(kScale, kTask).remarks, testing::Contains(HasSubstr("was measured for machine 'other', not for 'nvidia-h200'")));
}

TEST_F(OwnKernelScenarios, AreRefusedWhereTheyStand) {
  EXPECT_THAT(refusal("  - {name: x, source: none.cu}\n", kTask), HasSubstr("8:23: kernels[0].source: "));
  EXPECT_THAT(refusal("  - {name: x, source: scale.cu}\n", kTask), HasSubstr("8:23: kernels[0].entry: there is no function 'x' in "));
  EXPECT_THAT(refusal("  - {name: x, source: scale.cu, entry: scal}\n", kTask),
              HasSubstr("8:40: kernels[0].entry: there is no function 'scal' in "));
  EXPECT_THAT(refusal("  - {name: spin, source: scale.cu}\n", kTask), HasSubstr("kernels[0].name: 'spin' is a kernel of tasktwin's own"));
  EXPECT_THAT(refusal("  - {name: scale, source: scale.cu, threads: 2048}\n", kTask),
              HasSubstr("8:46: kernels[0].threads: is 2048; must be 32 to 1024"));
  EXPECT_THAT(refusal("  - {name: scale, source: scale.cu, shared_memory_bytes: 300000}\n", kTask),
              HasSubstr("8:58: kernels[0].shared_memory_bytes: a block needs 300000 bytes of shared memory, but a core of machine "
                        "'nvidia-h200' has 233472"));
  EXPECT_THAT(refusal("  - {name: scale, source: scale.cu, cost: {by: n, table: [{value: 1, time_ns: 1}]}}\n", kTask),
              HasSubstr("kernels[0].cost.by: 'n' is no integer parameter"));
}

/// Each key that must be there, of kernels, parameters and buffers.
TEST_F(OwnKernelScenarios, AreRefusedWhereAKeyIsMissing) {
  EXPECT_THAT(refusal("  - {source: scale.cu}\n", kTask), HasSubstr("kernels[0].name: missing"));
  EXPECT_THAT(refusal("  - {name: scale}\n", kTask), HasSubstr("kernels[0].source: missing"));
  EXPECT_THAT(refusal("  - {name: scale, source: scale.cu, parameters: [{name: n}]}\n", kTask),
              HasSubstr("kernels[0].parameters[0].type: missing"));
  EXPECT_THAT(refusal("  - {name: scale, source: scale.cu, parameters: [{type: integer}]}\n", kTask),
              HasSubstr("kernels[0].parameters[0].name: missing"));
  for (const auto& [buffer, missing] :
       {std::pair("{type: float, count: 1}", "name"), {"{name: a, count: 1}", "type"}, {"{name: a, type: float}", "count"}}) {
    write("mine.yaml", std::string("scenario: mine\nmachine: nvidia-h200\ndesigns: [shared-queue]\nbuffers: [") + buffer + "]\nkernels:\n" +
                           kScale + "graph:\n  tasks:\n" + kTask);
    try {
      load_scenario((folder_ / "mine.yaml").string());
      ADD_FAILURE() << "took " << buffer;
    } catch (const InputError& wrong) {
      EXPECT_THAT(wrong.what(), HasSubstr(std::string("buffers[0].") + missing + ": missing"));
    }
  }
}

TEST_F(OwnKernelScenarios, AreRefusedBesideTasksThatCannotNameThem) {
  write("step.csv", "name,time_us\na,5\n");
  const std::string head = "scenario: mine\nmachine: nvidia-h200\ndesigns: [shared-queue]\n";
  for (const char* const graph : {"{import: step.csv}", "{generator: chain, length: 2, time_ns: 5}", "{records: a.json, deps: b.json}"}) {
    for (const char* const more :
         {"kernels: [{name: scale, source: scale.cu, cost: {flops: 1}}]\n", "buffers: [{name: a, type: float, count: 1}]\n"}) {
      write("mine.yaml", head + more + "graph: " + graph + "\n");
      try {
        load_scenario((folder_ / "mine.yaml").string());
        ADD_FAILURE() << "took " << more << graph;
      } catch (const InputError& wrong) {
        EXPECT_THAT(wrong.what(), HasSubstr("mine.yaml:4:1: ")) << graph;
        EXPECT_THAT(wrong.what(), HasSubstr(": goes with tasks written out in graph.tasks, which name them")) << graph;
      }
    }
  }
}

TEST_F(OwnKernelScenarios, RefuseArgumentsThatDoNotFit) {
  const auto with = [](const std::string& arguments) { return "  - {name: t, kernel: scale, arguments: " + arguments + "}\n"; };
  EXPECT_THAT(refusal(kScale, with("{in: c, factor: 1}")),
              HasSubstr("graph.tasks[0].arguments.in: no buffer is called 'c'; did you mean 'a'? (valid: a, b)"));
  EXPECT_THAT(refusal(kScale, with("{in: 3, factor: 1}")),
              HasSubstr("graph.tasks[0].arguments.in: is the number 3; must be the name of a buffer"));
  EXPECT_THAT(refusal(kScale, with("{in: a, factor: a}")), HasSubstr("graph.tasks[0].arguments.factor: is the text 'a'; must be a number"));
  EXPECT_THAT(refusal(kScale, with("{in: a, factor: 1, rows: 0.5}")),
              HasSubstr("arguments.rows: is the number 0.5; must be a whole number of 32 bits"));
  EXPECT_THAT(refusal(kScale, with("{in: a}")), HasSubstr("graph.tasks[0].arguments.factor: missing; kernel 'scale' needs it"));
  EXPECT_THAT(refusal(kScale, with("{in: a, factor: 1, row: 3}")),
              HasSubstr("graph.tasks[0].arguments.row: kernel 'scale' has no such parameter; did you mean 'rows'?"));
  EXPECT_THAT(refusal(kScale, "  - {name: t, kernel: scal, time_ns: 5}\n"),
              HasSubstr("graph.tasks[0].kernel: unknown value 'scal'; did you mean 'scale'? (valid: empty, spin, fma, stream, scale)"));
  EXPECT_THAT(refusal(kScale, "  - {name: t, kernel: scale, threads: 64, arguments: {in: a, factor: 1}}\n"),
              HasSubstr("graph.tasks[0].threads: is for kernel 'scale' to say, in 'kernels'"));
  EXPECT_THAT(refusal(kScale, "  - {name: t, time_ns: 5, arguments: {in: a}}\n"),
              HasSubstr("arguments: goes with one of the scenario's 'kernels'"));
  EXPECT_THAT(refusal("  - {name: sum, source: scale.cu}\n", "  - {name: t, kernel: sum}\n"),
              HasSubstr("graph.tasks[0].flops: missing, and bytes too; neither the task nor kernel 'sum' says what its body costs"));
}

TEST_F(OwnKernelScenarios, AMissingCostIsSaidOnceForTheKernel) {
  const std::string said = refusal("  - {name: sum, source: scale.cu}\n", "  - {name: t, kernel: sum}\n  - {name: u, kernel: sum}\n");
  EXPECT_THAT(said, HasSubstr("graph.tasks[0].flops: missing"));
  EXPECT_THAT(said, HasSubstr("'cost' of the kernel says it for all its tasks"));
  EXPECT_THAT(said, testing::Not(HasSubstr("graph.tasks[1]")));
}

TEST_F(OwnKernelScenarios, KindsNameBodiesThatTakeTimeAndComputeAndMoveBytes) {
  const Scenario scenario = load(kScale, std::string(kTask) +
                                             "  - {name: u, kind: attention, time_ns: 100, flops: 2000000, bytes: 5000000}\n"
                                             "  - {name: v, kind: attention, bytes: 5000000}\n  - {name: w, time_ns: 5}\n");
  const KernelLabels labels(scenario.graph);
  EXPECT_EQ(labels.name(labels.of(task_id(0))), "scale");
  EXPECT_EQ(labels.name(labels.of(task_id(1))), "attention");
  EXPECT_EQ(labels.of(task_id(1)), labels.of(task_id(2)));
  EXPECT_EQ(labels.name(labels.of(task_id(3))), "spin");
  const double arithmetic =
      static_cast<double>(to_ns(expected_cost(scenario.machine, scenario.graph, task_id(1), CoreType::kSm).fixed)) - 100;
  EXPECT_NEAR(
      arithmetic,
      2e6 * scenario.machine.kernel_cost(Kernel::kFma).arithmetic[0].ns / scenario.machine.kernel_cost(Kernel::kFma).arithmetic[0].flops, 2)
      << "as kernel fma computes";
  EXPECT_EQ(expected(scenario, 1), expected(scenario, 2)) << "the bytes take longest";
  EXPECT_THAT(refusal(kScale, "  - {name: u, kind: attention}\n"),
              HasSubstr("missing; a task of a kind states time_ns, samples_ns, flops or bytes"));
}

TEST(OwnKernelExamples, AreOfTheTasksThatTheirScriptsWrite) {
  const Scenario rows = load_scenario("examples/own-kernels/own-kernels.yaml");
  EXPECT_EQ(rows.graph.size(), 64U + 128U + 128U);
  EXPECT_EQ(rows.graph.traits(task_id(64)).shared_memory, 192 * 1024);
  const Scenario pipeline = load_scenario("examples/pipeline/pipeline-warp-specialised.yaml");
  EXPECT_EQ(pipeline.graph.size(), 24U);
  EXPECT_EQ(pipeline.graph.traits(task_id(0)).blocks, 16);
}

}  // namespace
}  // namespace tasktwin::scenarios
