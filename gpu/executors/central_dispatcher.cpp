#include "gpu/executors.hpp"

#include <algorithm>
#include <array>
#include <bit>

#include "gpu/persistent/dispatchers/central_dispatcher_kernel.hpp"
#include "gpu/persistent/launch/persistent_executor.hpp"
#include "gpu/persistent/launch/timeline_samples.hpp"
#include "models/cost/body_cost.hpp"
#include "models/rules/home.hpp"

namespace tasktwin::gpu {

namespace {

constexpr std::size_t kMostLoggedRounds = std::size_t{1} << 20;

/// A block of dispatcher warps that resolves dependencies and fills the workers' mailboxes.
class CentralDispatcherExecutor final : public PersistentExecutor {
 public:
  explicit CentralDispatcherExecutor(const ExecutorInputs& inputs)
      : CentralDispatcherExecutor(inputs, planned_durations(inputs.graph, inputs.machine)) {}

 private:
  CentralDispatcherExecutor(const ExecutorInputs& inputs, const std::vector<Duration>& durations)
      : PersistentExecutor(inputs, ranks(inputs, durations), durations),
        dispatchers_(static_cast<std::uint32_t>(dispatcher_count(inputs.design, inputs.machine))),
        homes_{rules::home_count(inputs.design.ready_queue, static_cast<std::uint32_t>(inputs.design.shards), dispatchers_), dispatchers_,
               workers(), inputs.design.gang == Gang::kTogether},
        mailboxes_(std::size_t{workers()} * kMailboxEntries, "the mailboxes"),
        log_capacity_(static_cast<std::uint32_t>(std::min(kMostLoggedRounds, 2 * inputs.graph.size()))),
        log_(std::size_t{dispatchers_} * log_capacity_, "the dispatchers' log"),
        log_sizes_(dispatchers_, "the dispatchers' log") {
    check(cudaMemset(log_.data(), 0, log_.bytes()), "emptying the dispatchers' log");  // which is read whole, however much is written
    const DeviceGraph& graph = device_graph();
    byte_counters_ = !graph.before_spawning && std::ranges::max(graph.predecessor_counts.to_host("the dependency counters")) <= 255;
    if (graph.blocks_of_wide > 0) {
      std::vector<std::uint32_t> blocks(task_count());
      for (std::uint32_t i = 0; i < task_count(); ++i) blocks[graph.place(i)] = graph.host_tasks[i].blocks;
      blocks_ = {std::span<const std::uint32_t>(blocks), "the blocks"};
      to_hand_ = DeviceBuffer<std::uint32_t>(blocks.size(), "the blocks");
      to_end_ = DeviceBuffer<std::uint32_t>(blocks.size(), "the blocks");
    }
    fill_queues();
    if (graph.places.empty()) return;
    std::vector<std::uint32_t> ids(task_count());
    for (std::uint32_t i = 0; i < task_count(); ++i) ids[graph.place(i)] = i;
    ids_ = {std::span<const std::uint32_t>(ids), "the tasks by rank"};
    if (!graph.before_spawning) tasks_ = {std::span<const DeviceTask>(graph.tasks_by_place()), "the tasks by rank"};
  }

  void fill_queues() {
    std::vector<std::vector<std::uint32_t>> roots(homes_.count);
    std::uint32_t turn = 0;
    for (const std::uint32_t root : device_graph().roots) {
      const std::uint32_t blocks = device_graph().host_tasks[root].blocks;
      const std::uint32_t home = rules::deal(turn, homes_.count, [&](std::uint32_t to) { return homes_.usable(to, blocks); });
      roots[home].push_back(device_graph().place(root));
    }
    std::vector<std::uint32_t> all;
    for (std::uint32_t home = 0; home < homes_.count; ++home) {
      root_counts_[home] = static_cast<std::uint32_t>(roots[home].size());
      const std::vector<std::uint32_t> words = initial_ready_words(plain(), kind(), task_count(), roots[home]);
      all.insert(all.end(), words.begin(), words.end());
    }
    initial_ready_ = {std::span<const std::uint32_t>(all), "the ready queues"};
    ready_ = DeviceBuffer<std::uint32_t>(all.size(), "the ready queues");
  }

  bool plain() const {
    return homes_.count == 1 && blocks_.size() == 0 && !device_graph().before_spawning &&
           inputs().design.placement != Placement::kLeastLoaded;
  }

  ReadyKind kind() const {
    const TaskOrder order = inputs().design.order;
    return order == TaskOrder::kFifo ? ReadyKind::kFifo : order == TaskOrder::kLifo ? ReadyKind::kLifo : ReadyKind::kRanked;
  }

  /// By TaskId, for orders that depend on the task alone: of equal keys the lower id goes first. Else empty.
  static std::vector<std::uint32_t> ranks(const ExecutorInputs& inputs, const std::vector<Duration>& durations) {
    if (inputs.design.order == TaskOrder::kFifo || inputs.design.order == TaskOrder::kLifo) return {};
    const auto order = make_task_order(inputs.design, {inputs.graph, durations});
    std::vector<TaskId> tasks = inputs.graph.topological_order();
    std::ranges::sort(tasks, {}, [&order](TaskId task) { return std::pair(order->key(task, 0), task); });
    std::vector<std::uint32_t> ranks(tasks.size());
    for (std::uint32_t rank = 0; rank < tasks.size(); ++rank) ranks[index(tasks[rank])] = rank;
    return ranks;
  }

  static void restore(const DeviceBuffer<std::uint32_t>& words, const DeviceBuffer<std::uint32_t>& initial, cudaStream_t stream) {
    if (words.size() == 0) return;
    check(cudaMemcpyAsync(words.data(), initial.data(), words.bytes(), cudaMemcpyDeviceToDevice, stream), "filling the ready queues");
  }

  void reset(cudaStream_t stream) override {
    check(cudaMemsetAsync(mailboxes_.data(), 0, mailboxes_.bytes(), stream), "emptying the mailboxes");
    restore(ready_, initial_ready_, stream);
    restore(to_hand_, blocks_, stream);
    restore(to_end_, blocks_, stream);
    check(cudaMemsetAsync(log_sizes_.data(), 0, log_sizes_.bytes(), stream), "emptying the log");
  }

  void launch(const PersistentRun& run, cudaStream_t stream) override {
    CentralDispatcher central{};
    central.mailboxes = mailboxes_.data();
    central.tasks = run.children.tasks ? run.children.tasks : tasks_.size() > 0 ? tasks_.data() : device_graph().tasks.data();
    central.ids = ids_.data();
    central.ready = ready_.data();
    central.ready_words = static_cast<std::uint32_t>(ready_.size()) / homes_.count;
    central.ready_kind = kind();
    central.edge_count = static_cast<std::uint32_t>(device_graph().successors.size());
    std::ranges::copy(root_counts_, central.root_counts);
    central.homes = homes_;
    central.wide = {to_hand_.data(), to_end_.data()};
    central.known = device_graph().before_spawning ? device_graph().before_spawning->created : task_count();
    for (const DeviceTask& task : device_graph().host_tasks) central.blocks += task.blocks;
    const Design& design = inputs().design;
    central.stealing = {.on = design.stealing != Stealing::kOff,
                        .size = {design.stealing, static_cast<std::uint32_t>(design.steal_batch)},
                        .victim = design.victim};
    central.byte_counters = byte_counters_;
    central.dispatchers = dispatchers_;
    central.slot_mask = std::bit_ceil(static_cast<std::uint32_t>(design.mailbox_depth)) - 1;
    central.fill = design.fill;
    central.least_loaded = design.placement == Placement::kLeastLoaded;
    central.iterations = log_.data();
    central.iteration_counts = log_sizes_.data();
    central.iteration_capacity = log_capacity_;
    launch_central_dispatcher(run, central, stream);
  }

  void add_observations(RunResult& result, std::uint64_t origin) override {
    result.timeline.ready_queue = queue_samples(result.timeline);
    result.timeline.dispatchers.resize(dispatchers_);
    for_each_round([&](std::uint32_t dispatcher, const DispatchIteration& round) {
      result.dispatch_rounds.push_back(told(round));
      std::vector<Span>& busy = result.timeline.dispatchers[dispatcher];
      const Span span{from_stamp(round.begin, origin), from_stamp(round.end, origin)};
      if (!busy.empty() && busy.back().end == span.begin) {
        busy.back().end = span.end;
      } else {
        busy.push_back(span);
      }
    });
  }

  void add_rounds(RunResult& result) override {
    for_each_round([&](std::uint32_t /*dispatcher*/, const DispatchIteration& round) { result.dispatch_rounds.push_back(told(round)); });
  }

  static DispatchRound told(const DispatchIteration& round) {
    const auto length = [](std::uint64_t from, std::uint64_t to) { return Duration{static_cast<std::int64_t>(to - from)}; };
    return {.sweep = length(round.begin, round.swept),
            .serve = Duration{round.serving},
            .resolve = length(round.swept + round.serving, round.resolved),
            .claim = length(round.resolved, round.taken),
            .hand_over = length(round.taken, round.end),
            .completions = static_cast<int>(round.completions),
            .edges = static_cast<int>(round.edges),
            .rows = static_cast<int>(round.rows),
            .turns = static_cast<int>(round.turns),
            .claimed = static_cast<int>(round.claimed),
            .released = static_cast<int>(round.released),
            .handed_over = static_cast<int>(round.handed_over)};
  }

  template <class Visit>
  void for_each_round(Visit visit) const {
    const std::vector<std::uint32_t> sizes = log_sizes_.to_host("the dispatchers' log");
    const std::vector<DispatchIteration> log = log_.to_host("the dispatchers' log");
    for (std::uint32_t d = 0; d < dispatchers_; ++d) {
      for (std::size_t i = 0; i < sizes[d]; ++i) visit(d, log[std::size_t{d} * log_capacity_ + i]);
    }
  }

  std::uint32_t dispatchers_;
  Homes homes_;
  DeviceBuffer<std::uint64_t> mailboxes_;
  std::array<std::uint32_t, kMostDispatchers> root_counts_{};  ///< by home
  bool byte_counters_ = false;
  DeviceBuffer<std::uint32_t> initial_ready_;
  DeviceBuffer<std::uint32_t> ready_;
  DeviceBuffer<std::uint32_t> blocks_;  ///< by place; empty where every task has one
  DeviceBuffer<std::uint32_t> to_hand_;
  DeviceBuffer<std::uint32_t> to_end_;
  DeviceBuffer<std::uint32_t> ids_;
  DeviceBuffer<DeviceTask> tasks_;
  std::uint32_t log_capacity_;
  DeviceBuffer<DispatchIteration> log_;
  DeviceBuffer<std::uint32_t> log_sizes_;
};

}  // namespace

std::unique_ptr<Executor> make_central_dispatcher(const ExecutorInputs& inputs) {
  if (inputs.design.early_dispatch != EarlyDispatch::kOff) return make_gated_dispatcher(inputs);
  return std::make_unique<CentralDispatcherExecutor>(inputs);
}

}  // namespace tasktwin::gpu
