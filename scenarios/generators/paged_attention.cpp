#include "scenarios/generators/paged_attention.hpp"

#include <utility>

#include "models/random.hpp"

namespace tasktwin::scenarios {

namespace {

constexpr std::int64_t kMaxBatch = 1'000'000;
constexpr std::int64_t kMaxBlocks = 1'000'000;
constexpr WorkDefault kSetup{"setup_time_ns", "setup_sigma_ns", "clearing a sequence's accumulators", 1297, 59};
constexpr WorkDefault kQk{"qk_time_ns", "qk_sigma_ns", "scores of a block", 1638, 178};
constexpr WorkDefault kSoftmax{"softmax_time_ns", "softmax_sigma_ns", "softmax of a block's scores", 1204, 89};
constexpr WorkDefault kPv{"pv_time_ns", "pv_sigma_ns", "weighted sum of a block's values", 1514, 148};
constexpr WorkDefault kUpdate{"update_time_ns", "update_sigma_ns", "adding a block's sum to the sequence's", 1297, 59};

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

PagedAttentionParameters parameters_from(const ParameterValues& values) {
  return {.batch = values.whole("batch"),
          .blocks = values.whole("blocks"),
          .lengths = *from_word<Lengths>(values.word("lengths")),
          .setup = vector_work(values, kSetup),
          .qk = matrix_work(values, kQk),
          .softmax = vector_work(values, kSoftmax),
          .pv = matrix_work(values, kPv),
          .update = vector_work(values, kUpdate)};
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

Generator paged_attention_generator() {
  constexpr auto lengths = all_words<Lengths>();
  constexpr std::array works{kSetup, kQk, kSoftmax, kPv, kUpdate};
  return {
      .name = "paged_attention",
      .meaning = "paged attention over sequences of blocks; default times: Ascend a2a3",
      .parameters = with_works({{.name = "batch", .meaning = "sequences", .min = 1, .max = kMaxBatch, .value = 256},
                                {.name = "blocks", .meaning = "blocks of a sequence, on average", .min = 1, .max = kMaxBlocks, .value = 64},
                                {.name = "lengths",
                                 .meaning = "whether all sequences are equally long",
                                 .words = {lengths.begin(), lengths.end()},
                                 .word = to_word(Lengths::kEven)}},
                               works),
      .size =
          [](const ParameterValues& values) {
            const auto batch = values.whole("batch");
            const auto blocks = values.whole("blocks");
            return GraphSize{
                batch * (1 + 4 * blocks), 5 * batch * blocks,
                "batch " + std::to_string(batch) + " x (1 + 4 x blocks " + std::to_string(blocks) + ") tasks, 5 x batch x blocks edges"};
          },
      .make = [](const ParameterValues& values, std::uint64_t seed) { return make_paged_attention(parameters_from(values), seed); }};
}

}  // namespace tasktwin::scenarios
