// Any text as a baseline: what is let pass has a makespan for each design, by which another run can be judged.
#include <cmath>

#include "tests/fuzz/fuzz.hpp"
#include "tests/fuzz/memory_file.hpp"
#include "verify/compare/baseline.hpp"

using namespace tasktwin;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const fuzz::MemoryFile file("baseline");
  const bool passed = fuzz::may_refuse([&] {
    for (const verify::Baseline& baseline : verify::read_baseline(file.with(fuzz::text_of(data, size)))) {
      for (const auto& [name, design] : baseline.designs) {
        fuzz::expect(!design.makespans.empty());
        if (design.makespans.size() < 2) continue;
        const verify::Slowdown none = verify::slowdown(design.makespans, design.makespans, true);
        fuzz::expect(none.mean == 0 && !std::isnan(none.low));
        fuzz::planted_bug(design.makespans.size() == 2 && design.makespans.front() > 60000);
      }
    }
  });
  return fuzz::kept(passed, fuzz::text_of(data, size));
}
