// What launching graphs was measured to cost, against what the simulator says today.
#include <algorithm>
#include <cmath>
#include <fstream>
#include <optional>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "scenarios/load/scenario.hpp"
#include "verify/bench/launch_costs/launch_costs.hpp"
#include "verify/bench/launch_costs/predicted_launch_costs.hpp"
#include "verify/recordings/recorded.hpp"

namespace tasktwin::verify {
namespace {

using nlohmann::json;

/// The rows recorded on an H200; nothing where none were.
std::optional<json> recorded_rows() {
  std::ifstream file(recordings_folder() / "nvidia-h200" / "launch_costs.json");
  return file ? std::optional(json::parse(file).at("launch_costs")) : std::nullopt;
}

double measured(const json& row, std::string_view quantity) { return row.at(std::string(quantity)).at("measured_us").get<double>() * 1e3; }

class LaunchCostFidelity : public testing::Test {
 protected:
  void SetUp() override {
    const std::optional<json> rows = recorded_rows();
    if (!rows) GTEST_SKIP() << "no launch costs are recorded";
    rows_ = *rows;
  }

  json rows_;
};

TEST_F(LaunchCostFidelity, CoversEveryShapeAndSizeInOrder) {
  ASSERT_EQ(rows_.size(), launch_shapes().size() * kLaunchSizes.size());
  auto row = rows_.begin();
  for (const LaunchShape& shape : launch_shapes()) {
    for (const int size : kLaunchSizes) {
      EXPECT_EQ(row->at("shape"), shape.name);
      EXPECT_EQ(row->at("nodes"), size);
      EXPECT_EQ(row->at("edges"), shape.make(size).edge_count()) << shape.name;
      EXPECT_TRUE(row->at("fault").is_null()) << row->at("fault");
      EXPECT_EQ(row->at("ordering_violations"), 0) << shape.name;
      ++row;
    }
  }
}

/// One constant serves for what a root adds to the call and for the time between two of them, of which the call's is the smaller.
TEST_F(LaunchCostFidelity, HalfOfTheLaunchCallsAndNodesAreWithinThreeFifths) {
  const Machine machine = scenarios::load_machine("nvidia-h200");
  std::vector<double> launches;
  std::vector<double> nodes;
  for (const json& row : rows_) {
    const auto shape = std::ranges::find(launch_shapes(), row.at("shape").get<std::string>(), &LaunchShape::name);
    ASSERT_NE(shape, launch_shapes().end());
    const gpu::GraphCallTimes predicted = predict_graph_calls(shape->make(row.at("nodes").get<int>()), machine);
    const double node = (predicted.makespan_ns - predicted.first_start_ns) / static_cast<double>(predicted.nodes);
    launches.push_back(std::abs(std::log(predicted.launch_ns / measured(row, "launch"))));
    nodes.push_back(std::abs(std::log(node / measured(row, "node"))));
  }
  for (std::vector<double>* errors : {&launches, &nodes}) {
    std::ranges::sort(*errors);
    EXPECT_LE((*errors)[errors->size() / 2], std::log(1.6));
  }
}

}  // namespace
}  // namespace tasktwin::verify
