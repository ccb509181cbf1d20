#include "gpu/executors/host_dispatcher.hpp"

#include <algorithm>
#include <thread>

#include "gpu/host_dispatcher/clock_offset.hpp"
#include "gpu/host_dispatcher/host_dispatcher_kernel.hpp"
#include "gpu/host_dispatcher/host_dispatchers.hpp"
#include "gpu/host_dispatcher/mapped_buffer.hpp"
#include "gpu/mapped_word.hpp"
#include "gpu/persistent/persistent_executor.hpp"
#include "gpu/persistent/queue_samples.hpp"
#include "models/body_cost.hpp"
#include "models/error.hpp"

namespace tasktwin::gpu {

namespace {

constexpr std::uint32_t kMostThreads = 64;

/// The persistent workers, handed their tasks by threads of the host. A spawned task is known to the host from the beginning and
/// ready once its spawner has completed, as others are.
class HostDispatcherExecutor final : public PersistentExecutor {
 public:
  explicit HostDispatcherExecutor(const ExecutorInputs& inputs)
      : PersistentExecutor(inputs),
        threads_(static_cast<std::uint32_t>(dispatcher_count(inputs.design, inputs.machine))),
        entries_(std::size_t{workers()} * kHostMailboxEntries, "the mailboxes"),
        completions_(std::size_t{threads_} * kMostHostWorkers, "the completions"),
        durations_(expected_durations(inputs.graph, inputs.machine)),
        dispatchers_(inputs.graph, inputs.design, inputs.options, workers(), threads_, durations_, {entries_.host(), completions_.host()}) {
    const unsigned processors = std::thread::hardware_concurrency();
    if (processors != 0 && threads_ >= processors) {
      throw InputError("design '" + inputs.design.name + "': dispatchers is " + std::to_string(threads_) + ", but the host has " +
                       std::to_string(processors) + " processors and needs one beside them");
    }
  }

 private:
  void reset(cudaStream_t) override {
    opened_.write(0);
    dispatchers_.reset();
  }

  void launch(const PersistentRun& run, cudaStream_t stream) override {
    launch_host_workers(run,
                        {.mailboxes = {entries_.device(), completions_.device()},
                         .opened = opened_.device_address(),
                         .tasks = device_graph().tasks.data(),
                         .dispatchers = threads_},
                        stream);
    dispatchers_.run(run.phases != nullptr, opened_.host_word());  // where it gives up, so does the watchdog
  }

  void add_observations(RunResult& result, std::uint64_t /*origin*/) override {
    Timeline& timeline = result.timeline;
    timeline.roles.assign(threads_, ControlRole::kScheduler);
    timeline.dispatchers.resize(threads_);
    const auto offset = clock_offset(dispatchers_.stamps(), timeline.tasks);
    if (!offset) return;
    const auto at = [&offset](std::int64_t stamp) { return stamp == 0 ? kAbsent : at_ns(stamp + *offset); };
    for (std::size_t i = 0; i < timeline.tasks.size(); ++i) {
      const HostStamps& stamps = dispatchers_.stamps()[i];
      TaskTimes& times = timeline.tasks[i];
      if (stamps.ready != 0) times.ready = at(stamps.ready);
      if (stamps.seen != 0) timeline.seen = std::max(timeline.seen, at(stamps.seen));
      if (stamps.dispatched == 0) continue;
      times.dispatched = at(stamps.dispatched);
      times.dispatcher = DispatcherId{stamps.dispatcher};
    }
    for (std::uint32_t thread = 0; thread < threads_; ++thread) {
      for (const HostRound& round : dispatchers_.rounds()[thread]) {
        result.dispatch_rounds.push_back({Duration{round.swept - round.begin}, Duration{round.resolved - round.swept},
                                          Duration{round.end - round.resolved}, round.completions, round.edges, round.released,
                                          round.handed_over});
        add_busy(timeline.dispatchers[thread], {at(round.begin), at(round.end)});
      }
    }
    timeline.ready_queue = queue_samples(timeline);
  }

  static void add_busy(std::vector<Span>& busy, const Span& span) {
    if (!busy.empty() && busy.back().end >= span.begin) {
      busy.back().end = span.end;
    } else {
      busy.push_back(span);
    }
  }

  std::string explain_waits() const override { return dispatchers_.explain_waits(); }

  std::uint32_t threads_;
  MappedBuffer<std::uint64_t> entries_;
  MappedBuffer<std::uint32_t> completions_;
  MappedWord opened_;
  std::vector<Duration> durations_;
  HostDispatchers dispatchers_;
};

std::optional<std::string> refuse(const TaskGraph& graph, const Machine& machine, const Design& design) {
  const auto value = [](auto axis) { return "'" + std::string(to_word(axis)) + "'"; };
  if (design.ready_queue != ReadyQueue::kShared && design.ready_queue != ReadyQueue::kPerCoreType)
    return "ready_queue " + value(design.ready_queue) + ": the host's threads share one queue; use 'shared'";
  if (design.placement != Placement::kAnyIdle && design.placement != Placement::kLeastLoaded)
    return "placement " + value(design.placement) + ": the host's threads know 'any_idle' and 'least_loaded'";
  if (design.ownership != Ownership::kOwned) return "ownership " + value(design.ownership) + ": a mailbox has one writer; use 'owned'";
  if (design.resolvers > 0) return "resolvers " + std::to_string(design.resolvers) + ": the host's threads resolve themselves; use 0";
  if (design.termination == Termination::kVote)
    return "termination 'vote': the host's threads count completions in one word; use 'counter' or 'sentinels', the same here";
  if (graph.has_wide_tasks() && design.gang == Gang::kTogether)
    return "the graph has tasks of several blocks, which the host's threads do not gather cores for; use gang 'apart'";
  if (dispatcher_count(design, machine) > static_cast<int>(kMostThreads))
    return "dispatchers " + std::to_string(dispatcher_count(design, machine)) + ": " + std::to_string(kMostThreads) + " threads at most";
  if (worker_cores(design, machine).size() > kMostHostWorkers) return "more than " + std::to_string(kMostHostWorkers) + " workers";
  return std::nullopt;
}

}  // namespace

const ExecutorEntry kHostDispatcherExecutor{
    [](const Design& design) { return design.driver == Driver::kHostDispatcher; }, refuse,
    [](const ExecutorInputs& inputs) -> std::unique_ptr<Executor> { return std::make_unique<HostDispatcherExecutor>(inputs); }};

}  // namespace tasktwin::gpu
