#include <algorithm>
#include <deque>
#include <optional>
#include <utility>

#include "models/cost/footprint.hpp"
#include "sim/cores/core.hpp"
#include "sim/device_launch/grids.hpp"
#include "sim/queues/event_semaphore.hpp"
#include "sim/wirings.hpp"

namespace tasktwin::sim {

namespace {

/// Warps of the block that launches the roots.
constexpr std::size_t kRootWarps = kWholeCoreThreads / 32;
/// Launches of each lane of a warp for one task up to which those beyond the first cost DynamicParallelism::further more.
constexpr std::size_t kFurtherLaunches = 4;

std::size_t count_blocks(const TaskGraph& graph) {
  std::size_t count = 0;
  for (std::size_t i = 0; i < graph.size(); ++i) count += static_cast<std::size_t>(graph.traits(task_id(i)).blocks);
  return count;
}

/// Kernels that launch the kernels they make ready: docs/model/device_launch.md. A block keeps what it could not launch, because too many
/// launches waited for room, tries it again when it has made its other launches, the last kept first, and then runs it itself, several
/// blocks one after the other. It holds its core until it keeps nothing.
class DynamicParallelism final : public Wiring, public EventHandler, private Grids::Listener {
 public:
  explicit DynamicParallelism(const WiringInputs& inputs)
      : graph_(inputs.graph),
        dynamic_parallelism_(*inputs.machine.dynamic_parallelism),
        lanes_(static_cast<std::size_t>(inputs.machine.resident_cores->lanes)),
        host_calls_(*inputs.machine.host_calls),
        streams_(*inputs.machine.streams),
        calendar_(inputs.calendar),
        events_(inputs.events),
        host_(events_.add_control_core(ControlRole::kHost)),
        release_(PublishCost::of_launched(inputs.machine)),
        launch_(round_ns(dynamic_parallelism_.launch)),
        again_(round_ns(dynamic_parallelism_.again)),
        block_(dynamic_parallelism_.block),
        latency_(round_ns(dynamic_parallelism_.latency)),
        service_(round_ns(dynamic_parallelism_.service)),
        end_(round_ns(dynamic_parallelism_.end)),
        most_pending_(
            static_cast<std::size_t>(inputs.design.pending_launches > 0 ? inputs.design.pending_launches : kDefaultPendingLaunches)),
        semaphores_(graph_, inputs.machine, inputs.design),
        grids_(inputs, count_blocks(graph_) + 1, 0, *this),
        carriers_(count_blocks(graph_) + 1) {}

  void begin() override {
    if (graph_.size() == 0) return;
    events_.busy(host_, TimePoint{}, TimePoint{} + round_ns(host_calls_.launch));
    for (std::size_t i = 0; i < graph_.size(); ++i) {
      if (semaphores_.open(task_id(i))) events_.ready(task_id(i), TimePoint{});
    }
    calendar_.schedule(TimePoint{} + round_ns(streams_.launch_latency), EventKind::kStartable, kRoots, *this);
  }

  void handle(EventKind kind, std::uint32_t subject, TimePoint now) override {
    if (kind == EventKind::kStartable && subject == kRoots) {
      arrive(subject, now);
    } else if (kind == EventKind::kStartable) {
      start_next(now);
    } else if (kind == EventKind::kPublished) {
      release(subject, now);
    } else {
      proceed(subject, now);
    }
  }

 private:
  static constexpr std::uint32_t kRoots = ~0u;  ///< in place of a task: the kernel that launches the roots

  /// A kernel, launched, and when the launch has come to the device.
  struct Startable {
    TaskId task;
    TimePoint at;
  };

  /// A block, and what it has to do before it leaves.
  struct Carrier {
    std::vector<TaskId> ready;  ///< to be launched
    std::size_t launched = 0;   ///< of them, or kept
    bool roots = false;         ///< they are the roots
    bool launching = false;     ///< some of them, now
    std::vector<TaskId> kept;
    std::optional<TaskId> own;  ///< found no room again: the block runs it
    int own_blocks = 0;         ///< of it still to run
  };

  void arrive(std::uint32_t subject, TimePoint now) {
    const auto blocks = subject == kRoots ? 1 : static_cast<std::size_t>(graph_.traits(TaskId{subject}).blocks);
    grids_.arrive(std::vector<std::optional<TaskId>>(blocks, subject == kRoots ? std::nullopt : std::optional<TaskId>(TaskId{subject})),
                  now);
  }

  /// The first of those that have come, if the device has done with what came before.
  void start_next(TimePoint now) {
    if (next_start_ != now) return;  // one has come before it
    next_start_.reset();
    if (busy_until_ <= now) {
      busy_until_ = now + service_;
      const TaskId task = startable_.front().task;
      startable_.pop_front();
      arrive(static_cast<std::uint32_t>(index(task)), now);
    }
    look_for_next();
  }

  void look_for_next() {
    if (startable_.empty()) return;
    const TimePoint at = std::max(startable_.front().at, busy_until_);
    if (next_start_ && *next_start_ <= at) return;
    next_start_ = at;
    calendar_.schedule(at, EventKind::kStartable, 0, *this);
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
      carrier.roots = true;
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
    for (const TaskId successor : graph_.successors(task)) {
      if (!semaphores_.signal(successor)) continue;
      events_.ready(successor, now);
      carrier.ready.push_back(successor);
    }
    if (carrier.ready.empty()) events_.published(task, now);  // else when it has launched them
    proceed(block, now);
  }

  /// The block's next step; another one is scheduled for its end unless the block leaves or runs a body.
  void proceed(std::uint32_t block, TimePoint now) {
    Carrier& carrier = carriers_[block];
    if (std::exchange(carrier.launching, false)) --launching_;
    if (carrier.own) {
      if (carrier.own_blocks-- > 0) return grids_.go_on(block, *carrier.own, now);
      carrier.own.reset();
    }
    TimePoint end{};
    if (carrier.launched < carrier.ready.size()) {
      const std::size_t count = std::min(carrier.ready.size() - carrier.launched, lanes_);
      Nanoseconds others{};
      if (!carrier.roots) {
        others = launching_ * dynamic_parallelism_.beside;
        if (carrier.launched > 0 && carrier.launched < kFurtherLaunches * lanes_) others += dynamic_parallelism_.further;
      }
      const TimePoint turn = now + round_ns(static_cast<double>(count - 1) * dynamic_parallelism_.per_lane + others);
      carrier.launching = true;
      ++launching_;
      for (std::size_t i = 0; i < count; ++i) {
        const TaskId task = carrier.ready[carrier.launched++];
        if (!try_launch(task, now, turn)) carrier.kept.push_back(task);
      }
      const bool beside = carrier.roots && carrier.launched < carrier.ready.size();
      end = beside ? now + round_ns(static_cast<double>(count) * (block_ + crowd(carrier))) : turn + launch_;
      if (!carrier.roots && carrier.launched == carrier.ready.size()) events_.published(ending_[block], end);
    } else if (!carrier.kept.empty()) {
      const TaskId task = carrier.kept.back();
      carrier.kept.pop_back();
      end = now + again_;
      if (!try_launch(task, now, now)) {
        carrier.own = task;
        carrier.own_blocks = graph_.traits(task).blocks;
      }
    } else {
      return grids_.leave(block, now);
    }
    if (carrier.launched == carrier.ready.size()) {
      carrier.ready.clear();
      carrier.launched = 0;
      carrier.roots = false;
    }
    calendar_.schedule(end, EventKind::kHandOver, block, *this);
  }

  /// What the roots' other warps add to a launch of the latest 32.
  Nanoseconds crowd(const Carrier& carrier) const {
    const std::size_t warps = std::min(kRootWarps, (carrier.ready.size() + lanes_ - 1) / lanes_);
    if (carrier.launched > kRootWarps * lanes_) return Nanoseconds{0};
    return static_cast<double>(warps - 1) * dynamic_parallelism_.crowd;
  }

  /// `turn`: from when on DynamicParallelism::latency counts.
  bool try_launch(TaskId task, TimePoint now, TimePoint turn) {
    events_.dispatched(task, now);
    if (pending_ == most_pending_) return false;
    ++pending_;
    const TimePoint at = turn + latency_;
    startable_.insert(std::ranges::upper_bound(startable_, at, {}, &Startable::at), {task, at});
    look_for_next();
    return true;
  }

  void grid_ended(std::uint32_t /*grid*/, TimePoint now) override { busy_until_ = std::max(busy_until_, now) + end_; }

  const TaskGraph& graph_;
  const mechanism::DynamicParallelism& dynamic_parallelism_;
  std::size_t lanes_;  ///< of a warp
  const mechanism::HostCalls& host_calls_;
  const mechanism::Streams& streams_;
  Calendar& calendar_;
  RunEvents& events_;
  DispatcherId host_;
  PublishCost release_;
  Duration launch_;
  Duration again_;
  Nanoseconds block_;
  Duration latency_;
  Duration service_;
  Duration end_;
  std::size_t most_pending_;
  std::size_t pending_ = 0;              ///< launched and not yet resident
  int launching_ = 0;                    ///< warps
  std::deque<Startable> startable_;      ///< in the order in which they come
  std::optional<TimePoint> next_start_;  ///< event
  TimePoint busy_until_{};               ///< with starting kernels and clearing them away
  EventSemaphores semaphores_;
  Grids grids_;
  std::vector<Carrier> carriers_;  ///< by block
  std::vector<TaskId> ending_;     ///< by block: the task whose successors it releases
};

}  // namespace

std::unique_ptr<Wiring> make_dynamic_parallelism(const WiringInputs& inputs) { return std::make_unique<DynamicParallelism>(inputs); }

}  // namespace tasktwin::sim
