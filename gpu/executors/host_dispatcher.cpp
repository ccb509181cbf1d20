#include "gpu/executors/host_dispatcher.hpp"

#include <algorithm>
#include <numeric>
#include <thread>

#include "gpu/cuda/mapped_buffer.hpp"
#include "gpu/cuda/mapped_word.hpp"
#include "gpu/host/quick_processor.hpp"
#include "gpu/host_dispatcher/clock_offset.hpp"
#include "gpu/host_dispatcher/host_dispatcher_kernel.hpp"
#include "gpu/host_dispatcher/host_dispatchers.hpp"
#include "gpu/persistent/launch/persistent_executor.hpp"
#include "gpu/persistent/launch/timeline_samples.hpp"
#include "models/base/error.hpp"
#include "models/cost/body_cost.hpp"

namespace tasktwin::gpu {

namespace {

/// The persistent workers, handed their tasks by threads of the host. A spawned task is known to the host from the beginning and
/// ready once its spawner has completed, as others are.
class HostDispatcherExecutor final : public PersistentExecutor {
 public:
  explicit HostDispatcherExecutor(const ExecutorInputs& inputs)
      : PersistentExecutor(inputs),
        threads_(static_cast<std::uint32_t>(dispatcher_count(inputs.design, inputs.machine))),
        entries_(std::size_t{workers()} * kHostMailboxEntries, "the mailboxes"),
        completions_(kHostCompletionWords, "the completions"),
        durations_(planned_durations(inputs.graph, inputs.machine)),
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
    processors_ = processors_by_speed();
    const HostNotes notes = run.phases ? HostNotes::kStamps : run.time_rounds ? HostNotes::kRounds : HostNotes::kNone;
    dispatchers_.start(notes, opened_.host_word(), processors_);
    launch_host_workers(
        run,
        {.mailboxes = {entries_.device(), completions_.device()}, .opened = opened_.device_address(), .tasks = device_graph().tasks.data()},
        stream);
    dispatchers_.finish();  // where it gives up, so does the watchdog
  }

  /// Threads are disturbed where they compute slower than one processor could just before.
  void add_pace(RunResult& result) override {
    const std::vector<double>& paces = dispatchers_.paces();
    result.host_call_ns = std::reduce(paces.begin(), paces.end()) / static_cast<double>(paces.size());
    result.host_disturbance = disturbance(result.host_call_ns, processors_);
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
      for (const HostRound& round : dispatchers_.rounds()[thread]) add_busy(timeline.dispatchers[thread], {at(round.begin), at(round.end)});
    }
    add_rounds(result);
    timeline.ready_queue = queue_samples(timeline);
  }

  void add_rounds(RunResult& result) override {
    for (const std::vector<HostRound>& rounds : dispatchers_.rounds()) {
      for (const HostRound& round : rounds) {
        result.dispatch_rounds.push_back({.sweep = Duration{round.swept - round.begin},
                                          .resolve = Duration{round.resolved - round.swept},
                                          .push = Duration{round.pushing},
                                          .claim = Duration{round.claiming},
                                          .hand_over = Duration{round.end - round.resolved},
                                          .completions = round.completions,
                                          .edges = round.edges,
                                          .lines = round.lines,
                                          .claims = round.claims,
                                          .released = round.released,
                                          .handed_over = round.handed_over});
      }
    }
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
  std::vector<QuickProcessor> processors_;  ///< as they were before the last run
};

}  // namespace

const ExecutorEntry kHostDispatcherExecutor{&kHostDispatcherSupported, make_executor<HostDispatcherExecutor>};

}  // namespace tasktwin::gpu
