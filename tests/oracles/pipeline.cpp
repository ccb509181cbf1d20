#include "tests/oracles/pipeline.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <stdexcept>

namespace tasktwin::oracles {

void check_clock(TimePoint now) {
  if (now > at_ns(2'000'000)) throw std::runtime_error("the reference simulation does not come to an end");
}

Pipeline::Pipeline(const TaskGraph& graph, const Machine& machine, const Design& design, std::uint64_t seed)
    : graph_(graph),
      machine_(machine),
      design_(design),
      seed_(seed),
      fluid_(machine.memory->bandwidth, machine.memory->contention, 0, any_queues() ? machine.memory->queue_bandwidth : 0),
      flowing_(graph.size(), false) {
  timeline.tasks.resize(graph.size());
  timeline.cores = worker_cores(design, machine);
  timeline.compute_cores = compute_cores(machine);
  timeline.workers_per_core = design.workers_per_core;
  cores.resize(timeline.cores.size());
}

bool Pipeline::any_queues() const {
  return std::ranges::any_of(machine_.compute_cores, [](const CoreGroup& group) { return !group.memory_queues.empty(); });
}

std::size_t Pipeline::queue_of(std::size_t core) const {
  const CoreType type = timeline.cores[core];
  const auto before = std::count(timeline.cores.begin(), timeline.cores.begin() + static_cast<std::ptrdiff_t>(core), type);
  const auto group = std::ranges::find(machine_.compute_cores, type, &CoreGroup::type);
  if (static_cast<std::size_t>(before) >= group->memory_queues.size()) return 1'000'000 + core;
  return static_cast<std::size_t>(group->memory_queues[static_cast<std::size_t>(before)]);
}

void Pipeline::receive(std::size_t core, TaskId task, TimePoint received) {
  (*this)[task].received = received;
  (*this)[task].core = core_id(core);
  cores[core].push_back(task);
}

void Pipeline::settle(TimePoint now) {
  for (bool changed = true; changed;) {
    changed = false;
    for (std::size_t core = 0; core < cores.size(); ++core) {
      for (std::size_t k = 0; k < cores[core].size(); ++k) changed |= apply(core, k, now);
    }
  }
}

bool Pipeline::apply(std::size_t core, std::size_t k, TimePoint now) {
  const TaskId id = cores[core][k];
  TaskTimes& task = (*this)[id];
  const BodyCost cost = body_cost(machine_, graph_, id, timeline.cores[core], seed_);
  const bool moves_bytes = cost.bytes.count > 0 && machine_.memory->bandwidth > 0 && machine_.memory->core_bandwidth > 0;

  if (!is_present(task.started)) {
    const TimePoint ended_before = k == 0 ? TimePoint{} : (*this)[cores[core][k - 1]].ended;
    if (!is_present(ended_before)) return false;
    task.started = std::max(task.received, ended_before) +
                   round_ns(machine_.resident_cores->start + (in_turn() ? Nanoseconds{0} : machine_.resident_cores->hand_off));
    return true;
  }
  if (moves_bytes && !flowing_[index(id)] && task.started == now) {
    flowing_[index(id)] = true;
    fluid_.add(index(id), static_cast<double>(cost.bytes.count), cost.alone_rate(*machine_.memory), queue_of(core));
    return true;
  }
  if (!moves_bytes && !is_present(task.ended)) {
    task.ended = task.started + cost.fixed + cost.overhead;
    return true;
  }
  if (is_present(task.ended) && !is_present(task.published) && is_present(published_before(core, k))) {
    const auto tells = std::ranges::count_if(graph_.successors(id), [&](TaskId after) { return is_told(id, after); });
    Duration telling = round_ns(publishing(static_cast<std::size_t>(tells)));
    if (tells > 0 && in_message(id))
      telling -= std::min(telling, round_ns(std::min(machine_.resident_cores->release, machine_.resident_cores->message_gain)));
    task.published = std::max(task.ended, published_before(core, k)) + telling;
    return true;
  }
  return false;
}

bool Pipeline::in_turn() const {
  return design_.release == Release::kCounters && design_.ready_queue == ReadyQueue::kPerWorker && is_static(design_.placement) &&
         design_.stealing == Stealing::kOff && design_.mailbox_depth == 1;
}

std::vector<TaskId> Pipeline::told(TaskId task) const {
  std::vector<TaskId> all;
  std::ranges::copy_if(graph_.predecessors(task), std::back_inserter(all), [&](TaskId before) { return is_told(before, task); });
  return all;
}

bool Pipeline::in_message(TaskId task) const {
  const Kernel kernel = graph_[task].kernel;
  return design_.notification == Notification::kMessage && graph_[task].cost.bytes.count == 0 &&
         (kernel == Kernel::kEmpty || kernel == Kernel::kSpin || kernel == Kernel::kFma);
}

Nanoseconds Pipeline::publishing(std::size_t told) const {
  const auto successors = static_cast<double>(told);
  if (design_.release == Release::kDispatcher) return machine_.device_mailboxes->publish;
  if (successors == 0 || design_.release == Release::kBarrier) return Nanoseconds{0};
  if (!is_static(design_.placement))
    return machine_.resident_cores->release + machine_.resident_cores->push + successors * machine_.resident_cores->push_per_successor;
  if (design_.notification == Notification::kCounter) {
    const double late_rows = std::ceil(std::max(0.0, successors - 128) / 32);
    return machine_.resident_cores->release + late_rows * machine_.memory->read_latency;
  }
  return machine_.resident_cores->release;
}

void Pipeline::pass(TimePoint now) {
  for (const std::size_t ended : fluid_.pass()) {
    TaskTimes& task = timeline.tasks[ended];
    const BodyCost cost = body_cost(machine_, graph_, task_id(ended), timeline.cores[index(task.core)], seed_);
    task.ended = std::max(now, task.started + cost.fixed) + cost.overhead;
  }
  settle(now);
}

std::optional<TimePoint> Pipeline::slot_free(std::size_t core, std::size_t k) {
  if (k >= cores[core].size()) return std::nullopt;
  const TaskTimes& task = (*this)[cores[core][k]];
  if (!is_present(task.ended) || !is_present(published_before(core, k))) return std::nullopt;
  if (in_turn()) return is_present(task.published) ? std::optional(task.published) : std::nullopt;
  return std::max(task.ended, published_before(core, k));
}

std::optional<TimePoint> Pipeline::fetch_begin(std::size_t core) {
  const std::size_t k = cores[core].size();
  const auto depth = static_cast<std::size_t>(design_.mailbox_depth);
  const TimePoint begin = k == 0 ? TimePoint{} : (*this)[cores[core][k - 1]].received;
  if (k < depth) return begin;
  const std::optional<TimePoint> free = slot_free(core, k - depth);
  return free ? std::optional(std::max(begin, *free)) : std::nullopt;
}

void Pipeline::stop() {
  TimePoint last{};
  for (const TaskTimes& task : timeline.tasks) last = std::max(last, task.published);
  const auto workers = static_cast<double>(cores.size());
  const Nanoseconds late{design_.backoff_ns * workers / (workers + 1)};  // the latest of as many even draws, in the mean
  timeline.stopped = last + round_ns(machine_.memory->atomic_latency / 2 + machine_.resident_cores->counter_hop + late);
}

bool Pipeline::all_published() const {
  return std::ranges::all_of(timeline.tasks, [](const TaskTimes& task) { return is_present(task.published); });
}

}  // namespace tasktwin::oracles
