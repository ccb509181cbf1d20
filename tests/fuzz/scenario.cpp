// Any text as a scenario file, on a small machine: it is refused, or its graph is one that can be walked.
#include <algorithm>

#include "scenarios/document/document.hpp"
#include "scenarios/load/scenario_document.hpp"
#include "scenarios/load/scenario_schema.hpp"
#include "tests/fuzz/fuzz.hpp"
#include "tests/fuzz/text_mutator.hpp"

using namespace tasktwin;

namespace {

/// Generators make graphs of millions of tasks where they are asked to; here none is.
bool is_small(const scenarios::Node& node) {
  constexpr std::int64_t kMost = 24;
  if (node.kind == scenarios::Node::Kind::kInteger && node.integer > kMost) return false;
  return std::ranges::all_of(node.items, is_small);
}

}  // namespace

std::span<const std::string> fuzz::words() {
  static const std::vector<std::string> words = words_of(scenarios::scenario_schema().json());
  return words;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const bool passed = fuzz::may_refuse([&] {
    const scenarios::Document document = scenarios::parse_document("f", std::string(fuzz::text_of(data, size)));
    const scenarios::Node* graph = document.root.find("graph");
    if (graph && graph->find("generator") && !is_small(*graph)) throw InputError("too large to be tried");
    const scenarios::Scenario scenario = scenarios::scenario_from(document);
    fuzz::expect(scenario.graph.topological_order().size() == scenario.graph.size() && !scenario.name.empty());
    fuzz::planted_bug(scenario.graph.edge_count() > 3 && scenario.seed > 3);
  });
  return fuzz::kept(passed, fuzz::text_of(data, size));
}
