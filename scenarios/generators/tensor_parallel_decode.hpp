#pragma once

#include <array>
#include <cstdint>

#include "scenarios/generators.hpp"

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

TaskGraph make_tensor_parallel_decode(const TensorParallelDecodeParameters& parameters);
Generator tensor_parallel_decode_generator();

}  // namespace tasktwin::scenarios
