#include "scenarios/generators/attention_mlp.hpp"

#include <algorithm>

#include "models/base/random.hpp"
#include "scenarios/document/file_limits.hpp"
#include "scenarios/generators/generators.hpp"
#include "scenarios/generators/parts/synthetic_body.hpp"

namespace tasktwin::scenarios {

namespace {

Task spin(Duration time, std::int32_t layer) { return Body{.cost = {.time = time}}.task(layer); }

}  // namespace

TaskGraph make_attention_mlp(const AttentionMlpParameters& parameters, std::uint64_t seed) {
  constexpr std::int64_t kHundred = 100;
  TaskGraphBuilder builder;
  Random random(seed);
  const std::int64_t mean = to_ns(parameters.attention_time);
  const std::int64_t spread = mean * parameters.spread_percent / kHundred;
  for (std::int64_t i = 0; i < parameters.batch; ++i) {
    builder.add_task("attention(" + std::to_string(i) + ")", spin(Duration{random.between(mean - spread, mean + spread)}, 0));
  }
  for (std::int64_t first = 0; first < parameters.batch; first += parameters.group) {
    const std::int64_t end = std::min(first + parameters.group, parameters.batch);
    for (std::int64_t i = 0; i < parameters.mlp_tiles; ++i) {
      const std::string name = "mlp(" + std::to_string(first / parameters.group) + "," + std::to_string(i) + ")";
      const TaskId tile = builder.add_task(name, spin(parameters.mlp_time, 1));
      for (std::int64_t before = first; before < end; ++before) builder.add_edge(task_id(static_cast<std::size_t>(before)), tile);
    }
  }
  return std::move(builder).build();
}

namespace {

void parameters(ParameterTable& table, AttentionMlpParameters& values) {
  table.number("batch", "sequences", values.batch, 1, 10'000'000);
  table.number("attention_time_ns", "time of a sequence's attention, on average", values.attention_time, 1, 1'000'000'000);
  table.number("spread_percent", "how far from the average it may be", values.spread_percent, 0, 100);
  table.number("group", "sequences of a group", values.group, 1, 10'000'000);
  table.number("mlp_tiles", "MLP tiles of a group", values.mlp_tiles, 1, 100'000);
  table.number("mlp_time_ns", "time of an MLP tile", values.mlp_time, 0, kMaxTimeNs);
}

GraphSize size_of(const AttentionMlpParameters& values) {
  const std::int64_t groups = (values.batch + values.group - 1) / values.group;
  return GraphSize{values.batch + groups * values.mlp_tiles, values.batch * values.mlp_tiles,
                   "batch " + std::to_string(values.batch) + " + groups " + std::to_string(groups) + " x mlp_tiles " +
                       std::to_string(values.mlp_tiles) + " tasks, batch x mlp_tiles edges"};
}

}  // namespace

Generator attention_mlp_generator() {
  return generator_of("attention_mlp", "attention of sequences of different lengths, then MLP tiles of groups of them", parameters, size_of,
                      make_attention_mlp);
}

}  // namespace tasktwin::scenarios
