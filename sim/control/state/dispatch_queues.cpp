#include "sim/control/state/dispatch_queues.hpp"

#include <algorithm>
#include <limits>

#include "models/machine/clusters.hpp"
#include "models/rules/home.hpp"
#include "models/runtimes/runtimes.hpp"
#include "sim/queues/frozen_order.hpp"

namespace tasktwin::sim {

namespace {

constexpr std::uint32_t kNotFrozen = std::numeric_limits<std::uint32_t>::max();

std::size_t home_count(const Design& design, std::size_t dispatchers) {
  return rules::home_count(design.ready_queue, static_cast<std::uint32_t>(design.shards), static_cast<std::uint32_t>(dispatchers));
}

std::size_t shard_count(const Design& design, std::size_t dispatchers, std::size_t cores) {
  if (design.ready_queue == ReadyQueue::kPerWorker) return cores;
  if (lists_some(design)) return cores + 1;
  return home_count(design, dispatchers);
}

}  // namespace

bool keeps_line(const Design& design, const TaskGraph& graph) {
  return design.head_of_line == HeadOfLine::kStrict && !graph.has_one_core_type();
}

bool locks_queues(const Design& design, const TaskGraph& graph, std::size_t dispatchers) {
  if (runtime_of(design).host_dispatched() || keeps_line(design, graph)) return true;
  const bool shares = home_count(design, dispatchers) > 1 || design.placement == Placement::kLeastLoaded;
  return shares || graph.has_wide_tasks() || graph.has_spawns();
}

DispatchQueues::DispatchQueues(const WiringInputs& inputs, std::span<const CoreCounts> counts, std::span<const CoreLoad> loads,
                               std::span<const PastRun> past_runs)
    : graph_(inputs.graph),
      design_(inputs.design),
      times_(*inputs.machine.ready_queues),
      look_(round_ns(inputs.machine.control.hop)),
      cores_(inputs.cores),
      durations_(inputs.durations),
      loads_(loads),
      queues_(graph_, order_of(inputs), inputs.lists.empty() ? design_.order : TaskOrder::kPriority, cores_, durations_,
              shard_count(design_, counts.size(), cores_.size()), &inputs.calendar),
      service_(
          round_ns(times_.service + (locks_queues(design_, graph_, counts.size()) ? inputs.machine.control.locked_queue : Nanoseconds{0}))),
      contention_(locks_queues(design_, graph_, counts.size()) ? round_ns(inputs.machine.control.queue_contention) : Duration{0}),
      per_worker_(design_.ready_queue == ReadyQueue::kPerWorker || lists_some(design_)),
      one_(queues_.shards() == 1 && !per_worker_),
      one_server_(design_.ready_queue == ReadyQueue::kShared),
      per_type_(design_.ready_queue == ReadyQueue::kPerCoreType),
      strict_(keeps_line(design_, graph_)),
      mix_first_(design_.head_of_line == HeadOfLine::kMixFirst && has_mix_tasks(graph_)),
      holds_up_(strict_ || mix_first_ || (graph_.has_wide_tasks() && (design_.gang != Gang::kApart || has_mix_tasks(graph_)))),
      homes_(home_count(design_, counts.size())) {
  if (strict_) queues_.compare_types(graph_.size());
  servers_.resize(std::max(queues_.shards(), kCoreTypeCount));
  counts_.resize(homes_);
  for (std::uint32_t d = 0; d < counts.size(); ++d) {
    CoreCounts& of_home = counts_[home_of(d)];
    for (std::size_t type = 0; type < kCoreTypeCount; ++type) of_home[type] = std::max(of_home[type], counts[d][type]);
  }
  if (!inputs.lists.empty()) {
    frozen_.assign(graph_.size(), kNotFrozen);
    for (std::uint32_t core = 0; core < inputs.lists.size(); ++core) {
      for (const TaskId task : inputs.lists[core]) frozen_[index(task)] = core;
    }
  } else if (per_worker_) {
    policy_ = make_core_policy(design_, graph_, past_runs);
    queued_.resize(queues_.shards());
  }
  if (design_.stealing == Stealing::kOff) return;
  victims_ = make_victim_policy(design_, inputs.chance);
  steal_size_ = make_steal_size(design_);
}

DispatchQueues::Pushed DispatchQueues::push(std::optional<std::uint32_t> by, TaskId task) {
  ++waiting_;
  if (one_) return {0, queues_.push(0, task)};
  const std::size_t shard = per_worker_ ? worker_for(task) : home_for(by, task);
  if (!queued_.empty()) queued_[shard] += durations_[index(task)];
  const CoreType type = type_in(shard, task);
  queues_.push(shard, task, type);
  return {shard, type};
}

/// Of a task that may run on two types the one that a dispatcher which takes from `shard` owns.
CoreType DispatchQueues::type_in(std::size_t shard, TaskId task) const {
  if (per_worker_ && shard < cores_.size()) return cores_[shard];
  const CoreType chosen = queues_.choose_type(task);
  if (per_worker_ || looked_after(shard, chosen)) return chosen;
  const CoreType own = graph_[task].core_type;
  return chosen == own ? *graph_.traits(task).other_type : own;
}

DispatchQueues::Sources DispatchQueues::layout_sources(std::uint32_t dispatcher, std::size_t core) const {
  if (design_.ready_queue == ReadyQueue::kPerWorker) return {{core, 0}, 1};
  if (lists_some(design_)) return {{core, cores_.size()}, 2};
  return {{home_of(dispatcher), 0}, 1};
}

TaskId DispatchQueues::pop(std::size_t shard, CoreType type) {
  --waiting_;
  const TaskId task = queues_.pop(shard, type);
  if (!queued_.empty()) queued_[shard] -= durations_[index(task)];
  return task;
}

bool DispatchQueues::usable(std::size_t home, TaskId task) const {
  const CoreType type = graph_[task].core_type;
  const TaskTraits& traits = graph_.traits(task);
  const auto at_once = static_cast<std::size_t>(design_.gang != Gang::kApart ? traits.blocks : 1);
  return counts_[home][static_cast<std::size_t>(type)] >= at_once || (traits.other_type && looked_after(home, *traits.other_type));
}

std::size_t DispatchQueues::home_for(std::optional<std::uint32_t> by, TaskId task) {
  const auto can_use = [&](std::uint32_t home) { return usable(home, task); };
  const auto homes = static_cast<std::uint32_t>(homes_);
  if (!by) return rules::deal(turn_, homes, can_use);
  return rules::first_usable(static_cast<std::uint32_t>(home_of(*by)), homes, can_use);
}

std::size_t DispatchQueues::home_of(std::uint32_t dispatcher) const {
  return rules::home_of(dispatcher, static_cast<std::uint32_t>(homes_));
}

std::size_t DispatchQueues::worker_for(TaskId task) {
  if (!frozen_.empty()) return frozen_[index(task)] == kNotFrozen ? cores_.size() : frozen_[index(task)];
  std::vector<Candidate> candidates;
  const std::optional<CoreType>& other = graph_.traits(task).other_type;
  for (std::size_t core = 0; core < cores_.size(); ++core) {
    if (cores_[core] != graph_[task].core_type && cores_[core] != other) continue;
    const int queued = static_cast<int>(queues_.size(core, cores_[core]));
    candidates.push_back({core_id(core), loads_[core].held + queued, loads_[core].expected + queued_[core]});
  }
  return index(candidates[*policy_->choose(task, candidates)].core);
}

bool DispatchQueues::reaches(std::uint32_t dispatcher, std::size_t shard) const {
  return one_ || victims_ || per_worker_ || home_of(dispatcher) == shard;
}

DispatchQueues::Theft DispatchQueues::steal(std::size_t into, CoreType type, TimePoint now) {
  lengths_.clear();
  for (std::size_t shard = 0; shard < queues_.shards(); ++shard) lengths_.push_back(queues_.size(shard, type));
  const std::uint64_t round = thefts_++;
  for (std::size_t attempt = 0;; ++attempt) {
    const std::optional<std::size_t> victim = victims_->next_victim(into, round, attempt, lengths_);
    if (!victim) return {now, into, type};
    if (lengths_[*victim] == 0 || !(per_worker_ || usable(into, queues_.back(*victim, type)))) {
      now += look_;
      continue;
    }
    std::uint32_t wanted = steal_size_(static_cast<std::uint32_t>(lengths_[*victim]));
    Theft theft{operate(*victim, type, now) + round_ns(times_.steal), into, type};
    for (; wanted > 0 && (per_worker_ || usable(into, queues_.back(*victim, type))); --wanted) {
      theft.stolen.push_back(queues_.pop_last(*victim, type));
      if (!queued_.empty()) queued_[*victim] -= durations_[index(theft.stolen.back())];
    }
    return theft;
  }
}

void DispatchQueues::store(const Theft& theft) {
  for (const TaskId task : theft.stolen) {
    queues_.push(theft.into, task, theft.type);
    if (!queued_.empty()) queued_[theft.into] += durations_[index(task)];
  }
}

}  // namespace tasktwin::sim
