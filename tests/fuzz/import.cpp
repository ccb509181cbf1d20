// A file of another program: a letter for the format, the first of them 'a', and the file's bytes. Where it is a capital, what stands
// behind the first byte 0 is a second file.
#include <algorithm>
#include <cctype>
#include <string>

#include "scenarios/importers/importers.hpp"
#include "tests/fuzz/fuzz.hpp"
#include "tests/fuzz/memory_file.hpp"

using namespace tasktwin;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const fuzz::MemoryFile first("first");
  static const fuzz::MemoryFile second("second");
  if (size < 2 || std::isalpha(data[0]) == 0) return 0;
  std::string_view text = fuzz::text_of(data + 1, size - 1);
  const auto all = scenarios::importers();
  const auto chosen = static_cast<std::size_t>(std::tolower(data[0]) - 'a');
  if (chosen >= all.size()) return 0;
  scenarios::ImportOptions options;
  if (std::isupper(data[0]) != 0) {
    const std::size_t middle = std::min(text.find('\0'), text.size());
    options.with = second.with(text.substr(std::min(middle + 1, text.size())));
    text = text.substr(0, middle);
  }
  const bool passed = fuzz::may_refuse([&] {
    const scenarios::Imported imported = scenarios::import_file(first.with(text), std::string(all[chosen].name), options);
    const TaskGraph& graph = imported.graph;
    fuzz::expect(graph.topological_order().size() == graph.size());
    fuzz::expect(imported.captured.tasks.empty() || imported.captured.tasks.size() == graph.size());
    const auto first = graph.size() == 3 ? graph[task_id(0)].cost.time : Duration{};
    fuzz::planted_bug(graph.edge_count() == 2 && first > std::chrono::microseconds{1} && first < std::chrono::microseconds{100});
  });
  return fuzz::kept(passed, fuzz::text_of(data, size));
}
