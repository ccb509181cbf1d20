#include "scenarios/generators/copy_pipeline.hpp"

#include "scenarios/document/file_limits.hpp"
#include "scenarios/generators/generators.hpp"
#include "scenarios/generators/parts/synthetic_body.hpp"

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

namespace {

void parameters(ParameterTable& table, CopyPipelineParameters& values) {
  table.number("chunks", "chunks", values.chunks, 1, 1'000'000);
  table.number("bytes", "bytes of a chunk, each way", values.bytes, 0, kMaxBytes);
  table.number("time_ns", "time of a chunk's kernel", values.time, 0, kMaxTimeNs);
  table.number("blocks", "cores that the kernel occupies", values.blocks, 1, 1'000'000);
  values.pageable = table.choice("host_memory", "the host's end of the copies", "pinned", {"pinned", "pageable"}) == "pageable";
}

GraphSize size_of(const CopyPipelineParameters& values) {
  return GraphSize{3 * values.chunks, 2 * values.chunks, "3 x chunks " + std::to_string(values.chunks) + " tasks, 2 x chunks edges"};
}

}  // namespace

Generator copy_pipeline_generator() {
  return generator_of("copy_pipeline", "chunks that are copied to the device, worked on and copied back", parameters, size_of,
                      make_copy_pipeline);
}

}  // namespace tasktwin::scenarios
