#include "sim/streams/device.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "models/cost/body_spread.hpp"
#include "models/cost/collective_flows.hpp"
#include "models/cost/prologue.hpp"
#include "models/machine/interconnect.hpp"
#include "models/runtimes/prologues_ahead.hpp"
#include "models/runtimes/runtimes.hpp"
#include "models/shares/task_shares.hpp"
#include "sim/cores/body_costs.hpp"

namespace tasktwin::sim {

namespace {

std::size_t count_blocks(const TaskGraph& graph, std::span<const TaskId> tasks) {
  if (!graph.has_wide_tasks()) return tasks.size();
  std::size_t count = 0;
  for (const TaskId task : tasks) count += static_cast<std::size_t>(graph.traits(task).blocks);
  return count;
}

/// Whether blocks of a kernel take other times than each other, or than a kernel of one block.
bool grids_differ(const WiringInputs& inputs, std::span<const TaskId> tasks) {
  if (inputs.costs.given() || !inputs.graph.has_wide_tasks()) return false;
  return std::ranges::any_of(tasks, [&inputs](TaskId task) {
    return inputs.graph.traits(task).blocks > 1 && spreads(inputs.machine.kernel_cost(inputs.graph[task].kernel));
  });
}

bool reads_in_prologues(const TaskGraph& graph) {
  return std::ranges::any_of(graph.all_traits(), [](const TaskTraits& traits) { return traits.prologue_bytes > 0; });
}

mechanism::Streams programmatic_times(const WiringInputs& inputs) {
  return inputs.machine.streams.or_zero_unless(inputs.design.programmatic_launch == ProgrammaticLaunch::kOn);
}

/// As rank_blocks says, but no more than there are of its type and share.
std::uint32_t rank_cores(const WiringInputs& inputs, const Task& task, std::span<const CoreType> cores,
                         std::span<const std::uint8_t> shares, int share) {
  std::uint32_t fitting = 0;
  for (std::size_t core = 0; core < cores.size(); ++core) fitting += cores[core] == task.core_type && shares[core] == share ? 1 : 0;
  const int blocks = rank_blocks(inputs.machine.constants(), task.cost.bytes.count, inputs.design.collective_blocks);
  return std::min(fitting, static_cast<std::uint32_t>(blocks));
}

BlockSeats make_seats(const WiringInputs& inputs) {
  const std::vector<CoreType> cores = worker_cores(inputs.design, inputs.machine.constants());
  return {inputs.machine.core_limits, inputs.machine.compute_cores, cores, core_shares(cores, inputs.design, inputs.machine.constants())};
}

}  // namespace

Device::Device(const WiringInputs& inputs, std::span<const TaskId> tasks, std::span<const std::uint8_t> levels, Listener& listener,
               Meetings& meetings, int number)
    : graph_(inputs.graph),
      costs_(inputs.costs),
      launched_(inputs.machine, inputs.design.driver, worker_cores(inputs.design, inputs.machine.constants()).size()),
      on_streams_(runtime_of(inputs.design).streams()),
      trigger_(inputs.design.programmatic_trigger),
      ahead_(prologues_ahead(inputs.design)),
      after_trigger_(round_ns(programmatic_times(inputs).trigger_latency)),
      after_room_(round_ns(programmatic_times(inputs).programmatic_gap)),
      per_block_(inputs.machine.launched_kernels->per_block),
      machine_(inputs.machine),
      first_core_(static_cast<std::size_t>(number) * worker_cores(inputs.design, inputs.machine.constants()).size()),
      blocks_differ_(!costs_.given() &&
                     std::ranges::any_of(tasks, [&](TaskId task) { return block_differs(inputs.machine.constants(), graph_, task); })),
      plain_(costs_.same_everywhere() && !costs_.any_bytes() && !blocks_differ_ && !grids_differ(inputs, tasks)),
      seed_(inputs.seed),
      calendar_(inputs.calendar),
      events_(inputs.events),
      listener_(listener),
      most_resident_(static_cast<std::size_t>(inputs.machine.launch_limits.resident_kernels)),
      seats_(make_seats(inputs)),
      paths_(MemoryPaths::of_blocks(inputs.machine.constants(), worker_cores(inputs.design, inputs.machine.constants()))),
      meetings_(meetings),
      blocks_(count_blocks(graph_, tasks)),
      bodies_(calendar_, *inputs.machine.memory, costs_.any_bytes() || reads_in_prologues(graph_), blocks_.size(), *this,
              inputs.bandwidth_solver, paths_) {
  const std::vector<CoreType> cores = worker_cores(inputs.design, inputs.machine.constants());
  const std::vector<std::uint8_t> shares = core_shares(cores, inputs.design, inputs.machine.constants());
  if (blocks_differ_) bodies_.share_cores(cores.size(), blocks_.size());
  for (const CoreGroup& group : inputs.machine.compute_cores) {
    for (int share = 0; share < share_count(inputs.design); ++share) all_pools_ |= pools(group.type, share);
    if (group.per_cluster > 0) cluster_pools_ |= pools(group.type, 0);
  }
  kernels_.reserve(tasks.size());
  const TaskShares share_of_task(graph_, inputs.design);
  std::uint8_t lowest = 0;
  for (const TaskId task : tasks) lowest = levels.empty() ? lowest : std::max(lowest, levels[index(task)]);
  arrived_.resize(std::size_t{lowest} + 1);
  for (std::uint32_t first = 0; const TaskId id : tasks) {
    const Task& task = graph_[id];
    const TaskTraits& traits = graph_.traits(id);
    const bool rank = is_collective(task.operation);
    const std::uint32_t blocks =
        rank ? rank_cores(inputs, task, cores, shares, share_of_task.of(id)) : static_cast<std::uint32_t>(traits.blocks);
    kernels_.push_back({.task = id,
                        .first_block = first,
                        .blocks = blocks,
                        .needs = task.traits,
                        .co_resident = traits.co_resident,
                        .cluster = traits.cluster,
                        .cooperative = traits.cooperative && blocks > 1,
                        .type = task.core_type,
                        .other = traits.other_type.value_or(task.core_type),
                        .level = levels.empty() ? std::uint8_t{0} : levels[index(id)],
                        .share = static_cast<std::uint8_t>(share_of_task.of(id)),
                        .rank = rank,
                        .prologue = has_prologue(traits) && (ahead_ || (traits.prologue_bytes > 0 && !costs_.given()))});
    if (Remote remote = remote_inputs(graph_, id); !rank && !remote.empty())
      remote_.emplace(static_cast<std::uint32_t>(kernels_.size() - 1), std::move(remote));
    if (!rank) first += blocks;
    if (traits.co_resident != 0) meetings_.expect(traits.co_resident, blocks);
    if (task.traits >= needs_.size()) needs_.resize(task.traits + 1);
    needs_[task.traits] = block_needs(traits, inputs.machine.core_limits);
  }
  if (!remote_.empty()) reads_.emplace(calendar_, machine_, number, static_cast<PeerReads::Listener&>(*this));
}

void Device::begin_again() {
  for (const Kernel& kernel : kernels_) {
    if (kernel.co_resident != 0) meetings_.expect(kernel.co_resident, kernel.blocks);
  }
  for (Kernel& kernel : kernels_) {
    kernel.placed = kernel.begun = kernel.triggered = kernel.ended = 0;
    kernel.came = kernel.arrived = false;
  }
  for (Line& line : arrived_) line = {};
}

void Device::come(std::uint32_t kernel, TimePoint now) {
  if (kernels_[kernel].came) return;
  kernels_[kernel].came_at = now;
  line_up(kernel, now);
}

void Device::arrive(std::uint32_t id, TimePoint now) {
  Kernel& kernel = kernels_[id];
  if (kernel.rank) return kernel.blocks == 0 ? listener_.placed(id, now) : line_up(id, now);
  events_.received(kernel.task, kNoCore, now);
  kernel.arrived = true;
  if (!kernel.came) return line_up(id, now);
  for (std::uint32_t block = kernel.first_block; block < kernel.first_block + kernel.placed; ++block) begin_block(block, now);
}

void Device::line_up(std::uint32_t kernel, TimePoint now) {
  kernels_[kernel].came = true;
  arrived_[kernels_[kernel].level].kernels.push_back(kernel);
  ++waiting_;
  serve(now);
}

void Device::handle(EventKind kind, std::uint32_t subject, TimePoint now) {
  if (kind == EventKind::kBodyEnd) {
    blocks_[subject].stage == Stage::kPrologue ? end_prologue(subject, now) : end_block(subject, now);
  } else if (kind == EventKind::kPrologue) {
    if (blocks_[subject].stage == Stage::kPlaced && blocks_[subject].prologue_at == now) begin_prologue(subject, now);
  } else if (kind == EventKind::kBlockFed) {
    begin_block(subject, now);
  } else if (kind == EventKind::kReadMoves) {
    read_remote(subject, now);
  } else if (kind == EventKind::kEndSeen) {
    listener_.kernel_ended(subject, kernels_[subject].task, now);
  } else if (kind == EventKind::kTrigger) {
    if (blocks_[subject].trigger == now) reach_trigger(subject, now);
  } else {
    placing_ = false;
    serve(now);
  }
}

void Device::serve(TimePoint now) {
  for (Line& line : arrived_) {
    while (line.handed_over < line.kernels.size() && (most_resident_ == 0 || resident_ < most_resident_)) {
      const std::uint32_t kernel = line.kernels[line.handed_over++];
      --waiting_;
      ++resident_;
      const auto urgent = [this](std::uint32_t a, std::uint32_t b) { return kernels_[a].level < kernels_[b].level; };
      leftover_.insert(std::upper_bound(leftover_.begin(), leftover_.end(), kernel, urgent), kernel);
      if (!kernels_[kernel].rank) listener_.handed_over(kernel, now);
    }
  }
  place(now);
}

void Device::place(TimePoint now) {
  full_ = 0;
  auto kept = leftover_.begin();
  auto next = leftover_.begin();
  for (; next != leftover_.end() && full_ != all_pools_; ++next) {
    if (!place_blocks(*next, now)) *kept++ = *next;
  }
  leftover_.erase(kept, next);
}

/// Whether none is left over.
bool Device::place_blocks(std::uint32_t id, TimePoint now) {
  const Kernel& kernel = kernels_[id];
  if (kernel.cooperative) return place_together(id, now);
  while (kernel.placed < kernel.blocks) {
    if (kernel.cluster > 1) {
      if (place_cluster(id, now)) continue;
      full_ |= pools(kernel.type, kernel.share);
      return false;
    }
    CoreType type = kernel.type;
    CoreId core = take_seat(kernel, type);
    if (core == kNoCore && kernel.other != type) core = take_seat(kernel, type = kernel.other);
    if (core == kNoCore) {
      full_ |= pools(kernel.type, kernel.share) | pools(kernel.other, kernel.share);
      return false;
    }
    start_block(id, core, type, now);
  }
  return true;
}

bool Device::place_cluster(std::uint32_t id, TimePoint now) {
  std::vector<CoreId> cores;
  if (!take_cluster(kernels_[id], cores)) return false;
  for (const CoreId core : cores) start_block(id, core, kernels_[id].type, now);
  return true;
}

bool Device::take_cluster(const Kernel& kernel, std::vector<CoreId>& cores) {
  return (pools(kernel.type, kernel.share) & full_) == 0 &&
         seats_.take_cluster(kernel.type, needs_[kernel.needs], kernel.cluster, kernel.share, cores);
}

/// All blocks of a cooperative kernel, or none.
bool Device::place_together(std::uint32_t id, TimePoint now) {
  const Kernel& kernel = kernels_[id];
  std::vector<CoreId> cores;
  while (cores.size() < kernel.blocks) {
    const std::size_t before = cores.size();
    if (kernel.cluster > 1) {
      take_cluster(kernel, cores);
    } else if (const CoreId core = take_seat(kernel, kernel.type); core != kNoCore) {
      cores.push_back(core);
    }
    if (cores.size() > before) continue;
    for (const CoreId core : cores) seats_.give_back(core, kernel.type, needs_[kernel.needs]);
    full_ |= pools(kernel.type, kernel.share);
    return false;
  }
  for (const CoreId core : cores) start_block(id, core, kernel.type, now);
  return true;
}

CoreId Device::take_seat(const Kernel& kernel, CoreType type) {
  return (pools(type, kernel.share) & full_) != 0 ? kNoCore : seats_.take(type, needs_[kernel.needs], kernel.share);
}

void Device::start_block(std::uint32_t id, CoreId core, CoreType type, TimePoint now) {
  Kernel& kernel = kernels_[id];
  const std::uint32_t block = kernel.first_block + kernel.placed++;
  if (kernel.rank) {
    held_[id].push_back(core);
    if (kernel.placed == kernel.blocks) listener_.placed(id, now);
    return;
  }
  blocks_[block] = {id, core, now, type};
  if (!kernel.arrived) return wait_block(block, now);
  if (per_block_ <= Nanoseconds{0}) return begin_block(block, now);
  const auto at = static_cast<double>(to_ns(now));
  const double there = std::max(fed_, at);
  fed_ = there + per_block_.count();
  there > at ? calendar_.schedule(now + round_ns(Nanoseconds{there - at}), EventKind::kBlockFed, block, *this) : begin_block(block, now);
}

/// On the device before its kernel may begin: it does what needs none of those that this waits for.
void Device::wait_block(std::uint32_t block, TimePoint now) {
  const Kernel& kernel = kernels_[blocks_[block].kernel];
  if (!kernel.prologue) return;
  blocks_[block].prologue_at = std::max(kernel.came_at + after_trigger_, now + after_room_);
  calendar_.schedule(blocks_[block].prologue_at, EventKind::kPrologue, block, *this);
}

/// In its prologue.
bool Device::reads_on_shared_core(const Kernel& kernel) const {
  return blocks_differ_ && !needs_[kernel.needs].whole_core && graph_.traits(kernel.task).prologue_bytes > 0;
}

void Device::begin_prologue(std::uint32_t block, TimePoint now) {
  const Kernel& kernel = kernels_[blocks_[block].kernel];
  const CoreId core = blocks_[block].core;
  const BodyCost cost = prologue_cost(graph_.traits(kernel.task));
  blocks_[block].stage = Stage::kPrologue;
  if (reads_on_shared_core(kernel))
    return bodies_.start(block, cost, now, paths_.of[index(core)], core, body_share(machine_, graph_, kernel.task, cost));
  const TimePoint end = bodies_.start(block, cost, now, paths_.of[index(core)]);
  if (is_present(end)) body_ended(block, end);
}

void Device::end_prologue(std::uint32_t block, TimePoint now) {
  blocks_[block].stage = Stage::kReady;
  if (reads_on_shared_core(kernels_[blocks_[block].kernel])) bodies_.gone(block, now);
  if (!ahead_) return begin_body(block, now);
  if (kernels_[blocks_[block].kernel].arrived) begin_block(block, now);
}

void Device::begin_block(std::uint32_t block, TimePoint now) {
  Kernel& kernel = kernels_[blocks_[block].kernel];
  if (kernel.prologue && ahead_ && blocks_[block].stage != Stage::kReady) {
    if (blocks_[block].stage == Stage::kPlaced) begin_prologue(block, now);
    return;
  }
  blocks_[block].started = now;
  if (kernel.begun++ == 0) {
    events_.started(kernel.task, now);
    listener_.begun(blocks_[block].kernel, now);
  }
  if (kernel.co_resident == 0) return begin_body(block, now);
  meetings_.come(kernel.co_resident, *this, block, now);
}

void Device::begin_body(std::uint32_t block, TimePoint now) {
  if (kernels_[blocks_[block].kernel].prologue && blocks_[block].stage == Stage::kPlaced) return begin_prologue(block, now);
  if (!reads_ || !remote_.contains(blocks_[block].kernel)) return run_body(block, now);
  calendar_.schedule(now + round_ns(machine_.peers->read_latency), EventKind::kReadMoves, block, *this);
}

void Device::read_remote(std::uint32_t block, TimePoint now) {
  if (!reads_) return run_body(block, now);
  const std::uint32_t kernel = blocks_[block].kernel;
  const Remote& remote = remote_.at(kernel);
  blocks_[block].reading = static_cast<std::uint32_t>(remote.size());
  reads_->start(block, remote, static_cast<int>(kernels_[kernel].blocks), now);
}

void Device::peer_read_ended(std::uint32_t block, TimePoint now) {
  if (--blocks_[block].reading == 0) run_body(block, now);
}

void Device::run_body(std::uint32_t block, TimePoint now) {
  const CoreId core = blocks_[block].core;
  const Kernel& kernel = kernels_[blocks_[block].kernel];
  Duration longer = launched_.start(graph_[kernel.task].kernel, core);
  if (kernel.blocks > 1 && !costs_.given()) longer += round_ns(cost_of_kernel(kernel).grid);
  if (blocks_differ_ && !needs_[kernel.needs].whole_core) {
    const BodyCost body = in_stated_block(machine_.constants(), graph_, kernel.task, cost(blocks_[block], longer));
    if (kernel.watched) set_trigger(block, body.alone(machine_.constants()), now);
    return bodies_.start(block, body, now, paths_.of[index(core)], core, body_share(machine_, graph_, kernel.task, body));
  }
  const TimePoint end = plain_ ? now + costs_.fixed(kernel.task) - done_before(kernel) + longer
                               : bodies_.start(block, cost(blocks_[block], longer), now, paths_.of[index(core)]);
  if (kernel.watched) set_trigger(block, is_present(end) ? end - now : cost(blocks_[block], longer).alone(machine_.constants()), now);
  if (is_present(end)) body_ended(block, end);
}

/// Of a body that takes so long by itself.
void Device::set_trigger(std::uint32_t block, Duration body, TimePoint now) {
  const int quarters = static_cast<int>(trigger_);
  blocks_[block].trigger = now + body * quarters / 4;
  if (quarters == 0) return reach_trigger(block, now);
  if (trigger_ != ProgrammaticTrigger::kEnd) calendar_.schedule(blocks_[block].trigger, EventKind::kTrigger, block, *this);
}

void Device::reach_trigger(std::uint32_t block, TimePoint now) {
  blocks_[block].trigger = kAbsent;
  Kernel& kernel = kernels_[blocks_[block].kernel];
  if (++kernel.triggered == kernel.blocks) listener_.triggered(blocks_[block].kernel, now);
}

void Device::body_ended(std::uint32_t block, TimePoint end) { calendar_.schedule(end, EventKind::kBodyEnd, block, *this); }

void Device::end_block(std::uint32_t number, TimePoint now) {
  const Block& block = blocks_[number];
  Kernel& kernel = kernels_[block.kernel];
  if (is_present(block.trigger)) reach_trigger(number, now);
  bodies_.gone(number, now);
  seats_.give_back(block.core, block.type, needs_[kernel.needs]);
  const std::span<const CoreId> cores = seats_.taken(block.core, block.type);
  if (on_streams_ || kernel.blocks > 1 || cores.size() > 1) {
    for (const CoreId core : cores) events_.block_ran({kernel.task, told(core), block.started, now, kAbsent});
  }
  if (++kernel.ended == kernel.blocks) {
    --resident_;
    events_.ended(kernel.task, now);
    const Duration seen = kernel.blocks > 1 ? round_ns(cost_of_kernel(kernel).grid_end) : Duration{0};
    seen > Duration{0} ? calendar_.schedule(now + seen, EventKind::kEndSeen, block.kernel, *this)
                       : listener_.kernel_ended(block.kernel, kernel.task, now);
  }
  place_later(now);
}

void Device::place_later(TimePoint now) {
  if (placing_ || (waiting_ == 0 && leftover_.empty())) return;
  placing_ = true;
  calendar_.schedule(now, EventKind::kPlace, 0, *this);
}

void Device::give_back(std::uint32_t id, TimePoint now) {
  const Kernel& kernel = kernels_[id];
  if (kernel.blocks == 0) return;
  const auto held = held_.extract(id);
  for (const CoreId core : held.mapped()) seats_.give_back(core, kernel.type, needs_[kernel.needs]);
  --resident_;
  place_later(now);
}

BodyCost Device::cost(const Block& block, Duration longer) const {
  const Kernel& kernel = kernels_[block.kernel];
  const TaskId task = kernel.task;
  BodyCost cost = costs_.on(task, block.type);
  if (kernel.blocks > 1 && !costs_.given()) {
    const auto number = static_cast<std::uint32_t>(&block - blocks_.data()) - kernel.first_block;
    cost = drawn_body(cost_of_kernel(kernel), cost, seed_, graph_.draw(task), number);
  }
  cost.overhead += longer - done_before(kernel);
  if (machine_.devices.count() == 1) {
    for (const std::int64_t bytes : graph_.input_bytes(task)) cost.bytes.count += bytes;
  }
  return cost;
}

Duration Device::done_before(const Kernel& kernel) const {
  return kernel.prologue && !costs_.given() ? prologue_alone(machine_.constants(), graph_.traits(kernel.task)) : Duration{0};
}

Device::PoolSet Device::pools(CoreType type, int share) const {
  if (type == CoreType::kMix) return cluster_pools_;
  return PoolSet{1} << (static_cast<std::size_t>(share) * kCoreTypeCount + static_cast<std::size_t>(type));
}

}  // namespace tasktwin::sim
