#include <algorithm>
#include <tuple>

#include "models/policies.hpp"
#include "tests/oracles/pipeline.hpp"
#include "tests/oracles/simulation.hpp"

namespace tasktwin::oracles {

namespace {

struct Waiting {
  TaskId task;
  std::int64_t key;
  std::int64_t arrival;
};

struct Ticket {
  std::size_t core;
  TimePoint back;
};

class Reference {
 public:
  Reference(const TaskGraph& graph, const Machine& machine, const Design& design, std::uint64_t seed)
      : graph_(graph),
        c_(machine.constants),
        design_(design),
        durations_(expected_durations(graph, machine)),
        order_(make_task_order(design.order, {graph, durations_, seed})),
        run_(graph, machine, design, seed),
        released_(graph.size(), false),
        claims_(run_.cores.size(), 0) {}

  Timeline run() {
    for (std::size_t i = 0; i < graph_.size(); ++i) {
      if (graph_.in_degree(task_id(i)) == 0) push(task_id(i), TimePoint{});
    }
    for (TimePoint now{}; !run_.all_published(); now += Duration{1}) {
      check_clock(now);
      if (now > TimePoint{}) run_.pass(now);
      while (act(now)) run_.settle(now);
    }
    run_.timeline.ready_queue = count_queue(run_.timeline.tasks);
    return run_.timeline;
  }

 private:
  /// When the core's next claim reaches the memory; nullopt while that is not known.
  std::optional<TimePoint> claim_arrives(std::size_t core) {
    const std::vector<TaskId>& had = run_.cores[core];
    if (claims_[core] > had.size()) return std::nullopt;  // one is under way
    TimePoint begin = had.empty() ? TimePoint{} : run_[had.back()].received;
    if (const auto depth = static_cast<std::size_t>(design_.mailbox_depth); had.size() >= depth) {
      const std::optional<TimePoint> slot_free = run_.slot_free(core, had.size() - depth);
      if (!slot_free) return std::nullopt;
      begin = std::max(begin, *slot_free);
    }
    return begin + round_ns(c_.atomic_latency / 2);
  }

  /// Does the one thing that is first in this nanosecond. Returns false if there is none.
  bool act(TimePoint now) {
    for (std::size_t i = 0; i < graph_.size(); ++i) {
      if (released_[i] || run_.timeline.tasks[i].published != now) continue;
      released_[i] = true;
      for (const TaskId successor : graph_.successors(task_id(i))) {
        if (std::ranges::all_of(graph_.predecessors(successor), [this](TaskId p) { return released_[index(p)]; })) push(successor, now);
      }
      return true;
    }
    for (std::size_t core = 0; core < run_.cores.size(); ++core) {
      if (claim_arrives(core) != now) continue;
      ++claims_[core];
      TimePoint& served = served_[static_cast<std::size_t>(run_.timeline.cores[core])];
      served = std::max(served, now) + round_ns(c_.atomic_service);
      tickets_.push_back({core, served + round_ns(c_.atomic_latency / 2)});
      match();
      return true;
    }
    return false;
  }

  void push(TaskId task, TimePoint now) {
    run_[task].ready = now;
    waiting_.push_back({task, order_->key(task, static_cast<std::uint64_t>(arrivals_)), arrivals_});
    ++arrivals_;
    match();
  }

  void match() {
    for (std::size_t t = 0; t < tickets_.size(); ++t) {
      const Ticket ticket = tickets_[t];
      auto best = waiting_.end();
      for (auto candidate = waiting_.begin(); candidate != waiting_.end(); ++candidate) {
        if (graph_[candidate->task].core_type != run_.timeline.cores[ticket.core]) continue;
        if (best == waiting_.end() || std::tie(candidate->key, candidate->arrival) < std::tie(best->key, best->arrival)) best = candidate;
      }
      if (best == waiting_.end()) continue;
      TaskTimes& times = run_[best->task];
      times.dispatched = std::max(ticket.back, times.ready);
      run_.receive(ticket.core, best->task, std::max(ticket.back + round_ns(2.0 * c_.read_latency), times.ready + round_ns(c_.queue_hop)));
      waiting_.erase(best);
      tickets_.erase(tickets_.begin() + static_cast<std::ptrdiff_t>(t));
      return;
    }
  }

  const TaskGraph& graph_;
  const Constants& c_;
  const Design& design_;
  std::vector<Duration> durations_;
  std::unique_ptr<TaskOrderPolicy> order_;
  Pipeline run_;
  std::vector<bool> released_;
  std::vector<std::size_t> claims_;  ///< made by each core so far
  std::array<TimePoint, kCoreTypeCount> served_{};
  std::vector<Ticket> tickets_;
  std::vector<Waiting> waiting_;
  std::int64_t arrivals_ = 0;
};

}  // namespace

Timeline simulate_shared_queue(const TaskGraph& graph, const Machine& machine, const Design& design, std::uint64_t seed) {
  return Reference(graph, machine, design, seed).run();
}

}  // namespace tasktwin::oracles
