#include "gpu/executors.hpp"

#include <algorithm>

#include "gpu/bodies/page_copies.hpp"
#include "gpu/persistent/launch/persistent_executor.hpp"
#include "gpu/persistent/static_queues/static_queues_kernel.hpp"
#include "gpu/persistent/static_queues/told_messages.hpp"
#include "gpu/persistent/static_queues/watched_events.hpp"
#include "gpu/persistent/static_queues/worker_lists.hpp"
#include "gpu/persistent/worker_queues/worker_queues_executor.hpp"
#include "models/cost/prefetch.hpp"
#include "models/graph/events.hpp"

namespace tasktwin::gpu {

namespace {

/// Frozen per-worker lists; workers decrement and wait on counters, raise and look at flags, or write and look at messages. The counter of
/// an event is one that its tasks decrement and that the workers look at whose tasks wait for it.
class StaticQueuesExecutor final : public PersistentExecutor {
 public:
  explicit StaticQueuesExecutor(const ExecutorInputs& inputs) : StaticQueuesExecutor(inputs, worker_lists(inputs)) {}

 private:
  StaticQueuesExecutor(const ExecutorInputs& inputs, const FrozenSchedule& lists)
      : PersistentExecutor(inputs, places(inputs.graph, lists), {},
                           inputs.design.notification == Notification::kCounter ? EventUse::kWatched : EventUse::kRaised,
                           told_edges(inputs, lists)) {
    std::vector<std::uint32_t> first{0};
    std::vector<DeviceTask> in_order;
    std::vector<std::uint32_t> awaited;
    std::vector<std::uint32_t> watched{0};  // of those that watch nothing
    const std::vector<std::vector<TaskId>> events = watched_events(inputs.graph);
    const bool flags = inputs.design.notification != Notification::kCounter;
    const ToldEdges told = told_edges(inputs, lists);
    if (inputs.design.notification == Notification::kMessage) messages_.emplace(inputs.graph, told, device_graph());
    for (const auto& list : lists) {
      for (const TaskId task : list) {
        in_order.push_back(device_graph().host_tasks[index(task)]);
        if (inputs.design.prologues == Prologues::kAhead) take_prologue(in_order.back());
        if (flags) await_predecessors(inputs, told, task, events[index(task)], in_order.back(), awaited);
        if (!flags) watch(events[index(task)], in_order.back(), watched);
      }
      first.push_back(static_cast<std::uint32_t>(in_order.size()));
    }
    if (flags) {
      awaited.push_back(0);  // so that there is something to point to
      awaited_ = {std::span<const std::uint32_t>(awaited), "the workers' lists"};
      if (messages_) messages_->expect(inputs.graph, in_order, awaited);
    }
    if (watched.size() > 1) watched_ = {std::span<const std::uint32_t>(watched), "the workers' lists"};
    first_ = {std::span<const std::uint32_t>(first), "the workers' lists"};
    tasks_ = {std::span<const DeviceTask>(in_order), "the workers' lists"};
    if (inputs.design.prefetch > 0) plan_pages(inputs, lists);
  }

  /// A spinning body has it as well.
  static void take_prologue(DeviceTask& task) {
    if (task.body.kernel == static_cast<std::uint32_t>(Kernel::kSpin)) task.body.spin_ns -= task.prologue_ns;
  }

  /// Leaves the plan without pages where no task would read them: all bodies then read for themselves.
  void plan_pages(const ExecutorInputs& inputs, const FrozenSchedule& lists) {
    const PageRing ring = page_ring(inputs.graph, inputs.machine);
    if (ring.pages == 0) return;
    plan_.page_bytes = static_cast<std::uint32_t>(ring.page_bytes);
    plan_.pages = static_cast<std::uint32_t>(ring.pages);
    plan_.ahead = static_cast<std::uint32_t>(inputs.design.prefetch);
    std::vector<PageCopy> copies;
    std::vector<std::uint32_t> first{0};
    for (const auto& list : lists) {
      for (std::uint32_t number = 0; number < list.size(); ++number) {
        const TaskId task = list[number];
        add_page_copies(device_graph().host_tasks[index(task)].body, bodies(), plan_.page_bytes, number, copies);
      }
      first.push_back(static_cast<std::uint32_t>(copies.size()));
    }
    plan_.scratch_bytes = static_cast<std::uint32_t>(beside_pages(inputs.graph));
    copies_ = {std::span<const PageCopy>(copies), "the pages"};
    first_copy_ = {std::span<const std::uint32_t>(first), "the pages"};
    plan_.copies = copies_.data();
    plan_.first = first_copy_.data();
  }

  static ToldEdges told_edges(const ExecutorInputs& inputs, const FrozenSchedule& lists) {
    return inputs.design.own_list == OwnList::kOrder ? ToldEdges(inputs.graph, lists) : ToldEdges();
  }

  static std::vector<std::uint32_t> places(const TaskGraph& graph, const FrozenSchedule& lists) {
    std::vector<std::uint32_t> places(graph.size());
    std::uint32_t place = 0;
    for (const auto& list : lists) {
      for (const TaskId task : list) places[index(task)] = place++;
    }
    for (std::size_t i = 0; i < places.size(); ++i) {
      if (is_event(graph[task_id(i)])) places[i] = place++;
    }
    return places;
  }

  /// Adds the row of those whose flags `task` waits for, events after the tasks; one that is never released waits for its own.
  void await_predecessors(const ExecutorInputs& inputs, const ToldEdges& told, TaskId task, const std::vector<TaskId>& events,
                          DeviceTask& entry, std::vector<std::uint32_t>& rows) const {
    entry.first_awaited = static_cast<std::uint32_t>(rows.size());
    for (const TaskId before : inputs.graph.predecessors(task)) {
      const bool awaited = !is_event(inputs.graph[before]) && told.has(before, task) && !inputs.options.ignores(before, task);
      if (awaited) add_flags(before, rows);
      if (awaited) --entry.awaited;
    }
    for (; entry.awaited > 0; --entry.awaited) add_flags(task, rows);
    for (const TaskId event : events) rows.push_back(device_graph().place(index(event)) | (messages_ ? kEventCounter : 0));
    entry.awaited = static_cast<std::uint32_t>(rows.size()) - entry.first_awaited;
    std::copy_n(rows.begin() + entry.first_awaited, std::min(kHeadSuccessors, entry.awaited), entry.edges.head);
  }

  /// The flag that `task` raises, or those of its message.
  void add_flags(TaskId task, std::vector<std::uint32_t>& rows) const {
    if (messages_) return messages_->add_pieces(task, rows);
    rows.push_back(device_graph().place(index(task)));
  }

  /// Adds the row of the events that `entry` watches.
  void watch(const std::vector<TaskId>& events, DeviceTask& entry, std::vector<std::uint32_t>& rows) const {
    if (events.empty()) return;
    entry.first_awaited = static_cast<std::uint32_t>(rows.size());
    rows.push_back(static_cast<std::uint32_t>(events.size()));
    for (const TaskId event : events) rows.push_back(device_graph().place(index(event)));
  }

  void reset(cudaStream_t stream) override {
    if (messages_) messages_->clear(stream);
  }
  std::int64_t wrong_results() const override { return messages_ ? messages_->wrong() : 0; }
  void launch(const PersistentRun& run, cudaStream_t stream) override {
    const StaticQueues queues{first_.data(),
                              tasks_.data(),
                              awaited_.size() > 0 ? awaited_.data() : nullptr,
                              watched_.size() > 0 ? watched_.data() : nullptr,
                              device_graph().events > 0 ? device_graph().first_event() : ~0u,
                              messages_ ? messages_->pieces() : nullptr,
                              messages_ ? messages_->rows() : nullptr};
    if (plan_.pages > 0) {
      launch_static_queues(run, queues, plan_, stream);
    } else {
      launch_static_queues(run, queues, stream);
    }
  }

  DeviceBuffer<std::uint32_t> first_;
  DeviceBuffer<DeviceTask> tasks_;
  DeviceBuffer<std::uint32_t> awaited_;  ///< empty where workers wait on counters
  DeviceBuffer<std::uint32_t> watched_;  ///< empty where they are not, or there are no events
  std::optional<ToldMessages> messages_;

  PagePlan plan_{};
  DeviceBuffer<PageCopy> copies_;
  DeviceBuffer<std::uint32_t> first_copy_;
};

}  // namespace

std::unique_ptr<Executor> make_static_queues(const ExecutorInputs& inputs) { return std::make_unique<StaticQueuesExecutor>(inputs); }

}  // namespace tasktwin::gpu
