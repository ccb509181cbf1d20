#include "scenarios/generators/mixture_of_experts.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "models/base/random.hpp"
#include "scenarios/document/file_limits.hpp"
#include "scenarios/generators/generators.hpp"
#include "scenarios/generators/parts/synthetic_body.hpp"

namespace tasktwin::scenarios {

namespace {

std::int64_t parts(std::int64_t whole, std::int64_t part) { return (whole + part - 1) / part; }

std::string numbered(const char* name, std::int64_t first, std::int64_t second) {
  return name + ("(" + std::to_string(first)) + "," + std::to_string(second) + ")";
}

/// One layer; returns its combining tasks, by group.
std::vector<TaskId> add_layer(TaskGraphBuilder& builder, const MixtureOfExpertsParameters& parameters, std::int64_t layer,
                              const std::vector<TaskId>& before, Random& random) {
  const auto depth = static_cast<std::int32_t>(4 * layer);
  const std::int64_t groups = parts(parameters.tokens, parameters.group);
  const Body join{.kernel = Kernel::kEmpty, .cost = {}};
  const TaskId routed = [&] {
    std::vector<TaskId> routers;
    for (std::int64_t group = 0; group < groups; ++group) {
      routers.push_back(builder.add_task(numbered("router", layer, group), Body{.cost = {.time = parameters.router_time}}.task(depth)));
      if (!before.empty()) builder.add_edge(before[static_cast<std::size_t>(group)], routers.back());
    }
    const TaskId gate = builder.add_task("routed(" + std::to_string(layer) + ")", join.task(depth + 1));
    for (const TaskId router : routers) builder.add_edge(router, gate);
    return gate;
  }();

  std::vector<std::int64_t> tokens = tokens_by_rank(parameters);
  for (std::size_t i = tokens.size(); i > 1; --i)
    std::swap(tokens[i - 1], tokens[static_cast<std::size_t>(random.between(0, static_cast<std::int64_t>(i) - 1))]);
  std::vector<TaskId> tiles;
  for (std::size_t expert = 0; expert < tokens.size(); ++expert) {
    for (std::int64_t first = 0; first < tokens[expert]; first += parameters.tile) {
      const std::int64_t count = std::min(parameters.tile, tokens[expert] - first);
      const Body body{.kernel = Kernel::kFma, .cost = {.flops = {count * parameters.token_flops}}};
      tiles.push_back(builder.add_task(
          "expert(" + std::to_string(layer) + "," + std::to_string(expert) + "," + std::to_string(first / parameters.tile) + ")",
          body.task(depth + 2)));
      builder.add_edge(routed, tiles.back());
    }
  }

  const TaskId done = builder.add_task("done(" + std::to_string(layer) + ")", join.task(depth + 3));
  for (const TaskId tile : tiles) builder.add_edge(tile, done);
  std::vector<TaskId> combined;
  for (std::int64_t group = 0; group < groups; ++group) {
    combined.push_back(
        builder.add_task(numbered("combine", layer, group), Body{.cost = {.time = parameters.combine_time}}.task(depth + 3)));
    builder.add_edge(done, combined.back());
  }
  return combined;
}

}  // namespace

std::vector<std::int64_t> tokens_by_rank(const MixtureOfExpertsParameters& parameters) {
  const std::int64_t all = parameters.tokens * parameters.top_k;
  std::vector<double> shares;
  for (std::int64_t rank = 1; rank <= parameters.experts; ++rank)
    shares.push_back(std::pow(static_cast<double>(rank), -static_cast<double>(parameters.skew_percent) / 100));
  const double sum = std::accumulate(shares.begin(), shares.end(), 0.0);
  std::vector<std::int64_t> tokens;
  std::vector<std::pair<double, std::size_t>> remainders;
  for (const double share : shares) {
    const double exact = static_cast<double>(all) * share / sum;
    tokens.push_back(static_cast<std::int64_t>(exact));
    remainders.emplace_back(static_cast<double>(tokens.back()) - exact, tokens.size() - 1);  // the largest remainder first
  }
  std::ranges::sort(remainders);
  const std::int64_t left = all - std::accumulate(tokens.begin(), tokens.end(), std::int64_t{0});
  for (std::int64_t i = 0; i < left; ++i) ++tokens[remainders[static_cast<std::size_t>(i) % remainders.size()].second];
  return tokens;
}

TaskGraph make_mixture_of_experts(const MixtureOfExpertsParameters& parameters, std::uint64_t seed) {
  TaskGraphBuilder builder;
  Random random(seed);
  std::vector<TaskId> before;
  for (std::int64_t layer = 0; layer < parameters.layers; ++layer) before = add_layer(builder, parameters, layer, before, random);
  return std::move(builder).build();
}

GraphSize mixture_of_experts_size(const MixtureOfExpertsParameters& parameters) {
  const std::int64_t groups = parts(parameters.tokens, parameters.group);
  std::int64_t tiles = 0;
  for (const std::int64_t tokens : tokens_by_rank(parameters)) tiles += parts(tokens, parameters.tile);
  const std::string layers = "layers " + std::to_string(parameters.layers);
  const std::string of_groups = "2 x groups " + std::to_string(groups);
  return {parameters.layers * (2 * groups + 2 + tiles), parameters.layers * (2 * groups + 2 * tiles) + (parameters.layers - 1) * groups,
          layers + " x (" + of_groups + " + 2 + tiles " + std::to_string(tiles) + ") tasks, layers x (" + of_groups +
              " + 2 x tiles) + (layers - 1) x groups edges"};
}

namespace {

void parameters(ParameterTable& table, MixtureOfExpertsParameters& values) {
  table.number("layers", "layers", values.layers, 1, 10'000);
  table.number("tokens", "tokens", values.tokens, 1, 10'000'000);
  table.number("group", "tokens of a router", values.group, 1, 10'000'000);
  table.number("experts", "experts of a layer", values.experts, 1, 100'000);
  table.number("top_k", "experts of a token", values.top_k, 1, 64);
  table.number("skew_percent", "exponent of Zipf's law times 100; 0 for equal shares", values.skew_percent, 0, 1000);
  table.number("tile", "tokens of a tile", values.tile, 1, 1'000'000);
  table.number("token_flops", "floating-point operations of a token in an expert", values.token_flops, 1, 100'000);
  table.number("router_time_ns", "time of routing a group", values.router_time, 0, 1'000'000'000);
  table.number("combine_time_ns", "time of combining a group", values.combine_time, 0, 1'000'000'000);
  if (values.layers * values.experts > kMaxTasks) {  // each layer draws which of its experts is how popular, whether it has tokens or not
    throw ParameterError("experts", "is " + std::to_string(values.experts) + " in each of " + std::to_string(values.layers) +
                                        " layers; all layers together have at most " + std::to_string(kMaxTasks));
  }
}

}  // namespace

Generator mixture_of_experts_generator() {
  return generator_of("mixture_of_experts", "tokens routed to experts of unequal popularity, layer by layer", parameters,
                      mixture_of_experts_size, make_mixture_of_experts);
}

}  // namespace tasktwin::scenarios
