// Any text as a file of measured kernels' costs: what is let pass is written, and read back the same.
#include "scenarios/tasks/kernel_costs.hpp"
#include "tests/fuzz/fuzz.hpp"
#include "tests/fuzz/memory_file.hpp"

using namespace tasktwin;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const fuzz::MemoryFile file("costs");
  static const fuzz::MemoryFile again("again");
  const bool passed = fuzz::may_refuse([&] {
    const scenarios::KernelCosts costs = scenarios::load_kernel_costs(file.with(fuzz::text_of(data, size)));
    const std::string text = scenarios::kernel_costs_to_yaml(costs);
    fuzz::expect(scenarios::kernel_costs_to_yaml(scenarios::load_kernel_costs(again.with(text))) == text);
    fuzz::planted_bug(costs.kernels.size() == 1 && costs.kernels.front().registers != 40);
  });
  return fuzz::kept(passed, fuzz::text_of(data, size));
}
