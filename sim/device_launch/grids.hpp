#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "models/cost/block_seats.hpp"
#include "models/machine/memory_paths.hpp"
#include "models/run/timeline.hpp"
#include "sim/cores/bodies.hpp"
#include "sim/cores/body_costs.hpp"
#include "sim/cores/launched_bodies.hpp"
#include "sim/engine/run_context.hpp"

namespace tasktwin::sim {

/// Runs grids that kernels on the device have launched: blocks, each with a task's body, on cores of one type. As many grids as
/// launch_limits.resident_kernels allow are resident, which one is until its last block has left; the others wait, first come, first
/// served. Blocks of resident grids are placed in that order, as soon as BlockSeats has a core for the next one. What ends in a
/// nanosecond makes room before anything is placed in it. Bodies draw on the memory as under driver `streams`.
class DeviceLaunchedGrids final : public EventHandler, private Bodies::Listener {
 public:
  class Listener {
   public:
    virtual void resident(std::uint32_t grid, TimePoint now) = 0;
    /// The block keeps its core until go_on() or leave().
    virtual void body_ended(std::uint32_t block, std::optional<TaskId> task, TimePoint now) = 0;
    virtual void grid_ended(std::uint32_t grid, TimePoint now) = 0;

   protected:
    ~Listener() = default;
  };

  /// `blocks` of all grids at most; `others` kernels are resident all the time.
  DeviceLaunchedGrids(const WiringInputs& inputs, std::size_t blocks, int others, Listener& listener);

  /// A grid of a block for each of `bodies`, of which one of no task ends at once; grids are numbered from 0, blocks in the order in
  /// which they are placed. Contract: in the order of `now`.
  void arrive(std::span<const std::optional<TaskId>> bodies, TimePoint now);
  /// The block runs a further body on its core.
  void go_on(std::uint32_t block, TaskId task, TimePoint now);
  void leave(std::uint32_t block, TimePoint now);

  void handle(EventKind kind, std::uint32_t subject, TimePoint now) override;

 private:
  struct Grid {
    std::vector<std::optional<TaskId>> bodies;
    std::uint32_t placed = 0;
    std::uint32_t left = 0;
  };
  struct Block {
    std::uint32_t grid = 0;
    std::optional<TaskId> task;
    CoreId core = kNoCore;
    TimePoint started{};
    BlockNeeds needs;
  };

  void body_ended(std::uint32_t block, TimePoint end) override;
  void serve(TimePoint now);
  void place(TimePoint now);
  bool place_blocks(std::uint32_t grid, TimePoint now);
  void start(std::uint32_t block, TimePoint now);
  void end(std::uint32_t block, TimePoint now);
  void place_later(TimePoint now);

  const TaskGraph& graph_;
  const BodyCosts& costs_;
  LaunchedBodies launched_;
  Calendar& calendar_;
  RunEvents& events_;
  Listener& listener_;
  bool limited_;
  std::size_t most_resident_;
  std::size_t resident_ = 0;
  const AsRun& machine_;
  CoreType type_;
  BlockSeats seats_;
  MemoryPaths paths_;
  Bodies bodies_;
  std::vector<Grid> grids_;
  std::vector<Block> blocks_;
  std::vector<bool> started_;            ///< by TaskId: a block of it has
  std::size_t handed_over_ = 0;          ///< grids
  std::vector<std::uint32_t> leftover_;  ///< resident grids with blocks still to place
  bool placing_ = false;                 ///< an event kPlace is scheduled for this nanosecond
};

}  // namespace tasktwin::sim
