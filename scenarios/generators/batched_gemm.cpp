#include "scenarios/generators/batched_gemm.hpp"

#include <array>

namespace tasktwin::scenarios {

namespace {

constexpr WorkDefault kGemm{"gemm_time_ns", "gemm_sigma_ns", "one matrix product", 21010, 0};
constexpr WorkDefault kAdd{"add_time_ns", "add_sigma_ns", "adding one product to the group's sum", 10512, 0};

}  // namespace

TaskGraph make_batched_gemm(const BatchedGemmParameters& parameters) {
  TaskGraphBuilder builder;
  for (std::int64_t g = 0; g < parameters.groups; ++g) {
    for (std::int64_t i = 0; i < parameters.gemms; ++i) {
      const std::string at = "(" + std::to_string(g) + "," + std::to_string(i) + ")";
      const auto layer = static_cast<std::int32_t>(2 * i);
      const TaskId gemm = builder.add_task("gemm" + at, parameters.gemm.task(layer));
      const TaskId add = builder.add_task("add" + at, parameters.add.task(layer + 1));
      builder.add_edge(gemm, add);
      if (i > 0) builder.add_edge(task_id(index(gemm) - 1), add);
    }
  }
  return std::move(builder).build();
}

Generator batched_gemm_generator() {
  constexpr std::array works{kGemm, kAdd};
  return {.name = "batched_gemm",
          .meaning = "groups of matrix products that are summed up; default times: Ascend a2a3",
          .parameters = with_works({{.name = "groups", .meaning = "sums", .min = 1, .max = 1'000'000, .value = 250},
                                    {.name = "gemms", .meaning = "products of a sum", .min = 1, .max = 1'000'000, .value = 2}},
                                   works),
          .size =
              [](const ParameterValues& values) {
                const auto groups = values.whole("groups");
                const auto gemms = values.whole("gemms");
                return GraphSize{2 * groups * gemms, groups * (2 * gemms - 1),
                                 "2 x groups " + std::to_string(groups) + " x gemms " + std::to_string(gemms) +
                                     " tasks, groups x (2 x gemms - 1) edges"};
              },
          .make =
              [](const ParameterValues& values, std::uint64_t) {
                return make_batched_gemm(
                    {values.whole("groups"), values.whole("gemms"), matrix_work(values, kGemm), vector_work(values, kAdd)});
              }};
}

}  // namespace tasktwin::scenarios
