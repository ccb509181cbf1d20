#pragma once

#include <cstdint>
#include <vector>

#include "models/graph/task_graph.hpp"

namespace tasktwin {

/// Compute cores of one type.
struct CoreGroup {
  CoreType type = CoreType::kSm;
  int count = 0;
  int per_cluster = 0;  ///< of them in each cluster; 0 where they belong to none
  /// By core, in the order in which blocks of kernels take them while all are empty: the port by which it reaches the memory. Empty where
  /// ports hold nothing back.
  std::vector<int> memory_ports = {};
  /// By core, as resident workers are numbered: the queue in which what it loads waits for the memory. Empty where all wait alike.
  std::vector<int> memory_queues = {};
  /// By core, in the order of memory_ports: the group within which blocks of a cluster start together (a GPC). Empty where there are none.
  std::vector<int> cluster_groups = {};
};

/// What one compute core can hold at a time; 0 where a machine states no limit.
struct CoreLimits {
  int blocks = 0;
  int threads = 0;
  int registers = 0;
  std::int64_t shared_memory = 0;  ///< bytes
  std::int64_t reserved = 0;       ///< bytes of it that each block takes in addition to its own
  /// KiB, ascending: what a core can set apart as shared memory, the rest being its cache. Empty where nothing is divided.
  std::vector<int> carveouts = {};
  friend bool operator==(const CoreLimits&, const CoreLimits&) = default;
};

/// What kernels launched by the host meet on the device; 0 where a machine states no limit.
struct LaunchLimits {
  int hardware_queues = 0;        ///< that all streams share: what is after another kernel in one waits for it
  int resident_kernels = 0;       ///< that run at a time
  int stream_launches = 0;        ///< that a stream holds after the one that runs: the host blocks in the next call
  int priorities = 0;             ///< levels that a kernel's priority may have
  int partition_granularity = 0;  ///< a share of the cores is a multiple of that many; 0 or 1 for any number
  friend bool operator==(const LaunchLimits&, const LaunchLimits&) = default;
};

/// Device memory and what moves it; 0 where a machine states no limit, or no size.
struct MemoryLimits {
  int copy_engines = 0;           ///< that copies share
  std::int64_t capacity = 0;      ///< bytes that tasks can allocate in all
  std::int64_t page = 0;          ///< bytes: the device gives out memory in multiples of it
  std::int64_t pool_segment = 0;  ///< bytes: a stream-ordered pool grows by multiples of it
  std::int64_t staging = 0;       ///< bytes of a piece that a pageable copy takes through the staging buffer
  std::int64_t cache = 0;         ///< bytes of what a run reads that the next one finds in the cache (finds_cache_empty)
  friend bool operator==(const MemoryLimits&, const MemoryLimits&) = default;
};

/// Control cores (AICPU threads; on a GPU the warps of a dispatcher block).
struct ControlCores {
  int count = 0;
  int lanes = 1;           ///< items (polls, completions, successors, hand-overs) that one control core works on at a time
  int occupied_cores = 0;  ///< compute cores that the control cores take the place of, when a design uses them
  double code_scale = 1;   ///< factor on the times of their own code: complete, submit
};

}  // namespace tasktwin
