#include "scenarios/designs/stated_sets.hpp"

#include <algorithm>
#include <limits>

#include "models/design/design.hpp"
#include "scenarios/schema/schema_parts.hpp"

namespace tasktwin::scenarios {

namespace {

constexpr int kMostCores = 1'000'000;

std::array<int, 2> ends_of(const Node& list) {
  return {static_cast<int>(list.items.front().integer), static_cast<int>(list.items.back().integer)};
}

}  // namespace

nlohmann::json design_sets_schema() {
  using namespace schema;
  using Limits = std::numeric_limits<std::int32_t>;
  const Json cores{{"description", "how many cores of each device, the next ones behind the sets before; or the first and the last"},
                   {"if", {{"type", "array"}}},
                   {"then", pair("", whole("", 0, kMostCores))},
                   {"else", whole("", 1, kMostCores)}};
  Json set = map("",
                 {{"name", name("its name")},
                  {"cores", cores},
                  {"streams", list("streams whose tasks run there; all where it is left out", whole("", 0, kMaxStreams - 1))},
                  {"kinds", list("kernels, or kinds that tasks state, that run there; all where it is left out", text(""))},
                  {"layers", pair("the first and the last layer whose tasks run there", whole("", Limits::min(), Limits::max()))}},
                 {"name", "cores"});
  return list("cores that tasks have to themselves (green contexts); a task belongs to the first set that names it", std::move(set));
}

std::vector<NamedCores> design_sets_from(const Node& list) {
  std::vector<NamedCores> sets;
  int next = 0;
  for (const Node& node : list.items) {
    NamedCores& set = sets.emplace_back();
    set.name = node.find("name")->text;
    const Node& cores = *node.find("cores");
    set.cores = cores.kind == Node::Kind::kList ? ends_of(cores) : std::array<int, 2>{next, next + static_cast<int>(cores.integer) - 1};
    next = std::max(next, set.cores.back() + 1);
    if (const Node* streams = node.find("streams")) {
      for (const Node& stream : streams->items) set.streams.push_back(static_cast<int>(stream.integer));
    }
    if (const Node* kinds = node.find("kinds")) {
      for (const Node& kind : kinds->items) set.kinds.push_back(kind.text);
    }
    if (const Node* layers = node.find("layers")) set.layers = ends_of(*layers);
  }
  return sets;
}

nlohmann::json design_sets_to_json(const std::vector<NamedCores>& sets) {
  nlohmann::json list = nlohmann::json::array();
  for (const NamedCores& set : sets) {
    nlohmann::json& json = list.emplace_back(nlohmann::json{{"name", set.name}, {"cores", set.cores}});
    if (!set.streams.empty()) json["streams"] = set.streams;
    if (!set.kinds.empty()) json["kinds"] = set.kinds;
    if (set.layers) json["layers"] = *set.layers;
  }
  return list;
}

}  // namespace tasktwin::scenarios
