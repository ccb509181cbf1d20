#include "scenarios/generators/batched_gemm.hpp"

#include "scenarios/generators/generators.hpp"

namespace tasktwin::scenarios {

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

namespace {

void parameters(ParameterTable& table, BatchedGemmParameters& values) {
  table.number("groups", "sums", values.groups, 1, 1'000'000);
  table.number("gemms", "products of a sum", values.gemms, 1, 1'000'000);
  work_parameters(table, "gemm_time_ns", "one matrix product", "gemm_sigma_ns", values.gemm);
  work_parameters(table, "add_time_ns", "adding one product to the group's sum", "add_sigma_ns", values.add);
  core_type_parameters(table, {&values.gemm}, {&values.add});
}

GraphSize size_of(const BatchedGemmParameters& values) {
  return GraphSize{2 * values.groups * values.gemms, values.groups * (2 * values.gemms - 1),
                   "2 x groups " + std::to_string(values.groups) + " x gemms " + std::to_string(values.gemms) +
                       " tasks, groups x (2 x gemms - 1) edges"};
}

}  // namespace

Generator batched_gemm_generator() {
  return generator_of("batched_gemm", "groups of matrix products that are summed up; default times: Ascend a2a3", parameters, size_of,
                      make_batched_gemm);
}

}  // namespace tasktwin::scenarios
