#include "gpu/device/device_machine.hpp"

#include <cuda_runtime_api.h>

#include "gpu/cuda/cuda_error.hpp"

namespace tasktwin::gpu {

namespace {

constexpr std::int64_t kMib = 1 << 20;

int attribute(cudaDeviceAttr which) {
  int value = 0;
  check(cudaDeviceGetAttribute(&value, which, 0), "asking for the GPU's properties");
  return value;
}

int priorities() {
  int least = 0;
  int greatest = 0;
  check(cudaDeviceGetStreamPriorityRange(&least, &greatest), "asking for the GPU's priorities");
  return least - greatest + 1;
}

}  // namespace

Machine device_machine() {
  cudaDeviceProp properties{};
  check(cudaGetDeviceProperties(&properties, 0), "asking for the GPU's properties");
  const Capability capability{properties.major, properties.minor, static_cast<std::int64_t>(properties.sharedMemPerBlockOptin)};
  const int cores = properties.multiProcessorCount;
  const int mhz = attribute(cudaDevAttrClockRate) / 1000;
  const std::string number = std::to_string(capability.major) + "." + std::to_string(capability.minor);
  Machine machine;
  machine.name = machine_name(properties.name);
  machine.description = std::string(properties.name) + ", " + std::to_string(cores) + " SMs of up to " + std::to_string(mhz) +
                        " MHz, compute capability " + number;
  machine.compute_cores = {{CoreType::kSm, cores}};
  machine.control_cores = {.count = 8, .lanes = properties.warpSize, .occupied_cores = 1};
  machine.core_limits = {.blocks = properties.maxBlocksPerMultiProcessor,
                         .threads = properties.maxThreadsPerMultiProcessor,
                         .registers = properties.regsPerMultiprocessor,
                         .shared_memory = static_cast<std::int64_t>(properties.sharedMemPerMultiprocessor),
                         .reserved = static_cast<std::int64_t>(properties.reservedSharedMemPerBlock),
                         .carveouts = carveouts_of(capability)};
  machine.launch_limits = {.hardware_queues = 32,
                           .resident_kernels = 128,
                           .stream_launches = 1021,
                           .priorities = priorities(),
                           .partition_granularity = capability.major >= 9 ? 8 : 2};
  machine.memory_limits = {.copy_engines = properties.asyncEngineCount,
                           .capacity = static_cast<std::int64_t>(properties.totalGlobalMem),
                           .page = 2 * kMib,
                           .pool_segment = 32 * kMib,
                           .staging = 4 * kMib,
                           .cache = properties.l2CacheSize / 2};
  machine.provenance["limits"] = {
      .source = Source::kPublished,
      .text =
          "the driver, of this GPU; hardware queues, resident kernels, carve-outs and partition granularity: CUDA C++ Programming Guide, "
          "compute capability " +
          number +
          "; launches that a stream holds, pages, pool segments and staging: assumed as on an H100; "
          "cache: half of the L2 cache, as on an H200"};
  return machine;
}

}  // namespace tasktwin::gpu
