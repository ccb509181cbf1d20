#include "scenarios/document/document_kind.hpp"

#include <algorithm>
#include <array>

namespace tasktwin::scenarios {

std::optional<std::string> other_document(const Node& root) {
  if (root.kind != Node::Kind::kMap || root.find("scenario") || root.find("graph")) return std::nullopt;
  if (root.find("comparisons")) return "is a claim, no scenario; 'tasktwin verify --claims' takes it";
  const bool is_machine = root.find("machine") && std::ranges::any_of(std::array{"compute_cores", "kernels", "methods", "measured", "from"},
                                                                      [&root](const char* key) { return root.find(key) != nullptr; });
  if (is_machine) return "is a machine file, no scenario; 'machine' of a scenario names it, and 'tasktwin machine validate' checks it";
  return std::nullopt;
}

std::optional<std::string> no_machine_file(const Node& root) {
  if (root.kind != Node::Kind::kMap) return std::nullopt;
  if (root.find("comparisons")) return "is a claim, no machine file; 'tasktwin verify --claims' takes it";
  if (root.find("graph")) return "is a scenario, no machine file; its 'machine' names one, and 'tasktwin scenario validate' checks it";
  return std::nullopt;
}

}  // namespace tasktwin::scenarios
