#include "scenarios/generators/copy_pipeline.hpp"

#include "scenarios/generators/body.hpp"

namespace tasktwin::scenarios {

TaskGraph make_copy_pipeline(const CopyPipelineParameters& parameters) {
  TaskGraphBuilder builder;
  for (std::int64_t i = 0; i < parameters.chunks; ++i) {
    const std::string of = "(" + std::to_string(i) + ")";
    const auto stream = static_cast<int>(i);
    Task copy{.cost = {.bytes = {parameters.bytes}}, .kernel = Kernel::kEmpty, .operation = Operation::kCopyH2d};
    copy.traits = builder.add_traits({.pageable = parameters.pageable, .stream = stream});
    const TaskId in = builder.add_task("in" + of, copy);
    Task body = Body{.cost = {.time = parameters.time}}.task();
    body.traits = builder.add_traits({.blocks = parameters.blocks, .stream = stream});
    const TaskId work = builder.add_task("work" + of, body);
    copy.operation = Operation::kCopyD2h;
    const TaskId out = builder.add_task("out" + of, copy);
    builder.add_edge(in, work);
    builder.add_edge(work, out);
  }
  return std::move(builder).build();
}

Generator copy_pipeline_generator() {
  return {
      .name = "copy_pipeline",
      .meaning = "chunks that are copied to the device, worked on and copied back",
      .parameters = {{.name = "chunks", .meaning = "chunks", .min = 1, .max = 1'000'000, .value = 64},
                     {.name = "bytes", .meaning = "bytes of a chunk, each way", .min = 0, .max = kMaxBytes, .value = 4'194'304},
                     {.name = "time_ns", .meaning = "time of a chunk's kernel", .min = 0, .max = kMaxTimeNs, .value = 76'260},
                     {.name = "blocks", .meaning = "cores that the kernel occupies", .min = 1, .max = 1'000'000, .value = 132},
                     {.name = "host_memory", .meaning = "the host's end of the copies", .words = {"pinned", "pageable"}, .word = "pinned"}},
      .size =
          [](const ParameterValues& values) {
            const auto chunks = values.whole("chunks");
            return GraphSize{3 * chunks, 2 * chunks, "3 x chunks " + std::to_string(chunks) + " tasks, 2 x chunks edges"};
          },
      .make =
          [](const ParameterValues& values, std::uint64_t) {
            return make_copy_pipeline({.chunks = values.whole("chunks"),
                                       .bytes = values.whole("bytes"),
                                       .time = Duration{values.whole("time_ns")},
                                       .blocks = values.small("blocks"),
                                       .pageable = values.word("host_memory") == "pageable"});
          }};
}

}  // namespace tasktwin::scenarios
