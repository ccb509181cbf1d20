#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "models/graph/operation.hpp"
#include "models/run/as_run.hpp"
#include "sim/engine/links.hpp"
#include "sim/engine/peer_network.hpp"

namespace tasktwin::sim {

/// What one copy, or one memset, moves.
struct Transfer {
  Operation operation{};
  bool pageable = false;
  Bytes bytes{};
  Duration time{};        ///< where it is not 0, its time instead of that by the links
  bool captured = false;  ///< `bytes` are as many as the link moves in the time that was captured: all that it takes is in them
  int device = 0;
  int peer = -1;  ///< device to which a copy between devices goes; -1 on a machine of one
};

/// The engines of one device that copies go through, first come, first served; a copy between devices goes through those of the device that
/// it comes from. Of n engines, directions host to device, device to host and device to
/// device share the n there are where n < 3 (one in turn each), else have every third; with 0 stated each copy has its own. An
/// engine is held for copy_setup and then until the bytes have moved: the links say how fast. For engine_gap before that it looks for
/// the next copy, where that one waited for what another engine, or the host, does. A pageable copy's engine is also held
/// while the first piece of memory goes through the staging buffer alone, and moves no faster than staging. A memset waits
/// for no engine but for the memset before it.
///
/// The documentation of CUDA says neither which engine a copy goes to nor how the driver stages. Memory bandwidth that copies take is
/// all theirs: kernels share what is left, because engines do not yield to them. A transfer whose time is given, or was captured, takes
/// none of it.
class CopyEngines final : public EventHandler, private Links::Listener, private PeerFlows::Listener {
 public:
  class Listener {
   public:
    virtual void copy_started(std::uint32_t launch, TimePoint now) = 0;
    virtual void copy_ended(std::uint32_t launch, TimePoint now) = 0;
    /// Bytes/ns of the device's memory that copies and memsets take up from now on.
    virtual void traffic_changed(int device, double traffic, TimePoint now) = 0;

   protected:
    ~Listener() = default;
  };

  /// `transfers` by launch, of all devices. Contract: they outlive this.
  CopyEngines(Calendar& calendar, const AsRun& machine, const std::vector<Transfer>& transfers, int device, Listener& listener);

  /// `turns`: it waited for what is not its engine's. Contract: in the order of `now`.
  void arrive(std::uint32_t launch, bool turns, TimePoint now);

  void handle(EventKind kind, std::uint32_t launch, TimePoint now) override;

 private:
  struct Waiting {
    std::uint32_t launch = 0;
    bool turns = false;
  };
  struct Line {
    int engines = 1;
    int busy = 0;
    std::deque<Waiting> waiting;
  };

  void flow_ended(std::uint32_t launch, TimePoint now) override;
  void peer_flow_ended(std::uint32_t launch, TimePoint now) override { flow_ended(launch, now); }
  Line& line(Operation operation);
  void take(Waiting next, TimePoint now);
  void end(std::uint32_t launch, TimePoint now);
  void moving(const Transfer& transfer, int change, TimePoint now);

  Calendar& calendar_;
  const AsRun& machine_;
  double staging_piece_;
  const std::vector<Transfer>& transfers_;
  int device_;
  Listener& listener_;
  Links links_;
  std::optional<PeerFlows> peers_;  ///< none on a machine of one device
  int engines_;
  std::array<Line, 4> lines_;             ///< by direction, memset last
  std::array<int, 4> moving_{};           ///< transfers by direction whose bytes move, at the link's rate
  std::array<int, 4> pageable_moving_{};  ///< likewise, pageable ones
};

}  // namespace tasktwin::sim
