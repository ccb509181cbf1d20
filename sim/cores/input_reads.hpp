#pragma once

#include <cstdint>
#include <vector>

#include "models/graph/task_graph.hpp"
#include "sim/memory/peer_reads.hpp"

namespace tasktwin::sim {

/// What the bodies of one device's workers read of other devices' memory before their own work (PeerData::kRead), as one block each:
/// peers.read_latency after a body's begin, all devices' bytes side by side (PeerReads::start).
class InputReads final : public EventHandler, private PeerReads::Listener {
 public:
  class Listener {
   public:
    /// Of one begin().
    virtual void inputs_read(std::uint32_t runner, TimePoint now) = 0;

   protected:
    ~Listener() = default;
  };

  InputReads(Calendar& calendar, const TaskGraph& graph, const AsRun& machine, int device, Listener& listener);

  /// Of the device's workers, at `start`, now or later. Contract: the task reads something (remote_inputs()), and the runner nothing else.
  void begin(std::uint32_t runner, TaskId task, TimePoint start);

  void handle(EventKind kind, std::uint32_t runner, TimePoint now) override;

 private:
  struct Reading {
    TaskId task{};
    std::size_t open = 0;  ///< devices that it still reads from
  };

  void peer_read_ended(std::uint32_t runner, TimePoint now) override;

  Calendar& calendar_;
  const TaskGraph& graph_;
  const AsRun& machine_;
  Listener& listener_;
  PeerReads reads_;
  std::vector<Reading> readings_;  ///< by runner
};

}  // namespace tasktwin::sim
