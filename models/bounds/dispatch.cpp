#include "models/bounds/dispatch.hpp"

#include <algorithm>
#include <cmath>
#include <ranges>
#include <vector>

#include "models/cost/body_cost.hpp"
#include "models/machine/clusters.hpp"
#include "models/machine/fields/row_head.hpp"
#include "models/run/as_run.hpp"
#include "models/runtimes/runtimes.hpp"

namespace tasktwin {

namespace {

/// Items that control cores work on, in all.
struct Load {
  double spawned = 0;
  double edges = 0;  ///< to successors that do not come with the completion
  double hand_overs = 0;
  double completions = 0;  ///< that come before the last hand-over
};

/// By task: whether it is work, or some work waits for it. A run is over before events that none waits for are through.
std::vector<bool> leading_to_work(const TaskGraph& graph) {
  std::vector<bool> leads(graph.size());
  for (const TaskId task : std::views::reverse(graph.topological_order())) {
    leads[index(task)] = graph[task].operation != Operation::kEvent ||
                         std::ranges::any_of(graph.successors(task), [&](TaskId successor) { return leads[index(successor)]; });
  }
  return leads;
}

double ceil_div(std::size_t items, std::size_t by) { return static_cast<double>((items + by - 1) / by); }

class DispatchBound {
 public:
  DispatchBound(const TaskGraph& graph, const AsRun& machine, const Design& design)
      : graph_(graph),
        machine_(machine),
        design_(design),
        loop_(machine.control),
        leads_(leading_to_work(graph)),
        lanes_(std::max(1, machine.control_cores.lanes)),
        dispatchers_(static_cast<std::size_t>(dispatcher_count(design, machine.constants()))) {
    if (dispatchers_ == 0) return;
    const std::vector<CoreType> cores = worker_cores(design, machine.constants());
    mailboxes_ = static_cast<double>(cores_of_one(cores) * static_cast<std::size_t>(design.mailbox_depth));
    count_items(static_cast<double>(cores.size() * static_cast<std::size_t>(design.mailbox_depth)));
  }

  double highest() const {
    if (dispatchers_ == 0) return orchestrators();
    if (runtime_of(design_).id == RuntimeId::kGroupQueue) return putting_into_slots();
    const double resolving = resolving_time();
    const double dispatching = dispatching_time();
    const auto each = [](double time, std::size_t count) { return time / static_cast<double>(count); };
    const double others = design_.resolvers > 0
                              ? std::max(each(resolving * rounding_loss(loop_.resolve), static_cast<std::size_t>(design_.resolvers)),
                                         each(dispatching, dispatchers_))
                              : each(resolving * rounding_loss(least_taking_in()) + dispatching, dispatchers_);
    return std::max(orchestrators(), others);
  }

 private:
  /// The cores that one dispatcher looks after, at most.
  std::size_t cores_of_one(const std::vector<CoreType>& cores) const {
    if (design_.ownership == Ownership::kShared) return cores.size();
    const auto whole = clusters(machine_.compute_cores, cores);
    const std::size_t size = whole.empty() ? 0 : whole.front().size();
    const std::size_t apart = cores.size() - whole.size() * size;
    return static_cast<std::size_t>(ceil_div(whole.size(), dispatchers_)) * size + static_cast<std::size_t>(ceil_div(apart, dispatchers_));
  }

  void count_items(double all_mailboxes) {
    double must_complete = 0;
    const std::int64_t head = design_.resolvers == 0 && lanes_ > 1 ? kRowHead : 0;
    for (std::size_t i = 0; i < graph_.size(); ++i) {
      const TaskId task = task_id(i);
      const bool event = graph_[task].operation == Operation::kEvent;     // no core runs it
      if (event && design_.graph_build == GraphBuild::kDevice) continue;  // its successors may be notified as it is submitted
      const std::int64_t told =
          std::ranges::count_if(graph_.successors(task), [this](TaskId successor) { return leads_[index(successor)]; });
      const double blocks = event ? 0 : width(graph_, machine_.constants(), task);
      load_.hand_overs += blocks;
      if (told > 0) must_complete += blocks;
      if (graph_.has_spawns() && graph_.spawner(task)) ++load_.spawned;
      load_.edges += static_cast<double>(std::max(std::int64_t{0}, told - head));
    }
    load_.completions = std::max(must_complete, load_.hand_overs - all_mailboxes);
  }

  double orchestrators() const {
    const auto count = static_cast<std::size_t>(orchestrator_count(design_));
    if (count == 0) return 0;
    std::vector<double> times(count);
    for (std::size_t k = 0; k < graph_.size(); ++k) {
      if (leads_[k]) times[k % count] += static_cast<double>(round_ns(loop_.submit).count());
    }
    return std::ranges::max(times);
  }

  /// Everything that a dispatcher does under a hardware queue.
  double putting_into_slots() const {
    const auto submit = static_cast<double>(round_ns(machine_.group_queue->submit).count());
    return static_cast<double>(std::ranges::count(leads_, true)) * submit / static_cast<double>(dispatchers_);
  }

  double resolving_time() const { return load_.edges / lanes_ * loop_.resolve.count() + load_.spawned / lanes_ * loop_.spawn.count(); }

  double dispatching_time() const {
    const double taking_in = load_.completions * (polling() + part_of_one(together()) * loop_.complete.count());
    const double handing = loop_.hand_over.count() / claim() + part_of_one(claim()) * loop_.dispatch.count();
    return taking_in * rounding_loss(least_taking_in()) + load_.hand_overs * handing * rounding_loss(loop_.hand_over + loop_.dispatch);
  }

  /// Completions that one iteration can take in.
  double together() const { return design_.loop == Loop::kInterleaved ? 1 : mailboxes_; }

  /// Blocks that one round can hand over; a task of several goes as a whole.
  double claim() const {
    if (design_.claim != Claim::kFixed || graph_.has_wide_tasks()) return mailboxes_;
    return std::min(mailboxes_, static_cast<double>(design_.claim_size));
  }

  /// Of one completion: of each core's poll its mailbox's share, of each iteration's poll that of all.
  double polling() const {
    const double a_core = design_.loop == Loop::kInterleaved ? 1 : std::max(1.0 / (lanes_ * design_.mailbox_depth), 1.0 / mailboxes_);
    return loop_.poll.count() / together() + a_core * loop_.poll_per_core.count();
  }

  /// The rounds of up to `lanes_` items that an item bears, `most` of which come together.
  double part_of_one(double most) const { return std::max(1.0 / lanes_, 1.0 / most); }

  Nanoseconds least_taking_in() const { return loop_.poll + loop_.poll_per_core + loop_.complete; }

  /// Less a half nanosecond of every `least`, the least that is rounded at a time.
  double rounding_loss(Nanoseconds least) const {
    for (const Nanoseconds time :
         {loop_.poll, loop_.poll_per_core, loop_.complete, loop_.resolve, loop_.spawn, loop_.hand_over, loop_.dispatch}) {
      if (time.count() != std::floor(time.count())) return std::max(0.0, 1 - 0.5 / least.count());
    }
    return 1;
  }

  const TaskGraph& graph_;
  const AsRun& machine_;
  const Design& design_;
  const mechanism::ControlLoop& loop_;
  std::vector<bool> leads_;
  double lanes_;
  std::size_t dispatchers_;
  double mailboxes_ = 0;  ///< tasks that the cores of one dispatcher can hold
  Load load_;
};

}  // namespace

Duration dispatch_bound(const TaskGraph& graph, const Machine& machine, const Design& design) {
  constexpr double kExact = 1 - 1e-12;  // sums of doubles
  const AsRun met = as_run(design, machine);
  return Duration{static_cast<std::int64_t>(std::ceil(DispatchBound(graph, met, design).highest() * kExact))};
}

}  // namespace tasktwin
