#include "gpu/executors/central_dispatcher.hpp"

#include <algorithm>
#include <bit>

#include "gpu/persistent/central_dispatcher_kernel.hpp"
#include "gpu/persistent/persistent_executor.hpp"
#include "gpu/persistent/queue_samples.hpp"
#include "models/body_cost.hpp"

namespace tasktwin::gpu {

namespace {

constexpr std::size_t kMostLoggedRounds = std::size_t{1} << 20;

/// A block of dispatcher warps that resolves dependencies and fills the workers' mailboxes.
class CentralDispatcherExecutor final : public PersistentExecutor {
 public:
  explicit CentralDispatcherExecutor(const ExecutorInputs& inputs)
      : CentralDispatcherExecutor(inputs, expected_durations(inputs.graph, inputs.machine)) {}

 private:
  CentralDispatcherExecutor(const ExecutorInputs& inputs, const std::vector<Duration>& durations)
      : PersistentExecutor(inputs, ranks(inputs, durations), durations),
        dispatchers_(static_cast<std::uint32_t>(dispatcher_count(inputs.design, inputs.machine))),
        mailboxes_(std::size_t{workers()} * kMailboxEntries, "the mailboxes"),
        log_capacity_(static_cast<std::uint32_t>(std::min(kMostLoggedRounds, 2 * inputs.graph.size()))),
        log_(std::size_t{dispatchers_} * log_capacity_, "the dispatchers' log"),
        log_sizes_(dispatchers_, "the dispatchers' log") {
    std::vector<std::uint32_t> roots;
    for (const std::uint32_t root : device_graph().roots) roots.push_back(device_graph().place(root));
    root_count_ = static_cast<std::uint32_t>(roots.size());
    byte_counters_ = std::ranges::max(device_graph().predecessor_counts.to_host("the dependency counters")) <= 255;
    const std::vector<std::uint32_t> words = initial_ready_words(kind(), task_count(), roots);
    initial_ready_ = {std::span<const std::uint32_t>(words), "the ready queue"};
    ready_ = DeviceBuffer<std::uint32_t>(words.size(), "the ready queue");
    if (device_graph().places.empty()) return;
    std::vector<std::uint32_t> ids(task_count());
    std::vector<DeviceTask> tasks(task_count());
    for (std::uint32_t i = 0; i < task_count(); ++i) {
      ids[device_graph().place(i)] = i;
      tasks[device_graph().place(i)] = device_graph().host_tasks[i];
    }
    ids_ = {std::span<const std::uint32_t>(ids), "the tasks by rank"};
    tasks_ = {std::span<const DeviceTask>(tasks), "the tasks by rank"};
  }

  ReadyKind kind() const {
    const TaskOrder order = inputs().design.order;
    return order == TaskOrder::kFifo ? ReadyKind::kFifo : order == TaskOrder::kLifo ? ReadyKind::kLifo : ReadyKind::kRanked;
  }

  /// By TaskId, for orders that depend on the task alone: of equal keys the lower id goes first. Else empty.
  static std::vector<std::uint32_t> ranks(const ExecutorInputs& inputs, const std::vector<Duration>& durations) {
    if (inputs.design.order == TaskOrder::kFifo || inputs.design.order == TaskOrder::kLifo) return {};
    const auto order = make_task_order(inputs.design.order, {inputs.graph, durations});
    std::vector<TaskId> tasks = inputs.graph.topological_order();
    std::ranges::sort(tasks, {}, [&order](TaskId task) { return std::pair(order->key(task, 0), task); });
    std::vector<std::uint32_t> ranks(tasks.size());
    for (std::uint32_t rank = 0; rank < tasks.size(); ++rank) ranks[index(tasks[rank])] = rank;
    return ranks;
  }

  void reset(cudaStream_t stream) override {
    check(cudaMemsetAsync(mailboxes_.data(), 0, mailboxes_.bytes(), stream), "emptying the mailboxes");
    check(cudaMemcpyAsync(ready_.data(), initial_ready_.data(), ready_.bytes(), cudaMemcpyDeviceToDevice, stream), "filling the queue");
    check(cudaMemsetAsync(log_sizes_.data(), 0, log_sizes_.bytes(), stream), "emptying the log");
  }

  void launch(const PersistentRun& run, cudaStream_t stream) override {
    launch_central_dispatcher(run,
                              {.mailboxes = mailboxes_.data(),
                               .tasks = tasks_.size() > 0 ? tasks_.data() : device_graph().tasks.data(),
                               .ids = ids_.size() > 0 ? ids_.data() : nullptr,
                               .ready = ready_.data(),
                               .ready_words = static_cast<std::uint32_t>(ready_.size()),
                               .ready_kind = kind(),
                               .edge_count = static_cast<std::uint32_t>(device_graph().successors.size()),
                               .root_count = root_count_,
                               .byte_counters = byte_counters_,
                               .dispatchers = dispatchers_,
                               .slot_mask = std::bit_ceil(static_cast<std::uint32_t>(inputs().design.mailbox_depth)) - 1,
                               .fill = inputs().design.fill,
                               .least_loaded = inputs().design.placement == Placement::kLeastLoaded,
                               .shared_words = 0,
                               .iterations = log_.data(),
                               .iteration_counts = log_sizes_.data(),
                               .iteration_capacity = log_capacity_},
                              stream);
  }

  void add_observations(RunResult& result, std::uint64_t origin) override {
    result.timeline.ready_queue = queue_samples(result.timeline);
    const std::vector<std::uint32_t> sizes = log_sizes_.to_host("the dispatchers' log");
    const std::vector<DispatchIteration> log = log_.to_host("the dispatchers' log");
    for (std::uint32_t d = 0; d < dispatchers_; ++d) {
      std::vector<Span>& busy = result.timeline.dispatchers.emplace_back();
      for (std::size_t i = 0; i < sizes[d]; ++i) {
        const DispatchIteration& round = log[std::size_t{d} * log_capacity_ + i];
        const auto length = [](std::uint64_t from, std::uint64_t to) { return Duration{static_cast<std::int64_t>(to - from)}; };
        result.dispatch_rounds.push_back({length(round.begin, round.swept), length(round.swept, round.resolved),
                                          length(round.resolved, round.end), static_cast<int>(round.completions),
                                          static_cast<int>(round.edges), static_cast<int>(round.released),
                                          static_cast<int>(round.handed_over)});
        const Span span{from_stamp(round.begin, origin), from_stamp(round.end, origin)};
        if (!busy.empty() && busy.back().end == span.begin) {
          busy.back().end = span.end;
        } else {
          busy.push_back(span);
        }
      }
    }
  }

  std::uint32_t dispatchers_;
  DeviceBuffer<std::uint64_t> mailboxes_;
  std::uint32_t root_count_ = 0;
  bool byte_counters_ = false;
  DeviceBuffer<std::uint32_t> initial_ready_;
  DeviceBuffer<std::uint32_t> ready_;
  DeviceBuffer<std::uint32_t> ids_;
  DeviceBuffer<DeviceTask> tasks_;
  std::uint32_t log_capacity_;
  DeviceBuffer<DispatchIteration> log_;
  DeviceBuffer<std::uint32_t> log_sizes_;
};

std::optional<std::string> refuse(const TaskGraph& graph, const Machine& machine, const Design& design) {
  const auto value = [](auto axis) { return "'" + std::string(to_word(axis)) + "'"; };
  if (design.ready_queue != ReadyQueue::kShared && design.ready_queue != ReadyQueue::kPerCoreType)
    return "ready_queue " + value(design.ready_queue) + ": the warps of the GPU's dispatcher share one queue; use 'shared'";
  if (design.placement != Placement::kAnyIdle && design.placement != Placement::kLeastLoaded)
    return "placement " + value(design.placement) + ": the GPU's dispatcher knows 'any_idle' and 'least_loaded'";
  if (design.ownership != Ownership::kOwned)
    return "ownership " + value(design.ownership) + ": a mailbox on the GPU has one writer; use 'owned'";
  if (design.loop != Loop::kCompleteFirst)
    return "loop " + value(design.loop) + ": the GPU's dispatcher takes in completions a warp at a time; use 'complete_first'";
  if (design.sweep != Sweep::kAllCores)
    return "sweep " + value(design.sweep) + ": one load looks at all cores of a warp, busy or not; use 'all_cores'";
  if (design.resolvers > 0) return "resolvers " + std::to_string(design.resolvers) + ": the GPU's dispatchers resolve themselves; use 0";
  if (design.graph_build != GraphBuild::kHost)
    return "graph_build " + value(design.graph_build) + ": graphs come to the GPU from the host; use 'host'";
  if (design.claim != Claim::kAll)
    return "claim " + value(design.claim) + ": the GPU's dispatcher takes what its cores have room for; use 'all'";
  if (design.termination == Termination::kVote)
    return "termination 'vote': the dispatcher's warps count completions in one word; use 'counter' or 'sentinels', the same here";
  if (graph.has_wide_tasks())
    return "the graph has tasks of several blocks, but the GPU's dispatcher gives a task to one core; use release 'counters' and gang "
           "'apart'";
  if (graph.has_spawns())
    return "the graph has spawned tasks, which the GPU's dispatcher does not take in; use shared-queue, work-stealing or hybrid";
  const int dispatchers = dispatcher_count(design, machine);
  if (dispatchers > static_cast<int>(kMostDispatchers)) {
    return "dispatchers " + std::to_string(dispatchers) + ": the GPU's dispatcher block has " + std::to_string(kMostDispatchers) +
           " warps at most";
  }
  if (worker_cores(design, machine).size() > kMostWorkers) return "more than " + std::to_string(kMostWorkers) + " workers";
  return std::nullopt;
}

}  // namespace

const ExecutorEntry kCentralDispatcherExecutor{
    [](const Design& design) { return design.driver == Driver::kPersistent && design.release == Release::kDispatcher; }, refuse,
    [](const ExecutorInputs& inputs) -> std::unique_ptr<Executor> { return std::make_unique<CentralDispatcherExecutor>(inputs); }};

}  // namespace tasktwin::gpu
