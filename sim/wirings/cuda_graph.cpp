#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "sim/cores/body_costs.hpp"
#include "sim/graph/conditional_nodes.hpp"
#include "sim/graph/front_ends.hpp"
#include "sim/graph/graph_call.hpp"
#include "sim/graph/graph_nodes.hpp"
#include "sim/graph/node_waits.hpp"
#include "sim/streams/device_set.hpp"
#include "sim/streams/operations.hpp"
#include "sim/streams/ready_times.hpp"
#include "sim/wirings.hpp"

namespace tasktwin::sim {

namespace {

/// A graph with a kernel node a task, built, instantiated and uploaded beforehand, and launched by one call a replay; before each but the
/// first the host does to it what Design::graph_update says, which runs beside the replay before. Replays follow each other whole, and the
/// times are those of the last one. What the driver and the device make of nodes: docs/model/graph_launch.md; under
/// Design::graph_predicates other than `kernel` a task with a predicate is two nodes: docs/model/conditional_nodes.md.
class CudaGraph final : public Wiring, public EventHandler, private Device::Listener, private Operations::Listener {
 public:
  explicit CudaGraph(const WiringInputs& inputs)
      : events_(inputs.events),
        calendar_(inputs.calendar),
        costs_(inputs.costs),
        replay_gap_(round_ns(inputs.machine.graph_launch->replay_gap)),
        fetch_(round_ns(inputs.machine.graph_launch->fetch)),
        nodes_(inputs.graph, inputs.design, *inputs.machine.graph_launch),
        call_(inputs, nodes_),
        waits_(inputs, nodes_),
        front_ends_(inputs, nodes_),
        conditional_(inputs, nodes_),
        devices_(inputs, nodes_.plan(), {}, *this),
        operations_(inputs, nodes_.plan(), devices_, *this),
        ready_(inputs.graph),
        replays_(inputs.design.replays),
        bodies_ended_(nodes_.size()),
        told_(nodes_.size()) {
    for (std::uint32_t node = 0; node < nodes_.size(); ++node) {
      const auto early = [this](std::uint32_t follower) { return nodes_.programmatic(follower); };
      if (std::ranges::any_of(nodes_.followers(node), early)) devices_.watch(node);
    }
  }

  void begin() override {
    if (nodes_.size() > 0) launch(TimePoint{}, TimePoint{});
  }

  void handle(EventKind kind, std::uint32_t subject, TimePoint now) override {
    if (kind == EventKind::kReplay) {
      devices_.begin_again();
      events_.pass_begins(now);
      call_.update();
      launch(now, now + replay_gap_);
      return;
    }
    if (kind == EventKind::kComes) {
      if (waits_.may_come(subject)) devices_.come(subject, now);  // else it was of the replay before
      return;
    }
    const auto [node, stage] = turns_[subject];
    switch (stage) {
      case Stage::kStartable:
        return serve(node, now);
      case Stage::kServed:
        return arrive(node, now);
      case Stage::kEntering:
        return devices_.arrive(node, now);
      case Stage::kEnding:
        return node_ended(node, bodies_ended_[node], conditional_.see_end(now));
      case Stage::kPassed:
        return tell_next(node, now);
      case Stage::kToldByNode:
        return tell_by_node(node, now);
    }
  }

 private:
  /// What an event of a node is about.
  enum class Stage : std::uint8_t {
    kStartable,   ///< nothing but the device's front end holds it back
    kServed,      ///< it starts
    kEntering,    ///< a conditional node's body starts
    kEnding,      ///< a conditional node's end is there to be seen
    kPassed,      ///< the next of its successors learns of its end
    kToldByNode,  ///< nothing but the front end holds back the device's own node that tells its successors
  };
  struct Turn {
    std::uint32_t node = 0;
    Stage stage{};
  };

  /// The node continues at `time`, and after those that do so then and learnt it before.
  void go_on_at(TimePoint time, std::uint32_t node, Stage stage) {
    turns_.push_back({node, stage});
    calendar_.schedule(time, EventKind::kStartable, static_cast<std::uint32_t>(turns_.size() - 1), *this);
  }

  /// None of the nodes starts before `gate`; `now` is when the graph's predecessor had ended.
  void launch(TimePoint now, TimePoint gate) {
    left_ = nodes_.size();
    turns_.clear();
    waits_.begin();
    front_ends_.begin();
    conditional_.begin();
    ready_.begin([&](TaskId root) { events_.ready(root, now); });
    last_end_ = now;
    const TimePoint begun = call_.make();
    for (const GraphCall::Root& root : call_.roots()) go_on_at(std::max(gate, begun + root.after), root.node, Stage::kStartable);
  }

  void serve(std::uint32_t node, TimePoint now) {
    if (nodes_.degrees()[node] > 0) return go_on_at(front_ends_.start(node, now), node, Stage::kServed);
    front_ends_.start_at(node, now);
    arrive(node, now);
  }

  void arrive(std::uint32_t node, TimePoint now) {
    if (conditional_.has(node)) return decide(node, now);
    if (!operations_.takes(node)) return devices_.arrive(node, now);
    operations_.arrive(node, false, now);
  }

  /// A conditional node sets its value.
  void decide(std::uint32_t node, TimePoint now) {
    const TimePoint looked_at = conditional_.decide(node, now);
    const TaskId task = nodes_.task(node);
    if (costs_.holds(task)) {
      front_ends_.start_at(node, looked_at);
      return go_on_at(conditional_.entered(looked_at), node, Stage::kEntering);
    }
    events_.placed(task, CoreId{0});  // it fits beside what is there
    events_.started(task, now);
    events_.ended(task, now);
    bodies_ended_[node] = now;
    go_on_at(conditional_.skipped(looked_at), node, Stage::kEnding);
  }

  void handed_over(std::uint32_t /*node*/, TimePoint /*now*/) override {}
  void placed(std::uint32_t node, TimePoint now) override { operations_.placed(node, now); }
  void operation_ended(std::uint32_t node, TimePoint now) override { body_ended(node, now); }
  void traffic_changed(int device, double traffic, TimePoint now) override { devices_.leave_bandwidth(device, traffic, now); }

  void triggered(std::uint32_t node, TimePoint now) override {
    waits_.triggered(node, [&](std::uint32_t follower) { calendar_.schedule(now, EventKind::kComes, follower, *this); });
  }

  void kernel_ended(std::uint32_t node, TaskId task, TimePoint now) override {
    events_.placed(task, devices_.core_of(node));
    body_ended(node, now);
  }

  void body_ended(std::uint32_t node, TimePoint now) {
    if (!conditional_.has(node)) return node_ended(node, now, now);
    bodies_ended_[node] = now;
    go_on_at(conditional_.leave(now), node, Stage::kEnding);
  }

  /// Its task has ended; what is after the node sees its end at `end`.
  void node_ended(std::uint32_t node, TimePoint now, TimePoint end) {
    ready_.ended(nodes_.task(node), now, [this](TaskId successor, TimePoint at) { events_.ready(successor, at); });
    tell_followers(node, end);
    last_end_ = std::max(last_end_, end);
    if (--left_ == 0 && --replays_ > 0) calendar_.schedule(last_end_, EventKind::kReplay, 0, *this);
  }

  void tell_followers(std::uint32_t node, TimePoint end) {
    switch (nodes_.telling(node)) {
      case Telling::kAtOnce:
        for (const std::uint32_t follower : nodes_.followers(node)) tell(follower, node, end);
        return;
      case Telling::kOneByOne:
        tell(nodes_.followers(node).front(), node, end);
        told_[node] = 1;
        return go_on_at(front_ends_.pass(node, end), node, Stage::kPassed);
      case Telling::kByNode:
        return go_on_at(end + waits_.gap_behind(node), node, Stage::kToldByNode);
    }
  }

  void tell_next(std::uint32_t node, TimePoint now) {
    const std::span<const std::uint32_t> left = nodes_.followers(node).subspan(told_[node]++);
    tell(left[0], node, now);
    if (left.size() == 2) return tell(left[1], node, now);
    go_on_at(front_ends_.pass(node, now), node, Stage::kPassed);
  }

  void tell_by_node(std::uint32_t node, TimePoint now) {
    const TimePoint told = front_ends_.start(node, now) + fetch_ - waits_.gap_behind(node);
    const std::span<const std::uint32_t> followers = nodes_.followers(node);
    for (std::size_t i = 0; i < followers.size(); ++i)
      tell(followers[nodes_.fetched(node) ? followers.size() - 1 - i : i], node, told, now);
  }

  /// Not before `now`, though it be due earlier.
  void tell(std::uint32_t follower, std::uint32_t node, TimePoint at, TimePoint now = {}) {
    if (const std::optional<TimePoint> ready = waits_.told(follower, node, at))
      go_on_at(std::max(*ready, now), follower, Stage::kStartable);
  }

  RunEvents& events_;
  Calendar& calendar_;
  const BodyCosts& costs_;
  Duration replay_gap_;
  Duration fetch_;
  GraphNodes nodes_;
  GraphCall call_;
  NodeWaits waits_;
  FrontEnds front_ends_;
  ConditionalNodes conditional_;
  DeviceSet devices_;
  Operations operations_;
  ReadyTimes ready_;
  int replays_;
  std::vector<TimePoint> bodies_ended_;  ///< by node, of conditional ones
  std::vector<std::size_t> told_;        ///< by node, how many of the successors that learn of it one by one
  std::vector<Turn> turns_;              ///< by event of this replay
  TimePoint last_end_{};                 ///< of this replay's nodes that have ended
  std::size_t left_ = 0;                 ///< nodes of this replay
};

}  // namespace

std::unique_ptr<Wiring> make_cuda_graph(const WiringInputs& inputs) { return std::make_unique<CudaGraph>(inputs); }

}  // namespace tasktwin::sim
