#include <algorithm>

#include "sim/core.hpp"
#include "sim/device_launch/grids.hpp"
#include "sim/event_semaphore.hpp"

namespace tasktwin::sim {

namespace {

/// How many threads launch side by side: a warp the successors of a task, a block the roots.
constexpr std::size_t kWarpLaunches = 32;
constexpr std::size_t kRootLaunches = 256;

std::size_t count_blocks(const TaskGraph& graph) {
  std::size_t count = 0;
  for (std::size_t i = 0; i < graph.size(); ++i) count += static_cast<std::size_t>(graph.traits(task_id(i)).blocks);
  return count;
}

/// Kernels that launch the kernels they make ready. A kernel launched by the host at 0 starts at launch_latency and launches the roots,
/// 256 at a time. A task's last block to end at e
///   has decremented its successors' counters at e + release + successors · release_per_successor (retire, if it has none),
///   then launches those that have become ready, 32 at a time, each time in device_launch,
///   each of which comes to the device at the later of its launch's begin + device_launch_latency and the one before it +
///   device_launch_service, whoever launched that, and starts when there is room (Grids).
/// Who launches waits for its turn: where a launch came late for those before it, so much later does the block go on. (Seen on an H200:
/// the time of a launch is the same from the first child to the eight-thousandth, whatever the limit of pending launches.)
/// A launch that finds as many waiting for room as the design's pending_launches fails: the block keeps the task, tries it again when it
/// has made its other launches, the last kept first, and then runs it itself, several blocks one after the other. It holds its core
/// until it keeps nothing.
class DynamicParallelism final : public Wiring, public EventHandler, private Grids::Listener {
 public:
  explicit DynamicParallelism(const WiringInputs& inputs)
      : graph_(inputs.graph),
        constants_(inputs.machine.constants),
        calendar_(inputs.calendar),
        timeline_(inputs.timeline),
        release_(PublishCost::to_counters(constants_)),
        launch_(round_ns(constants_.device_launch)),
        latency_(round_ns(constants_.device_launch_latency)),
        service_(round_ns(constants_.device_launch_service)),
        most_pending_(
            static_cast<std::size_t>(inputs.design.pending_launches > 0 ? inputs.design.pending_launches : kDefaultPendingLaunches)),
        semaphores_(graph_, inputs.machine, inputs.design),
        grids_(inputs, count_blocks(graph_) + 1, 0, *this),
        carriers_(count_blocks(graph_) + 1) {}

  void begin() override {
    timeline_.roles = {ControlRole::kHost};
    timeline_.dispatchers.resize(1);
    const TimePoint launched = TimePoint{} + round_ns(constants_.launch);
    if (graph_.size() > 0 && launched > TimePoint{}) timeline_.dispatchers[0].push_back({TimePoint{}, launched});
    for (std::size_t i = 0; i < graph_.size(); ++i) {
      if (semaphores_.open(task_id(i))) timeline_.tasks[i].ready = TimePoint{};
    }
    if (graph_.size() > 0) calendar_.schedule(TimePoint{} + round_ns(constants_.launch_latency), EventKind::kStartable, kRoots, *this);
  }

  void handle(EventKind kind, std::uint32_t subject, TimePoint now) override {
    if (kind == EventKind::kStartable) {
      arrive(subject, now);
    } else if (kind == EventKind::kPublished) {
      release(subject, now);
    } else {
      proceed(subject, now);
    }
  }

 private:
  static constexpr std::uint32_t kRoots = ~0u;  ///< in place of a task: the kernel that launches the roots

  /// A block, and what it has to do before it leaves.
  struct Carrier {
    std::vector<TaskId> ready;  ///< to be launched
    std::size_t launched = 0;   ///< of them, or kept
    std::size_t at_once = kWarpLaunches;
    std::vector<TaskId> kept;
    std::optional<TaskId> own;  ///< found no room again: the block runs it
    int own_blocks = 0;         ///< of it still to run
  };

  void arrive(std::uint32_t subject, TimePoint now) {
    const auto blocks = subject == kRoots ? 1 : static_cast<std::size_t>(graph_.traits(TaskId{subject}).blocks);
    grids_.arrive(std::vector<std::optional<TaskId>>(blocks, subject == kRoots ? std::nullopt : std::optional<TaskId>(TaskId{subject})),
                  now);
  }

  void resident(std::uint32_t grid, TimePoint /*now*/) override {
    if (grid > 0) --pending_;  // the first is the host's
  }

  void body_ended(std::uint32_t block, std::optional<TaskId> task, TimePoint now) override {
    Carrier& carrier = carriers_[block];
    if (!task) {
      for (std::size_t i = 0; i < graph_.size(); ++i) {
        if (semaphores_.open(task_id(i))) carrier.ready.push_back(task_id(i));
      }
      carrier.at_once = kRootLaunches;
      return proceed(block, now);
    }
    if (!semaphores_.block_done(*task)) return proceed(block, now);
    carrier.own.reset();
    ending_.resize(std::max<std::size_t>(ending_.size(), block + 1));
    ending_[block] = *task;
    calendar_.schedule(now + release_.of(graph_.out_degree(*task)), EventKind::kPublished, block, *this);
  }

  void release(std::uint32_t block, TimePoint now) {
    const TaskId task = ending_[block];
    Carrier& carrier = carriers_[block];
    timeline_.tasks[index(task)].published = now;
    for (const TaskId successor : graph_.successors(task)) {
      if (!semaphores_.signal(successor)) continue;
      timeline_.tasks[index(successor)].ready = now;
      carrier.ready.push_back(successor);
    }
    proceed(block, now);
  }

  /// The block's next step; another one is scheduled for its end unless the block leaves or runs a body.
  void proceed(std::uint32_t block, TimePoint now) {
    Carrier& carrier = carriers_[block];
    if (carrier.own) {
      if (carrier.own_blocks-- > 0) return grids_.go_on(block, *carrier.own, now);
      carrier.own.reset();
    }
    if (carrier.launched < carrier.ready.size()) {
      const std::size_t end = std::min(carrier.ready.size(), carrier.launched + carrier.at_once);
      for (; carrier.launched < end; ++carrier.launched) {
        const TaskId task = carrier.ready[carrier.launched];
        if (!try_launch(task, now)) carrier.kept.push_back(task);
      }
    } else if (!carrier.kept.empty()) {
      const TaskId task = carrier.kept.back();
      carrier.kept.pop_back();
      if (!try_launch(task, now)) {
        carrier.own = task;
        carrier.own_blocks = graph_.traits(task).blocks;
      }
    } else {
      return grids_.leave(block, now);
    }
    if (carrier.launched == carrier.ready.size()) {
      carrier.ready.clear();
      carrier.launched = 0;
      carrier.at_once = kWarpLaunches;
    }
    calendar_.schedule(std::max(now, last_taken_) + launch_, EventKind::kHandOver, block, *this);
  }

  bool try_launch(TaskId task, TimePoint now) {
    timeline_.tasks[index(task)].dispatched = now;
    if (pending_ == most_pending_) return false;
    ++pending_;
    last_taken_ = std::max(now, last_taken_ + service_);
    calendar_.schedule(last_taken_ + latency_, EventKind::kStartable, static_cast<std::uint32_t>(index(task)), *this);
    return true;
  }

  void grid_ended(std::uint32_t /*grid*/, TimePoint /*now*/) override {}

  const TaskGraph& graph_;
  const Constants& constants_;
  Calendar& calendar_;
  Timeline& timeline_;
  PublishCost release_;
  Duration launch_;
  Duration latency_;
  Duration service_;
  std::size_t most_pending_;
  std::size_t pending_ = 0;         ///< launched and not yet resident
  TimePoint last_taken_ = kAbsent;  ///< when the last launch had its turn
  EventSemaphores semaphores_;
  Grids grids_;
  std::vector<Carrier> carriers_;  ///< by block
  std::vector<TaskId> ending_;     ///< by block: the task whose successors it releases
};

}  // namespace

std::unique_ptr<Wiring> make_dynamic_parallelism(const WiringInputs& inputs) { return std::make_unique<DynamicParallelism>(inputs); }

}  // namespace tasktwin::sim
