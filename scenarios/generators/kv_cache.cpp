#include "scenarios/generators/kv_cache.hpp"

#include <optional>

#include "scenarios/document/file_limits.hpp"
#include "scenarios/generators/generators.hpp"
#include "scenarios/generators/parts/synthetic_body.hpp"

namespace tasktwin::scenarios {

namespace {

/// The tasks of one sequence as far as they are made.
struct Sequence {
  std::optional<TaskId> work;  ///< of the latest step
  std::int32_t cache = 0;      ///< the buffer that it has
};

std::string name(const char* what, std::size_t sequence, std::int64_t step) {
  return what + ("(" + std::to_string(sequence)) + "," + std::to_string(step) + ")";
}

}  // namespace

TaskGraph make_kv_cache(const KvCacheParameters& parameters) {
  TaskGraphBuilder builder;
  std::vector<Sequence> sequences(static_cast<std::size_t>(parameters.sequences));
  std::int32_t buffers = 0;
  const auto add_free = [&](std::size_t s, std::int64_t step, TaskId after) {
    Task free{.args = {sequences[s].cache}, .kernel = Kernel::kEmpty, .operation = Operation::kFree};
    free.traits = builder.add_traits({.stream = static_cast<int>(s)});
    builder.add_edge(after, builder.add_task(name("free", s, step), free));
  };
  for (std::int64_t step = 0; step < parameters.steps; ++step) {
    for (std::size_t s = 0; s < sequences.size(); ++s) {
      Sequence& sequence = sequences[s];
      Task alloc{.cost = {.bytes = {(step + 1) * parameters.bytes}},
                 .args = {++buffers},
                 .layer = static_cast<std::int32_t>(step),
                 .kernel = Kernel::kEmpty,
                 .operation = Operation::kAlloc};
      alloc.traits = builder.add_traits({.stream = static_cast<int>(s)});
      const TaskId grown = builder.add_task(name("alloc", s, step), alloc);
      Task body = Body{.cost = {.time = parameters.time}}.task(static_cast<std::int32_t>(step));
      body.traits = alloc.traits;
      const TaskId work = builder.add_task(name("attend", s, step), body);
      builder.add_edge(grown, work);
      if (sequence.work) {
        builder.add_edge(*sequence.work, work);
        add_free(s, step - 1, work);
      }
      sequence = {work, buffers};
    }
  }
  for (std::size_t s = 0; s < sequences.size(); ++s) add_free(s, parameters.steps - 1, *sequences[s].work);
  return std::move(builder).build();
}

namespace {

void parameters(ParameterTable& table, KvCacheParameters& values) {
  table.number("sequences", "sequences", values.sequences, 1, 100'000);
  table.number("steps", "times that each cache grows", values.steps, 1, 100'000);
  table.number("bytes", "bytes by which it grows", values.bytes, 1, 1'000'000'000);
  table.number("time_ns", "time of a step's kernel", values.time, 0, kMaxTimeNs);
}

GraphSize size_of(const KvCacheParameters& values) {
  return GraphSize{3 * values.sequences * values.steps, values.sequences * (3 * values.steps - 1),
                   "3 x sequences " + std::to_string(values.sequences) + " x steps " + std::to_string(values.steps) +
                       " tasks, sequences x (3 x steps - 1) edges"};
}

}  // namespace

Generator kv_cache_generator() {
  return generator_of("kv_cache", "key/value caches that grow step by step, each time into new memory", parameters, size_of, make_kv_cache);
}

}  // namespace tasktwin::scenarios
