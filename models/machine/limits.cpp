#include <vector>

#include "models/machine/machine.hpp"

namespace tasktwin {

namespace {

constexpr std::int64_t kMaxCores = 1'000'000;
constexpr std::int64_t kMaxBytes = 1'000'000'000'000;

template <class Limits, class Number>
LimitField limit(std::string_view name, std::string_view meaning, std::int64_t max, Limits Machine::*limits, Number Limits::*number) {
  return {.name = name,
          .meaning = meaning,
          .max = max,
          .get = [=](const Machine& machine) { return std::int64_t{machine.*limits.*number}; },
          .set = [=](Machine& machine, std::int64_t to) { machine.*limits.*number = static_cast<Number>(to); }};
}

}  // namespace

std::span<const LimitField> limit_fields() {
  static const std::vector<LimitField> fields = [] {
    constexpr auto kLaunch = &Machine::launch_limits;
    constexpr auto kCore = &Machine::core_limits;
    constexpr auto kMemory = &Machine::memory_limits;
    return std::vector{
        limit("hardware_queues", "queues that all streams share", 1024, kLaunch, &LaunchLimits::hardware_queues),
        limit("resident_kernels", "kernels that run at a time", 1'000'000, kLaunch, &LaunchLimits::resident_kernels),
        limit("stream_launches", "launches that a stream holds after the one that runs; the host blocks in the next call", 1'000'000,
              kLaunch, &LaunchLimits::stream_launches),
        limit("priorities", "levels that a kernel's priority may have", 64, kLaunch, &LaunchLimits::priorities),
        limit("partition_granularity", "a share of the cores is a multiple of this; 0 or 1 for any number", kMaxCores, kLaunch,
              &LaunchLimits::partition_granularity),
        limit("registers", "registers of a core", 1'000'000'000, kCore, &CoreLimits::registers),
        limit("threads", "threads on a core", 1'000'000, kCore, &CoreLimits::threads),
        limit("blocks", "blocks on a core", 1'000'000, kCore, &CoreLimits::blocks),
        limit("shared_memory_bytes", "shared memory of a core", kMaxBytes, kCore, &CoreLimits::shared_memory),
        limit("reserved_bytes", "shared memory that each block takes in addition to its own", kMaxBytes, kCore, &CoreLimits::reserved),
        limit("copy_engines", "engines that copies share", 1024, kMemory, &MemoryLimits::copy_engines),
        limit("memory_bytes", "device memory that tasks can allocate", 1000 * kMaxBytes, kMemory, &MemoryLimits::capacity),
        limit("page_bytes", "device memory is given out in multiples of it", 1'000'000'000, kMemory, &MemoryLimits::page),
        limit("pool_segment_bytes", "a stream-ordered pool grows by multiples of it", kMaxBytes, kMemory, &MemoryLimits::pool_segment),
        limit("staging_bytes", "piece of a pageable copy in the staging buffer", kMaxBytes, kMemory, &MemoryLimits::staging),
        limit("cache_bytes", "what a run leaves in the cache for the next; 0 for all of it", kMaxBytes, kMemory, &MemoryLimits::cache)};
  }();
  return fields;
}

}  // namespace tasktwin
