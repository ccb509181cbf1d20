// Lines of JSON as the claims recorded on a machine: what is let pass is written, side by side, and read back the same.
#include <string>

#include "scenarios/formats/json_file.hpp"
#include "tests/fuzz/fuzz.hpp"
#include "tests/fuzz/memory_file.hpp"
#include "verify/bench/claims/claim_records.hpp"

using namespace tasktwin;

namespace {

const std::string kSide = "side";

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const fuzz::MemoryFile file("claims");
  const bool passed = fuzz::may_refuse([&] {
    for (const verify::RecordedClaim& claim : verify::read_claim_records(file.with(fuzz::text_of(data, size)))) {
      fuzz::expect(!claim.id.empty());
      for (const verify::RecordedComparison& comparison : claim.comparisons) {
        const std::string text = verify::side_to_json(comparison.baseline).dump();
        const scenarios::JsonValue side = scenarios::parse_json("side", text);
        fuzz::expect(verify::side_from(scenarios::JsonPlace(kSide, side)) == comparison.baseline);
        fuzz::planted_bug(comparison.contender.ordering_violations > 2);
      }
    }
  });
  return fuzz::kept(passed, fuzz::text_of(data, size));
}
