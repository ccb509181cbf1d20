// Any text as a machine file: what is let pass is written, and read back the same.
#include "scenarios/document/document.hpp"
#include "scenarios/load/scenario.hpp"
#include "scenarios/machine_files/machine_file.hpp"
#include "scenarios/machine_files/machine_schema.hpp"
#include "tests/fuzz/fuzz.hpp"
#include "tests/fuzz/text_mutator.hpp"

using namespace tasktwin;

std::span<const std::string> fuzz::words() {
  static const std::vector<std::string> words = words_of(scenarios::machine_schema().json());
  return words;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const bool passed = fuzz::may_refuse([&] {
    const Machine machine = scenarios::machine_from(scenarios::parse_document("f", std::string(fuzz::text_of(data, size))));
    const Machine again = scenarios::machine_from(scenarios::parse_document("again", scenarios::machine_to_yaml(machine)));
    fuzz::expect(scenarios::machine_hash(again) == scenarios::machine_hash(machine));
    fuzz::planted_bug(machine.compute_cores.size() == 1 && machine.core_count() > 5);
  });
  return fuzz::kept(passed, fuzz::text_of(data, size));
}
