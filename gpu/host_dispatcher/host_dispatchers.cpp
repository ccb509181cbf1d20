#include "gpu/host_dispatcher/host_dispatchers.hpp"

#include <algorithm>
#include <limits>
#include <thread>
#include <utility>

#include "models/policies.hpp"

namespace tasktwin::gpu {

namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t kMostExplained = 8;
constexpr int kIdleSweepsBeforeLook = 1024;  ///< at the clock, and at whether others need this processor

std::int64_t now_ns() { return std::chrono::duration_cast<std::chrono::nanoseconds>(Clock::now().time_since_epoch()).count(); }

/// Calls `operate`, and adds how long it took to `total` if that is wanted.
template <class Operate>
void run_timed(bool wanted, std::int64_t& total, Operate operate) {
  const std::int64_t begin = wanted ? now_ns() : 0;
  operate();
  if (wanted) total += now_ns() - begin;
}

/// By TaskId, for orders that depend on the task alone: of equal keys the lower id goes first. Else empty.
std::vector<std::uint32_t> ranks_of(const TaskGraph& graph, TaskOrder by, std::span<const Duration> durations) {
  if (by == TaskOrder::kFifo || by == TaskOrder::kLifo) return {};
  const auto order = make_task_order(by, {graph, durations});
  std::vector<TaskId> tasks = graph.topological_order();
  std::ranges::sort(tasks, {}, [&order](TaskId task) { return std::pair(order->key(task, 0), task); });
  std::vector<std::uint32_t> ranks(tasks.size());
  for (std::uint32_t rank = 0; rank < tasks.size(); ++rank) ranks[index(tasks[rank])] = rank;
  return ranks;
}

}  // namespace

HostDispatchers::HostDispatchers(const TaskGraph& graph, const Design& design, const RunOptions& options, std::uint32_t workers,
                                 std::uint32_t threads, std::span<const Duration> durations, const HostMailboxes& mailboxes)
    : graph_(graph),
      design_(design),
      patience_(options.watchdog),
      workers_(workers),
      threads_(threads),
      mailboxes_(mailboxes),
      rows_{0},
      awaited_(graph.size()),
      ranks_(ranks_of(graph, design.order, durations)),
      left_(std::make_unique<CounterLine[]>((graph.size() + kCountersPerLine - 1) / kCountersPerLine)),
      blocks_left_(std::make_unique<std::atomic<std::uint32_t>[]>(graph.size())) {
  for (std::size_t i = 0; i < graph.size(); ++i) {
    for (const TaskId successor : graph.successors(task_id(i))) {
      if (options.ignores(task_id(i), successor)) continue;
      targets_.push_back(static_cast<std::uint32_t>(index(successor)));
      ++awaited_[index(successor)];
    }
    rows_.push_back(static_cast<std::uint32_t>(targets_.size()));
    blocks_.push_back(static_cast<std::uint32_t>(graph.traits(task_id(i)).blocks));
    expected_.push_back(durations.empty() ? 0 : durations[i].count());
    items_ += blocks_.back();
  }
  for (const TaskId task : options.never_released) ++awaited_[index(task)];
}

void HostDispatchers::reset() {
  std::fill_n(mailboxes_.entries, std::size_t{workers_} * kHostMailboxEntries, 0);
  std::fill_n(mailboxes_.completions, kHostCompletionWords, 0);
  ready_ = std::make_unique<ReadyTasks>(design_.order, ranks_);
  std::vector<std::uint32_t> roots;
  for (std::uint32_t i = 0; i < graph_.size(); ++i) {
    counter(i).store(awaited_[i]);
    blocks_left_[i].store(blocks_[i]);
    if (awaited_[i] == 0) roots.insert(roots.end(), blocks_[i], i);
  }
  ready_->push(roots);
  completed_ = 0;
  handed_ = 0;
  idle_cores_ = workers_;
  gave_up_ = false;
}

void HostDispatchers::start(HostNotes notes, const std::uint64_t& opened, std::span<const QuickProcessor> processors) {
  stamps_.assign(notes == HostNotes::kStamps ? graph_.size() : 0, {});
  rounds_.assign(threads_, {});
  paces_.assign(threads_, 0);
  waiting_ = 0;
  for (std::uint32_t id = 0; id < threads_; ++id) {
    running_.emplace_back([this, id, processors, notes, &opened] {
      take_own_processor(processors, id, threads_);
      loop(id, notes, opened);
    });
  }
  while (waiting_.load(std::memory_order_relaxed) < threads_) std::this_thread::yield();
}

bool HostDispatchers::finish() {
  running_.clear();
  return !gave_up_;
}

void HostDispatchers::loop(std::uint32_t id, HostNotes notes, const std::uint64_t& opened) {
  Thread thread;
  thread.id = id;
  for (std::uint32_t worker = id; worker < workers_; worker += threads_) thread.cores.push_back({.worker = worker});
  thread.timed = notes != HostNotes::kNone;
  if (thread.timed) thread.rounds.reserve(graph_.size());
  paces_[id] = computing_ns();
  ++waiting_;
  if (wait_until_open(opened)) {
    run_graph(thread, notes);
  } else {
    gave_up_ = true;
  }
  paces_[id] = std::max(paces_[id], computing_ns());
  rounds_[id] = std::move(thread.rounds);
}

void HostDispatchers::run_graph(Thread& thread, HostNotes notes) {
  const bool stamped = notes == HostNotes::kStamps;
  Clock::time_point last_change = Clock::now();
  std::uint64_t known = 0;
  int idle_sweeps = 0;
  while (completed_.load(std::memory_order_relaxed) < items_) {
    thread.round = {};
    if (thread.timed) thread.round.begin = now_ns();
    sweep(thread);
    if (thread.timed) thread.round.swept = now_ns();
    resolve(thread, stamped);
    if (thread.timed) thread.round.resolved = now_ns();
    hand_over(thread, stamped);
    if (thread.round.completions > 0 || thread.round.handed_over > 0) {
      idle_sweeps = 0;
      if (!thread.timed) continue;
      thread.round.end = now_ns();
      thread.rounds.push_back(thread.round);
      continue;
    }
    if (gave_up_.load(std::memory_order_relaxed)) return;
    if (++idle_sweeps % kIdleSweepsBeforeLook != 0) continue;
    if (const std::uint64_t completed = completed_.load(std::memory_order_relaxed); completed != known) {
      known = completed;
      last_change = Clock::now();
    } else if (Clock::now() - last_change > patience_) {
      gave_up_ = true;
    }
    std::this_thread::yield();
  }
  for (Core& core : thread.cores) send(core, kHostStop);
}

bool HostDispatchers::wait_until_open(const std::uint64_t& opened) const {
  const Clock::time_point begin = Clock::now();
  // A C++20 atomic_ref wants an object that may be written, though it only reads it.
  const std::atomic_ref<std::uint64_t> word(const_cast<std::uint64_t&>(opened));
  while (word.load(std::memory_order_acquire) == 0) {
    if (Clock::now() - begin > patience_ || gave_up_.load(std::memory_order_relaxed)) return false;
  }
  return true;
}

std::atomic_ref<std::uint32_t> HostDispatchers::completions(const Core& core) const {
  return std::atomic_ref(mailboxes_.completions[host_completion_word(core.worker)]);
}

/// Takes in the completions there are, or in an interleaved loop the next one.
void HostDispatchers::sweep(Thread& thread) {
  thread.done.clear();
  const bool interleaved = design_.loop == Loop::kInterleaved;
  const std::size_t count = thread.cores.size();
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t at = interleaved ? (thread.cursor + i) % count : i;
    Core& core = thread.cores[at];
    if (design_.sweep == Sweep::kBusyCores && core.outstanding() == 0) continue;
    const std::uint32_t completed = completions(core).load(std::memory_order_acquire);
    if (completed == core.seen) continue;
    if (interleaved) {
      see(thread, core);
      thread.cursor = (at + 1) % count;
      return;
    }
    while (core.seen != completed) see(thread, core);
  }
}

void HostDispatchers::see(Thread& thread, Core& core) {
  const std::uint32_t task = core.tasks[core.seen++ % kHostMailboxEntries];
  core.load -= expected_[task];
  if (core.outstanding() == 0) ++thread.now_idle;
  thread.done.push_back(task);
  ++thread.round.completions;
}

void HostDispatchers::resolve(Thread& thread, bool stamped) {
  if (thread.done.empty()) return;
  thread.ready.clear();
  for (const std::uint32_t task : thread.done) {
    if (blocks_[task] > 1 && blocks_left_[task].fetch_sub(1, std::memory_order_acq_rel) != 1) continue;
    if (stamped) stamps_[task].seen = thread.round.swept;
    thread.round.edges += static_cast<int>(rows_[task + 1] - rows_[task]);
    CounterLines touched;
    for (std::uint32_t edge = rows_[task]; edge < rows_[task + 1]; ++edge) {
      const std::uint32_t successor = targets_[edge];
      touched.visit(successor);
      if (counter(successor).fetch_sub(1, std::memory_order_acq_rel) != 1) continue;
      ++thread.round.released;
      thread.ready.insert(thread.ready.end(), blocks_[successor], successor);
    }
    thread.round.lines += static_cast<int>(touched.count);
  }
  if (thread.now_idle > 0) idle_cores_.fetch_add(std::exchange(thread.now_idle, 0), std::memory_order_relaxed);
  if (!thread.ready.empty()) {
    const std::int64_t now = stamped ? now_ns() : 0;
    for (std::size_t i = 0; stamped && i < thread.ready.size(); ++i) stamps_[thread.ready[i]].ready = now;
    run_timed(thread.timed, thread.round.pushing, [&] { ready_->push(thread.ready); });
  }
  completed_.fetch_add(thread.done.size(), std::memory_order_release);
}

void HostDispatchers::hand_over(Thread& thread, bool stamped) {
  while (!ready_->empty()) {
    const std::uint32_t depth = fills_ahead() ? static_cast<std::uint32_t>(design_.mailbox_depth) : 1;
    std::size_t room = 0;
    for (const Core& core : thread.cores) room += depth - std::min(depth, core.outstanding());
    thread.taken.clear();
    if (room == 0) return;
    run_timed(thread.timed, thread.round.claiming, [&] { ready_->take(std::min(room, claim_limit()), thread.taken); });
    ++thread.round.claims;
    if (thread.taken.empty()) return;
    NextCore next;
    std::uint32_t were_idle = 0;
    for (const std::uint32_t task : thread.taken) {
      Core& core = next_core(thread, depth, next);
      were_idle += core.outstanding() == 0 ? 1 : 0;
      give(thread, core, task, stamped);
    }
    if (were_idle > 0) idle_cores_.fetch_sub(were_idle, std::memory_order_relaxed);
    handed_.fetch_add(thread.taken.size(), std::memory_order_relaxed);
  }
}

/// With room below `depth`: the one with the least expected work, or the first that holds the fewest. Contract: there is one.
HostDispatchers::Core& HostDispatchers::next_core(Thread& thread, std::uint32_t depth, NextCore& next) const {
  if (design_.placement == Placement::kLeastLoaded) {
    const auto load = [depth](const Core& core) {
      return core.outstanding() < depth ? core.load : std::numeric_limits<std::int64_t>::max();
    };
    return *std::ranges::min_element(thread.cores, {}, load);
  }
  while (thread.cores[next.at].outstanding() > next.level) {
    if (++next.at < thread.cores.size()) continue;
    next.at = 0;
    ++next.level;
  }
  return thread.cores[next.at];
}

void HostDispatchers::give(Thread& thread, Core& core, std::uint32_t task, bool stamped) {
  core.load += expected_[task];
  core.tasks[core.given % kHostMailboxEntries] = task;
  if (stamped && blocks_[task] == 1) {
    stamps_[task].dispatched = now_ns();
    stamps_[task].dispatcher = thread.id;
  }
  send(core, task);
  ++core.given;
  ++thread.round.handed_over;
}

/// As the core's next entry.
void HostDispatchers::send(const Core& core, std::uint32_t task) const {
  std::uint64_t& entry = mailboxes_.entries[core.worker * kHostMailboxEntries + core.given % kHostMailboxEntries];
  std::atomic_ref(entry).store(host_entry(core.given, task), std::memory_order_release);
}

std::size_t HostDispatchers::claim_limit() const {
  const auto size = static_cast<std::size_t>(design_.claim_size);
  if (design_.claim == Claim::kFixed) return size;
  if (design_.claim == Claim::kGuided) return std::max<std::size_t>(size, ready_->count() / (2 * std::size_t{threads_}));
  return std::numeric_limits<std::size_t>::max();
}

bool HostDispatchers::fills_ahead() const {
  if (design_.fill == Fill::kWhenNoCoreIdle) return idle_cores_.load(std::memory_order_relaxed) == 0;
  if (design_.fill == Fill::kNotInTail) return items_ - handed_.load(std::memory_order_relaxed) > workers_;
  return true;
}

std::string HostDispatchers::explain_waits() const {
  std::string text;
  std::size_t waiting = 0;
  std::size_t explained = 0;
  for (const TaskId task : graph_.topological_order()) {
    const std::uint32_t left = counter(index(task)).load();
    if (left == 0) continue;
    ++waiting;
    const bool first = std::ranges::none_of(graph_.predecessors(task), [this](TaskId p) { return counter(index(p)).load() != 0; });
    if (!first || explained == kMostExplained) continue;
    text += "\n  task '" + std::string(graph_.name(task)) + "' waits for " + std::to_string(left) +
            " more release(s), though no predecessor of it waits";
    ++explained;
  }
  return text + "\n  " + std::to_string(waiting) + " task(s) wait in all";
}

}  // namespace tasktwin::gpu
