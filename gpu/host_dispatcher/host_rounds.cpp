#include "gpu/host_dispatcher/host_rounds.hpp"

#include <algorithm>
#include <chrono>
#include <limits>
#include <utility>

#include "models/policies/policies.hpp"
#include "models/rules/claim.hpp"
#include "models/rules/fill.hpp"

namespace tasktwin::gpu {

namespace {

constexpr std::size_t kMostExplained = 8;

std::int64_t now_ns() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

/// Calls `operate`, and adds how long it took to `total` if that is wanted.
template <class Operate>
void run_timed(bool wanted, std::int64_t& total, Operate operate) {
  const std::int64_t begin = wanted ? now_ns() : 0;
  operate();
  if (wanted) total += now_ns() - begin;
}

/// By TaskId, for orders that depend on the task alone: of equal keys the lower id goes first. Else empty.
std::vector<std::uint32_t> ranks_of(const TaskGraph& graph, const Design& design, std::span<const Duration> durations) {
  if (design.order == TaskOrder::kFifo || design.order == TaskOrder::kLifo) return {};
  const auto order = make_task_order(design, {graph, durations});
  std::vector<TaskId> tasks = graph.topological_order();
  std::ranges::sort(tasks, {}, [&order](TaskId task) { return std::pair(order->key(task, 0), task); });
  std::vector<std::uint32_t> ranks(tasks.size());
  for (std::uint32_t rank = 0; rank < tasks.size(); ++rank) ranks[index(tasks[rank])] = rank;
  return ranks;
}

}  // namespace

HostRounds::HostRounds(const TaskGraph& graph, const Design& design, const RunOptions& options, std::uint32_t workers,
                       std::uint32_t threads, std::span<const Duration> durations, const HostMailboxes& mailboxes)
    : graph_(graph),
      design_(design),
      workers_(workers),
      threads_(threads),
      mailboxes_(mailboxes),
      rows_{0},
      awaited_(graph.size()),
      ranks_(ranks_of(graph, design, durations)),
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

void HostRounds::reset() {
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
}

void HostRounds::note(HostNotes notes) {
  notes_ = notes;
  stamps_.assign(notes == HostNotes::kStamps ? graph_.size() : 0, {});
}

HostRounds::Thread HostRounds::make_thread(std::uint32_t id) const {
  Thread thread;
  thread.id = id;
  for (std::uint32_t worker = id; worker < workers_; worker += threads_) thread.cores.push_back({.worker = worker});
  if (timed()) thread.rounds.reserve(graph_.size());
  return thread;
}

bool HostRounds::run(Thread& thread) {
  thread.round = {};
  if (timed()) thread.round.begin = now_ns();
  sweep(thread);
  if (timed()) thread.round.swept = now_ns();
  resolve(thread);
  if (timed()) thread.round.resolved = now_ns();
  hand_over(thread);
  if (thread.round.completions == 0 && thread.round.handed_over == 0) return false;
  if (timed()) {
    thread.round.end = now_ns();
    thread.rounds.push_back(thread.round);
  }
  return true;
}

void HostRounds::stop_workers(const Thread& thread) const {
  for (const Core& core : thread.cores) send(core, kHostStop);
}

std::atomic_ref<std::uint32_t> HostRounds::completions(const Core& core) const {
  return std::atomic_ref(mailboxes_.completions[host_completion_word(core.worker)]);
}

/// Takes in the completions there are, or in an interleaved loop the next one.
void HostRounds::sweep(Thread& thread) const {
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

void HostRounds::see(Thread& thread, Core& core) const {
  const std::uint32_t task = core.tasks[core.seen++ % kHostMailboxEntries];
  core.load -= expected_[task];
  if (core.outstanding() == 0) ++thread.now_idle;
  thread.done.push_back(task);
  ++thread.round.completions;
}

void HostRounds::resolve(Thread& thread) {
  if (thread.done.empty()) return;
  thread.ready.clear();
  for (const std::uint32_t task : thread.done) {
    if (blocks_[task] > 1 && blocks_left_[task].fetch_sub(1, std::memory_order_acq_rel) != 1) continue;
    if (stamped()) stamps_[task].seen = thread.round.swept;
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
    const std::int64_t now = stamped() ? now_ns() : 0;
    for (std::size_t i = 0; stamped() && i < thread.ready.size(); ++i) stamps_[thread.ready[i]].ready = now;
    run_timed(timed(), thread.round.pushing, [&] { ready_->push(thread.ready); });
  }
  completed_.fetch_add(thread.done.size(), std::memory_order_release);
}

void HostRounds::hand_over(Thread& thread) {
  const rules::ClaimRule rule{design_.claim, static_cast<std::uint32_t>(design_.claim_size), threads_};
  while (!ready_->empty()) {
    const Room room = room_of(thread);
    if (room.blocks == 0) return;
    const std::uint32_t most = std::min(room.blocks, rules::claim_size(rule, left(), room.blocks));
    thread.taken.clear();
    run_timed(timed(), thread.round.claiming, [&] { ready_->take(most, thread.taken); });
    ++thread.round.claims;
    if (thread.taken.empty()) return;
    NextCore next;
    std::uint32_t were_idle = 0;
    for (const std::uint32_t task : thread.taken) {
      Core& core = next_core(thread, room.depth, next);
      were_idle += core.outstanding() == 0 ? 1 : 0;
      give(thread, core, task);
    }
    if (were_idle > 0) idle_cores_.fetch_sub(were_idle, std::memory_order_relaxed);
    handed_.fetch_add(thread.taken.size(), std::memory_order_relaxed);
  }
}

/// With room below `depth`: the one with the least expected work, or the first that holds the fewest. Contract: there is one.
HostRounds::Core& HostRounds::next_core(Thread& thread, std::uint32_t depth, NextCore& next) const {
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

void HostRounds::give(Thread& thread, Core& core, std::uint32_t task) {
  core.load += expected_[task];
  core.tasks[core.given % kHostMailboxEntries] = task;
  if (stamped() && blocks_[task] == 1) {
    stamps_[task].dispatched = now_ns();
    stamps_[task].dispatcher = thread.id;
  }
  send(core, task);
  ++core.given;
  ++thread.round.handed_over;
}

/// As the core's next entry.
void HostRounds::send(const Core& core, std::uint32_t task) const {
  std::uint64_t& entry = mailboxes_.entries[core.worker * kHostMailboxEntries + core.given % kHostMailboxEntries];
  std::atomic_ref(entry).store(host_entry(core.given, task), std::memory_order_release);
}

HostRounds::Room HostRounds::room_of(const Thread& thread) const {
  const auto depth = static_cast<std::uint32_t>(design_.mailbox_depth);
  std::uint32_t idle = 0;
  std::uint32_t further = 0;
  for (const Core& core : thread.cores) {
    idle += core.outstanding() == 0 ? 1 : 0;
    further += depth - std::max(1u, core.outstanding());
  }
  const std::uint32_t all = left();
  const rules::FillView behind_idle{
      .idle_elsewhere = idle_cores_.load(std::memory_order_relaxed) - idle, .left = all - std::min(all, idle), .cores = workers_};
  const std::uint32_t ahead = rules::most_ahead(design_.fill, behind_idle);
  further = std::min(further, ahead);
  return {idle + further, further > 0 ? depth : 1};
}

std::string HostRounds::explain_waits() const {
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
