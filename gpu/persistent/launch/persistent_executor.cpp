#include "gpu/persistent/launch/persistent_executor.hpp"

#include <algorithm>
#include <bit>
#include <chrono>
#include <numeric>

#include "gpu/run/unended_run.hpp"
#include "gpu/run/watchdog.hpp"
#include "models/graph/events.hpp"
#include "models/runtimes/prologues_ahead.hpp"

namespace tasktwin::gpu {

namespace {

constexpr std::size_t kMostExplained = 8;
/// For a kernel that is asked to leave: far beyond what waiting workers take, which look again within microseconds.
constexpr std::chrono::milliseconds kTimeToLeave{300};

template <class T>
void clear(const DeviceBuffer<T>& buffer, cudaStream_t stream) {
  if (buffer.size() > 0) check(cudaMemsetAsync(buffer.data(), 0, buffer.bytes(), stream), "clearing GPU memory");
}

template <class T>
void copy(const DeviceBuffer<T>& from, const DeviceBuffer<T>& to, cudaStream_t stream) {
  if (to.size() > 0) check(cudaMemcpyAsync(to.data(), from.data(), to.bytes(), cudaMemcpyDeviceToDevice, stream), "resetting GPU memory");
}

}  // namespace

PersistentExecutor::PersistentExecutor(const ExecutorInputs& inputs, std::vector<std::uint32_t> places, std::span<const Duration> durations,
                                       EventUse events, const ToldEdges& told)
    : inputs_(inputs),
      cores_(worker_cores(inputs.design, inputs.machine)),
      problem_(make_problem_data(inputs.graph, inputs.options)),
      device_graph_(inputs.graph, inputs.options, std::move(places), durations, events, told),
      counters_(inputs.graph.size(), "the dependency counters"),
      table_(device_graph_.before_spawning ? inputs.graph.size() : 0, "the tasks"),
      seats_(inputs.design.workers_per_core > 1 ? cores_.size() / static_cast<std::size_t>(inputs.design.workers_per_core) : 0,
             "the workers' seats"),
      control_(1, "the run's control words"),
      completions_(std::max<std::size_t>(cores_.size() * kLineWords, kCompletionWords), "the completion counts"),
      waiting_for_(cores_.size(), "the waiting tasks"),
      last_published_(cores_.size(), "the end times"),
      stopped_(cores_.size(), "the end times"),
      blocks_begun_(device_graph_.blocks_of_wide > 0 ? inputs.graph.size() : 0, "the blocks"),
      blocks_ended_(blocks_begun_.size(), "the blocks"),
      block_records_(device_graph_.blocks_of_wide, "the blocks' stamps"),
      phases_(inputs.graph.size(), "the phase stamps"),
      done_(inputs.graph.size(), "the order marks"),
      violations_(1, "the violation count") {}

PersistentRun PersistentExecutor::describe(RunMode mode) const {
  const auto& before = device_graph_.before_spawning;
  return {.bodies = problem_->context(),
          .tasks = before && device_graph_.places.empty() ? table_.data() : device_graph_.tasks.data(),
          .successors = device_graph_.successors.data(),
          .predecessors = device_graph_.predecessors.data(),
          .counters = counters_.data(),
          .children = before ? Children{table_.data(), before->templates.data(), device_graph_.predecessor_counts.data()} : Children{},
          .cohorts = {blocks_begun_.data(), blocks_ended_.data(), block_records_.data()},
          .task_count = task_count(),
          .workers = workers(),
          .seats = {seats_.data(), workers() / static_cast<std::uint32_t>(inputs_.design.workers_per_core),
                    static_cast<std::uint32_t>(inputs_.design.workers_per_core)},
          .blocks = workers(),
          .mailbox_depth = static_cast<std::uint32_t>(inputs_.design.mailbox_depth),
          .last_slot = std::min(std::bit_floor(static_cast<std::uint32_t>(inputs_.design.mailbox_depth)), kMaxSlots) - 1,
          .backoff_ns = static_cast<std::uint32_t>(inputs_.design.backoff_ns),
          .control = control_.data(),
          .completions = completions_.data(),
          .waiting_for = waiting_for_.data(),
          .last_published = last_published_.data(),
          .stopped = stopped_.data(),
          .phases = mode == RunMode::kStamped ? phases_.data() : nullptr,
          .done = mode == RunMode::kCheckOrder ? done_.data() : nullptr,
          .violations = violations_.data(),
          .time_rounds = mode == RunMode::kRounds,
          .prologues = prologues_ahead(inputs_.design) && inputs_.graph.has_prologues()};
}

RunResult PersistentExecutor::run(RunMode mode) {
  problem_->reset(stream_);
  const auto& before = device_graph_.before_spawning;
  copy(before ? before->counts : device_graph_.predecessor_counts, counters_, stream_);
  if (before) copy(before->tasks, table_, stream_);
  clear(seats_, stream_);
  clear(control_, stream_);
  clear(completions_, stream_);
  clear(waiting_for_, stream_);
  clear(last_published_, stream_);
  clear(stopped_, stream_);
  clear(blocks_begun_, stream_);
  clear(blocks_ended_, stream_);
  clear(violations_, stream_);
  if (mode == RunMode::kStamped) {
    clear(phases_, stream_);
    clear(block_records_, stream_);
  }
  if (mode == RunMode::kCheckOrder) clear(done_, stream_);
  reset(stream_);
  stream_.synchronize();

  launch(describe(mode), stream_);
  if (!await_completion(stream_, inputs_.options.watchdog, [this] { return progress(); })) end_and_explain();

  const std::uint64_t origin = control_.to_host("the run's control words").front().origin;
  const std::vector<std::uint64_t> last = last_published_.to_host("the end times");
  RunResult result;
  result.makespan = from_stamp(std::max(origin, *std::ranges::max_element(last)), origin).time_since_epoch();
  const std::int64_t wrong = wrong_results();
  if (mode == RunMode::kCheckOrder) result.ordering_violations = violations_.to_host("the violation count").front() + wrong;
  if (mode != RunMode::kCheckOrder && wrong > 0)
    throw RunError(std::to_string(wrong) + " of the messages that tasks tell each other by carry other numbers than they should");
  if (mode == RunMode::kStamped) {
    result.timeline = timeline(origin);
    add_observations(result, origin);
  }
  if (mode == RunMode::kRounds) add_rounds(result);
  if (mode != RunMode::kCheckOrder) add_pace(result);
  return result;
}

std::uint64_t PersistentExecutor::progress() {
  std::vector<std::uint32_t> counts(completions_.size());
  check(cudaMemcpyAsync(counts.data(), completions_.data(), completions_.bytes(), cudaMemcpyDeviceToHost, side_stream_),
        "reading the progress");
  side_stream_.synchronize();
  return std::accumulate(counts.begin(), counts.end(), std::uint64_t{0});
}

void PersistentExecutor::end_and_explain() {
  const std::uint64_t completed = progress();
  RunControl control{};
  check(cudaMemcpyAsync(&control, control_.data(), sizeof control, cudaMemcpyDeviceToHost, side_stream_), "reading the control words");
  side_stream_.synchronize();
  control.abort = 1;
  check(cudaMemcpyAsync(&control_.data()->abort, &control.abort, sizeof control.abort, cudaMemcpyHostToDevice, side_stream_),
        "aborting the run");
  side_stream_.synchronize();
  if (!await_completion(stream_, kTimeToLeave, [] { return std::uint64_t{1}; })) {
    throw UnendedRun("the run made no progress and its kernel did not end on request: a task's body does not end");
  }

  const std::vector<std::uint32_t> waiting = waiting_for_.to_host("the waiting tasks");
  const auto name = [this](std::size_t task) { return "'" + std::string(inputs_.graph.name(task_id(task))) + "'"; };
  std::string text = "the run made no progress for " + std::to_string(inputs_.options.watchdog.count()) + " ms and was ended; " +
                     std::to_string(completed) + " of " + std::to_string(run_count()) + " tasks are done";
  std::size_t explained = 0;
  for (std::size_t worker = 0; worker < waiting.size() && explained < kMostExplained; ++worker) {
    if (waiting[worker] == 0) continue;
    text += "\n  core " + std::to_string(core_of_worker(worker, waiting.size(), inputs_.design.workers_per_core)) +
            (inputs_.design.workers_per_core > 1 ? " (worker " + std::to_string(worker) + ")" : "") + " waits for task " +
            name(waiting[worker] - 1);
    ++explained;
  }
  throw RunError(text + explain_waits());
}

std::string PersistentExecutor::explain_waits() const {
  const std::vector<std::uint32_t> counters = counters_.to_host("the dependency counters");
  const auto left = [&](TaskId task) {  // events whose counters are watched are looked at for the task
    std::uint32_t releases = counters[device_graph_.place(index(task))];
    for (const TaskId before : inputs_.graph.predecessors(task)) {
      if (is_event(inputs_.graph[before])) releases += counters[device_graph_.place(index(before))];
    }
    return releases;
  };
  std::string text;
  // Of the tasks still waiting, those all of whose predecessors have been released are where the wait begins.
  std::size_t explained = 0;
  std::size_t blocked = 0;
  std::vector<bool> waits(task_count());  // a task whose spawner waits does too, whatever its counter says
  for (const TaskId task : inputs_.graph.topological_order()) {
    const auto spawner = inputs_.graph.spawner(task);
    waits[index(task)] = left(task) != 0 || (spawner && waits[index(*spawner)]);
    if (!waits[index(task)]) continue;
    ++blocked;
    const bool first = std::ranges::none_of(inputs_.graph.predecessors(task), [&](TaskId p) { return waits[index(p)]; });
    if (!first || explained == kMostExplained) continue;
    text += "\n  task '" + std::string(inputs_.graph.name(task)) + "' waits for " + std::to_string(left(task)) +
            " more release(s), though no predecessor of it waits";
    ++explained;
  }
  text += "\n  " + std::to_string(blocked) + " task(s) wait in all";
  return text;
}

Timeline PersistentExecutor::timeline(std::uint64_t origin) const {
  Timeline timeline;
  timeline.cores = cores_;
  timeline.workers_per_core = inputs_.design.workers_per_core;
  timeline.tasks.reserve(task_count());
  for (const PhaseRecord& record : phases_.to_host("the phase stamps")) {
    timeline.tasks.push_back({.ready = from_stamp(record.ready, origin),
                              .dispatched = from_stamp(record.dispatched, origin),
                              .received = from_stamp(record.received, origin),
                              .started = from_stamp(record.started, origin),
                              .ended = from_stamp(record.ended, origin),
                              .published = from_stamp(record.published, origin),
                              .core = CoreId{record.core},
                              .dispatcher = record.dispatcher == 0 ? kNoDispatcher : DispatcherId{record.dispatcher - 1}});
  }
  for (const std::uint32_t root : device_graph_.roots) timeline.tasks[root].ready = TimePoint{};
  add_blocks(timeline, origin);
  const std::vector<std::uint64_t> stopped = stopped_.to_host("the end times");
  if (std::ranges::find(stopped, std::uint64_t{0}) == stopped.end())
    timeline.stopped = from_stamp(*std::ranges::max_element(stopped), origin);
  for (TaskTimes& times : timeline.tasks) {
    if (is_present(times.ready) && is_present(times.dispatched)) times.dispatched = std::max(times.dispatched, times.ready);
  }
  return timeline;
}

void PersistentExecutor::add_blocks(Timeline& timeline, std::uint64_t origin) const {
  if (block_records_.size() == 0) return;
  const std::vector<PhaseRecord> records = block_records_.to_host("the blocks' stamps");
  const bool apart = inputs_.design.gang == Gang::kApart;
  const auto keep = [apart](TimePoint& kept, TimePoint at) {  // of the last block handed over, or of the first
    if (!is_present(kept) || (apart ? is_present(at) && at < kept : at > kept)) kept = at;
  };
  for (std::size_t i = 0; i < timeline.tasks.size(); ++i) {
    const DeviceTask& task = device_graph_.host_tasks[i];
    if (task.blocks < 2) continue;
    TaskTimes& times = timeline.tasks[i];
    times.core = kNoCore;  // after all cores
    times.started = TimePoint::max();
    for (std::uint32_t block = task.first_block; block < task.first_block + task.blocks; ++block) {
      const PhaseRecord& record = records[block];
      const BlockTimes added{task_id(i), CoreId{record.core}, from_stamp(record.started, origin), from_stamp(record.ended, origin),
                             from_stamp(record.published, origin)};
      timeline.blocks.push_back(added);
      times.core = std::min(times.core, added.core);
      keep(times.dispatched, from_stamp(record.dispatched, origin));
      keep(times.received, from_stamp(record.received, origin));
      times.started = std::min(times.started, added.started);
      times.ended = std::max(times.ended, added.ended);
      times.published = std::max(times.published, added.published);
    }
  }
}

}  // namespace tasktwin::gpu
