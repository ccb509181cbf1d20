#include "scenarios/document/file_limits.hpp"
#include "scenarios/generators/generators.hpp"
#include "scenarios/generators/parts/over_devices.hpp"
#include "scenarios/generators/parts/synthetic_body.hpp"

namespace tasktwin::scenarios {

namespace {

/// Layers of a mixture of experts whose experts are spread over devices (Lepikhin et al., "GShard", 2020): each device routes its tokens,
/// an all_to_all brings them to their experts' devices, each device runs its experts side by side, another brings the results back, and
/// each combines them. layers · devices · (experts + 4) tasks.
struct ExpertParallelParameters {
  int devices = 2;
  std::int64_t layers = 8;
  std::int64_t experts = 4;  ///< of a device
  int blocks = 32;           ///< of an expert's kernel
  Duration expert_time{30'000};
  Duration router_time{5'000};
  Duration combine_time{5'000};
  std::int64_t bytes = 4'194'304;  ///< that a device sends
};

TaskGraph make_expert_parallel(const ExpertParallelParameters& parameters) {
  OverDevices over(parameters.devices);
  OverDevices::Each before;
  for (std::int64_t layer = 0; layer < parameters.layers; ++layer) {
    const std::string of = "(" + std::to_string(layer) + ")";
    const auto depth = static_cast<std::int32_t>(5 * layer);
    const OverDevices::Each routed = over.add_everywhere("router" + of, device_kernel(parameters.router_time, 0, depth));
    over.join(before, routed);
    const OverDevices::Each sent = over.add_collective("dispatch" + of, Operation::kAllToAll, parameters.bytes, depth + 1);
    over.join(routed, sent);
    std::vector<OverDevices::Each> experts;
    for (std::int64_t expert = 0; expert < parameters.experts; ++expert) {
      experts.push_back(over.add_everywhere("expert(" + std::to_string(layer) + "," + std::to_string(expert) + ")",
                                            device_kernel(parameters.expert_time, 0, depth + 2),
                                            {.blocks = parameters.blocks, .stream = static_cast<int>(expert)}));
      over.join(sent, experts.back());
    }
    const OverDevices::Each back = over.add_collective("return" + of, Operation::kAllToAll, parameters.bytes, depth + 3);
    for (const OverDevices::Each& expert : experts) over.join(expert, back);
    before = over.add_everywhere("combine" + of, device_kernel(parameters.combine_time, 0, depth + 4));
    over.join(back, before);
  }
  return std::move(over.builder()).build();
}

void parameters(ParameterTable& table, ExpertParallelParameters& values) {
  table.number("devices", "devices that experts are spread over", values.devices, 2, kMostDevices);
  table.number("layers", "layers", values.layers, 1, 100'000);
  table.number("experts", "experts of a layer on each device", values.experts, 1, 10'000);
  table.number("blocks", "blocks of an expert's kernel", values.blocks, 1, 1'000'000);
  table.number("expert_time_ns", "time of each block", values.expert_time, 0, kMaxTimeNs);
  table.number("router_time_ns", "time of routing a device's tokens", values.router_time, 0, kMaxTimeNs);
  table.number("combine_time_ns", "time of combining them", values.combine_time, 0, kMaxTimeNs);
  table.number("bytes", "bytes that each device sends, to all and to itself", values.bytes, 1, kMaxBytes);
}

GraphSize size_of(const ExpertParallelParameters& values) {
  const std::int64_t devices = values.devices;
  return {values.layers * devices * (values.experts + 4), devices * (values.layers * (2 * values.experts + 3) - 1),
          "layers " + std::to_string(values.layers) + ", devices " + std::to_string(devices) + ", experts " +
              std::to_string(values.experts) +
              ": layers x devices x (experts + 4) tasks, devices x (layers x (2 x experts + 3) - 1) edges"};
}

}  // namespace

Generator expert_parallel_generator() {
  return generator_of("expert_parallel", "a mixture of experts spread over devices, with an all_to_all there and back", parameters, size_of,
                      make_expert_parallel);
}

}  // namespace tasktwin::scenarios
