#include "gpu/persistent/persistent_executor.hpp"

#include <algorithm>
#include <numeric>

#include "gpu/watchdog.hpp"

namespace tasktwin::gpu {

namespace {

constexpr std::size_t kMostExplained = 8;

template <class T>
void clear(const DeviceBuffer<T>& buffer, cudaStream_t stream) {
  if (buffer.size() > 0) check(cudaMemsetAsync(buffer.data(), 0, buffer.bytes(), stream), "clearing GPU memory");
}

}  // namespace

PersistentExecutor::PersistentExecutor(const ExecutorInputs& inputs)
    : inputs_(inputs),
      cores_(worker_cores(inputs.design, inputs.machine)),
      problem_(make_problem_data(inputs.graph)),
      device_graph_(inputs.graph, inputs.options),
      counters_(inputs.graph.size(), "the dependency counters"),
      control_(1, "the run's control words"),
      completions_(cores_.size() * kLineWords, "the completion counts"),
      waiting_for_(cores_.size(), "the waiting tasks"),
      last_published_(cores_.size(), "the end times"),
      phases_(inputs.graph.size(), "the phase stamps"),
      done_(inputs.graph.size(), "the order marks"),
      violations_(1, "the violation count") {}

PersistentRun PersistentExecutor::describe(RunMode mode) const {
  return {.bodies = problem_->context(),
          .tasks = device_graph_.tasks.data(),
          .successors = device_graph_.successors.data(),
          .predecessors = device_graph_.predecessors.data(),
          .counters = counters_.data(),
          .task_count = task_count(),
          .workers = workers(),
          .mailbox_depth = static_cast<std::uint32_t>(inputs_.design.mailbox_depth),
          .control = control_.data(),
          .completions = completions_.data(),
          .waiting_for = waiting_for_.data(),
          .last_published = last_published_.data(),
          .phases = mode == RunMode::kStamped ? phases_.data() : nullptr,
          .done = mode == RunMode::kCheckOrder ? done_.data() : nullptr,
          .violations = violations_.data()};
}

RunResult PersistentExecutor::run(RunMode mode) {
  problem_->reset(stream_);
  check(cudaMemcpyAsync(counters_.data(), device_graph_.predecessor_counts.data(), counters_.bytes(), cudaMemcpyDeviceToDevice, stream_),
        "resetting the counters");
  clear(control_, stream_);
  clear(completions_, stream_);
  clear(waiting_for_, stream_);
  clear(last_published_, stream_);
  clear(violations_, stream_);
  if (mode == RunMode::kStamped) clear(phases_, stream_);
  if (mode == RunMode::kCheckOrder) clear(done_, stream_);
  reset(stream_);
  stream_.synchronize();

  launch(describe(mode), stream_);
  if (!await_completion(stream_, inputs_.options.watchdog, [this] { return progress(); })) end_and_explain();

  const std::uint64_t origin = control_.to_host("the run's control words").front().origin;
  const std::vector<std::uint64_t> last = last_published_.to_host("the end times");
  RunResult result;
  result.makespan = from_stamp(std::max(origin, *std::ranges::max_element(last)), origin).time_since_epoch();
  if (mode == RunMode::kCheckOrder) result.ordering_violations = violations_.to_host("the violation count").front();
  if (mode == RunMode::kStamped) {
    result.timeline = timeline(origin);
    add_observations(result, origin);
  }
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
  if (!await_completion(stream_, std::chrono::seconds{5}, [] { return std::uint64_t{1}; })) {
    throw RunError("the run made no progress and its kernel did not end on request: a task's body does not end");
  }

  const std::vector<std::uint32_t> counters = counters_.to_host("the dependency counters");
  const std::vector<std::uint32_t> waiting = waiting_for_.to_host("the waiting tasks");
  const auto name = [this](std::size_t task) { return "'" + std::string(inputs_.graph.name(task_id(task))) + "'"; };
  std::string text = "the run made no progress for " + std::to_string(inputs_.options.watchdog.count()) + " ms and was ended; " +
                     std::to_string(completed) + " of " + std::to_string(task_count()) + " tasks are done";
  std::size_t explained = 0;
  for (std::size_t worker = 0; worker < waiting.size() && explained < kMostExplained; ++worker) {
    if (waiting[worker] == 0) continue;
    text += "\n  core " + std::to_string(worker) + " waits for task " + name(waiting[worker] - 1);
    ++explained;
  }
  // Of the tasks still waiting, those all of whose predecessors have been released are where the wait begins.
  explained = 0;
  std::size_t blocked = 0;
  for (const TaskId task : inputs_.graph.topological_order()) {
    if (counters[index(task)] == 0) continue;
    ++blocked;
    const bool first = std::ranges::none_of(inputs_.graph.predecessors(task), [&](TaskId p) { return counters[index(p)] != 0; });
    if (!first || explained == kMostExplained) continue;
    text += "\n  task " + name(index(task)) + " waits for " + std::to_string(counters[index(task)]) +
            " more release(s), though no predecessor of it waits";
    ++explained;
  }
  text += "\n  " + std::to_string(blocked) + " task(s) wait in all";
  throw RunError(text);
}

Timeline PersistentExecutor::timeline(std::uint64_t origin) const {
  Timeline timeline;
  timeline.cores = cores_;
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
  for (TaskTimes& times : timeline.tasks) {
    if (is_present(times.ready) && is_present(times.dispatched)) times.dispatched = std::max(times.dispatched, times.ready);
  }
  return timeline;
}

}  // namespace tasktwin::gpu
