#include "scenarios/designs/stated_parts.hpp"

#include <limits>

#include "scenarios/schema/schema_parts.hpp"

namespace tasktwin::scenarios {

namespace {

constexpr std::array kQueues{to_word(ReadyQueue::kPerWorker), to_word(ReadyQueue::kShared)};
constexpr std::array kReleases{to_word(Release::kCounters), to_word(Release::kBarrier)};

/// Sets an axis of `part` where the file does.
template <class E>
void read(const Node& node, std::string_view name, std::optional<E>& axis) {
  if (const Node* value = node.find(name)) axis = from_word<E>(value->text);
}

template <class E>
void write(nlohmann::json& part, std::string_view name, const std::optional<E>& axis) {
  if (axis) part[std::string(name)] = to_word(*axis);
}

}  // namespace

nlohmann::json design_parts_schema() {
  using namespace schema;
  using Limits = std::numeric_limits<std::int32_t>;
  Json layers = list("the first and the last that its tasks state", whole("", Limits::min(), Limits::max()), 2);
  layers["maxItems"] = 2;
  Json part = map("", {{"kinds", list("of its tasks: kernels, or kinds that tasks state; all where it is left out", text(""))},
                       {"layers", std::move(layers)},
                       {"ready_queue", word("the frozen lists, or the queue that all workers share", kQueues)},
                       {"placement", word("any_idle for tasks in no list, or the design's own", all_words<Placement>())},
                       {"release", word("barrier: each of its layers begins when all tasks of lower layers are done", kReleases)}});
  return list("what differs for some of the tasks; a task belongs to the first part that names it", std::move(part));
}

std::vector<DesignPart> design_parts_from(const Node& list) {
  std::vector<DesignPart> parts;
  for (const Node& node : list.items) {
    DesignPart& part = parts.emplace_back();
    if (const Node* kinds = node.find("kinds")) {
      for (const Node& kind : kinds->items) part.kinds.push_back(kind.text);
    }
    if (const Node* layers = node.find("layers"))
      part.layers = {static_cast<int>(layers->items.front().integer), static_cast<int>(layers->items.back().integer)};
    read(node, "ready_queue", part.ready_queue);
    read(node, "placement", part.placement);
    read(node, "release", part.release);
  }
  return parts;
}

nlohmann::json design_parts_to_json(const std::vector<DesignPart>& parts) {
  nlohmann::json list = nlohmann::json::array();
  for (const DesignPart& part : parts) {
    nlohmann::json& json = list.emplace_back(nlohmann::json::object());
    if (!part.kinds.empty()) json["kinds"] = part.kinds;
    if (part.layers) json["layers"] = *part.layers;
    write(json, "ready_queue", part.ready_queue);
    write(json, "placement", part.placement);
    write(json, "release", part.release);
  }
  return list;
}

}  // namespace tasktwin::scenarios
