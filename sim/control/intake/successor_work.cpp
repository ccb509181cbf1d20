#include "sim/control/intake/successor_work.hpp"

#include <algorithm>
#include <ranges>

#include "models/machine/fields/row_head.hpp"
#include "sim/control/intake/counter_walks.hpp"
#include "sim/queues/count_down.hpp"

namespace tasktwin::sim {

namespace {

/// Decrements counters, and keeps which tasks that makes ready.
class Counters {
 public:
  Counters(const TaskGraph& graph, EventSemaphores& semaphores) : graph_(graph), semaphores_(semaphores) {}

  const TaskGraph& graph() const { return graph_; }

  /// Returns how many of `successors`, some of those of `completed`, it spawned.
  std::int64_t tell(TaskId completed, auto successors, Resolution& found) {
    std::int64_t spawned = 0;
    for (const TaskId successor : successors) {
      signal(successor, found);
      if (graph_.has_spawns() && graph_.spawner(successor) == completed) ++spawned;
    }
    return spawned;
  }

  /// How many tasks the counters after `first` that reached zero release or count down.
  std::int64_t behind_events(const Resolution& found, std::size_t first = 0) const {
    std::int64_t edges = 0;
    for (const TaskId event : found.events | std::views::drop(first)) edges += static_cast<std::int64_t>(graph_.out_degree(event));
    return edges;
  }

 private:
  void signal(TaskId task, Resolution& found) {
    count_down(
        graph_, task, [this](TaskId one) { return semaphores_.signal(one); },
        [&](TaskId one) { (graph_[one].operation == Operation::kEvent ? found.events : found.ready).push_back(one); });
  }

  const TaskGraph& graph_;
  EventSemaphores& semaphores_;
};

void close_head(Resolution& found) {
  found.by_head.push_back(found.ready.size() - found.by_heads);
  found.by_heads = found.ready.size();
}

/// One lane: row after row, resolve for each successor.
class RowByRow : public SuccessorWork {
 public:
  RowByRow(const TaskGraph& graph, EventSemaphores& semaphores, const mechanism::ControlLoop& times)
      : counters_(graph, semaphores), times_(times) {}

  void tell(std::uint32_t /*who*/, std::span<const TaskId> completed, Resolution& found) override {
    std::int64_t told = 0;
    std::int64_t spawned = 0;
    for (const TaskId task : completed) {
      const std::size_t edges = counters_.graph().out_degree(task);
      told += static_cast<std::int64_t>(edges);
      found.beyond_heads |= edges > 1;
      spawned += counters_.tell(task, counters_.graph().successors(task), found);
      close_head(found);
    }
    told += counters_.behind_events(found);
    found.telling = static_cast<double>(told) * times_.resolve;
    found.spawning = static_cast<double>(spawned) * times_.spawn;
  }

  Nanoseconds cost(const Resolution& found) const override { return found.telling + found.spawning; }

 protected:
  Counters counters_;
  const mechanism::ControlLoop& times_;
};

/// One lane, among several control cores that take the counters' cache lines from each other.
class LineByLine final : public RowByRow {
 public:
  LineByLine(const TaskGraph& graph, EventSemaphores& semaphores, const mechanism::ControlLoop& times, std::size_t control_cores)
      : RowByRow(graph, semaphores, times), walks_(graph.size(), control_cores, times) {}

  void tell(std::uint32_t who, std::span<const TaskId> completed, Resolution& found) override {
    RowByRow::tell(who, completed, found);
    found.telling = Nanoseconds{0};
    std::vector<TaskId> rows(completed.begin(), completed.end());
    rows.insert(rows.end(), found.events.begin(), found.events.end());
    walks_.begin(who, counters_.graph(), rows);
  }
  bool in_steps() const override { return true; }
  std::optional<TimePoint> go_on(std::uint32_t who, TimePoint now) override { return walks_.go_on(who, now); }

 private:
  CounterWalks walks_;
};

/// Several lanes: first the heads of all rows, one row a lane, then what lies beyond them, one successor a lane.
class HeadsFirst final : public SuccessorWork {
 public:
  HeadsFirst(const TaskGraph& graph, EventSemaphores& semaphores, const mechanism::ControlLoop& times, Lanes lanes, RowHeads heads)
      : counters_(graph, semaphores), times_(times), lanes_(lanes), heads_take_time_(heads == RowHeads::kTakeTime) {}

  void tell(std::uint32_t /*who*/, std::span<const TaskId> completed, Resolution& found) override {
    std::int64_t rows = 0;
    std::int64_t beyond = 0;
    std::int64_t spawning_rows = 0;
    for (const TaskId task : completed) {
      const auto edges = static_cast<std::int64_t>(counters_.graph().out_degree(task));
      rows += edges > 0 && heads_take_time_ ? 1 : 0;
      beyond += std::max<std::int64_t>(0, edges - kRowHead);
      if (counters_.tell(task, counters_.graph().successors(task) | std::views::take(kRowHead), found) > 0) ++spawning_rows;
      close_head(found);
    }
    std::int64_t spawned_beyond = 0;
    if (beyond > 0) {
      for (const TaskId task : completed)
        spawned_beyond += counters_.tell(task, counters_.graph().successors(task) | std::views::drop(kRowHead), found);
    }
    beyond += counters_.behind_events(found);
    found.beyond_heads = beyond > 0;
    found.telling = static_cast<double>(lanes_.rounds(rows) + lanes_.rounds(beyond)) * times_.resolve;
    found.spawning = static_cast<double>(lanes_.rounds(spawning_rows) + lanes_.rounds(spawned_beyond)) * times_.spawn;
  }

  std::size_t group() const override { return lanes_.count(); }

  Nanoseconds cost(const Resolution& found) const override { return found.telling + found.spawning; }

 private:
  Counters counters_;
  const mechanism::ControlLoop& times_;
  Lanes lanes_;
  bool heads_take_time_;
};

}  // namespace

void Resolution::clear() {
  ready.clear();
  by_heads = 0;
  by_head.clear();
  events.clear();
  beyond_heads = false;
  telling = spawning = Nanoseconds{0};
}

std::unique_ptr<SuccessorWork> make_successor_work(const TaskGraph& graph, EventSemaphores& semaphores, const mechanism::ControlLoop& times,
                                                   Lanes lanes, std::size_t control_cores, RowHeads heads) {
  if (lanes.count() > 1) return std::make_unique<HeadsFirst>(graph, semaphores, times, lanes, heads);
  if (control_cores > 1 && times.resolve_line != Nanoseconds{0})
    return std::make_unique<LineByLine>(graph, semaphores, times, control_cores);
  return std::make_unique<RowByRow>(graph, semaphores, times);
}

}  // namespace tasktwin::sim
