#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "models/design/design.hpp"
#include "models/graph/task_graph.hpp"
#include "models/memory/caching_allocator.hpp"
#include "models/memory/memory_source.hpp"
#include "models/memory/pool.hpp"
#include "models/program/stream_plan.hpp"
#include "models/run/as_run.hpp"
#include "models/run/timeline.hpp"
#include "sim/engine/run_events.hpp"

namespace tasktwin::sim {

/// The device memory of one run and the host's calls that allocate it and free it, as Design::allocator says. How long a call
/// takes: malloc + malloc_per_mib where the run has freed as much before that it has not taken again, else malloc_new;
/// free + free_per_mib; malloc_async, with pool_look for each stream that StreamPool has to ask, and pool_grow_per_mib where it maps
/// segments; a cache's calls nothing, but what cudaMalloc and cudaFree take where it asks the device. Under `malloc` memory lies in whole
/// pages that are given back once nothing is left in them. cudaFree waits until the device is idle, cudaMalloc for nothing.
///
/// With Design::record_stream a cache takes a freed buffer back only once the device has passed what had been launched, when it was freed,
/// into each other stream that uses it: an event_record a stream, in the call that frees.
class Allocations {
 public:
  /// `plan`: what is launched, in order.
  Allocations(const TaskGraph& graph, const std::vector<StreamLaunch>& plan, const AsRun& machine, const Design& design, RunEvents& events);

  /// Whether the call for an alloc or a free calls cudaFree, which waits until the device is idle: a cache's does for an alloc where the
  /// device has too little left, and then asks the device, even if memory is freed while it waits.
  bool waits_for_device(TaskId task, std::uint32_t stream);
  /// How long the call for an alloc asks the next stream; 0 where it asks none, or no more. Contract: comes again, that much later,
  /// until it is 0; then call().
  Nanoseconds asks(TaskId task, std::uint32_t stream);
  /// The host's time for the rest of it, at `now`; nullopt, and failure() says why, where memory runs out.
  std::optional<Nanoseconds> call(TaskId task, std::uint32_t stream, TimePoint now);
  /// The host has launched something else into the stream.
  void launched(std::uint32_t stream);
  /// What was launched into the stream has ended, all but allocations and frees, in its order.
  void ended(std::uint32_t stream, TimePoint now);
  /// The device has come to a free in its stream.
  void passed(TaskId free);
  /// The host has synchronised: a pool gives back what it does not keep. The host's time for that.
  Nanoseconds synchronised(TimePoint now);

  const std::string& failure() const { return failure_; }

 private:
  struct Buffer {
    std::uint64_t address = 0;
    std::int64_t bytes = 0;
    std::uint32_t free = 0;  ///< StreamPool's number
  };

  /// A freed buffer of the cache that other streams may still use.
  struct Recorded {
    std::uint64_t address = 0;
    std::vector<std::pair<std::uint32_t, std::uint32_t>> until;  ///< stream, and how many of its launches must have ended
  };

  std::optional<StreamPool::Grant> from_pool(TaskId task, std::uint32_t stream);
  void take_turn(std::uint32_t stream, std::int64_t bytes);
  std::optional<Nanoseconds> allocate(TaskId task, std::uint32_t stream, TimePoint now);
  Nanoseconds free(TaskId task, std::uint32_t stream);
  Nanoseconds cuda_malloc(std::int64_t bytes);
  Nanoseconds cuda_free(std::int64_t bytes, std::int64_t calls = 1);
  std::int64_t used() const { return how_ == Allocator::kCaching ? cache_.used() : pool_.used(); }
  std::int64_t reserved() const { return how_ == Allocator::kCaching ? cache_.reserved() : pool_.reserved(); }
  Nanoseconds free_in_cache(TaskId task, std::uint32_t stream);
  void sample(TimePoint at);

  const TaskGraph& graph_;
  const mechanism::Allocators allocators_;
  RunEvents& events_;
  Allocator how_;
  bool keeps_;
  bool own_stream_alone_;  ///< PoolReuse::kOwnStream
  CountedMemory memory_;
  StreamPool pool_;
  CachingAllocator cache_;
  std::unordered_map<std::int32_t, Buffer> buffers_;
  /// What the call for an alloc has found so far.
  struct Search {
    std::optional<TaskId> alloc;  ///< none where the pool queries no stream
    std::optional<StreamPool::Grant> taken;
    std::size_t turn = 0;  ///< of the pool's users: all others once, then all
    bool asked = false;    ///< the one whose turn it is
  };
  Search search_;
  std::optional<TaskId> grows_for_;  ///< the alloc for which the cache has found no free block
  std::int64_t freed_ = 0;           ///< bytes that cudaFree gave back and no cudaMalloc has taken since
  std::string failure_;
  // With record_stream:
  std::unordered_map<std::int32_t, std::set<std::uint32_t>> streams_of_;  ///< by buffer: those of the kernels and transfers that use it
  Nanoseconds event_record_{};
  std::vector<std::uint32_t> launched_;  ///< by stream
  std::vector<std::uint32_t> ended_;     ///< by stream
  std::vector<Recorded> recorded_;
};

}  // namespace tasktwin::sim
