#include "verify/gpu_support.hpp"

#include <algorithm>
#include <array>
#include <string_view>
#include <vector>

#include <fmt/format.h>

namespace tasktwin::verify {

namespace {

/// A family of designs that one executor runs: those that differ from a named design in no axis but the free ones.
struct Family {
  std::string_view design;
  bool (*has)(const Design&);
  std::vector<std::string_view> free;
  bool blocks = false;  ///< whether it runs tasks of several
};

const Family* family_of(const Design& design) {
  static const std::array families{
      Family{"cuda-streams",
             [](const Design& one) { return one.driver == Driver::kStreams; },
             {"streams", "stream_granularity", "hardware_queues", "stream_wait", "default_stream", "stream_priorities",
              "programmatic_launch", "replays"},
             true},
      Family{"cuda-graph",
             [](const Design& one) { return one.driver == Driver::kCudaGraph; },
             {"streams", "stream_granularity", "graph_source", "graph_update", "programmatic_launch", "replays"},
             true},
      Family{"device-graph-launch",
             [](const Design& one) { return one.driver == Driver::kDeviceGraphLaunch; },
             {"launch_mode", "claim", "claim_size"}},
      Family{
          "dynamic-parallelism", [](const Design& one) { return one.driver == Driver::kDynamicParallelism; }, {"pending_launches"}, true},
      Family{"host-dispatcher",
             [](const Design& one) { return one.driver == Driver::kHostDispatcher; },
             {"order", "dispatchers", "loop", "sweep", "claim", "claim_size", "mailbox_depth", "fill", "backoff_ns"}},
      Family{"central-dispatcher",
             [](const Design& one) { return one.driver == Driver::kPersistent && one.release == Release::kDispatcher; },
             {"dispatchers", "mailbox_depth", "fill"}},
      Family{"static-queues",
             [](const Design& one) {
               return one.driver == Driver::kPersistent && one.release == Release::kCounters && is_static(one.placement);
             },
             {"placement", "mailbox_depth"}},
      Family{"shared-queue",
             [](const Design& one) {
               return one.driver == Driver::kPersistent && one.release == Release::kCounters && !is_static(one.placement);
             },
             {"mailbox_depth"}},
      Family{"layer-barrier",
             [](const Design& one) { return one.driver == Driver::kPersistent && one.release == Release::kBarrier; },
             {"placement", "mailbox_depth", "backoff_ns"}},
  };
  const auto found = std::ranges::find_if(families, [&design](const Family& family) { return family.has(design); });
  return found == families.end() ? nullptr : &*found;
}

std::string value(const AxisField& field, const Design& design) {
  return field.is_word() ? std::string(field.word(design)) : std::to_string(design.*field.number);
}

std::optional<std::string> why_not(const Design& design) {
  const Family* const family = family_of(design);
  if (family == nullptr)
    return fmt::format("no GPU executor has driver '{}' with release '{}'", to_word(design.driver), to_word(design.release));
  const Design& known = named_design(family->design);
  for (const AxisField& field : axis_fields()) {
    if (std::ranges::find(family->free, field.name) != family->free.end() || value(field, design) == value(field, known)) continue;
    return fmt::format("{} is '{}'; the GPU executor for such designs runs only '{}'", field.name, value(field, design),
                       value(field, known));
  }
  if (design.fill == Fill::kNotInTail)
    return fmt::format("fill is '{}'; the GPU's dispatcher has only 'always' and 'when_no_core_idle'", to_word(design.fill));
  return std::nullopt;
}

std::optional<std::string> why_not(const TaskGraph& graph, bool blocks) {
  for (std::size_t i = 0; i < graph.size(); ++i) {
    const TaskId task = task_id(i);
    const auto refused = [&](std::string_view why) {
      return fmt::format("task '{}' {}, which no GPU executor for such designs runs", graph.name(task), why);
    };
    if (graph[task].core_type == CoreType::kMix) return refused("occupies a whole cluster ('mix')");
    if (graph.spawner(task)) return refused("is spawned by another");
    if (graph[task].traits == 0) continue;
    const TaskTraits& traits = graph.traits(task);
    if (traits.blocks > 1 && !blocks) return refused("has several blocks");
    if (traits.probability < 1) return refused("has a predicate");
    if (!traits.samples.empty()) return refused("has its times drawn from samples");
    if (traits.other_type) return refused("may run on two core types");
  }
  return std::nullopt;
}

}  // namespace

std::optional<std::string> why_no_executor(const TaskGraph& graph, const Design& design) {
  if (auto why = why_not(design)) return why;
  return why_not(graph, family_of(design)->blocks);
}

}  // namespace tasktwin::verify
