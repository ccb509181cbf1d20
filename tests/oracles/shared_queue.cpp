#include <algorithm>
#include <map>
#include <tuple>

#include "models/policies/policies.hpp"
#include "tests/oracles/pipeline.hpp"
#include "tests/oracles/simulation.hpp"

namespace tasktwin::oracles {

namespace {

struct Waiting {
  TaskId task;
  std::size_t queue;
  std::int64_t key;
  std::int64_t arrival;
};

struct Ticket {
  std::size_t core;
  std::optional<TaskId> task;     ///< what it met
  std::optional<TimePoint> back;  ///< of the claim, for the first ticket of each
};

class Reference {
 public:
  Reference(const TaskGraph& graph, const Machine& machine, const Design& design, std::uint64_t seed)
      : graph_(graph),
        c_(machine),
        design_(design),
        durations_(expected_durations(graph, machine)),
        order_(make_task_order(design.order, {graph, durations_, seed})),
        run_(graph, machine, design, seed),
        released_(graph.size(), false),
        queued_(graph.size(), false),
        pushed_(graph.size(), kAbsent),
        home_(graph.size(), 0) {}

  Timeline run() {
    for (std::size_t i = 0; i < graph_.size(); ++i) {
      if (graph_.in_degree(task_id(i)) == 0) release(task_id(i), TimePoint{}, std::nullopt);
    }
    for (TimePoint now{}; !run_.all_published(); now += Duration{1}) {
      check_clock(now);
      if (now > TimePoint{}) run_.pass(now);
      for (bool changed = true; changed; run_.settle(now)) changed = fetch() || act(now);
    }
    run_.timeline.ready_queue = count_queue(run_.timeline.tasks);
    run_.stop();
    return run_.timeline;
  }

 private:
  std::size_t shards() const {
    if (design_.ready_queue != ReadyQueue::kSharded) return 1;
    return design_.shards > 0 ? static_cast<std::size_t>(design_.shards) : run_.cores.size();
  }
  CoreType type(std::size_t core) const { return run_.timeline.cores[core]; }
  bool serves(std::size_t shard, CoreType wanted) const {
    for (std::size_t core = shard; core < run_.cores.size(); core += shards()) {
      if (type(core) == wanted) return true;
    }
    return false;
  }
  /// Which counter an operation of `for_type` on `shard` takes its turn at.
  TimePoint& served(std::size_t shard, CoreType for_type) {
    return served_[design_.ready_queue == ReadyQueue::kPerCoreType ? 1000 + static_cast<std::size_t>(for_type) : shard];
  }

  /// Does one fetch that has what it needs. Returns false if there is none.
  bool fetch() {
    for (std::size_t core = 0; core < run_.cores.size(); ++core) {
      const Ticket* ticket = ticket_of(core, run_.cores[core].size());
      if (ticket == nullptr || !ticket->task) continue;
      const std::optional<TimePoint> from = ticket->back ? ticket->back : run_.fetch_begin(core);
      if (!from) continue;
      const TaskId task = *ticket->task;
      run_[task].dispatched = std::max(*from, pushed_[index(task)]);
      run_.receive(core, task,
                   std::max(*from + round_ns(2.0 * c_.memory->read_latency), pushed_[index(task)] + round_ns(c_.ready_queues->hop)));
      return true;
    }
    return false;
  }

  /// The core's n-th; nullptr if it has not claimed it.
  const Ticket* ticket_of(std::size_t core, std::size_t n) const {
    for (const Ticket& ticket : tickets_) {
      if (ticket.core == core && n-- == 0) return &ticket;
    }
    return nullptr;
  }

  /// Does the one thing that is first in this nanosecond. Returns false if there is none.
  bool act(TimePoint now) {
    for (std::size_t i = 0; i < graph_.size(); ++i) {
      if (released_[i] || run_.timeline.tasks[i].published != now) continue;
      released_[i] = true;
      for (const TaskId successor : graph_.successors(task_id(i))) {
        if (std::ranges::all_of(graph_.predecessors(successor), [this](TaskId p) { return released_[index(p)]; }))
          release(successor, now, index(run_.timeline.tasks[i].core));
      }
      return true;
    }
    for (std::size_t i = 0; i < graph_.size(); ++i) {
      if (queued_[i] || pushed_[i] != now) continue;
      queued_[i] = true;
      waiting_.push_back({task_id(i), home_[i], order_->key(task_id(i), static_cast<std::uint64_t>(arrivals_)), arrivals_});
      ++arrivals_;
      match();
      return true;
    }
    for (std::size_t core = 0; core < run_.cores.size(); ++core) {
      const std::optional<TimePoint> begin = run_.fetch_begin(core);
      const bool has_ticket = ticket_of(core, run_.cores[core].size()) != nullptr;
      if (has_ticket || !begin || *begin + round_ns(c_.memory->atomic_latency / 2) != now) continue;
      claim(core, now);
      match();
      return true;
    }
    return false;
  }

  void claim(std::size_t core, TimePoint now) {
    TimePoint& until = served(core % shards(), type(core));
    until = std::max(until, now) + round_ns(c_.memory->atomic_service + c_.ready_queues->service);
    std::int64_t size = design_.claim == Claim::kAll ? 1 : design_.claim_size;
    if (design_.claim == Claim::kGuided) {
      const std::int64_t tasks = std::ranges::count(graph_.tasks(), type(core), &Task::core_type);
      const std::int64_t claimed = std::ranges::count_if(tickets_, [&](const Ticket& t) { return type(t.core) == type(core); });
      const std::int64_t takers = std::ranges::count(run_.timeline.cores, type(core));
      size = std::max(size, std::max<std::int64_t>(0, tasks - claimed) / (2 * takers));
    }
    for (std::int64_t i = 0; i < size; ++i) tickets_.push_back({core, std::nullopt, std::nullopt});
    tickets_[tickets_.size() - static_cast<std::size_t>(size)].back = until + round_ns(c_.memory->atomic_latency / 2);
  }

  void release(TaskId task, TimePoint now, std::optional<std::size_t> by) {
    run_[task].ready = now;
    const CoreType wanted = graph_[task].core_type;
    std::size_t& turn = turns_[wanted];
    std::size_t shard = by ? *by % shards() : turn;
    while (!serves(shard, wanted)) shard = (shard + 1) % shards();
    if (!by) turn = (shard + 1) % shards();
    home_[index(task)] = shard;
    pushed_[index(task)] = now;
    if (round_ns(c_.ready_queues->service) > Duration{0}) {
      TimePoint& until = served(shard, wanted);
      pushed_[index(task)] = until = std::max(until, now) + round_ns(c_.ready_queues->service);
      return;
    }
    queued_[index(task)] = true;
    waiting_.push_back({task, shard, order_->key(task, static_cast<std::uint64_t>(arrivals_)), arrivals_});
    ++arrivals_;
    match();
  }

  void match() {
    for (Ticket& ticket : tickets_) {
      if (ticket.task) continue;
      auto best = waiting_.end();
      for (auto candidate = waiting_.begin(); candidate != waiting_.end(); ++candidate) {
        if (graph_[candidate->task].core_type != type(ticket.core) || candidate->queue != ticket.core % shards()) continue;
        if (best == waiting_.end() || std::tie(candidate->key, candidate->arrival) < std::tie(best->key, best->arrival)) best = candidate;
      }
      if (best == waiting_.end()) continue;
      ticket.task = best->task;
      waiting_.erase(best);
    }
  }

  const TaskGraph& graph_;
  const Machine& c_;
  const Design& design_;
  std::vector<Duration> durations_;
  std::unique_ptr<TaskOrderPolicy> order_;
  Pipeline run_;
  std::vector<bool> released_;     ///< by TaskId: its successors have been told
  std::vector<bool> queued_;       ///< by TaskId: it has stood in a queue
  std::vector<TimePoint> pushed_;  ///< by TaskId
  std::vector<std::size_t> home_;  ///< by TaskId: its shard
  std::map<CoreType, std::size_t> turns_;
  std::map<std::size_t, TimePoint> served_;  ///< by counter: when the memory is through with what came so far
  std::vector<Ticket> tickets_;              ///< in the order of service
  std::vector<Waiting> waiting_;
  std::int64_t arrivals_ = 0;
};

}  // namespace

Timeline simulate_shared_queue(const TaskGraph& graph, const Machine& machine, const Design& design, std::uint64_t seed) {
  return Reference(graph, machine, design, seed).run();
}

}  // namespace tasktwin::oracles
