// The shipped scenarios with kernels of their own, on a GPU: their numbers against Eigen's under every design.
#include <cmath>
#include <cstring>
#include <map>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <Eigen/Core>

#include "gpu/problems/buffer_values.hpp"
#include "tests/gpu/executor_cases.hpp"

namespace tasktwin::gpu {
namespace {

using Matrix = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using Buffers = std::map<std::string, std::vector<std::byte>>;

/// The elements of a buffer of halves when a run begins, as a matrix; rounded as the device rounds them.
Matrix filled(const OwnKernels& own, std::string_view name, Eigen::Index columns) {
  const auto found = std::ranges::find(own.buffers, name, &OwnBuffer::name);
  const BufferValues values = BufferValues::of(*found, static_cast<std::size_t>(found - own.buffers.begin()));
  Matrix matrix(found->count / columns, columns);
  for (Eigen::Index i = 0; i < matrix.size(); ++i)
    matrix.data()[i] = static_cast<float>(Eigen::half(values.real(static_cast<std::uint64_t>(i))));
  return matrix;
}

template <class T>
Matrix read(const Buffers& buffers, const std::string& name, Eigen::Index columns) {
  const std::vector<std::byte>& bytes = buffers.at(name);
  const auto count = static_cast<Eigen::Index>(bytes.size() / sizeof(T));
  std::vector<T> elements(static_cast<std::size_t>(count));
  std::memcpy(elements.data(), bytes.data(), bytes.size());
  Matrix matrix(count / columns, columns);
  for (Eigen::Index i = 0; i < count; ++i) matrix.data()[i] = static_cast<float>(elements[static_cast<std::size_t>(i)]);
  return matrix;
}

/// Largest difference, relative to the largest number.
float error(const Matrix& seen, const Matrix& right) { return (seen - right).cwiseAbs().maxCoeff() / right.cwiseAbs().maxCoeff(); }

class OwnKernelRuns : public testing::Test {
 protected:
  void SetUp() override {
    if (const auto why = why_no_gpu()) GTEST_SKIP() << *why;
  }

  static std::string example(const std::string& path) { return std::string(TASKTWIN_SOURCES) + "/examples/" + path; }

  static Buffers buffers_after(const scenarios::Scenario& scenario, const Design& design) {
    Buffers buffers;
    const Measurement seen =
        run(scenario.graph, scenario.machine, design, {.repeats = 1, .stamps = false, .seed = scenario.seed, .kept_buffers = &buffers});
    EXPECT_EQ(seen.ordering_violations, 0) << design.name;
    return buffers;
  }
};

TEST_F(OwnKernelRuns, GatherMultiplyAndNormaliseAsEigenDoes) {
  const scenarios::Scenario scenario = scenarios::load_scenario(example("own-kernels/own-kernels.yaml"));
  const auto& own = std::get<OwnKernels>(scenario.graph.problem());
  constexpr Eigen::Index kColumns = 1024;
  const Matrix table = filled(own, "table", kColumns);
  const Matrix w = filled(own, "w", kColumns);
  const BufferValues numbers = BufferValues::of(own.buffers[1], 1);
  Matrix x(2048, kColumns);
  for (Eigen::Index row = 0; row < x.rows(); ++row) x.row(row) = table.row(numbers.whole(static_cast<std::uint64_t>(row)));
  const Matrix y = x * w;
  Matrix p = (y.colwise() - y.rowwise().maxCoeff()).array().exp();
  for (Eigen::Index row = 0; row < p.rows(); ++row) p.row(row) /= p.row(row).sum();
  for (const Design& design : scenario.designs) {
    const Buffers seen = buffers_after(scenario, design);
    EXPECT_EQ(read<Eigen::half>(seen, "x", kColumns), x) << design.name;
    EXPECT_LT(error(read<Eigen::half>(seen, "y", kColumns), y), 1e-3F) << design.name;
    EXPECT_LT(error(read<float>(seen, "p", kColumns), p), 1e-2F) << design.name;
  }
}

TEST_F(OwnKernelRuns, BeginWithTheContentsThatAreGiven) {
  const scenarios::Scenario scenario = scenarios::load_scenario(example("own-kernels/own-kernels.yaml"));
  const auto& own = std::get<OwnKernels>(scenario.graph.problem());
  const auto table = std::ranges::find(own.buffers, "table", &OwnBuffer::name);
  const Buffers first{{"table", std::vector<std::byte>(static_cast<std::size_t>(table->bytes()))}};
  Buffers seen;
  run(scenario.graph, scenario.machine, scenario.designs.front(),
      {.repeats = 1, .stamps = false, .seed = scenario.seed, .kept_buffers = &seen, .first_contents = &first});
  EXPECT_TRUE(read<Eigen::half>(seen, "x", 1024).isZero(0)) << "rows of a table of zeros";
}

TEST_F(OwnKernelRuns, ChainProductsAsEigenDoes) {
  const scenarios::Scenario scenario = scenarios::load_scenario(example("pipeline/pipeline-warp-specialised.yaml"));
  const auto& own = std::get<OwnKernels>(scenario.graph.problem());
  constexpr Eigen::Index kColumns = 1024;
  const Matrix w = filled(own, "w", kColumns);
  std::map<std::string, Matrix> right;
  for (int chain = 0; chain < 4; ++chain) {
    const std::string name = "state-" + std::to_string(chain) + "-";
    Matrix state = filled(own, name + "0", kColumns);
    for (int step = 1; step <= 6; ++step) {
      state = (state * w).unaryExpr([](float value) { return static_cast<float>(Eigen::half(value)); });
      right[name + std::to_string(step)] = state;
    }
  }
  for (const Design& design : scenario.designs) {
    const Buffers seen = buffers_after(scenario, design);
    for (const auto& [name, matrix] : right)
      EXPECT_LT(error(read<Eigen::half>(seen, name, kColumns), matrix), 1e-2F) << design.name << " " << name;
  }
}

TEST_F(OwnKernelRuns, AreStampedBlockByBlock) {
  const scenarios::Scenario scenario = scenarios::load_scenario(example("pipeline/pipeline-warp-specialised.yaml"));
  const Measurement seen = run(scenario.graph, scenario.machine, scenario.designs.front(), {.repeats = 1});
  EXPECT_EQ(seen.timeline.blocks.size(), 24u * 16u);
}

}  // namespace
}  // namespace tasktwin::gpu
