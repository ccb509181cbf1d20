#include <array>
#include <cstdint>

#include "scenarios/document/file_limits.hpp"
#include "scenarios/generators/generators.hpp"
#include "scenarios/generators/parts/over_devices.hpp"
#include "scenarios/generators/parts/synthetic_body.hpp"

namespace tasktwin::scenarios {

/// Who adds up what the devices have worked out.
enum class Reduction : std::uint8_t {
  kCollective,  ///< an all_reduce over all devices
  kTasks,       ///< a kernel on each device, which waits for all of them and has their bytes come to it
};

}  // namespace tasktwin::scenarios

namespace tasktwin {
template <>
struct Words<scenarios::Reduction> {
  static constexpr std::array entries{std::pair{scenarios::Reduction::kCollective, std::string_view{"collective"}},
                                      std::pair{scenarios::Reduction::kTasks, std::string_view{"tasks"}}};
};
}  // namespace tasktwin

namespace tasktwin::scenarios {

namespace {

/// One decode step of a model whose every layer is split over all devices (Shoeybi et al., "Megatron-LM", 2019): on each an attention
/// kernel and an MLP kernel, which read its part of the weights, and after each of the two the parts are added up on all devices.
/// 4 · layers · devices tasks; edges: collective (4 · layers - 1) · devices, tasks (2 · layers) · devices² + (2 · layers - 1) · devices.
struct TensorParallelDecodeParameters {
  int devices = 2;
  std::int64_t layers = 16;
  int blocks = 132;
  std::int64_t attention_bytes = 65'536;  ///< that a block reads; 0 for a kernel that spins
  std::int64_t mlp_bytes = 196'608;
  Duration attention_time{10'000};  ///< of one that spins
  Duration mlp_time{20'000};
  std::int64_t reduced_bytes = 16'384;
  Reduction reduction = Reduction::kCollective;
  Duration reduce_time{2'000};  ///< of a kernel that adds up
};

TaskGraph make_tensor_parallel_decode(const TensorParallelDecodeParameters& parameters) {
  OverDevices over(parameters.devices);
  OverDevices::Each before;
  std::int32_t depth = 0;
  const auto add_half = [&](const std::string& name, const std::string& number, Duration time, std::int64_t bytes) {
    const OverDevices::Each parts = over.add_everywhere(name + number, device_kernel(time, bytes, depth++), {.blocks = parameters.blocks});
    over.join(before, parts);
    if (parameters.reduction == Reduction::kCollective) {
      before = over.add_collective("sum_" + name + number, Operation::kAllReduce, parameters.reduced_bytes, depth++);
      return over.join(parts, before);
    }
    before = over.add_everywhere("sum_" + name + number, device_kernel(parameters.reduce_time, 0, depth++));
    for (const TaskId part : parts) {
      for (const TaskId sum : before) over.builder().add_edge(part, sum, {parameters.reduced_bytes});
    }
  };
  for (std::int64_t layer = 0; layer < parameters.layers; ++layer) {
    const std::string number = "(" + std::to_string(layer) + ")";
    add_half("attention", number, parameters.attention_time, parameters.attention_bytes);
    add_half("mlp", number, parameters.mlp_time, parameters.mlp_bytes);
  }
  return std::move(over.builder()).build();
}

void parameters(ParameterTable& table, TensorParallelDecodeParameters& values) {
  table.number("devices", "devices that every layer is split over", values.devices, 2, kMostDevices);
  table.number("layers", "layers", values.layers, 1, 100'000);
  table.number("blocks", "blocks of an attention or MLP kernel", values.blocks, 1, 1'000'000);
  table.number("attention_bytes", "bytes that a block of attention reads; 0 for one that spins", values.attention_bytes, 0, kMaxBytes);
  table.number("mlp_bytes", "bytes that a block of the MLP reads; 0 for one that spins", values.mlp_bytes, 0, kMaxBytes);
  table.number("attention_time_ns", "time of an attention block that spins", values.attention_time, 0, kMaxTimeNs);
  table.number("mlp_time_ns", "time of an MLP block that spins", values.mlp_time, 0, kMaxTimeNs);
  table.number("reduced_bytes", "bytes that are added up after each of the two", values.reduced_bytes, 1, kMaxBytes);
  table.word("reduction", "who adds up: an all_reduce, or a task on each device that waits for all", values.reduction);
  table.number("reduce_time_ns", "time of such a task", values.reduce_time, 0, kMaxTimeNs);
}

GraphSize size_of(const TensorParallelDecodeParameters& values) {
  const std::int64_t devices = values.devices;
  const std::string numbers = "layers " + std::to_string(values.layers) + ", devices " + std::to_string(devices);
  const std::int64_t tasks = 4 * values.layers * devices;
  if (values.reduction == Reduction::kCollective)
    return {tasks, tasks - devices, numbers + ": 4 x layers x devices tasks, (4 x layers - 1) x devices edges"};
  return {tasks, 2 * values.layers * devices * devices + (2 * values.layers - 1) * devices,
          numbers + ": 4 x layers x devices tasks, 2 x layers x devices x devices + (2 x layers - 1) x devices edges"};
}

}  // namespace

Generator tensor_parallel_decode_generator() {
  return generator_of("tensor_parallel_decode", "a decode step of a model whose layers are split over devices, summed after each half",
                      parameters, size_of, make_tensor_parallel_decode);
}

}  // namespace tasktwin::scenarios
