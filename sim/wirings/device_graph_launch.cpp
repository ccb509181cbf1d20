#include <algorithm>
#include <deque>

#include "models/rules/claim.hpp"
#include "sim/cores/core.hpp"
#include "sim/device_launch/grids.hpp"
#include "sim/queues/event_semaphore.hpp"
#include "sim/wirings.hpp"

namespace tasktwin::sim {

namespace {

/// A scheduler kernel that launches graphs of one kernel, a block a task: docs/model/device_launch.md. Idle, it looks once in each
/// DeviceGraphLaunch::look; else it takes as many of those that it sees as rules::next_batch allows, in that order, and launches a graph
/// for them. Once it has launched kMostGraphLaunches graphs and all of them have ended, it runs again.
class DeviceGraphLaunch final : public Wiring, public EventHandler, private DeviceLaunchedGrids::Listener {
 public:
  explicit DeviceGraphLaunch(const WiringInputs& inputs)
      : graph_(inputs.graph),
        design_(inputs.design),
        claim_{design_.claim, static_cast<std::uint32_t>(design_.claim_size), 1},
        largest_batch_(rules::largest_batch(claim_, static_cast<std::uint32_t>(inputs.cores.size()))),
        calendar_(inputs.calendar),
        events_(inputs.events),
        scheduler_(events_.add_control_core(ControlRole::kScheduler)),
        publish_(PublishCost::of_launched(inputs.machine)),
        look_(round_ns(inputs.machine.device_graph_launch->look)),
        start_(std::max(Duration{0}, round_ns(inputs.machine.streams->launch_latency) - look_)),
        launch_(round_ns(inputs.machine.device_graph_launch->launch)),
        latency_(round_ns(inputs.machine.device_graph_launch->latency)),
        uncached_launch_(round_ns(inputs.machine.device_graph_launch->uncached_launch)),
        again_(design_.launch_mode == LaunchMode::kSibling ? round_ns(inputs.machine.host_calls->sync_latency) + start_ : latency_),
        semaphores_(graph_, inputs.machine, inputs.design),
        grids_(inputs, graph_.size(), 1, *this),
        ending_(graph_.size()) {}

  void begin() override {
    for (std::size_t i = 0; i < graph_.size(); ++i) {
      if (!semaphores_.open(task_id(i))) continue;
      events_.ready(task_id(i), TimePoint{});
      ready_.push_back(task_id(i));
    }
    if (graph_.size() > 0) run_at(TimePoint{} + start_);
  }

  void handle(EventKind kind, std::uint32_t subject, TimePoint now) override {
    switch (kind) {
      case EventKind::kIteration:
        if (next_ == now) iterate(now);  // else it was woken earlier than that
        break;
      case EventKind::kPublished:
        publish(subject, now);
        break;
      default:
        grids_.arrive(batches_[subject], now);
        break;
    }
  }

 private:
  enum class State { kRunning, kLooking, kEnded };

  /// The first of an idle scheduler's looks from `now` on.
  TimePoint next_look(TimePoint now) const {
    if (look_ == Duration{0}) return now;
    return looking_since_ + (now - looking_since_ + look_ - Duration{1}) / look_ * look_;
  }

  void run_at(TimePoint at) {
    state_ = State::kRunning;
    next_ = at;
    calendar_.schedule(at, EventKind::kIteration, 0, *this);
  }

  /// One step of the scheduler's loop.
  void iterate(TimePoint now) {
    const std::size_t seen = ready_.size();
    if (launched_ == static_cast<std::size_t>(kMostGraphLaunches) || (seen == 0 && tail() && launched_ > 0)) return end(now);
    if (taken_ == graph_.size()) return end(now);
    if (seen == 0) {
      state_ = State::kLooking;
      looking_since_ = now;
      return;
    }
    const auto unclaimed = static_cast<std::uint32_t>(graph_.size() - taken_);
    launch(std::min<std::size_t>(seen, rules::next_batch(claim_, unclaimed, largest_batch_)), now + look_);
  }

  void launch(std::size_t count, TimePoint begin) {
    std::vector<std::optional<TaskId>>& batch = batches_.emplace_back();
    for (; batch.size() < count; ready_.pop_front()) {
      events_.dispatched(ready_.front(), begin, scheduler_);
      batch.emplace_back(ready_.front());
    }
    taken_ += count;
    ++launched_;
    const bool first = batches_.size() <= static_cast<std::size_t>(kMostGraphLaunches);
    const Duration launch = launch_ + (first ? uncached_launch_ : Duration{0});
    events_.busy(scheduler_, begin, begin + launch);
    if (!tail()) {
      ++running_;
      arrive_at(batches_.size() - 1, begin + latency_);
    }
    run_at(begin + launch);
  }

  void arrive_at(std::size_t batch, TimePoint at) {
    calendar_.schedule(at, EventKind::kStartable, static_cast<std::uint32_t>(batch), *this);
  }

  /// This execution of the scheduler; the graphs that it launched to follow it run now.
  void end(TimePoint now) {
    state_ = State::kEnded;
    if (tail()) {
      next_tail_ = batches_.size() - launched_;
      launched_ = 0;
      return run_next_tail(now);
    }
    launched_ = 0;
    if (running_ == 0) run_again(now);
  }

  void run_next_tail(TimePoint now) {
    if (next_tail_ == batches_.size()) return run_again(now);
    arrive_at(next_tail_++, now + latency_);
  }

  void run_again(TimePoint now) {
    if (taken_ < graph_.size()) run_at(now + again_);
  }

  void resident(std::uint32_t /*grid*/, TimePoint /*now*/) override {}

  void body_ended(std::uint32_t block, std::optional<TaskId> task, TimePoint now) override {
    ending_[block] = *task;
    calendar_.schedule(now + publish_.of(graph_.out_degree(*task)), EventKind::kPublished, block, *this);
  }

  void publish(std::uint32_t block, TimePoint now) {
    const TaskId task = ending_[block];
    events_.published(task, now);
    for (const TaskId successor : graph_.successors(task)) {
      if (!semaphores_.signal(successor)) continue;
      events_.ready(successor, now);
      ready_.push_back(successor);
    }
    if (state_ == State::kLooking && !ready_.empty()) run_at(next_look(now));
    grids_.leave(block, now);
  }

  void grid_ended(std::uint32_t /*grid*/, TimePoint now) override {
    if (tail()) return run_next_tail(now);
    --running_;
    if (state_ == State::kEnded && running_ == 0) run_again(now);
  }

  bool tail() const { return design_.launch_mode == LaunchMode::kTail; }

  const TaskGraph& graph_;
  const Design& design_;
  rules::ClaimRule claim_;
  std::uint32_t largest_batch_;
  Calendar& calendar_;
  RunEvents& events_;
  DispatcherId scheduler_;
  PublishCost publish_;
  Duration look_;
  Duration start_;  ///< the host's launch → the scheduler runs
  Duration launch_;
  Duration latency_;
  Duration uncached_launch_;  ///< added where the cache has nothing of a graph, which is launched for the first time
  Duration again_;            ///< from the end of all to the scheduler's next execution
  EventSemaphores semaphores_;
  DeviceLaunchedGrids grids_;
  std::vector<TaskId> ending_;  ///< by block
  std::deque<TaskId> ready_;    ///< not yet taken
  std::vector<std::vector<std::optional<TaskId>>> batches_;
  std::size_t taken_ = 0;      ///< tasks
  std::size_t launched_ = 0;   ///< graphs, by this execution of the scheduler
  std::size_t running_ = 0;    ///< graphs launched to run in parallel with the scheduler and not yet ended
  std::size_t next_tail_ = 0;  ///< of the graphs after the scheduler
  State state_ = State::kRunning;
  TimePoint next_{};           ///< of the scheduler's loop
  TimePoint looking_since_{};  ///< where it is idle
};

}  // namespace

std::unique_ptr<Wiring> make_device_graph_launch(const WiringInputs& inputs) { return std::make_unique<DeviceGraphLaunch>(inputs); }

}  // namespace tasktwin::sim
