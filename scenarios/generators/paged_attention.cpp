#include "scenarios/generators/paged_attention.hpp"

#include <utility>

#include "models/base/random.hpp"
#include "scenarios/generators/generators.hpp"

namespace tasktwin::scenarios {

namespace {

std::vector<std::int64_t> blocks_of(const PagedAttentionParameters& parameters, Random& random) {
  std::vector<std::int64_t> blocks(static_cast<std::size_t>(parameters.batch), parameters.blocks);
  if (parameters.lengths == Lengths::kEven) return blocks;
  for (std::size_t i = 0; i + 1 < blocks.size(); i += 2) {
    const std::int64_t off = random.between(1 - parameters.blocks, parameters.blocks - 1);
    blocks[i] += off;
    blocks[i + 1] -= off;
  }
  for (std::size_t i = blocks.size(); i > 1; --i) {  // Fisher and Yates: partners apart
    std::swap(blocks[i - 1], blocks[static_cast<std::size_t>(random.between(0, static_cast<std::int64_t>(i) - 1))]);
  }
  return blocks;
}

}  // namespace

TaskGraph make_paged_attention(const PagedAttentionParameters& parameters, std::uint64_t seed) {
  TaskGraphBuilder builder;
  Random random(seed);
  const auto blocks = blocks_of(parameters, random);
  for (std::size_t s = 0; s < blocks.size(); ++s) {
    const std::string sequence = "(" + std::to_string(s);
    TaskId before = builder.add_task("setup" + sequence + ")", parameters.setup.task(0));
    for (std::int64_t b = 0; b < blocks[s]; ++b) {
      const std::string at = sequence + "," + std::to_string(b) + ")";
      const auto layer = static_cast<std::int32_t>(4 * b);
      const TaskId qk = builder.add_task("qk" + at, parameters.qk.task(layer));
      const TaskId softmax = builder.add_task("softmax" + at, parameters.softmax.task(layer + 1));
      const TaskId pv = builder.add_task("pv" + at, parameters.pv.task(layer + 2));
      const TaskId update = builder.add_task("update" + at, parameters.update.task(layer + 3));
      builder.add_edge(qk, softmax);
      builder.add_edge(softmax, pv);
      for (const TaskId from : {pv, softmax, before}) builder.add_edge(from, update);
      before = update;
    }
  }
  return std::move(builder).build();
}

namespace {

void parameters(ParameterTable& table, PagedAttentionParameters& values) {
  table.number("batch", "sequences", values.batch, 1, 1'000'000);
  table.number("blocks", "blocks of a sequence, on average", values.blocks, 1, 1'000'000);
  table.word("lengths", "whether all sequences are equally long", values.lengths);
  work_parameters(table, "setup_time_ns", "clearing a sequence's accumulators", "setup_sigma_ns", values.setup);
  work_parameters(table, "qk_time_ns", "scores of a block", "qk_sigma_ns", values.qk);
  work_parameters(table, "softmax_time_ns", "softmax of a block's scores", "softmax_sigma_ns", values.softmax);
  work_parameters(table, "pv_time_ns", "weighted sum of a block's values", "pv_sigma_ns", values.pv);
  work_parameters(table, "update_time_ns", "adding a block's sum to the sequence's", "update_sigma_ns", values.update);
  core_type_parameters(table, {&values.qk, &values.pv}, {&values.setup, &values.softmax, &values.update});
}

GraphSize size_of(const PagedAttentionParameters& values) {
  return GraphSize{values.batch * (1 + 4 * values.blocks), 5 * values.batch * values.blocks,
                   "batch " + std::to_string(values.batch) + " x (1 + 4 x blocks " + std::to_string(values.blocks) +
                       ") tasks, 5 x batch x blocks edges"};
}

}  // namespace

Generator paged_attention_generator() {
  return generator_of("paged_attention", "paged attention over sequences of blocks; default times: Ascend a2a3", parameters, size_of,
                      make_paged_attention);
}

}  // namespace tasktwin::scenarios
