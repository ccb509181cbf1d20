#include "verify/bench/launch_costs/launch_costs_report.hpp"

#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "models/base/error.hpp"
#include "scenarios/load/scenario.hpp"
#include "sim/simulator.hpp"
#include "tests/verify/support/cases.hpp"
#include "tests/verify/support/metg_worlds.hpp"
#include "tests/verify/support/strict_json.hpp"
#include "verify/bench/launch_costs/predicted_launch_costs.hpp"
#include "verify/output/text/text_table.hpp"
#include "verify/recordings/recorded.hpp"

namespace tasktwin::verify {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

Machine h200() { return scenarios::load_machine("nvidia-h200"); }

/// A GPU that does everything in twice the time that `machine` says; join of 256 fails there, and of the chain of 32 the order is wrong.
LaunchBackend slow_gpu(const Machine& machine) {
  return {.graph_calls =
              [machine](const TaskGraph& graph) {
                if (graph.size() == 256 && graph.in_degree(task_id(255)) == 255 && graph.out_degree(task_id(0)) == 1)
                  throw RunError("no such device");
                gpu::GraphCallTimes times = predict_graph_calls(graph, machine);
                for (double* time : {&times.instantiate_ns, &times.launch_ns, &times.set_nodes_ns, &times.update_ns, &times.first_start_ns,
                                     &times.makespan_ns})
                  *time *= 2;
                times.upload_ns = 3000;
                times.first_launch_ns = 9000;
                return times;
              },
          .run =
              [machine](const TaskGraph& graph, const Machine&, const Design& design, const gpu::RunOptions& options) {
                gpu::Measurement measurement;
                measurement.timeline = sim::simulate(graph, machine, design).timeline;
                const bool chain = graph.size() == 32 && graph.edge_count() == 31 && graph.out_degree(task_id(0)) == 1 &&
                                   graph.in_degree(task_id(31)) == 1;
                measurement.ordering_violations = chain && options.order_checks > 0 ? 4 : 0;
                return measurement;
              }};
}

std::vector<LaunchCostRow> some_rows() {
  return measure_launch_costs(h200(), slow_gpu(h200()), [](const std::string&) {});
}

const LaunchCostRow& row_of(const std::vector<LaunchCostRow>& rows, std::string_view shape, int size) {
  for (const LaunchCostRow& row : rows) {
    if (row.shape == shape && row.size == size) return row;
  }
  throw std::logic_error("no such row");
}

TEST(LaunchShapes, HaveTheNodesEdgesAndRootsTheirNamesSay) {
  struct Expected {
    std::size_t edges;
    std::size_t roots;
  };
  const Expected expected[] = {{255, 1}, {255, 1}, {255, 255}, {2 * 254, 1}, {0, 256}, {2 * 15 * 16, 16}};
  ASSERT_EQ(launch_shapes().size(), std::size(expected));
  for (std::size_t i = 0; i < std::size(expected); ++i) {
    const TaskGraph graph = launch_shapes()[i].make(256);
    EXPECT_EQ(graph.size(), 256U) << launch_shapes()[i].name;
    EXPECT_EQ(graph.edge_count(), expected[i].edges) << launch_shapes()[i].name;
    EXPECT_EQ(predict_graph_calls(graph, h200()).roots, expected[i].roots) << launch_shapes()[i].name;
  }
  for (const int size : kLaunchSizes) {
    for (const LaunchShape& shape : launch_shapes()) EXPECT_EQ(shape.make(size).size(), static_cast<std::size_t>(size)) << shape.name;
  }
}

TEST(LaunchShapes, LayersHaveTwoPredecessorsANode) {
  const TaskGraph graph = launch_shapes().back().make(32);
  for (std::size_t i = 4; i < 32; ++i) EXPECT_EQ(graph.in_degree(task_id(i)), 2U);
}

TEST(LaunchCostPrediction, AddsUpTheMachinesConstants) {
  Machine machine = h200();
  machine.graph_launch->launch = Nanoseconds{5000};
  machine.graph_launch->per_node = Nanoseconds{3};
  machine.graph_launch->per_leaf = Nanoseconds{300};
  machine.graph_launch->per_root = Nanoseconds{1000};
  machine.graph_launch->root_growth = machine.graph_launch->inner_growth = Nanoseconds{0};
  machine.graph_launch->latency = Nanoseconds{8000};
  machine.graph_launch->gap = Nanoseconds{700};
  machine.graph_launch->service = Nanoseconds{100};
  machine.graph_launch->set_node = Nanoseconds{200};
  machine.launched_kernels->body = Nanoseconds{0};
  machine.graph_launch->update_per_node = Nanoseconds{50};
  machine.graph_launch->instantiate_per_node = Nanoseconds{9000};
  machine.kernels[static_cast<std::size_t>(Kernel::kEmpty)].overhead = Nanoseconds{80};
  const gpu::GraphCallTimes chain = predict_graph_calls(launch_shapes()[0].make(10), machine);
  EXPECT_EQ(chain.launch_ns, 5000 + 10 * 3 + 300 + 1000);
  EXPECT_EQ(chain.set_nodes_ns, 10 * 200);
  EXPECT_EQ(chain.update_ns, 10 * 50);
  EXPECT_EQ(chain.instantiate_ns, 10 * 9000);
  EXPECT_EQ(chain.first_start_ns, 8000);
  EXPECT_EQ(chain.makespan_ns, 8000 + 10 * 80 + 9 * 700);
}

TEST(LaunchCosts, HoldEachSideApart) {
  const std::vector<LaunchCostRow> rows = some_rows();
  ASSERT_EQ(rows.size(), launch_shapes().size() * kLaunchSizes.size());
  const LaunchCostRow& layers = row_of(rows, "layers", 1024);
  EXPECT_TRUE(layers.right());
  EXPECT_EQ(layers.edges, 2U * 31 * 32);
  for (const LaunchQuantity& quantity : launch_quantities()) {
    if (quantity.name == "launch" || quantity.name == "first_node" || quantity.name == "node" || quantity.name == "update") {
      EXPECT_NEAR(quantity.of(layers.measured), 2 * quantity.of(layers.predicted), 1e-6) << quantity.name;
    }
    if (quantity.name == "prepare") {
      EXPECT_EQ(quantity.of(layers.measured), 2 * quantity.of(layers.predicted) + 3000);
    } else if (quantity.name == "streams") {
      EXPECT_EQ(quantity.of(layers.measured), quantity.of(layers.predicted));
    }
  }
  EXPECT_FALSE(row_of(rows, "join", 256).right());
  EXPECT_EQ(row_of(rows, "join", 256).fault, "no such device");
  EXPECT_EQ(row_of(rows, "chain", 32).ordering_violations, 8);  // as a graph and in streams
}

TEST(LaunchCostsCsv, HasARowAQuantityAndNoFigureWhereThereIsNone) {
  const std::string csv = launch_costs_csv(some_rows());
  EXPECT_EQ(std::ranges::count(csv, '\n'), 1 + 18 * static_cast<int>(launch_quantities().size()));
  EXPECT_TRUE(csv.starts_with("shape,nodes,edges,roots,quantity,measured_us,predicted_us\n"));
  EXPECT_THAT(csv, HasSubstr("chain,32,31,1,upload,3.0000,\n"));
  EXPECT_THAT(csv, HasSubstr("join,256,255,255,first_launch,,\n"));
  std::istringstream lines(csv);
  for (std::string line; std::getline(lines, line);) EXPECT_EQ(std::ranges::count(line, ','), 6) << line;
}

TEST(LaunchCostsJson, CarriesProvenanceMeaningsAndFaults) {
  const nlohmann::json json = tests::strict_json(to_text(launch_costs_json(some_rows(), tests::some_provenance())));
  EXPECT_EQ(json.at("benchmark"), "launch_costs");
  for (const char* key : {"machine", "machine_hash", "device", "driver", "runtime", "date", "version", "commit", "command"})
    EXPECT_TRUE(json.at(key).is_string()) << key;
  EXPECT_EQ(json.at("quantities").size(), launch_quantities().size());
  ASSERT_EQ(json.at("launch_costs").size(), 18U);
  const auto& chain = json.at("launch_costs").at(0);
  EXPECT_EQ(chain.at("shape"), "chain");
  EXPECT_EQ(chain.at("ordering_violations"), 8);
  EXPECT_EQ(chain.at("first_launch").at("measured_us"), 9);
  EXPECT_TRUE(chain.at("first_launch").at("predicted_us").is_null());
  const auto& join = json.at("launch_costs").at(7);
  EXPECT_EQ(join.at("fault"), "no such device");
  EXPECT_TRUE(join.at("launch").at("measured_us").is_null());
  EXPECT_TRUE(join.at("launch").at("predicted_us").is_number());
}

TEST(LaunchCostsText, FitsThePageAndSaysTheTroubles) {
  const std::string text = launch_costs_text(some_rows(), tests::some_provenance());
  EXPECT_THAT(text, HasSubstr("launch: launch call of a graph launched before\n"));
  EXPECT_THAT(text, HasSubstr("join of 256 nodes: no such device\n"));
  EXPECT_THAT(text, HasSubstr("chain of 32 nodes: 8 predecessors were not done\n"));
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) EXPECT_LE(columns(line), kPageColumns) << line;
}

TEST(LaunchCostsFiles, AreNotTakenForRecordings) {
  const tests::TemporaryFolder folder;
  std::filesystem::create_directory(folder / "nvidia-h200");
  for (const char* name : {"launch_costs.json", "cholesky.shared-queue.json"}) tests::write_text((folder / "nvidia-h200") / name, "{}");
  EXPECT_THAT(list_recordings(folder.path()), ElementsAre((folder / "nvidia-h200") / "cholesky.shared-queue.json"));
}

}  // namespace
}  // namespace tasktwin::verify
