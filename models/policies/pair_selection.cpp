#include "models/policies/pair_selection.hpp"

#include <algorithm>
#include <optional>
#include <queue>
#include <set>

namespace tasktwin {

namespace {

/// What a task, by its position in topological order, would be chosen by.
struct Choice {
  std::int64_t value;
  std::size_t position;
  friend auto operator<=>(const Choice&, const Choice&) = default;
};

/// Ready tasks for one class of workers, of which only the next free time matters. That time never moves back: a task moves
/// once from those whose inputs come later to those that only wait for a worker, and its rank among either never changes.
class Pool {
 public:
  void add(std::size_t position, std::int64_t arrival, std::int64_t offset) {
    coming_.push({arrival, {offset, position}});
    later_.push({{arrival + offset, position}, arrival});
  }

  /// The least start + offset of the tasks that are not yet `placed`, by position, for somebody free at `free`.
  std::optional<Choice> best(std::int64_t free, const std::vector<bool>& placed) {
    for (; !coming_.empty() && coming_.top().arrival <= free; coming_.pop()) waiting_.push(coming_.top().offset);
    while (!later_.empty() && (later_.top().arrival <= free || placed[later_.top().choice.position])) later_.pop();
    while (!waiting_.empty() && placed[waiting_.top().position]) waiting_.pop();
    std::optional<Choice> best;
    if (!later_.empty()) best = later_.top().choice;
    if (!waiting_.empty()) {
      const Choice now{free + waiting_.top().value, waiting_.top().position};
      if (!best || now < *best) best = now;
    }
    return best;
  }

 private:
  struct Coming {
    std::int64_t arrival;
    Choice offset;
    friend auto operator<=>(const Coming&, const Coming&) = default;
  };
  struct Later {
    Choice choice;
    std::int64_t arrival;
    friend auto operator<=>(const Later&, const Later&) = default;
  };
  template <class T>
  using MinHeap = std::priority_queue<T, std::vector<T>, std::greater<>>;

  MinHeap<Coming> coming_;   ///< tasks whose inputs come later, the first to come first
  MinHeap<Later> later_;     ///< the same by choice
  MinHeap<Choice> waiting_;  ///< the others by offset
};

/// A task is a choice for each class of workers with its arrival elsewhere, on the class's first free worker, and for the one
/// worker where its inputs are earlier with its arrival there.
class PairSelection {
 public:
  PairSelection(const StaticInputs& inputs, const std::function<std::int64_t(TaskId, std::size_t)>& offset)
      : inputs_(inputs),
        offset_(offset),
        classes_(worker_classes(inputs)),
        positions_(topological_positions(inputs.graph)),
        schedule_(inputs),
        free_(inputs.workers),
        free_of_class_(classes_.first_worker.size()),
        of_class_(classes_.first_worker.size()),
        of_worker_(inputs.workers),
        placed_(inputs.graph.size()),
        waiting_(inputs.graph.size()) {
    for (std::size_t w = 0; w < inputs.workers; ++w) free_of_class_[classes_.of(w)].emplace(0, w);
  }

  StaticSchedule run() && {
    const TaskGraph& graph = inputs_.graph;
    for (std::size_t i = 0; i < graph.size(); ++i) {
      waiting_[i] = graph.in_degree(task_id(i));
      if (waiting_[i] == 0) add(task_id(i));
    }
    std::vector<TaskId> order;
    while (order.size() < graph.size()) order.push_back(place_next());
    return std::move(schedule_).finish(order);
  }

 private:
  struct Pair {
    Choice choice;
    std::int64_t free;
    std::size_t worker;
    friend auto operator<=>(const Pair&, const Pair&) = default;
  };

  void add(TaskId task) {
    const Arrival arrival = schedule_.arrival(task);
    for (std::size_t c = 0; c < of_class_.size(); ++c) {
      const std::size_t first = classes_.first_worker[c];
      if (inputs_.cost(task, first) >= 0) of_class_[c].add(positions_[index(task)], arrival.elsewhere, offset_(task, first));
    }
    if (arrival.there < arrival.elsewhere && inputs_.cost(task, arrival.near) >= 0) {
      of_worker_[arrival.near].add(positions_[index(task)], arrival.there, offset_(task, arrival.near));
    }
  }

  TaskId place_next() {
    std::optional<Pair> best;
    const auto consider = [&best, this](Pool& pool, std::int64_t free, std::size_t worker) {
      const std::optional<Choice> choice = pool.best(free, placed_);
      if (choice && (!best || Pair{*choice, free, worker} < *best)) best = Pair{*choice, free, worker};
    };
    for (std::size_t c = 0; c < of_class_.size(); ++c) {
      const auto [free, worker] = *free_of_class_[c].begin();
      consider(of_class_[c], free, worker);
    }
    for (std::size_t w = 0; w < inputs_.workers; ++w) consider(of_worker_[w], free_[w], w);

    const std::size_t worker = best->worker;
    const TaskId task = inputs_.graph.topological_order()[best->choice.position];
    const std::int64_t start = std::max(free_[worker], schedule_.arrival(task).at(worker));
    const Slot slot{worker, start, start + inputs_.cost(task, worker)};
    schedule_.place(task, slot);
    placed_[best->choice.position] = true;
    auto& free_of_class = free_of_class_[classes_.of(worker)];
    free_of_class.erase({free_[worker], worker});
    free_of_class.emplace(slot.finish, worker);
    free_[worker] = slot.finish;
    for (const TaskId successor : inputs_.graph.successors(task)) {
      if (--waiting_[index(successor)] == 0) add(successor);
    }
    return task;
  }

  const StaticInputs& inputs_;
  const std::function<std::int64_t(TaskId, std::size_t)>& offset_;
  WorkerClasses classes_;
  std::vector<std::size_t> positions_;
  PartialSchedule schedule_;
  std::vector<std::int64_t> free_;                                             ///< by worker
  std::vector<std::set<std::pair<std::int64_t, std::size_t>>> free_of_class_;  ///< free_ and worker
  std::vector<Pool> of_class_;
  std::vector<Pool> of_worker_;
  std::vector<bool> placed_;  ///< by position
  std::vector<std::size_t> waiting_;
};

}  // namespace

StaticSchedule select_pairs(const StaticInputs& inputs, const std::function<std::int64_t(TaskId, std::size_t worker)>& offset) {
  return PairSelection(inputs, offset).run();
}

}  // namespace tasktwin
