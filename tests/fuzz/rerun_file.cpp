// Any text as the file of a rerun: what is let pass is written, and read back the same.
#include "verify/rerun/rerun_file.hpp"
#include "tests/fuzz/fuzz.hpp"
#include "tests/fuzz/memory_file.hpp"

using namespace tasktwin;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const fuzz::MemoryFile file("rerun");
  static const fuzz::MemoryFile again("again");
  const bool passed = fuzz::may_refuse([&] {
    const verify::RerunFile read = verify::read_rerun_file(file.with(fuzz::text_of(data, size)));
    const std::string text = verify::to_json(read).dump();
    fuzz::expect(verify::to_json(verify::read_rerun_file(again.with(text))).dump() == text);
    fuzz::planted_bug(!read.schedules.empty() && read.schedules.front().streams != 2);
  });
  return fuzz::kept(passed, fuzz::text_of(data, size));
}
