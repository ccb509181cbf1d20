// Any text as a file of what kernels read and write.
#include "scenarios/importers/trace/kernel_effects.hpp"
#include "tests/fuzz/fuzz.hpp"
#include "tests/fuzz/memory_file.hpp"

using namespace tasktwin;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const fuzz::MemoryFile file("effects");
  const bool passed = fuzz::may_refuse([&] {
    for (const scenarios::KernelEffect& effect : scenarios::read_kernel_effects(file.with(fuzz::text_of(data, size)))) {
      fuzz::expect(!effect.kernel.empty() && effect.bytes.size() <= effect.pointers.size());
      fuzz::planted_bug(effect.bytes.size() == 2 && effect.bytes.front() > 4096);
    }
  });
  return fuzz::kept(passed, fuzz::text_of(data, size));
}
