#include "scenarios/generators/expert_epilogue.hpp"

#include <vector>

#include "scenarios/generators/generators.hpp"

namespace tasktwin::scenarios {

TaskGraph make_expert_epilogue(const ExpertEpilogueParameters& parameters) {
  TaskGraphBuilder builder;
  const std::uint32_t together = builder.add_traits({.blocks = parameters.blocks});
  std::vector<TaskId> products;
  std::vector<TaskId> epilogues;
  for (std::int64_t e = 0; e < parameters.experts; ++e) {
    const std::string at = "(" + std::to_string(e) + ")";
    const TaskId route = builder.add_task("route" + at, parameters.route.task(0));
    products.push_back(builder.add_task("gemm" + at, parameters.gemm.task(1)));
    builder.add_edge(route, products.back());
    const auto served = static_cast<std::int64_t>(products.size());
    if (served < parameters.group && e + 1 < parameters.experts) continue;
    Task task = parameters.epilogue.task(2);
    task.cost.time *= served;
    task.traits = together;
    epilogues.push_back(builder.add_task("epilogue(" + std::to_string(epilogues.size()) + ")", task));
    for (const TaskId product : products) builder.add_edge(product, epilogues.back());
    products.clear();
  }
  const TaskId combine = builder.add_task("combine", parameters.combine.task(3));
  for (const TaskId epilogue : epilogues) builder.add_edge(epilogue, combine);
  return std::move(builder).build();
}

namespace {

void parameters(ParameterTable& table, ExpertEpilogueParameters& values) {
  table.number("experts", "experts of the layer", values.experts, 1, 100'000);
  table.number("group", "experts that one epilogue serves", values.group, 1, 100'000);
  table.number("blocks", "blocks of an epilogue, which start together", values.blocks, 1, 1'000'000);
  work_parameters(table, "route_time_ns", "bringing an expert its tokens", "route_sigma_ns", values.route);
  work_parameters(table, "gemm_time_ns", "an expert's matrix product", "gemm_sigma_ns", values.gemm);
  work_parameters(table, "epilogue_time_ns", "a block of an epilogue, for each expert", "epilogue_sigma_ns", values.epilogue);
  work_parameters(table, "combine_time_ns", "adding up what the experts gave", "combine_sigma_ns", values.combine);
  core_type_parameters(table, {&values.gemm}, {&values.route, &values.epilogue, &values.combine});
}

GraphSize size_of(const ExpertEpilogueParameters& values) {
  const std::int64_t epilogues = (values.experts + values.group - 1) / values.group;
  return GraphSize{2 * values.experts + epilogues + 1, 2 * values.experts + epilogues,
                   "2 x experts " + std::to_string(values.experts) + " + epilogues " + std::to_string(epilogues) +
                       " + 1 tasks, 2 x experts + epilogues edges"};
}

}  // namespace

Generator expert_epilogue_generator() {
  return generator_of("expert_epilogue", "a layer's experts, each or several with an epilogue of blocks that start together", parameters,
                      size_of, make_expert_epilogue);
}

}  // namespace tasktwin::scenarios
