#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <cuda.h>

#include "gpu/rerun/order/plan.hpp"
#include "gpu/rerun/order/schedules.hpp"
#include "gpu/rerun/tape/tape.hpp"

namespace tasktwin::gpu::rerun {

/// What of a run is timed, the device idle before and after.
enum class Timed {
  kHost,   ///< from the first call until the host has it back
  kDevice  ///< between events at its begin and after the last of its work, which take some µs themselves
};

/// Gives the operations of a tape to the device: stream by stream, or as a graph. Contract: the tape and plans outlive it, and the tape's
/// context is current.
class Player {
 public:
  /// `needed`: what operations need of each other; `plans`: what schedules `plan:N` do.
  Player(Tape& tape, const std::optional<Plan>& needed, const std::vector<Plan>& plans);
  ~Player();
  Player(const Player&) = delete;
  Player& operator=(const Player&) = delete;

  /// A schedule, made ready to be run. Throws CudaError where CUDA refuses it, std::invalid_argument where it cannot be offered.
  std::size_t prepare(const Schedule& schedule);
  std::size_t edges_of(std::size_t prepared) const { return prepared_[prepared].edges; }
  std::size_t streams_of(std::size_t prepared) const { return prepared_[prepared].streams.size(); }
  /// What of it CUDA did not take, as attributes of nodes.
  const std::vector<std::string>& remarks_of(std::size_t prepared) const { return prepared_[prepared].remarks; }

  /// In µs.
  double run(std::size_t prepared, Timed timed);
  /// When each operation ran, by operation: begin and end in µs from the first begin on, −1 where it is not known. Records make it longer.
  /// Contract: nothing of the process has subscribed to CUPTI's callbacks.
  std::vector<std::pair<double, double>> operation_times(std::size_t prepared);
  /// One operation by itself, until it is over.
  void run_alone(std::size_t operation);

 private:
  struct Prepared {
    std::vector<Step> steps;
    std::vector<CUstream> streams;
    std::vector<CUevent> events;
    std::vector<CUevent> ends;    ///< a timed one for each stream
    std::vector<int> priorities;  ///< by operation; empty: those of the program's streams
    CUgraph graph = nullptr;
    CUgraphExec exec = nullptr;
    std::size_t edges = 0;
    bool programmatic = false;
    std::vector<CUgraphNode> nodes;  ///< by operation; empty for streams
    std::vector<std::string> remarks;
  };

  CUstream stream_like(const TapeStream& stream);
  CUstream new_stream(unsigned int flags, int priority);
  CUevent new_event(unsigned int flags);
  void prepare_captured(Prepared& made);
  void prepare_streams(Prepared& made, std::vector<Step> steps, std::size_t streams);
  void prepare_events(Prepared& made, std::vector<Step> steps);
  void prepare_plan(Prepared& made, const Plan& plan);
  /// In the order of issue, or in that of a plan.
  void prepare_graph(Prepared& made, const Edges& edges, const Plan* plan = nullptr);
  void add_programmatic_edges(Prepared& made, const std::vector<CUgraphNode>& nodes);
  /// The kernel that it may begin beside, as the program launches it; -1: none.
  int runs_beside(std::size_t operation) const;
  int priority_of(const Prepared& made, std::size_t operation) const;
  CUgraphNode add_node(Prepared& made, std::size_t operation, const std::vector<CUgraphNode>& after);
  CUgraphNode add_kernel(Prepared& made, std::size_t operation, const std::vector<CUgraphNode>& after);
  void play(const Prepared& what);
  void give(const Prepared& what, std::size_t operation, CUstream stream);
  void give_set(const CUDA_MEMSET_NODE_PARAMS& set, CUstream stream);

  Tape& tape_;
  const std::optional<Plan>& needed_;
  const std::vector<Plan>& plans_;
  Edges edges_;
  std::vector<int> priorities_;                 ///< by operation: of its stream
  std::vector<int> before_in_stream_;           ///< by operation; -1: none
  std::vector<std::vector<void*>> parameters_;  ///< by operation: where its arguments are
  std::vector<std::size_t> buffer_bytes_;       ///< by operation
  std::vector<Prepared> prepared_;
  std::vector<CUstream> own_streams_;
  std::vector<CUevent> own_events_;
  CUstream graph_stream_ = nullptr;
  CUevent begin_ = nullptr;
};

}  // namespace tasktwin::gpu::rerun
