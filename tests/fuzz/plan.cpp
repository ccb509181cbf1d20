// Any text as a plan: what is let pass becomes calls in which each operation comes once, and is written and read back the same; lists of
// workers that are let pass come to their end.
#include <set>
#include <string>

#include "gpu/rerun/order/plan.hpp"
#include "models/checks/list_cover.hpp"
#include "models/checks/list_order.hpp"
#include "scenarios/formats/json_file.hpp"
#include "tests/fuzz/fuzz.hpp"
#include "tests/fuzz/memory_file.hpp"
#include "verify/plan/list_plan.hpp"
#include "verify/rerun/plan_file.hpp"

using namespace tasktwin;

/// Tasks "a" and "b", and "c" behind both, on four cores.
static scenarios::Scenario three_tasks() {
  scenarios::Scenario scenario;
  scenario.name = "three";
  scenario.machine.name = "four";
  scenario.machine.compute_cores = {{CoreType::kSm, 4}};
  TaskGraphBuilder builder;
  for (const char* const name : {"a", "b", "c"}) builder.add_task(name, {});
  for (const std::size_t from : {0, 1}) builder.add_edge(task_id(from), task_id(2));
  scenario.graph = std::move(builder).build();
  return scenario;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const fuzz::MemoryFile file("plan");
  const bool launched = fuzz::may_refuse([&] {
    const gpu::rerun::Plan plan = verify::read_plan_file(file.with(fuzz::text_of(data, size))).plan;
    fuzz::expect(gpu::rerun::parse_plan(gpu::rerun::to_lines(plan)) == plan);
    std::set<int> given;
    for (const gpu::rerun::Step& step : gpu::rerun::steps_of(plan)) {
      if (step.kind == gpu::rerun::StepKind::kOperation) fuzz::expect(given.insert(step.operation).second);
    }
    fuzz::expect(given.size() == plan.operations.size());
    for (const gpu::rerun::PlannedOperation& one : plan.operations) fuzz::planted_bug(one.blocks > 99);
  });
  static const scenarios::Scenario three = three_tasks();
  const bool listed = fuzz::may_refuse([&] {
    const std::string name = "plan";
    const verify::ListPlan plan = verify::list_plan_from(name, scenarios::parse_json(name, fuzz::text_of(data, size)), three);
    fuzz::expect(!list_deadlock(plan.graph, plan.lists));
    fuzz::expect(order_of_lists(plan.graph, plan.lists).size() == plan.graph.size());
  });
  return fuzz::kept(launched || listed, fuzz::text_of(data, size));
}
