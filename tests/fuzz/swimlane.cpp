// A captured run: records, a byte 0, and dependencies.
#include "scenarios/swimlane/swimlane_capture.hpp"
#include "tests/fuzz/fuzz.hpp"

using namespace tasktwin;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text = fuzz::text_of(data, size);
  const std::size_t middle = text.find('\0');
  if (middle == std::string_view::npos) return 0;
  fuzz::may_refuse([&] {
    const scenarios::SwimlaneCapture capture = scenarios::join_swimlane("records", scenarios::parse_json("records", text.substr(0, middle)),
                                                                        "deps", scenarios::parse_json("deps", text.substr(middle + 1)));
    const Timeline timeline = scenarios::captured_timeline(capture, scenarios::core_groups(capture));
    fuzz::expect(timeline.tasks.size() == capture.graph.size());
    fuzz::planted_bug(capture.graph.edge_count() == 1 && timeline.tasks.front().ended - timeline.tasks.front().started > Duration{3000});
  });
  return 0;
}
