#include "gpu/device/conditional_support.hpp"

namespace tasktwin::gpu {

namespace {

/// The first CUDA version with such nodes (release notes of 12.4 and 12.8).
int first_version(GraphPredicates predicates) {
  switch (predicates) {
    case GraphPredicates::kKernel:
      return 0;
    case GraphPredicates::kIf:
    case GraphPredicates::kWhile:
      return 12'040;
    case GraphPredicates::kSwitch:
      return 12'080;
  }
  return 0;
}

std::string version_text(int version) { return std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10); }

}  // namespace

std::optional<std::string> why_no_conditional_nodes(GraphPredicates predicates, int driver) {
  const int needed = first_version(predicates);
  if (driver >= needed) return std::nullopt;
  return "graph_predicates '" + std::string(to_word(predicates)) + "' needs a driver that supports CUDA " + version_text(needed) +
         "; this one supports " + version_text(driver);
}

}  // namespace tasktwin::gpu
