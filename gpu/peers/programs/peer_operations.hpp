#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "gpu/cuda/device_buffer.hpp"
#include "gpu/operations/operation_contents.hpp"
#include "gpu/operations/timed_events.hpp"
#include "gpu/peers/devices/communicators.hpp"
#include "gpu/peers/plans/peer_layout.hpp"
#include "gpu/peers/programs/collective_checks.hpp"
#include "gpu/peers/programs/peer_kernels.hpp"

namespace tasktwin::gpu {

/// The tasks of a run over several devices that are no kernels: copies from device to device and the ranks of collectives, as calls on
/// streams. Each has bytes of its own on the devices that it touches.
///
/// Where the order is checked a kernel runs just before each of them on its device, which looks for its predecessors' marks as a body
/// does, and one just after it, which sets its own; between them they see to it that copies have brought their bytes and that collectives
/// have brought what they compute. With stamps each has an event after it: that is when it ended; when it started is not observed. Behind
/// the last launch of each stream, or the node of a graph, that ends with one of them there is another, in runs without stamps too.
class PeerOperations {
 public:
  explicit PeerOperations(const ExecutorInputs& inputs, const PeerKernels& kernels);
  ~PeerOperations();
  PeerOperations(const PeerOperations&) = delete;
  PeerOperations& operator=(const PeerOperations&) = delete;

  bool takes(TaskId task) const { return graph_[task].operation != Operation::kKernel; }

  /// Puts everything back to where it was before a run. Contract: the devices are idle.
  void reset(RunMode mode, std::span<const cudaStream_t> streams);

  /// The host's call for a copy, in `stream` of the device that it comes from, which is current. `captured`: into a graph.
  void copy(TaskId task, RunMode mode, cudaStream_t stream, bool captured) const;
  /// The same as a node of `graph`, or several in a row, after the nodes `after`; returns the one that others wait for. Throws RunError.
  cudaGraphNode_t add_copy(cudaGraph_t graph, TaskId task, RunMode mode, std::span<const cudaGraphNode_t> after);
  /// The host's calls for all ranks of a collective, as one group, each in its stream.
  void collect(std::span<const TaskId> ranks, RunMode mode, std::span<const cudaStream_t> streams);
  /// The call for one rank alone, whose device is current; other threads make the others'.
  void collect_one(TaskId rank, RunMode mode, cudaStream_t stream);
  /// A stamped run's event after `task`. `captured`: into a graph.
  void called(TaskId task, cudaStream_t stream, bool captured) const;
  /// Puts an event after what is in `stream`, which is of `device`.
  void record_end(int device, std::uint32_t number, cudaStream_t stream);
  /// The same in the graph of `mode` that is being captured from `stream`, or after `node` of one that is being made.
  void capture_end(int device, RunMode mode, cudaStream_t stream);
  void add_end(cudaGraph_t graph, cudaGraphNode_t node, int device, RunMode mode);

  /// Adds what was seen of them to the run's result. Contract: the devices are idle.
  void complete(RunResult& result, RunMode mode) const;

 private:
  struct Lane {
    DeviceBuffer<std::byte> given;
    DeviceBuffer<std::byte> taken;
    std::unique_ptr<EventClock> clock;
  };
  struct End {
    int device = 0;
    std::uint32_t number = 0;
  };

  struct GraphEnd {
    int device = 0;
    std::unique_ptr<TimedEvent> event;
  };

  const TimedEvent& new_graph_end(int device, RunMode mode);
  int device(TaskId task) const { return graph_[task].device; }
  float* given(TaskId task) const;
  float* taken(TaskId task) const;
  const TimedEvent& event(TaskId task) const { return *events_[index(task)]; }
  CollectiveNumbers numbers(TaskId rank) const;
  /// Of a decode step that computes numbers it is the step's own memory.
  RankBuffers part(TaskId rank, cudaStream_t stream) const;
  /// What runs just before a rank's call, and just after it, where the order is checked. Contract: its device is current.
  void check_before(const CollectiveNumbers& sent, TaskId rank, RunMode mode, cudaStream_t stream) const;
  void check_behind(const CollectiveNumbers& sent, TaskId rank, RunMode mode, cudaStream_t stream) const;
  const PeerPlace& place(TaskId task) const { return layout_.places[index(task)]; }
  Contents contents(TaskId task, void* memory) const;

  const TaskGraph& graph_;
  const PeerKernels& kernels_;
  PeerLayout layout_;
  std::vector<Lane> lanes_;                                    ///< by device
  std::vector<std::unique_ptr<Communicators>> communicators_;  ///< by layout_'s group
  std::vector<std::unique_ptr<TimedEvent>> events_;            ///< by TaskId, of operations; none without stamps
  std::vector<std::unique_ptr<TimedEvent>> ends_;              ///< by stream over all devices
  std::vector<End> ended_;
  std::array<std::vector<GraphEnd>, 3> graph_ends_;  ///< by RunMode
};

}  // namespace tasktwin::gpu
