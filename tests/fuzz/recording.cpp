// A recording: a file of cases, a byte 0, and a timeline's text, which is tried packed as well.
#include <algorithm>

#include "tests/fuzz/fuzz.hpp"
#include "verify/output/files/compressed.hpp"
#include "verify/recordings/recorded_cases.hpp"
#include "verify/recordings/recorded_timeline.hpp"

using namespace tasktwin;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  constexpr std::size_t kTasks = 4;
  const std::string_view text = fuzz::text_of(data, size);
  const std::string_view facts = text.substr(0, text.find('\0'));
  const std::string_view rows = text.substr(std::min(facts.size() + 1, text.size()));
  std::vector<CoreType> cores{CoreType::kSm, CoreType::kSm};
  fuzz::may_refuse([&] {
    for (verify::RecordingFacts& read : verify::recordings_from("cases", facts)) {
      fuzz::planted_bug(read.recorded.ordering_violations > 4 && read.recorded.peak_memory);
      cores = std::move(read.cores);
    }
  });
  fuzz::may_refuse([&] { verify::unpack_timeline(rows, kTasks, "packed"); });
  fuzz::may_refuse([&] {
    const Timeline timeline = verify::decode_timeline(rows, cores, "timeline");
    fuzz::expect(verify::decode_timeline(verify::encode_timeline(timeline), cores, "again") == timeline);
  });
  return 0;
}
