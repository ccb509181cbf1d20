#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "models/policies/policies.hpp"
#include "sim/control/state/core_shares.hpp"
#include "sim/control/state/mailboxes.hpp"
#include "sim/engine/run_context.hpp"
#include "sim/queues/server.hpp"
#include "sim/queues/work_queue.hpp"

namespace tasktwin::sim {

/// Whether the first task of a queue delays those after it (Design::head_of_line); with tasks for one type of core alone all orders are
/// that order.
bool keeps_line(const Design& design, const TaskGraph& graph);

/// Whether dispatchers inspect the tasks of a queue before they take one, and so lock it: where they have several queues, tasks of
/// several blocks or spawned ones, or choose cores by their load, and always if they are threads of the host.
bool locks_queues(const Design& design, const TaskGraph& graph, std::size_t dispatchers);

/// The ready queues that dispatchers push to and take from, as the design lays them out:
///   shared, per_core_type        one for all (held by one operation at a time, or by one for each type)
///   per_dispatcher, sharded      one a home (models/rules/home.hpp), of use where its dispatchers look after cores that can run the task
///   per_worker                   one a core, filled when a task becomes ready, by a frozen placement or by a core policy
///   per_worker_and_shared        the frozen ones, and a shared one for the other tasks
class DispatchQueues {
 public:
  /// `counts` by dispatcher: the cores it looks after. `loads` by CoreId and `past_runs` by TaskId, both kept by the caller.
  DispatchQueues(const WiringInputs& inputs, std::span<const CoreCounts> counts, std::span<const CoreLoad> loads,
                 std::span<const PastRun> past_runs);

  struct Pushed {
    std::size_t shard = 0;
    CoreType type{};
  };
  /// `by` is a dispatcher, or none where others push.
  Pushed push(std::optional<std::uint32_t> by, TaskId task);

  /// Where `dispatcher` finds tasks for `core`, in the order in which it looks.
  struct Sources {
    std::array<std::size_t, 2> shards{};
    std::size_t count = 0;
    const std::size_t* begin() const { return shards.data(); }
    const std::size_t* end() const { return shards.data() + count; }
  };
  Sources sources(std::uint32_t dispatcher, std::size_t core) const {
    if (one_) return {{0, 0}, 1};
    return layout_sources(dispatcher, core);
  }

  bool single() const { return one_; }
  /// Whether `dispatcher` may hand over no task for one core, since one for a cluster waits in its queue.
  /// Contract: `core` is its own.
  bool mix_goes_first(std::uint32_t dispatcher, std::size_t core) const {
    return mix_first_ && !queues_.empty(*sources(dispatcher, core).begin(), CoreType::kMix);
  }
  /// Whether what one dispatcher takes can let others take what they could not before: under a head of line, where the first task needs
  /// several cores at once, and for clusters, which are not given tasks ahead while another dispatcher has an idle one.
  bool holds_up() const { return holds_up_; }
  std::size_t shards() const { return queues_.shards(); }
  /// Whether one operation can be on both queues.
  bool held_together(const Pushed& a, const Pushed& b) const { return a.shard == b.shard && (!per_type_ || a.type == b.type); }
  /// The types, as bits, whose queue is held with that of `type`.
  std::uint32_t charged_with(CoreType type) const { return per_type_ ? 1u << static_cast<unsigned>(type) : ~0u; }
  bool per_worker() const { return per_worker_; }
  bool empty(std::size_t shard, CoreType type) const { return queues_.empty(shard, type); }
  std::size_t size(std::size_t shard, CoreType type) const { return queues_.size(shard, type); }
  std::size_t waiting() const { return waiting_; }
  TaskId front(std::size_t shard, CoreType type) const { return queues_.front(shard, type); }
  /// Whether the first of `type` may be taken: under a strict head of line, if it is the first of all. Contract: !empty(shard, type).
  bool may_take(std::size_t shard, CoreType type) const { return !strict_ || queues_.is_head(shard, type); }
  TaskId pop(std::size_t shard, CoreType type);
  /// Whether `dispatcher` could take from `shard` for one of its cores, by itself or as a thief.
  bool reaches(std::uint32_t dispatcher, std::size_t shard) const;

  /// When an operation on a queue that begins at `now` is over, which takes `further` more: what others have left there comes from their
  /// caches. A processor that has to wait for them pays for that as part of the contention.
  TimePoint operate(std::size_t shard, CoreType type, TimePoint now, Nanoseconds further = {}) {
    if (service_ == Duration{0}) return now;
    const std::size_t server = one_server_ ? 0 : per_type_ ? static_cast<std::size_t>(type) : shard;
    const Duration fetch = round_ns(further);
    return servers_[server].serve(now, service_ + fetch, std::max(Duration{0}, contention_ - fetch));
  }

  /// A thief whose queue `into` has nothing of `type` goes round the others. Until the theft is over what is stolen is in no queue;
  /// then store() puts it into the thief's. Contract: the design steals.
  struct Theft {
    TimePoint end;
    std::size_t into = 0;
    CoreType type{};
    std::vector<TaskId> stolen = {};  ///< empty where all others have nothing either
  };
  Theft steal(std::size_t into, CoreType type, TimePoint now);
  void store(const Theft& theft);

 private:
  Sources layout_sources(std::uint32_t dispatcher, std::size_t core) const;
  std::size_t home_for(std::optional<std::uint32_t> by, TaskId task);
  std::size_t home_of(std::uint32_t dispatcher) const;
  std::size_t worker_for(TaskId task);
  CoreType type_in(std::size_t shard, TaskId task) const;
  bool looked_after(std::size_t home, CoreType type) const { return counts_[home][static_cast<std::size_t>(type)] > 0; }
  bool usable(std::size_t home, TaskId task) const;

  const TaskGraph& graph_;
  const Design& design_;
  const mechanism::ReadyQueues& times_;
  Duration look_;  ///< at another's queue in vain: a hop between control cores
  std::span<const CoreType> cores_;
  std::span<const Duration> durations_;
  std::span<const CoreLoad> loads_;
  std::vector<CoreCounts> counts_;      ///< by home: the most that one of its dispatchers looks after
  std::vector<std::uint32_t> frozen_;   ///< by TaskId: its core, kNotFrozen for none; empty where nothing is frozen
  std::unique_ptr<CorePolicy> policy_;  ///< of a dynamic placement into per_worker queues
  std::unique_ptr<VictimPolicy> victims_;
  std::function<std::uint32_t(std::uint32_t)> steal_size_;
  WorkQueues queues_;
  std::vector<Duration> queued_;  ///< by shard: expected work that waits; per_worker queues with a core policy
  std::vector<Server> servers_;
  Duration service_;
  Duration contention_;
  bool per_worker_;
  bool one_;         ///< a single shard
  bool one_server_;  ///< for all of its types
  bool per_type_;
  bool strict_;
  bool mix_first_;
  bool holds_up_;
  std::size_t homes_ = 1;
  std::uint32_t turn_ = 0;  ///< of tasks that no dispatcher pushes
  std::size_t waiting_ = 0;
  std::uint64_t thefts_ = 0;
  std::vector<std::size_t> lengths_;
};

}  // namespace tasktwin::sim
