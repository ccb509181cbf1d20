#include "scenarios/generators/attention_mlp.hpp"

#include <algorithm>

#include "models/random.hpp"
#include "scenarios/generators/body.hpp"

namespace tasktwin::scenarios {

namespace {

AttentionMlpParameters parameters_from(const ParameterValues& values) {
  return {.batch = values.whole("batch"),
          .attention_time = Duration{values.whole("attention_time_ns")},
          .spread_percent = values.whole("spread_percent"),
          .group = values.whole("group"),
          .mlp_tiles = values.whole("mlp_tiles"),
          .mlp_time = Duration{values.whole("mlp_time_ns")}};
}

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

Generator attention_mlp_generator() {
  return {.name = "attention_mlp",
          .meaning = "attention of sequences of different lengths, then MLP tiles of groups of them",
          .parameters = {{.name = "batch", .meaning = "sequences", .min = 1, .max = 10'000'000, .value = 1024},
                         {.name = "attention_time_ns",
                          .meaning = "time of a sequence's attention, on average",
                          .min = 1,
                          .max = 1'000'000'000,
                          .value = 10'000},
                         {.name = "spread_percent", .meaning = "how far from the average it may be", .min = 0, .max = 100, .value = 90},
                         {.name = "group", .meaning = "sequences of a group", .min = 1, .max = 10'000'000, .value = 64},
                         {.name = "mlp_tiles", .meaning = "MLP tiles of a group", .min = 1, .max = 100'000, .value = 16},
                         {.name = "mlp_time_ns", .meaning = "time of an MLP tile", .min = 0, .max = kMaxTimeNs, .value = 5000}},
          .size =
              [](const ParameterValues& values) {
                const AttentionMlpParameters parameters = parameters_from(values);
                const std::int64_t groups = (parameters.batch + parameters.group - 1) / parameters.group;
                return GraphSize{parameters.batch + groups * parameters.mlp_tiles, parameters.batch * parameters.mlp_tiles,
                                 "batch " + std::to_string(parameters.batch) + " + groups " + std::to_string(groups) + " x mlp_tiles " +
                                     std::to_string(parameters.mlp_tiles) + " tasks, batch x mlp_tiles edges"};
              },
          .make = [](const ParameterValues& values, std::uint64_t seed) { return make_attention_mlp(parameters_from(values), seed); }};
}

}  // namespace tasktwin::scenarios
