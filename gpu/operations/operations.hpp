#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "gpu/cuda/mapped_buffer.hpp"
#include "gpu/operations/allocators/device_allocator.hpp"
#include "gpu/operations/host_function.hpp"
#include "gpu/operations/operation_checks.hpp"
#include "gpu/operations/operation_memory.hpp"
#include "gpu/operations/timed_events.hpp"
#include "gpu/run/executor_interface.hpp"
#include "gpu/task_kernels/task_kernels.hpp"

namespace tasktwin::gpu {

/// The tasks of a run that are no kernels: copies, memsets, allocations, frees and functions of the host, as calls on a stream or as nodes
/// of a graph. The simulated twin is sim::Operations; what the calls do to the host is what CUDA makes them do.
///
/// Where the order is checked a kernel runs just before each of them, which looks for its predecessors' marks as a body does, and one
/// just after it, which sets its own; between them they see to it that copies and memsets have moved their bytes, that memory
/// allocated twice is noticed, and that a function of the host has run. What copies brought to the host is looked at after the run.
///
/// There is nothing to stamp a copy with but events, which take the time at which a stream has come so far. With stamps each operation
/// has an event after it: that is when it ended; an allocation or a free is a mark in its stream, that starts then too, and a free's
/// event is before it: after it an event that takes the time would tell a pool how far the stream has come, which without stamps it
/// has to ask. When a copy or a memset started is not observed. A function of the host takes the host's time. Without stamps there is one
/// event, after the last launch of each stream that ends with an operation, or after a graph whose last tasks are operations.
class Operations {
 public:
  using Clock = HostFunction::Clock;

  explicit Operations(const ExecutorInputs& inputs);
  /// Waits for the device, which may still be at work on what goes.
  ~Operations();
  Operations(const Operations&) = delete;
  Operations& operator=(const Operations&) = delete;

  bool takes(TaskId task) const { return graph_[task].operation != Operation::kKernel; }

  /// Puts everything back to where it was before a run. Contract: the device is idle.
  void reset(RunMode mode, cudaStream_t stream);

  /// The host's call for a task. Throws RunError, the task's name in it, where an allocation finds no memory. Contract: takes(task).
  void call(const StreamRun& run, TaskId task, const PlannedStream& in);
  /// That call ended at `now`: notes what a stamped run is to know. `captured`: into a graph.
  void called(TaskId task, const PlannedStream& in, Clock::time_point now, bool captured);
  /// Puts an event after what is in `stream`, whose number is below Design's count of streams.
  void record_end(const PlannedStream& stream);

  /// A node, or several in a row, after the nodes `after`; returns the one that others wait for. Contract: takes(task).
  cudaGraphNode_t add_node(cudaGraph_t graph, const StreamRun& run, TaskId task, std::span<const cudaGraphNode_t> after);

  /// Adds what was seen of the operations to the run's result. Contract: the device is idle.
  void complete(RunResult& result, RunMode mode, const TaskKernels& kernels, Clock::time_point host_origin) const;

 private:
  struct Buffer {
    TaskId allocated{};
    void* memory = nullptr;  ///< null unless it is allocated
  };
  struct Sample {
    Clock::time_point time;
    DeviceAllocator::Usage usage;
  };

  void make_call(TaskId task, const PlannedStream& in);
  void allocate(TaskId task, const PlannedStream& in);
  void free(TaskId task, const PlannedStream& in);
  cudaGraphNode_t add_operation(cudaGraph_t graph, TaskId task, std::span<const cudaGraphNode_t> after);
  OperationCheck before(TaskId task) const;
  OperationCheck behind(TaskId task) const;
  void* device_memory(TaskId task) const;
  Contents contents(TaskId task) const;
  const TimedEvent& event(TaskId task) const { return events_[event_of_[index(task)]]; }
  void number_buffers();
  HostFunction& function(TaskId task) { return functions_[function_of_[index(task)]]; }
  void add_times(Timeline& timeline, const TaskKernels& kernels, Clock::time_point host_origin) const;

  const TaskGraph& graph_;
  std::string design_;
  OperationLayout layout_;
  OperationMemory memory_;
  std::unique_ptr<DeviceAllocator> allocator_;  ///< null where nothing is allocated
  std::vector<Buffer> buffers_;
  std::vector<std::size_t> buffer_of_;  ///< by TaskId; buffers_.size() for tasks without
  std::vector<HostFunction> functions_;
  std::vector<std::size_t> function_of_;  ///< by TaskId, of functions of the host
  std::optional<MappedBuffer<std::uint32_t>> functions_done_;
  EventClock clock_;
  std::vector<TimedEvent> events_;     ///< after each operation; none without stamps
  std::vector<std::size_t> event_of_;  ///< by TaskId, of operations
  std::vector<TimedEvent> ends_;       ///< by stream
  std::vector<std::uint32_t> ended_;   ///< streams whose end was recorded
  std::vector<Sample> samples_;
};

}  // namespace tasktwin::gpu
