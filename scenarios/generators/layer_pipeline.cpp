#include <optional>

#include "scenarios/document/file_limits.hpp"
#include "scenarios/generators/generators.hpp"
#include "scenarios/generators/parts/over_devices.hpp"
#include "scenarios/generators/parts/synthetic_body.hpp"

namespace tasktwin::scenarios {

namespace {

/// Micro-batches through a model whose layers are spread over devices, that many a device (Huang et al., "GPipe", 2019): each device takes
/// the micro-batches in order, each a chain of its layers' kernels, and hands their activations on. stages · micro_batches · layers tasks.
struct LayerPipelineParameters {
  int stages = 2;
  std::int64_t micro_batches = 8;
  std::int64_t layers = 4;  ///< of a stage
  int blocks = 132;
  Duration time{20'000};  ///< of a layer's kernel
  std::int64_t bytes = 1'048'576;
  bool placed = true;  ///< tasks name their stage's device
};

TaskGraph make_layer_pipeline(const LayerPipelineParameters& parameters) {
  TaskGraphBuilder builder;
  std::vector<std::optional<TaskId>> last_of_stage(static_cast<std::size_t>(parameters.stages));
  for (std::int64_t batch = 0; batch < parameters.micro_batches; ++batch) {
    std::optional<TaskId> before;
    for (int stage = 0; stage < parameters.stages; ++stage) {
      std::optional<TaskId>& last = last_of_stage[static_cast<std::size_t>(stage)];
      for (std::int64_t layer = 0; layer < parameters.layers; ++layer) {
        const std::int64_t depth = stage * parameters.layers + layer;
        Task task = device_kernel(parameters.time, 0, static_cast<std::int32_t>(depth));
        if (parameters.placed) task.device = stage;
        task.traits = builder.add_traits({.blocks = parameters.blocks, .shard = stage});
        const TaskId id = builder.add_task("layer(" + std::to_string(depth) + "," + std::to_string(batch) + ")", task);
        if (before) builder.add_edge(*before, id, {layer == 0 ? parameters.bytes : 0});
        if (layer == 0 && last) builder.add_edge(*last, id);
        before = id;
      }
      last = before;
    }
  }
  return std::move(builder).build();
}

void parameters(ParameterTable& table, LayerPipelineParameters& values) {
  table.number("stages", "stages, each a device's", values.stages, 2, kMostDevices);
  table.number("micro_batches", "micro-batches", values.micro_batches, 1, 1'000'000);
  table.number("layers", "layers of a stage", values.layers, 1, 100'000);
  table.number("blocks", "blocks of a layer's kernel", values.blocks, 1, 1'000'000);
  table.number("time_ns", "time of each block", values.time, 0, kMaxTimeNs);
  table.number("bytes", "activations of a micro-batch that go from stage to stage", values.bytes, 0, kMaxBytes);
  values.placed =
      table.choice("devices", "whether tasks name their devices, or the design places them", "named", {"named", "free"}) == "named";
}

GraphSize size_of(const LayerPipelineParameters& values) {
  const std::int64_t stages = values.stages;
  return {stages * values.micro_batches * values.layers,
          values.micro_batches * (stages * values.layers - 1) + stages * (values.micro_batches - 1),
          "stages " + std::to_string(stages) + " x micro_batches " + std::to_string(values.micro_batches) + " x layers " +
              std::to_string(values.layers) + " tasks, micro_batches x (stages x layers - 1) + stages x (micro_batches - 1) edges"};
}

}  // namespace

Generator layer_pipeline_generator() {
  return generator_of("layer_pipeline", "micro-batches through layers that are spread over devices", parameters, size_of,
                      make_layer_pipeline);
}

}  // namespace tasktwin::scenarios
