// Any text through the strict reader of JSON: what it lets pass is written and read back the same.
#include "scenarios/formats/json_file.hpp"
#include "tests/fuzz/fuzz.hpp"

using namespace tasktwin;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  fuzz::may_refuse([&] {
    const scenarios::JsonValue json = scenarios::parse_json("f", fuzz::text_of(data, size));
    fuzz::expect(scenarios::parse_json("f", scenarios::json_file_text(json)) == json);
    fuzz::planted_bug(json.is_object() && !json.empty() && json.front().is_array() && json.front().size() == 4 &&
                      json.front().front().is_number_unsigned() && json.front().front() > 5u);
  });
  return 0;
}
