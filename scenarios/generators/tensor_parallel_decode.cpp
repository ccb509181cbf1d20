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
/// With p pieces a kernel (1 unless split) 2 · (p + 1) · layers · devices tasks; edges: collective p · (4 · layers - 1) · devices,
/// tasks 2 · p · layers · devices² + p · (2 · layers - 1) · devices.
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
  bool split = false;           ///< whether each block is a task of its own

  std::int64_t pieces() const { return split ? blocks : 1; }  ///< tasks of a kernel on a device
};

/// Device by device.
void join(TaskGraphBuilder& builder, const std::vector<OverDevices::Each>& before, const std::vector<OverDevices::Each>& after) {
  for (const OverDevices::Each& from : before) {
    for (const OverDevices::Each& to : after) {
      for (std::size_t device = 0; device < from.size(); ++device) builder.add_edge(from[device], to[device]);
    }
  }
}

TaskGraph make_tensor_parallel_decode(const TensorParallelDecodeParameters& parameters) {
  OverDevices over(parameters.devices);
  std::vector<OverDevices::Each> before;
  std::int32_t depth = 0;
  const auto add_half = [&](const std::string& name, const std::string& number, Duration time, std::int64_t bytes) {
    const Task kernel = device_kernel(time, bytes, depth++);
    std::vector<OverDevices::Each> parts;
    for (std::int64_t piece = 0; piece < parameters.pieces(); ++piece)
      parts.push_back(over.add_everywhere(name + number + (parameters.split ? "." + std::to_string(piece) : ""), kernel,
                                          {.blocks = parameters.split ? 1 : parameters.blocks}));
    join(over.builder(), before, parts);
    if (parameters.reduction == Reduction::kCollective) {
      before = {over.add_collective("sum_" + name + number, Operation::kAllReduce, parameters.reduced_bytes, depth++)};
      return join(over.builder(), parts, before);
    }
    before = {over.add_everywhere("sum_" + name + number, device_kernel(parameters.reduce_time, 0, depth++))};
    for (const OverDevices::Each& each : parts) {
      for (const TaskId part : each) {
        for (const TaskId sum : before.front())
          over.builder().add_edge(part, sum, {std::max<std::int64_t>(1, parameters.reduced_bytes / parameters.pieces())});
      }
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
  table.number("split", "1 for a task a block, as resident workers run them; 0 for a grid", values.split, 0, 1);
}

GraphSize size_of(const TensorParallelDecodeParameters& values) {
  const std::int64_t devices = values.devices;
  const std::int64_t pieces = values.pieces();
  const std::string numbers = "layers " + std::to_string(values.layers) + ", devices " + std::to_string(devices) +
                              (values.split ? ", blocks " + std::to_string(values.blocks) : "");
  const std::string p = values.split ? "blocks x " : "";
  const std::int64_t tasks = 2 * (pieces + 1) * values.layers * devices;
  const std::string text = numbers + (values.split ? ": 2 x (blocks + 1) x layers x devices tasks, " : ": 4 x layers x devices tasks, ");
  if (values.reduction == Reduction::kCollective)
    return {tasks, pieces * (4 * values.layers - 1) * devices, text + p + "(4 x layers - 1) x devices edges"};
  return {tasks, 2 * pieces * values.layers * devices * devices + pieces * (2 * values.layers - 1) * devices,
          text + p + "(2 x layers x devices x devices + (2 x layers - 1) x devices) edges"};
}

}  // namespace

Generator tensor_parallel_decode_generator() {
  return generator_of("tensor_parallel_decode", "a decode step of a model whose layers are split over devices, summed after each half",
                      parameters, size_of, make_tensor_parallel_decode);
}

}  // namespace tasktwin::scenarios
