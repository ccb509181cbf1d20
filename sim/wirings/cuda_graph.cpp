#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "models/checks/mechanisms.hpp"
#include "models/policies/layers.hpp"
#include "sim/cores/body_costs.hpp"
#include "sim/streams/device_set.hpp"
#include "sim/streams/graph_nodes.hpp"
#include "sim/streams/launcher.hpp"
#include "sim/streams/operations.hpp"
#include "sim/streams/ready_times.hpp"
#include "sim/wirings.hpp"

namespace tasktwin::sim {

namespace {

bool is_memset(Operation operation) { return operation == Operation::kMemset; }

/// Whether nodes of three layers or more end among each other. (Where it is two, as random layers end up, the device keeps up with them as
/// with one.)
class Overlap {
 public:
  Overlap(const TaskGraph& graph, int ends_in_order) : layers_(layers_of(graph)), ends_in_order_(ends_in_order), in_order_(ends_in_order) {}

  void begin() {
    furthest_ = 0;
    in_order_ = ends_in_order_;
  }
  void ended(TaskId task) {
    const std::size_t layer = layers_[index(task)];
    in_order_ = layer + 1 < furthest_ ? 0 : in_order_ + 1;
    furthest_ = std::max(furthest_, layer);
  }
  bool seen() const { return in_order_ < ends_in_order_; }

 private:
  std::vector<std::size_t> layers_;  ///< by TaskId
  std::size_t furthest_ = 0;         ///< layer of which a node has ended
  int ends_in_order_;                ///< GraphLaunch::ends_in_order
  int in_order_;                     ///< ends since the last one of a layer before the one before that
};

/// A graph with a kernel node a task, built, instantiated and uploaded beforehand, and launched by one call a replay; before each but the
/// first the host does to it what Design::graph_update says, which runs during the replay before. Replays follow each other whole, and the
/// times are those of the last one. What the driver and the device make of nodes: docs/model/graph_launch.md; under
/// Design::graph_predicates other than `kernel` a task with a predicate is two nodes: docs/model/conditional_nodes.md.
class CudaGraph final : public Wiring, public EventHandler, private Device::Listener, private Operations::Listener {
 public:
  explicit CudaGraph(const WiringInputs& inputs)
      : graph_(inputs.graph),
        events_(inputs.events),
        host_core_(events_.add_control_core(ControlRole::kHost)),
        calendar_(inputs.calendar),
        graph_launch_(*inputs.machine.graph_launch),
        stream_times_(inputs.machine.streams.where(inputs.design.programmatic_launch == ProgrammaticLaunch::kOn)),
        memset_gap_(round_ns(inputs.machine.copies.where(first_task(inputs.graph, is_memset).has_value()).engine_gap)),
        conditional_nodes_(inputs.machine.conditional_nodes.where(inputs.design.graph_predicates != GraphPredicates::kKernel)),
        costs_(inputs.costs),
        graph_hop_(inputs.machine.peers.where(inputs.graph.devices() > 1).graph_hop),
        graph_leave_(inputs.machine.collectives.where(inputs.graph.has_collectives()).graph_leave),
        several_(inputs.machine.devices.count() > 1),
        graph_begin_(inputs.machine.peers.where(inputs.graph.devices() > 1).graph_begin),
        front_ends_(static_cast<std::size_t>(inputs.graph.devices())),
        update_(inputs.design.graph_update),
        predicates_(inputs.design.graph_predicates),
        nodes_(inputs),
        inner_time_(nodes_.chain()
                        ? Nanoseconds{0}
                        : graph_launch_.per_inner + graph_launch_.doublings(nodes_.size() - nodes_.roots()) * graph_launch_.inner_growth),
        root_time_(graph_launch_.per_root + graph_launch_.doublings(nodes_.size()) * graph_launch_.root_growth),
        devices_(inputs, nodes_.plan(), {}, *this),
        operations_(inputs, nodes_.plan(), devices_, *this),
        ready_(inputs.graph),
        replays_(inputs.design.replays),
        overlap_(inputs.graph, inputs.machine.graph_launch->ends_in_order) {
    for (std::uint32_t node = 0; node < nodes_.size(); ++node) {
      const auto early = [this](std::uint32_t follower) { return nodes_.programmatic(follower); };
      if (std::ranges::any_of(nodes_.followers(node), early)) devices_.watch(node);
    }
  }

  void begin() override {
    if (nodes_.size() > 0) launch(TimePoint{}, TimePoint{});
  }

  void handle(EventKind kind, std::uint32_t turn, TimePoint now) override {
    if (kind == EventKind::kReplay) {
      devices_.begin_again();
      events_.pass_begins(now);
      be_busy(update_time());
      launch(now, now + round_ns(graph_launch_.replay_gap));
      return;
    }
    if (kind == EventKind::kComes) {
      if (untriggered_[turn] == 0) devices_.come(turn, now);  // else it was of the replay before
      return;
    }
    const std::uint32_t node = turns_[turn];
    switch (stages_[node]) {
      case Stage::kStartable:
        return serve(node, now);
      case Stage::kServed:
        return arrive(node, now);
      case Stage::kEntering:
        return devices_.arrive(node, now);
      case Stage::kEnding:
        return see_end(node, now);
    }
  }

 private:
  /// What a node's next event is about.
  enum class Stage : std::uint8_t {
    kStartable,  ///< nothing but the device's two steps holds it back
    kServed,     ///< it starts
    kEntering,   ///< a conditional node's body starts
    kEnding,     ///< a conditional node's end is there to be seen
  };

  bool conditional(std::uint32_t node) const {
    return predicates_ != GraphPredicates::kKernel && graph_.traits(nodes_.task(node)).probability < 1;
  }

  /// After the end of `before`, the last node that `node` waits for. An engine of copies sets a memset's bytes; what is between two copies
  /// to other devices is in peers.copy_setup.
  Duration gap(std::uint32_t before, std::uint32_t node) const {
    if (sets_bytes(before) && !sets_bytes(node)) return memset_gap_;
    if (several_ && is_peer_copy(node) && is_peer_copy(before)) return Duration{0};
    const Nanoseconds leave = is_rank(before) && !is_rank(node) ? graph_leave_ : Nanoseconds{0};
    return round_ns(leave + (nodes_.programmatic(node) ? stream_times_.programmatic_gap : graph_launch_.gap));
  }

  bool sets_bytes(std::uint32_t node) const { return is_memset(graph_[nodes_.task(node)].operation); }
  bool is_rank(std::uint32_t node) const { return is_collective(graph_[nodes_.task(node)].operation); }
  bool is_peer_copy(std::uint32_t node) const { return graph_[nodes_.task(node)].operation == Operation::kCopyP2p; }

  /// By how much later `follower` sees the end of `node` for being on another device.
  Duration farther(std::uint32_t node, std::uint32_t follower) const {
    if (nodes_.plan()[node].device == nodes_.plan()[follower].device) return Duration{0};
    return std::max(Duration{0}, round_ns(graph_hop_) - gap(node, follower));
  }

  /// For how long the first step is at the end of `node`.
  Duration release_time(std::uint32_t node) const {
    if (!overlapped_[node]) return Duration{0};
    return round_ns(nodes_.fetched(node) ? graph_launch_.fetch : graph_launch_.release_among);
  }

  /// The node continues at `time`, and after those that do so then and were told so before.
  void go_on_at(TimePoint time, std::uint32_t node) {
    turns_.push_back(node);
    calendar_.schedule(time, EventKind::kStartable, static_cast<std::uint32_t>(turns_.size() - 1), *this);
  }

  void serve(std::uint32_t node, TimePoint now) {
    if (nodes_.degrees()[node] == 0) return serve_root(node, now);
    stages_[node] = Stage::kServed;
    const std::uint32_t before = last_before_[node].node;
    FrontEnd& its = front_end(node);
    TimePoint& taken_up = taken_up_[before];
    if (taken_up == kAbsent) {
      taken_up = std::max(now, its.next_end);
      its.next_end = taken_up + release_time(before);
    }
    const TimePoint turn = std::max({now, taken_up, its.free});
    its.free = turn + round_ns(graph_launch_.service);
    go_on_at(turn, node);
  }

  /// The device takes up what the host launches before all ends that wait.
  void serve_root(std::uint32_t node, TimePoint now) {
    stages_[node] = Stage::kServed;
    FrontEnd& its = front_end(node);
    its.next_end = std::max(its.next_end, now) + round_ns(graph_launch_.release_among);
    its.free = std::max(its.free, now) + round_ns(graph_launch_.service);
    arrive(node, now);
  }

  void arrive(std::uint32_t node, TimePoint now) {
    if (conditional(node)) {
      if (opens_[node]) --branches_;
      return decide(node, now);
    }
    if (!operations_.takes(node)) return devices_.arrive(node, now);
    operations_.arrive(node, false, now);
  }

  /// A conditional node sets its value.
  void decide(std::uint32_t node, TimePoint now) {
    const TimePoint looked_at = look(now);
    next_look_ = looked_at + round_ns(conditional_nodes_.service);
    const TaskId task = nodes_.task(node);
    if (costs_.holds(task)) {
      stages_[node] = Stage::kEntering;
      TimePoint& free = front_end(node).free;
      free = std::max(free, looked_at + round_ns(graph_launch_.service));
      return go_on_at(looked_at + round_ns(conditional_nodes_.enter), node);
    }
    events_.placed(task, CoreId{0});  // it fits next to the resident blocks
    events_.started(task, now);
    events_.ended(task, now);
    bodies_ended_[node] = now;
    end_at(looked_at + round_ns(conditional_nodes_.skip), node);
  }

  /// Of the device's looks at conditional nodes, by the branches that are still to come; 0 without any.
  Duration look_round() const {
    if (branches_ == 0) return Duration{0};
    return round_ns(std::min(branches_ + 1.0, static_cast<double>(conditional_nodes_.polled_branches)) * conditional_nodes_.poll);
  }

  /// When the device looks at what waits for it from `time` on: at once after others that it looks at, else when its round comes to it.
  TimePoint look(TimePoint time) const {
    if (time <= next_look_) return next_look_;
    const Duration round = look_round();
    if (round == Duration{0}) return time;
    return next_look_ + (time - next_look_ + round - Duration{1}) / round * round;
  }

  /// That the conditional node has ended is there to be seen at `time`.
  void end_at(TimePoint time, std::uint32_t node) {
    stages_[node] = Stage::kEnding;
    go_on_at(time, node);
  }

  void see_end(std::uint32_t node, TimePoint now) {
    TimePoint seen = now;
    if (now > next_look_ && look_round() > Duration{0}) {
      seen = look(now);
      next_look_ = seen + round_ns(conditional_nodes_.service);
    }
    node_ended(node, bodies_ended_[node], seen);
  }

  void placed(std::uint32_t node, TimePoint now) override { operations_.placed(node, now); }
  void operation_ended(std::uint32_t node, TimePoint now) override { body_ended(node, now); }
  void traffic_changed(int device, double traffic, TimePoint now) override { devices_.leave_bandwidth(device, traffic, now); }

  /// None of the nodes starts before `gate`; `now` is when the graph's predecessor had ended.
  void launch(TimePoint now, TimePoint gate) {
    left_ = nodes_.size();
    awaited_ = untriggered_ = nodes_.degrees();
    overlap_.begin();
    turns_.clear();
    overlapped_.assign(nodes_.size(), false);
    stages_.assign(nodes_.size(), Stage::kStartable);
    taken_up_.assign(nodes_.size(), kAbsent);
    last_before_.assign(nodes_.size(), {});
    bodies_ended_.resize(nodes_.size());
    ready_.begin([&](TaskId root) { events_.ready(root, now); });
    open_branches();
    last_end_ = now;
    std::size_t leaves = 0;  // after others
    for (std::uint32_t node = 0; node < nodes_.size(); ++node) {
      leaves += nodes_.degrees()[node] > 0 && nodes_.followers(node).empty() ? 1 : 0;
    }
    const Nanoseconds handed_over = hand_over_roots(gate);
    be_busy(round_ns(graph_launch_.launch + static_cast<double>(nodes_.size()) * graph_launch_.per_node + handed_over +
                     static_cast<double>(leaves) * graph_launch_.per_leaf));
  }

  /// Every conditional node but the first after another, or of the roots, opens a branch.
  void open_branches() {
    opens_.assign(nodes_.size(), true);
    for (std::uint32_t node = 0; node < nodes_.size(); ++node) {
      if (!nodes_.followers(node).empty()) opens_[nodes_.followers(node).front()] = false;
    }
    const auto root = std::ranges::find(nodes_.degrees(), 0U);
    if (root != nodes_.degrees().end()) opens_[static_cast<std::size_t>(root - nodes_.degrees().begin())] = false;
    branches_ = 0;
    for (std::uint32_t node = 0; node < nodes_.size(); ++node) {
      opens_[node] = opens_[node] && conditional(node);
      branches_ += opens_[node] ? 1 : 0;
    }
  }

  /// What it takes the host.
  Nanoseconds hand_over_roots(TimePoint gate) {
    Nanoseconds time{};
    const std::vector<GraphNodes::Root> roots = nodes_.roots_in_order();
    for (const GraphNodes::Root& root : roots) {
      const Nanoseconds between = &root == &roots.back() ? Nanoseconds{0} : graph_launch_.between;
      time += static_cast<double>(root.behind) * (inner_time_ + between) + static_cast<double>(root.joins) * graph_launch_.per_edge;
      go_on_at(std::max(gate, host_ + round_ns(time + graph_launch_.latency + graph_begin_)), root.node);
      time += root_time_;
    }
    return time;
  }

  Duration update_time() const {
    const auto nodes = static_cast<double>(nodes_.size());
    switch (update_) {
      case GraphUpdate::kNone:
        return Duration{0};
      case GraphUpdate::kNodeParams:
        return round_ns(nodes * graph_launch_.set_node);
      case GraphUpdate::kWholeGraph:
        return round_ns(nodes * graph_launch_.update_per_node);
      case GraphUpdate::kReinstantiate:
        return round_ns(nodes * graph_launch_.instantiate_per_node);
    }
    return Duration{0};
  }

  void be_busy(Duration time) {
    events_.busy(host_core_, host_, host_ + time);  // it never waits
    host_ += time;
  }

  void handed_over(std::uint32_t /*node*/, TimePoint /*now*/) override {}

  /// Those that wait for it programmatically may come once all that they wait for have come to their trigger.
  void triggered(std::uint32_t node, TimePoint now) override {
    for (const std::uint32_t follower : nodes_.followers(node)) {
      if (!nodes_.programmatic(follower)) continue;
      if (--untriggered_[follower] == 0) calendar_.schedule(now, EventKind::kComes, follower, *this);
    }
  }

  void kernel_ended(std::uint32_t node, TaskId task, TimePoint now) override {
    events_.placed(task, devices_.core_of(node));
    body_ended(node, now);
  }

  void body_ended(std::uint32_t node, TimePoint now) {
    if (!conditional(node)) return node_ended(node, now, now);
    bodies_ended_[node] = now;
    const TimePoint taken_up = std::max(now, next_return_);
    next_return_ = taken_up + round_ns(conditional_nodes_.service);
    const bool again = predicates_ == GraphPredicates::kWhile;
    end_at(taken_up + round_ns(conditional_nodes_.leave + (again ? conditional_nodes_.again : Nanoseconds{0})), node);
  }

  /// Its task has ended; what is after the node sees its end at `end`.
  void node_ended(std::uint32_t node, TimePoint now, TimePoint end) {
    const TaskId task = nodes_.task(node);
    ready_.ended(task, now, [this](TaskId successor, TimePoint at) { events_.ready(successor, at); });
    FrontEnd& its = front_end(node);
    if (nodes_.fetched(node)) its.free = std::max(its.free, now) + round_ns(graph_launch_.service);
    const bool releases = tell_followers(node, end);
    if (nodes_.roots() > 1 && !nodes_.followers(node).empty()) {
      overlap_.ended(task);
      overlapped_[node] = overlap_.seen();
      if (overlapped_[node] && !releases) its.next_end = std::max(its.next_end, now) + release_time(node);
    }
    last_end_ = std::max(last_end_, end);
    if (--left_ == 0 && --replays_ > 0) calendar_.schedule(last_end_, EventKind::kReplay, 0, *this);
  }

  /// Those that wait for `node` see its end at `end`; whether that makes any of them ready.
  bool tell_followers(std::uint32_t node, TimePoint end) {
    const std::span<const std::uint32_t> followers = nodes_.followers(node);
    const bool fetched = nodes_.fetched(node);
    bool releases = false;
    for (std::size_t i = 0; i < followers.size(); ++i) {
      const std::uint32_t follower = followers[fetched ? followers.size() - 1 - i : i];
      Before& last = last_before_[follower];
      const TimePoint seen = end + farther(node, follower);
      if (seen >= last.end) last = {node, seen};
      if (--awaited_[follower] > 0) continue;
      const Duration fetch = nodes_.fetched(last.node) ? round_ns(graph_launch_.fetch) : Duration{0};
      go_on_at(last.end + fetch + gap(last.node, follower), follower);
      releases = true;
    }
    return releases;
  }

  /// What a device brings nodes to start with.
  struct FrontEnd {
    TimePoint next_end{};  ///< it can take up another end that makes nodes ready
    TimePoint free{};      ///< it can bring another node to start
  };
  FrontEnd& front_end(std::uint32_t node) { return front_ends_[static_cast<std::size_t>(nodes_.plan()[node].device)]; }

  struct Before {
    std::uint32_t node = 0;
    TimePoint end = kAbsent;
  };

  const TaskGraph& graph_;
  RunEvents& events_;
  DispatcherId host_core_;
  Calendar& calendar_;
  const mechanism::GraphLaunch& graph_launch_;
  const mechanism::Streams stream_times_;
  Duration memset_gap_;
  const mechanism::ConditionalNodes conditional_nodes_;
  const BodyCosts& costs_;
  Nanoseconds graph_hop_;
  Nanoseconds graph_leave_;
  bool several_;  ///< whether the machine has several devices
  Nanoseconds graph_begin_;
  std::vector<FrontEnd> front_ends_;  ///< by device
  GraphUpdate update_;
  GraphPredicates predicates_;
  GraphNodes nodes_;
  Nanoseconds inner_time_;  ///< a node with predecessors, unless the graph is a chain
  Nanoseconds root_time_;
  DeviceSet devices_;
  Operations operations_;
  ReadyTimes ready_;
  int replays_;
  TimePoint host_{};                        ///< the host's own time
  TimePoint next_look_{};                   ///< it can look at another conditional node, and its rounds continue from there
  int branches_ = 0;                        ///< that conditional nodes to come open
  std::vector<bool> opens_;                 ///< by node: it opens one of them
  TimePoint next_return_{};                 ///< it can take up the end of another body of theirs
  TimePoint last_end_{};                    ///< of this replay's nodes that have ended
  std::vector<Stage> stages_;               ///< by node
  std::vector<TimePoint> bodies_ended_;     ///< by node, of conditional ones
  std::vector<TimePoint> taken_up_;         ///< by node: when its end was, if that made others ready
  std::vector<std::uint32_t> awaited_;      ///< by node: those it waits for that have not ended
  std::vector<std::uint32_t> untriggered_;  ///< by node: those it waits for that have not come to their trigger
  std::vector<std::uint32_t> turns_;        ///< by event of this replay: its node
  Overlap overlap_;
  std::vector<bool> overlapped_;     ///< by node: three layers or more were in flight when it ended
  std::vector<Before> last_before_;  ///< by node: of those it waits for the one that ended last
  std::size_t left_ = 0;             ///< nodes of this replay
};

}  // namespace

std::unique_ptr<Wiring> make_cuda_graph(const WiringInputs& inputs) { return std::make_unique<CudaGraph>(inputs); }

}  // namespace tasktwin::sim
