#include <algorithm>

#include "scenarios/document/file_limits.hpp"
#include "scenarios/generators/generators.hpp"
#include "scenarios/generators/parts/over_devices.hpp"
#include "scenarios/generators/parts/synthetic_body.hpp"

namespace tasktwin::scenarios {

namespace {

/// One training step with the same model on every device (Li et al., "PyTorch Distributed", 2020): forward and backward through the layers
/// in stream 0, and in stream 1 an all_reduce over the gradients of each bucket of layers as soon as they are there; the optimizer waits
/// for the last. devices · (2 · layers + buckets + 1) tasks.
struct DataParallelStepParameters {
  int devices = 2;
  std::int64_t layers = 32;
  std::int64_t bucket = 4;  ///< layers whose gradients are added up together
  int blocks = 132;
  Duration forward_time{20'000};
  Duration backward_time{40'000};
  Duration optimizer_time{50'000};
  std::int64_t layer_bytes = 8'388'608;  ///< of a layer's gradients

  std::int64_t buckets() const { return (layers + bucket - 1) / bucket; }
};

TaskGraph make_data_parallel_step(const DataParallelStepParameters& parameters) {
  OverDevices over(parameters.devices);
  OverDevices::Each before;
  const TaskTraits wide{.blocks = parameters.blocks};
  std::int32_t depth = 0;
  const auto add_layer = [&](const std::string& name, std::int64_t layer, Duration time) {
    const OverDevices::Each kernels = over.add_everywhere(name + "(" + std::to_string(layer) + ")", device_kernel(time, 0, depth++), wide);
    over.join(before, kernels);
    before = kernels;
  };
  for (std::int64_t layer = 0; layer < parameters.layers; ++layer) add_layer("forward", layer, parameters.forward_time);
  OverDevices::Each reduced;
  for (std::int64_t bucket = 0; bucket < parameters.buckets(); ++bucket) {
    const std::int64_t last = parameters.layers - bucket * parameters.bucket;
    const std::int64_t first = std::max<std::int64_t>(0, last - parameters.bucket);
    for (std::int64_t layer = last; layer-- > first;) add_layer("backward", layer, parameters.backward_time);
    const OverDevices::Each sums = over.add_collective("reduce(" + std::to_string(bucket) + ")", Operation::kAllReduce,
                                                       (last - first) * parameters.layer_bytes, depth, 1);
    over.join(before, sums);
    over.join(reduced, sums);  // as one communicator runs its collectives
    reduced = sums;
  }
  over.join(reduced, over.add_everywhere("optimizer", device_kernel(parameters.optimizer_time, 0, depth + 1), wide));
  return std::move(over.builder()).build();
}

void parameters(ParameterTable& table, DataParallelStepParameters& values) {
  table.number("devices", "devices that have the model", values.devices, 2, kMostDevices);
  table.number("layers", "layers", values.layers, 1, 100'000);
  table.number("bucket", "layers whose gradients are added up together", values.bucket, 1, 100'000);
  table.number("blocks", "blocks of a layer's kernel", values.blocks, 1, 1'000'000);
  table.number("forward_time_ns", "time of each block forward", values.forward_time, 0, kMaxTimeNs);
  table.number("backward_time_ns", "time of each block backward", values.backward_time, 0, kMaxTimeNs);
  table.number("optimizer_time_ns", "time of each block of the optimizer", values.optimizer_time, 0, kMaxTimeNs);
  table.number("layer_bytes", "bytes of a layer's gradients", values.layer_bytes, 1, 1'000'000'000);
}

GraphSize size_of(const DataParallelStepParameters& values) {
  const std::int64_t devices = values.devices;
  return {devices * (2 * values.layers + values.buckets() + 1), devices * (2 * values.layers - 1 + 2 * values.buckets()),
          "devices " + std::to_string(devices) + " x (2 x layers " + std::to_string(values.layers) + " + buckets " +
              std::to_string(values.buckets()) + " + 1) tasks, devices x (2 x layers - 1 + 2 x buckets) edges"};
}

}  // namespace

Generator data_parallel_step_generator() {
  return generator_of("data_parallel_step", "a training step of one model on every device, gradients added up during the backward pass",
                      parameters, size_of, make_data_parallel_step);
}

}  // namespace tasktwin::scenarios
