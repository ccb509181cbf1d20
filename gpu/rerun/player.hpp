#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include <cuda.h>

#include "gpu/rerun/order/schedules.hpp"
#include "gpu/rerun/tape/tape.hpp"

namespace tasktwin::gpu::rerun {

/// How long a schedule took, the device idle before and after.
struct RunTime {
  double device_us = 0;  ///< between events at its begin and behind the last of its work
  double host_us = 0;    ///< until the host has it back
};

/// Gives the operations of a tape to the device: stream by stream, or as a graph. Contract: the tape outlives it, and its context is
/// current.
class Player {
 public:
  explicit Player(Tape& tape);
  ~Player();
  Player(const Player&) = delete;
  Player& operator=(const Player&) = delete;

  /// A schedule, made ready to be run. Throws CudaError where CUDA refuses it, std::invalid_argument where it cannot be offered.
  std::size_t prepare(const Schedule& schedule);
  std::size_t edges_of(std::size_t prepared) const { return prepared_[prepared].edges; }
  std::size_t streams_of(std::size_t prepared) const { return prepared_[prepared].streams.size(); }
  /// What of it CUDA did not take, as attributes of nodes.
  const std::vector<std::string>& remarks_of(std::size_t prepared) const { return prepared_[prepared].remarks; }

  RunTime run(std::size_t prepared);

 private:
  struct Prepared {
    std::vector<Step> steps;
    std::vector<CUstream> streams;
    std::vector<CUevent> events;
    std::vector<CUevent> ends;  ///< a timed one for each stream
    CUgraph graph = nullptr;
    CUgraphExec exec = nullptr;
    std::size_t edges = 0;
    std::vector<std::string> remarks;
  };

  CUstream stream_like(const TapeStream& stream);
  CUstream new_stream(unsigned int flags, int priority);
  CUevent new_event(unsigned int flags);
  void prepare_steps(Prepared& made, const Schedule& schedule);
  void prepare_graph(Prepared& made, const Edges& edges);
  CUgraphNode add_node(Prepared& made, std::size_t operation, const std::vector<CUgraphNode>& after);
  CUgraphNode add_kernel(Prepared& made, std::size_t operation, const std::vector<CUgraphNode>& after);
  void play(const Prepared& what);
  void give(std::size_t operation, CUstream stream);
  void give_set(const CUDA_MEMSET_NODE_PARAMS& set, CUstream stream);

  Tape& tape_;
  Edges edges_;
  std::vector<int> priorities_;                 ///< by operation: of its stream
  std::vector<std::vector<void*>> parameters_;  ///< by operation: where its arguments are
  std::vector<std::size_t> buffer_bytes_;       ///< by operation
  std::vector<Prepared> prepared_;
  std::vector<CUstream> own_streams_;
  std::vector<CUevent> own_events_;
  CUstream graph_stream_ = nullptr;
  CUevent begin_ = nullptr;
};

}  // namespace tasktwin::gpu::rerun
