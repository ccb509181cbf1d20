#include "scenarios/generators/expert_decode.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "models/base/random.hpp"
#include "scenarios/document/file_limits.hpp"
#include "scenarios/generators/generators.hpp"
#include "scenarios/generators/parts/synthetic_body.hpp"

namespace tasktwin::scenarios {

namespace {

constexpr std::int32_t kStages = 5;

/// The shares of experts by Zipf's law, 1 on average, in an order that is drawn.
std::vector<double> expert_loads(const ExpertDecodeParameters& parameters, Random& random) {
  std::vector<double> loads;
  double sum = 0;
  for (std::int64_t rank = 1; rank <= parameters.experts; ++rank) {
    loads.push_back(std::pow(static_cast<double>(rank), -static_cast<double>(parameters.skew_percent) / 100));
    sum += loads.back();
  }
  for (double& load : loads) load *= static_cast<double>(parameters.experts) / sum;
  for (std::size_t i = loads.size(); i > 1; --i)
    std::swap(loads[i - 1], loads[static_cast<std::size_t>(random.between(0, static_cast<std::int64_t>(i) - 1))]);
  return loads;
}

class Steps {
 public:
  Steps(const ExpertDecodeParameters& parameters, std::uint64_t seed) : p_(parameters), random_(seed) {}

  TaskGraph make() {
    std::vector<TaskId> before;
    for (std::int64_t layer = 0; layer < p_.layers; ++layer) before = {add_layer(layer, before)};
    return std::move(builder_).build();
  }

 private:
  TaskId add_layer(std::int64_t layer, const std::vector<TaskId>& before) {
    layer_ = layer;
    const auto first = static_cast<std::int32_t>(kStages * layer);
    std::vector<TaskId> attended;
    for (std::int64_t group = 0; group < p_.groups; ++group) {
      const TaskId projected = join("projected", group, first, tiles("dense", group, p_.dense_tiles, p_.dense_time, first, before));
      for (std::int64_t sequence = 0; sequence < p_.sequences; ++sequence) {
        const std::int64_t spread = to_ns(p_.attention_time) * p_.spread_percent / 100;
        const Duration time = p_.attention_time + Duration{random_.between(-spread, spread)};
        attended.push_back(add("attention", group * p_.sequences + sequence, time, first + 1, {projected}, p_.attention_time));
      }
    }
    const TaskId gathered = join("gathered", 0, first + 1, attended);
    const TaskId output =
        join("output", 0, first + 2, tiles("dense", p_.groups, p_.groups * p_.dense_tiles, p_.dense_time, first + 2, {gathered}));
    const TaskId router = add("router", 0, p_.dense_time, first + 3, {output});
    std::vector<TaskId> experts;
    const std::vector<double> loads = expert_loads(p_, random_);
    for (std::size_t expert = 0; expert < loads.size(); ++expert) {
      const Duration time{std::llround(loads[expert] * static_cast<double>(to_ns(p_.expert_time)))};
      for (std::int64_t tile = 0; tile < p_.expert_tiles; ++tile)
        experts.push_back(
            add("expert", static_cast<std::int64_t>(expert) * p_.expert_tiles + tile, time, first + 4, {router}, p_.expert_time));
    }
    return join("combined", 0, first + 4, experts);
  }

  std::vector<TaskId> tiles(const char* kind, std::int64_t group, std::int64_t count, Duration time, std::int32_t layer,
                            const std::vector<TaskId>& before) {
    std::vector<TaskId> all;
    for (std::int64_t i = 0; i < count; ++i) all.push_back(add(kind, group * p_.dense_tiles + i, time, layer, before));
    return all;
  }

  TaskId add(const std::string& kind, std::int64_t number, Duration time, std::int32_t layer, const std::vector<TaskId>& before,
             Duration estimate = Duration{-1}) {
    Task task = Body{.cost = {.time = time}}.task(layer);
    task.traits = builder_.add_traits({.kind = kind, .estimate = estimate});
    const TaskId id = builder_.add_task(kind + "(" + std::to_string(layer_) + "," + std::to_string(number) + ")", task);
    for (const TaskId one : before) builder_.add_edge(one, id);
    return id;
  }

  TaskId join(const char* name, std::int64_t number, std::int32_t layer, const std::vector<TaskId>& before) {
    const TaskId id = builder_.add_task(std::string(name) + "(" + std::to_string(layer_) + "," + std::to_string(number) + ")",
                                        Body{.kernel = Kernel::kEmpty, .cost = {}}.task(layer));
    for (const TaskId one : before) builder_.add_edge(one, id);
    return id;
  }

  const ExpertDecodeParameters& p_;
  Random random_;
  TaskGraphBuilder builder_;
  std::int64_t layer_ = 0;
};

void parameters(ParameterTable& table, ExpertDecodeParameters& values) {
  table.number("layers", "decoder layers", values.layers, 1, 1000);
  table.number("groups", "head groups", values.groups, 1, 1000);
  table.number("dense_tiles", "regular tiles of a group before its attention; as many for all groups together after it", values.dense_tiles,
               1, 10'000);
  table.number("dense_time_ns", "time of a regular tile", values.dense_time, 1, kMaxTimeNs);
  table.number("sequences", "sequences, each with an attention a group", values.sequences, 1, 100'000);
  table.number("attention_time_ns", "time of an attention, on average, which is its estimate", values.attention_time, 1, 1'000'000'000);
  table.number("spread_percent", "how far from the average it may be", values.spread_percent, 0, 100);
  table.number("experts", "experts of a layer", values.experts, 1, 100'000);
  table.number("expert_tiles", "tiles of an expert", values.expert_tiles, 1, 1000);
  table.number("expert_time_ns", "time of an expert's tile, on average, which is its estimate", values.expert_time, 1, 1'000'000'000);
  table.number("skew_percent", "exponent of Zipf's law by which experts get tokens, in per cent; 0 for all alike", values.skew_percent, 0,
               400);
}

GraphSize size_of(const ExpertDecodeParameters& values) {
  const std::int64_t dense = values.groups * values.dense_tiles;
  const std::int64_t attentions = values.groups * values.sequences;
  const std::int64_t experts = values.experts * values.expert_tiles;
  return {values.layers * (2 * dense + attentions + experts + values.groups + 4),
          values.layers * (3 * dense + 2 * attentions + 2 * experts + dense + 1) - dense,
          "layers " + std::to_string(values.layers) + " x (2 x dense " + std::to_string(dense) + " + attentions " +
              std::to_string(attentions) + " + experts " + std::to_string(experts) + " + groups + 4) tasks, about twice as many edges"};
}

}  // namespace

TaskGraph make_expert_decode(const ExpertDecodeParameters& parameters, std::uint64_t seed) { return Steps(parameters, seed).make(); }

Generator expert_decode_generator() {
  return generator_of("expert_decode",
                      "decode steps with regular tiles, ragged attention and experts whose times are known in the run alone", parameters,
                      size_of, make_expert_decode);
}

}  // namespace tasktwin::scenarios
