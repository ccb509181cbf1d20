// Collectives of more ranks than a machine has tables for, against what others measured (tests/data/README.md).
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <map>
#include <sstream>
#include <tuple>
#include <vector>

#include "models/cost/collective_times.hpp"
#include "scenarios/load/scenario.hpp"

namespace tasktwin::scenarios {
namespace {

constexpr std::int64_t kKiB = 1024;
constexpr std::int64_t kMiB = kKiB * kKiB;

/// By kind, type of elements and ranks.
using Tables = std::map<std::tuple<Operation, std::string, int>, CollectiveTimes>;

/// Columns: version, collective, ranks, type, elements, ms.
Tables measured() {
  const std::map<std::string, Operation> kinds{{"all_reduce", Operation::kAllReduce},
                                               {"all_gather", Operation::kAllGather},
                                               {"reduce_scatter", Operation::kReduceScatter},
                                               {"alltoall", Operation::kAllToAll}};
  Tables tables;
  std::ifstream in("tests/data/others/nccl-h100.csv");
  std::string line;
  for (std::getline(in, line); std::getline(in, line);) {
    std::istringstream row(line);
    std::vector<std::string> columns;
    for (std::string column; std::getline(row, column, ',');) columns.push_back(column);
    const Operation kind = kinds.at(columns.at(1));
    const int ranks = std::stoi(columns[2]);
    CollectiveTimes& table = tables[{kind, columns[3], ranks}];
    table.kind = kind;
    table.ranks = ranks;
    table.points.push_back({std::stoll(columns[4]) * (columns[3] == "half" ? 2 : 1), std::stod(columns[5]) * 1e6});
  }
  for (auto& [key, table] : tables) std::ranges::sort(table.points, {}, &CollectiveTimes::Point::bytes);
  return tables;
}

/// Sizes that were measured twice, by their mean.
CollectiveTimes once(const CollectiveTimes& table) {
  CollectiveTimes means = table;
  means.points.clear();
  for (std::size_t i = 0; i < table.points.size();) {
    const std::size_t first = i;
    double sum = 0;
    for (; i < table.points.size() && table.points[i].bytes == table.points[first].bytes; ++i) sum += table.points[i].time_ns;
    means.points.push_back({table.points[first].bytes, sum / static_cast<double>(i - first)});
  }
  return means;
}

/// Errors of predictions for that many ranks by a machine that is told the times of `fed` ranks.
struct Judged {
  std::vector<double> errors;  ///< without signs, ascending
  double median() const { return errors[errors.size() / 2]; }
  double percentile95() const { return errors[static_cast<std::size_t>(std::ceil(0.95 * static_cast<double>(errors.size()))) - 1]; }
};

/// Sums of int8 do not go by multicast (NCCL's NVLS has halves and floats).
Judged judge(const std::vector<int>& fed, const std::vector<int>& asked) {
  const Tables tables = measured();
  Judged judged;
  for (const auto& [key, truth] : tables) {
    const auto& [kind, type, ranks] = key;
    if (std::ranges::find(asked, ranks) == asked.end()) continue;
    Machine machine = load_machine("dgx-h100");
    machine.devices.multicast = type == "half";
    std::erase_if(machine.collective_times, [kind = kind](const CollectiveTimes& table) { return table.kind == kind; });
    for (const int few : fed) machine.collective_times.push_back(once(tables.at({kind, type, few})));
    Collective collective{.kind = kind, .algorithm = CollectiveAlgorithm::kAutomatic};
    for (int device = 0; device < ranks; ++device) collective.devices.push_back(device);
    for (const CollectiveTimes::Point& point : truth.points) {
      if (point.bytes < 64 * kKiB || point.bytes > 512 * kMiB) continue;
      collective.bytes = point.bytes;
      const double error = collective_alone(machine, collective, false).count() / point.time_ns - 1;
      judged.errors.push_back(std::abs(error));
      if (std::abs(error) > 0.2)
        std::printf("%2d ranks %-14s %-4s %9lld KiB %+.0f %%\n", ranks, std::string(to_word(kind)).c_str(), type.c_str(),
                    static_cast<long long>(point.bytes / kKiB), 100 * error);
    }
  }
  std::ranges::sort(judged.errors);
  std::printf("%zu times: median %.1f %%, 95th percentile %.1f %%\n", judged.errors.size(), 100 * judged.median(),
              100 * judged.percentile95());
  return judged;
}

TEST(PublicCollectives, OfEightByThoseOfTwoAndFour) {
  const Judged eight = judge({2, 4}, {8});
  EXPECT_EQ(eight.errors.size(), 224u);
  EXPECT_LT(eight.median(), 0.04);
  EXPECT_LT(eight.percentile95(), 0.20);
}

TEST(PublicCollectives, OfFourAndEightByThoseOfTwo) {
  const Judged more = judge({2}, {4, 8});
  EXPECT_EQ(more.errors.size(), 448u);
  EXPECT_LT(more.median(), 0.06);
  EXPECT_LT(more.percentile95(), 0.22);
}

TEST(PublicCollectives, OfFourByThoseOfTwoAndEight) {
  const Judged between = judge({2, 8}, {4});
  EXPECT_LT(between.median(), 0.08);
}

}  // namespace
}  // namespace tasktwin::scenarios
