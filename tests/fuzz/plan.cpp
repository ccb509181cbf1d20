// Any text as a plan: what is let pass becomes calls in which each operation comes once, and is written and read back the same.
#include <set>

#include "gpu/rerun/order/plan.hpp"
#include "tests/fuzz/fuzz.hpp"
#include "tests/fuzz/memory_file.hpp"
#include "verify/rerun/plan_file.hpp"

using namespace tasktwin;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const fuzz::MemoryFile file("plan");
  fuzz::may_refuse([&] {
    const gpu::rerun::Plan plan = verify::read_plan_file(file.with(fuzz::text_of(data, size))).plan;
    fuzz::expect(gpu::rerun::parse_plan(gpu::rerun::to_lines(plan)) == plan);
    std::set<int> given;
    for (const gpu::rerun::Step& step : gpu::rerun::steps_of(plan)) {
      if (step.kind == gpu::rerun::StepKind::kOperation) fuzz::expect(given.insert(step.operation).second);
    }
    fuzz::expect(given.size() == plan.operations.size());
    for (const gpu::rerun::PlannedOperation& one : plan.operations) fuzz::planted_bug(one.blocks > 99);
  });
  return 0;
}
