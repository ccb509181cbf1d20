#include "sim/device_launch/grids.hpp"

#include <algorithm>

namespace tasktwin::sim {

DeviceLaunchedGrids::DeviceLaunchedGrids(const WiringInputs& inputs, std::size_t blocks, int others, Listener& listener)
    : graph_(inputs.graph),
      costs_(inputs.costs),
      launched_(inputs.machine, inputs.design.driver, inputs.cores.size()),
      calendar_(inputs.calendar),
      events_(inputs.events),
      listener_(listener),
      limited_(inputs.machine.launch_limits.resident_kernels > 0),
      most_resident_(static_cast<std::size_t>(std::max(1, inputs.machine.launch_limits.resident_kernels - others))),
      machine_(inputs.machine),
      type_(graph_.size() > 0 ? graph_[task_id(0)].core_type : CoreType::kSm),
      seats_(inputs.machine.core_limits, inputs.machine.compute_cores, inputs.cores),
      paths_(MemoryPaths::of_blocks(inputs.machine.constants(), inputs.cores)),
      bodies_(inputs.calendar, *inputs.machine.memory, costs_.any_bytes(), blocks, *this, inputs.bandwidth_solver, paths_),
      started_(graph_.size()) {
  blocks_.reserve(blocks);
  if (!costs_.given() && blocks_differ(inputs.machine.constants(), inputs.graph)) bodies_.share_cores(inputs.cores.size(), blocks);
}

void DeviceLaunchedGrids::arrive(std::span<const std::optional<TaskId>> bodies, TimePoint now) {
  grids_.push_back({.bodies = {bodies.begin(), bodies.end()}});
  serve(now);
}

void DeviceLaunchedGrids::go_on(std::uint32_t block, TaskId task, TimePoint now) {
  blocks_[block].task = task;
  start(block, now);
}

void DeviceLaunchedGrids::leave(std::uint32_t id, TimePoint now) {
  const Block& block = blocks_[id];
  seats_.give_back(block.core, type_, block.needs);
  Grid& grid = grids_[block.grid];
  if (++grid.left == grid.bodies.size()) {
    --resident_;
    listener_.grid_ended(block.grid, now);
  }
  place_later(now);
}

void DeviceLaunchedGrids::handle(EventKind kind, std::uint32_t subject, TimePoint now) {
  if (kind == EventKind::kBodyEnd) return end(subject, now);
  placing_ = false;
  serve(now);
}

void DeviceLaunchedGrids::serve(TimePoint now) {
  while (handed_over_ < grids_.size() && (!limited_ || resident_ < most_resident_)) {
    const auto grid = static_cast<std::uint32_t>(handed_over_++);
    ++resident_;
    leftover_.push_back(grid);
    listener_.resident(grid, now);
  }
  place(now);
}

void DeviceLaunchedGrids::place(TimePoint now) {
  std::size_t placed = 0;
  while (placed < leftover_.size() && place_blocks(leftover_[placed], now)) ++placed;
  leftover_.erase(leftover_.begin(), leftover_.begin() + static_cast<std::ptrdiff_t>(placed));
}

/// Whether none is left over.
bool DeviceLaunchedGrids::place_blocks(std::uint32_t id, TimePoint now) {
  while (grids_[id].placed < grids_[id].bodies.size()) {
    const std::optional<TaskId> task = grids_[id].bodies[grids_[id].placed];
    const BlockNeeds needs = block_needs(task ? graph_.traits(*task) : TaskTraits{}, machine_.core_limits);
    const CoreId core = seats_.take(type_, needs);
    if (core == kNoCore) return false;
    ++grids_[id].placed;
    const auto block = static_cast<std::uint32_t>(blocks_.size());
    blocks_.push_back({.grid = id, .task = task, .core = core, .needs = needs});
    start(block, now);
  }
  return true;
}

void DeviceLaunchedGrids::start(std::uint32_t id, TimePoint now) {
  Block& block = blocks_[id];
  block.started = now;
  if (!block.task) return body_ended(id, now);
  if (started_[index(*block.task)]) {
    events_.placed(*block.task, block.core);
  } else {
    started_[index(*block.task)] = true;
    events_.received(*block.task, block.core, now);
    events_.started(*block.task, now);
  }
  BodyCost cost = costs_.on(*block.task, type_);
  for (const std::int64_t bytes : graph_.input_bytes(*block.task)) cost.bytes.count += bytes;
  cost.overhead += launched_.start(graph_[*block.task].kernel, block.core);
  if (bodies_.shares_cores() && !block.needs.whole_core) {
    cost = in_stated_block(machine_.constants(), graph_, *block.task, cost);
    return bodies_.start(id, cost, now, paths_.of[index(block.core)], block.core, body_share(machine_, graph_, *block.task, cost));
  }
  const TimePoint end = bodies_.start(id, cost, now, paths_.of[index(block.core)]);
  if (is_present(end)) body_ended(id, end);
}

void DeviceLaunchedGrids::body_ended(std::uint32_t block, TimePoint end) { calendar_.schedule(end, EventKind::kBodyEnd, block, *this); }

void DeviceLaunchedGrids::end(std::uint32_t id, TimePoint now) {
  const Block block = blocks_[id];
  bodies_.gone(id, now);
  if (block.task) {
    events_.ended(*block.task, now);
    if (graph_.traits(*block.task).blocks > 1) events_.block_ran({*block.task, block.core, block.started, now, kAbsent});
  }
  listener_.body_ended(id, block.task, now);
}

void DeviceLaunchedGrids::place_later(TimePoint now) {
  if (placing_ || (handed_over_ == grids_.size() && leftover_.empty())) return;
  placing_ = true;
  calendar_.schedule(now, EventKind::kPlace, 0, *this);
}

}  // namespace tasktwin::sim
