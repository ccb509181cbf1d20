#include <algorithm>
#include <deque>

#include "models/base/sparse.hpp"
#include "models/policies/policies.hpp"
#include "sim/engine/hop_spread.hpp"
#include "sim/queues/server.hpp"
#include "sim/queues/work_queue.hpp"
#include "sim/wirings.hpp"
#include "sim/workers/backoff.hpp"
#include "sim/workers/claim_sizes.hpp"
#include "sim/workers/homes.hpp"
#include "sim/workers/workers.hpp"

namespace tasktwin::sim {

namespace {

std::size_t shard_count(const Design& design, std::size_t workers) {
  return rules::home_count(design.ready_queue, static_cast<std::uint32_t>(design.shards), static_cast<std::uint32_t>(workers));
}

/// Queues that several cores take from: one for all core types, one for each, or shards, of which each core has a home. A
/// queue is a ring of slots with two counters: the finishing core writes a ready task to the next slot, a core claims the
/// next slot to read (its ticket) and waits for it to be written. A claim made at t reaches the memory at
/// t + atomic_latency / 2, is served when those before it have been, for atomic_service, and is back after another
/// atomic_latency / 2. The k-th task pushed goes to the k-th ticket:
///   dispatched = max(claim back, pushed)
///   received   = max(claim back + 2 · read_latency, pushed + ready_queues.hop ± counter_hop_spread)
/// plus a back-off where that waited for the push. A claim of several tickets serves them one after the other: for the later
/// ones the begin of the fetch takes the place of `claim back`. A task of several blocks takes a ticket a block. Under another order
/// than fifo the queue is one that no ring of slots can be: the best waiting task goes to the ticket that has waited longest
/// since its claim reached the memory.
/// With a queue_service, one operation at a time holds the queue: a claim for atomic_service + queue_service, a push for
/// queue_service, after which it is pushed. Tasks of all types share one queue's service, but for a queue a core type.
class SharedQueue final : public Workers {
 public:
  explicit SharedQueue(const WiringInputs& inputs)
      : Workers(inputs, PublishCost::to_shared_queue(inputs.machine)),
        both_reads_(round_ns(2 * inputs.machine.memory->read_latency)),
        queue_hop_(round_ns(inputs.machine.ready_queues->hop)),
        hops_(inputs.machine.resident_cores->counter_hop_spread, kHops),
        half_atomic_(round_ns(inputs.machine.memory->atomic_latency / 2)),
        claim_service_(round_ns(inputs.machine.memory->atomic_service + inputs.machine.ready_queues->service)),
        push_service_(round_ns(inputs.machine.ready_queues->service)),
        per_core_type_(inputs.design.ready_queue == ReadyQueue::kPerCoreType),
        wide_(graph_.has_wide_tasks()),
        backoff_(inputs.design, inputs.chance),
        claim_sizes_(inputs.graph, inputs.design, inputs.cores),
        homes_(inputs.cores, shard_count(inputs.design, count())),
        tasks_(graph_, make_task_order(inputs.design, {graph_, inputs.durations, inputs.seed}), inputs.design.order, inputs.cores,
               inputs.durations, homes_.count(), &inputs.calendar),
        tickets_(homes_.count()),
        servers_(per_core_type_ ? kCoreTypeCount : homes_.count()),
        takers_(count()),
        held_(count()),
        pushes_(graph_.size()) {
    for (std::size_t i = 0; i < graph_.size(); ++i) {
      if (is_gathered(task_id(i))) claim_sizes_.leave_out(graph_, task_id(i));
    }
  }

 private:
  struct Tickets {
    CoreId core;             ///< kNoCore: those of several that claimed together
    std::uint32_t left = 0;  ///< or which of together_
  };
  /// First claims that nothing was there for, one claim_service after the other: cores `apart` from each other in number.
  struct Together {
    std::uint32_t core;  ///< the first that is left
    std::uint32_t apart;
    std::uint32_t cores;  ///< that are left
    std::uint32_t size;   ///< of each claim
    TimePoint back;       ///< of the first
  };
  using Line = std::deque<Tickets>;  ///< in the order of service
  using Lines = std::array<Line, kCoreTypeCount>;
  struct Taker {
    std::uint32_t held = 0;     ///< tasks that met its tickets, not yet fetched
    std::uint32_t tickets = 0;  ///< that have met no task
    bool looks = false;         ///< a fetch with a ticket is in flight
    TimePoint from{};           ///< since when it may look
  };
  struct Push {
    std::uint32_t shard = 0;
    CoreType type{};
    TimePoint at = kAbsent;
  };

  Server& server(std::size_t shard, CoreType type) { return servers_[per_core_type_ ? static_cast<std::size_t>(type) : shard]; }

  /// All claim at the same time, in the order of CoreId: the next one's is scheduled as the one before it does.
  void all_begin() override {
    if (count() > 0) calendar_.schedule(TimePoint{half_atomic_}, EventKind::kClaim, begun_, *this);
  }

  void has_room(CoreId core) override {
    const std::optional<TimePoint> begin = fetch(core).begin();
    if (!begin) return;
    Taker& taker = takers_[index(core)];
    if (has_handed(core)) {
      get_handed(core, *begin);
    } else if (taker.tickets == 0 && taker.held == 0) {
      calendar_.schedule(*begin + half_atomic_, EventKind::kClaim, static_cast<std::uint32_t>(index(core)), *this);
    } else {
      look(core, *begin);
    }
  }

  void happened(EventKind kind, std::uint32_t subject, TimePoint now) override {
    if (kind == EventKind::kPushed) {
      const Push& push = pushes_[subject];
      enqueue(push.shard, push.type, TaskId{subject});
    } else if (subject == begun_) {
      claim_first(now);
    } else {
      claim(CoreId{subject}, now);
    }
  }

  /// A worker that waits at its ticket keeps that.
  void found_handed(CoreId core, TimePoint now) override {
    Taker& taker = takers_[index(core)];
    if (!taker.looks) return;
    taker.looks = false;
    get_handed(core, std::max(taker.from, now));
  }

  void get_handed(CoreId core, TimePoint from) {
    receive_handed(core, from + both_reads_);
    has_room(core);
  }

  /// Where nothing waits and nothing else can happen before them, all further cores claim in vain.
  void claim_first(TimePoint now) {
    const CoreId core{begun_};
    if (waiting_ == 0 && claim_sizes_.settled() && !gathers() && calendar_.is_last_of_now()) {
      begun_ = static_cast<std::uint32_t>(count());
      claim_together(index(core), now);
      return;
    }
    if (++begun_ < count()) calendar_.schedule(now, EventKind::kClaim, begun_, *this);
    fetch(core).begin();
    claim(core, now);
  }

  /// All cores from `first` on.
  void claim_together(std::size_t first, TimePoint now) {
    const auto homes = static_cast<std::uint32_t>(homes_.count());
    for (std::size_t end = first; first < count(); first = end) {
      const CoreType type = type_of(core_id(first));
      while (end < count() && type_of(core_id(end)) == type) ++end;
      for (std::size_t core = first; core < std::min(end, first + homes); ++core) {
        const std::size_t shard = homes_.of(core_id(core));
        const auto cores = static_cast<std::uint32_t>((end - core + homes - 1) / homes);
        const TimePoint back = server(shard, type).serve_all(now, claim_service_, cores) + half_atomic_;
        tickets_[shard][static_cast<std::size_t>(type)].push_back({kNoCore, static_cast<std::uint32_t>(together_.size())});
        together_.push_back({static_cast<std::uint32_t>(core), homes, cores, claim_sizes_.next(type), back});
      }
    }
  }

  /// The first of those that claimed together has a place in the line of its own.
  void take_out_first(Line& line) {
    Together& claims = together_[line.front().left];
    const CoreId core{claims.core};
    fetch(core).begin();
    takers_[index(core)] = {.held = 0, .tickets = claims.size, .looks = true, .from = claims.back};
    claims.core += claims.apart;
    claims.back += claim_service_;
    if (--claims.cores == 0) line.pop_front();
    line.push_front({core, claims.size});
  }

  void claim(CoreId core, TimePoint now) {
    if (has_handed(core)) return get_handed(core, now);
    const CoreType type = type_of(core);
    const std::size_t shard = homes_.of(core);
    const std::uint32_t size = claim_sizes_.next(type);
    claim_sizes_.taken(type, size);
    const TimePoint back = server(shard, type).serve(now, claim_service_) + half_atomic_;
    takers_[index(core)].tickets += size;
    takers_[index(core)].from = back;
    takers_[index(core)].looks = true;
    tickets_[shard][static_cast<std::size_t>(type)].push_back({core, size});
    match(shard, type);
  }

  void released(TaskId task, CoreId by, TimePoint now) override {
    const CoreType type = tasks_.choose_type(task);
    const std::size_t shard = homes_.place(by, type);
    const bool at_once = push_service_ == Duration{0};
    const TimePoint pushed = at_once ? now : server(shard, type).serve(now, push_service_);
    pushes_[index(task)] = {static_cast<std::uint32_t>(shard), type, pushed};
    if (at_once) return enqueue(shard, type, task);
    calendar_.schedule(pushed, EventKind::kPushed, static_cast<std::uint32_t>(index(task)), *this);
  }

  void enqueue(std::size_t shard, CoreType type, TaskId task) {
    const int blocks = wide_ ? graph_.traits(task).blocks : 1;
    for (int block = 0; block < blocks; ++block) tasks_.push(shard, task, type);
    waiting_ += static_cast<std::size_t>(blocks);
    match(shard, type);
  }

  void match(std::size_t shard, CoreType type) {
    Line& line = tickets_[shard][static_cast<std::size_t>(type)];
    while (!line.empty() && !tasks_.empty(shard, type)) {
      if (line.front().core == kNoCore) take_out_first(line);
      const CoreId core = line.front().core;
      if (--line.front().left == 0) line.pop_front();
      Taker& taker = takers_[index(core)];
      --taker.tickets;
      const TaskId task = tasks_.pop(shard, type);
      --waiting_;
      if (taker.looks) {
        get(core, task);
      } else {
        ++taker.held;
        held_[index(core)].push_back(task);
      }
    }
  }

  /// The core looks at the first of its tickets from `from` on.
  void look(CoreId core, TimePoint from) {
    Taker& taker = takers_[index(core)];
    taker.from = from;
    taker.looks = true;
    if (taker.held == 0) return;
    --taker.held;
    std::vector<TaskId>& held = held_[index(core)];
    const TaskId task = held.front();
    held.erase(held.begin());
    get(core, task);
  }

  void get(CoreId core, TaskId task) {
    Taker& taker = takers_[index(core)];
    taker.looks = false;
    const TimePoint pushed = pushes_[index(task)].at;
    TimePoint received = taker.from + both_reads_;
    const TimePoint comes = pushed + hops_.on(queue_hop_, index(core), index(task));
    if (comes > received) received = comes + backoff_.draw(index(core), index(task));
    receive(core, task, std::max(taker.from, pushed), received);
    has_room(core);
  }

  Duration both_reads_;  ///< of the slot, and of the task it names
  static constexpr std::uint64_t kHops = 0x40b5'0a7e;

  Duration queue_hop_;
  HopSpread hops_;
  Duration half_atomic_;
  Duration claim_service_;
  Duration push_service_;
  bool per_core_type_;
  bool wide_;  ///< some tasks have several blocks
  Backoff backoff_;
  ClaimSizes claim_sizes_;
  Homes homes_;
  WorkQueues tasks_;
  std::vector<Lines> tickets_;   ///< by shard
  std::vector<Server> servers_;  ///< by shard, or by core type
  std::vector<Together> together_;
  std::uint32_t begun_ = 0;           ///< cores before this one have made their first claim
  std::size_t waiting_ = 0;           ///< blocks that are queued and have met no ticket
  Sparse<Taker> takers_;              ///< by CoreId
  Sparse<std::vector<TaskId>> held_;  ///< by CoreId: Taker::held
  std::vector<Push> pushes_;          ///< by TaskId
};

}  // namespace

std::unique_ptr<Wiring> make_shared_queue(const WiringInputs& inputs) { return std::make_unique<SharedQueue>(inputs); }

}  // namespace tasktwin::sim
