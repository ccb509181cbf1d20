#include <algorithm>
#include <cstdint>

#include "models/layers.hpp"
#include "sim/launcher.hpp"
#include "sim/streams/device.hpp"
#include "sim/streams/launch_waits.hpp"
#include "sim/streams/operations.hpp"
#include "sim/wirings.hpp"

namespace tasktwin::sim {

namespace {

/// As many ends of one layer in a row, and those that make nothing ready cost nothing: with 6 to 12 three cards come out alike.
constexpr int kAlike = 8;

bool captured(const Design& design) { return design.graph_source == GraphSource::kCapture; }

std::vector<StreamLaunch> plan_of(const WiringInputs& inputs) {
  return captured(inputs.design) ? plan_streams(inputs.graph, inputs.design) : plan_branches(inputs.graph);
}

/// How many nodes each waits for.
std::vector<std::uint32_t> in_degrees(const WiringInputs& inputs, const std::vector<StreamLaunch>& plan) {
  std::vector<std::uint32_t> degrees;
  std::vector<bool> begun(plan.size() + kMaxStreams, false);  // streams
  for (const StreamLaunch& launch : plan) {
    const bool follows = begun[launch.stream];
    begun[launch.stream] = true;
    degrees.push_back(static_cast<std::uint32_t>(captured(inputs.design) ? launch.awaited.size() + (follows ? 1 : 0)
                                                                         : inputs.graph.in_degree(launch.task)));
  }
  return degrees;
}

std::uint32_t line_count(const std::vector<StreamLaunch>& plan) {
  std::uint32_t count = 1;
  for (const StreamLaunch& launch : plan) count = std::max(count, launch.stream + 1);
  return count;
}

WaitRules rules_of(const WiringInputs& inputs, const std::vector<StreamLaunch>& plan, const std::vector<std::uint32_t>& degrees) {
  const Constants& c = inputs.machine.constants;
  const bool programmatic = inputs.design.programmatic_launch == ProgrammaticLaunch::kOn && !captured(inputs.design);
  const Duration gap = round_ns(programmatic ? c.programmatic_gap : c.graph_gap);
  WaitRules rules{.streams = line_count(plan),
                  .latency = round_ns(c.graph_latency),
                  .stream_gap = gap,
                  .programmatic_gap = round_ns(c.programmatic_gap),
                  .event_gap = gap};
  for (const std::uint32_t degree : degrees) rules.joins.push_back(round_ns(std::max(0.0, degree - 1.0) * c.graph_join));
  return rules;
}

/// A graph with a kernel node a task, built, instantiated and uploaded beforehand, and launched by one call a replay; before each
/// but the first the host does to it what Design::graph_update says, which runs beside the replay before.
///
/// The driver hides what it makes of a graph. Inferred from measurements: the launch call hands over the nodes without
/// predecessors one by one, graph_launch_per_root apart (1024 of them take the call a hundred times as long as a chain of 1024 nodes), with
/// all others in graph_launch_per_inner each before the last of these, unless the graph is a chain (the only root of a tree of 1023 starts
/// 35 us later than that of a chain), and sees to each of the others without successors in graph_launch_per_leaf (1023 behind one take it a
/// hundred times as long, too). The larger the graph, the longer a node takes, since its data leave the caches: graph_inner_growth and
/// graph_root_growth a doubling. Not modelled: among local edges a root takes up to 1.3 us longer, in stencils, butterflies and between
/// layers that depend on all of the one before, but not in layers drawn at random.
///
/// The device brings all other nodes to start itself, graph_gap after the last of their predecessors and graph_join later for each further
/// one, graph_fetch later if that one has more successors than the device keeps with a node. It does so in two steps, each first come,
/// first served: it takes up the ends that make others ready, graph_release apart, or graph_fetch behind one whose successors it fetches,
/// and starts what they made ready, graph_service apart. (Seen on an H200: a stencil, where each end makes one node ready, starts half as
/// many nodes a time as a tree, where each makes two ready.) In a graph of several roots ends are graph_release_among apart, and what the
/// host launches is taken up before all ends that wait and holds both steps for as long as another node. (Seen in butterflies, stencils and
/// random layers of 100 to 160 columns: roots and ends together come 0.33 us apart as long as roots are launched at 1 to 2.3 us each, and
/// behind them ends do until the backlog is gone; among 64 columns 0.26 us apart, behind a single root 0.2.) Where the ends before
/// were of other layers (kAlike), those that make none ready are taken up like others; else they are for nothing. (Seen in random layers:
/// 0.32 us an end while several layers are under way at a time, 0.17 to 0.19 once each waits for the one before, half of the ends making
/// others ready.) Not modelled: what is that much quicker, and that chains and small groups that depend on all of the same go on at 0.16 to
/// 0.2 us a node whatever the others are at; nor, behind a single root, that nodes with 8 successors take 0.3 us, with 1 or 2 of them 0.16.
///
/// Chains of nodes (plan_branches; of a captured graph its streams) do not get in each other's way, however many there are, as streams do
/// in hardware queues. A node that comes programmatically only has a shorter gap: that it takes room on the device while it waits is not
/// modelled.
///
/// Under Design::graph_predicates other than `kernel` a task with a predicate is two nodes. What stands above brings the first to start, a
/// kernel that sets the value of the second; it takes conditional_decide, and no core, for it fits beside any task. The device looks at the
/// second, the conditional node, when it has ended, at one such node after the other, conditional_service apart, and at none before the
/// launch call has come to it (graph_launch_per_conditional for each, in the order of the tasks). Where the predicate holds, the body goes
/// through the second step and starts conditional_enter later; its end is taken up, conditional_return apart from others', and the node
/// has ended conditional_leave after that (and conditional_again, for a `while`, at whose value the device looks once more). Where it does
/// not hold, the node has ended conditional_skip after the look, and the task's times are those of the first kernel. The first step then
/// takes up the node's own end like others', conditional_release apart. (Seen on an H200: conditional nodes behind one that are left out
/// pass one every 0.5 to 1 us, and one every 1.6 us where each makes another ready. Among joins a body started up to 5 us later than this
/// says, which is not modelled.)
///
/// Replays follow each other whole, graph_replay_gap apart. Which node is handed over when is not observed on a GPU, nor said here. The
/// times are those of the last replay.
class CudaGraph final : public Wiring, public EventHandler, private Device::Listener, private Operations::Listener {
 public:
  explicit CudaGraph(const WiringInputs& inputs)
      : graph_(inputs.graph),
        timeline_(inputs.timeline),
        calendar_(inputs.calendar),
        c_(inputs.machine.constants),
        costs_(inputs.costs),
        update_(inputs.design.graph_update),
        predicates_(inputs.design.graph_predicates),
        plan_(plan_of(inputs)),
        degrees_(in_degrees(inputs, plan_)),
        roots_(static_cast<std::size_t>(std::ranges::count(degrees_, 0u))),
        inner_(line_count(plan_) > 1 ? plan_.size() - roots_ : 0),
        doublings_(graph_doublings(plan_.size() - roots_)),
        root_time_(c_.graph_launch_per_root + graph_doublings(plan_.size()) * c_.graph_root_growth),
        waits_(calendar_, plan_, rules_of(inputs, plan_, degrees_), *this),
        device_(inputs, plan_, {}, *this),
        operations_(inputs, plan_, *this),
        replays_(inputs.design.replays),
        layers_(layers_of(inputs.graph)) {}

  void begin() override {
    timeline_.roles = {ControlRole::kHost};
    timeline_.dispatchers.resize(1);
    if (!plan_.empty()) launch(TimePoint{}, TimePoint{});
  }

  void handle(EventKind kind, std::uint32_t node, TimePoint now) override {
    if (kind == EventKind::kReplay) {
      device_.begin_again();
      timeline_.blocks.clear();
      be_busy(update_time());
      launch(now, now + round_ns(c_.graph_replay_gap));
      return;
    }
    switch (stages_[node]) {
      case Stage::kStartable:
        return serve(node, now);
      case Stage::kServed:
        return arrive(node, now);
      case Stage::kDeciding:
        return decide(node, now);
      case Stage::kEntering:
        return device_.arrive(node, now);
    }
  }

 private:
  /// What a node's next event is about.
  enum class Stage : std::uint8_t {
    kStartable,  ///< nothing but the device's two steps holds it back
    kServed,     ///< it starts
    kDeciding,   ///< the value of a conditional node is set
    kEntering,   ///< that node's body starts
  };

  bool fetched(TaskId task) const { return graph_.out_degree(task) > kNodeSuccessors; }
  bool conditional(TaskId task) const { return predicates_ != GraphPredicates::kKernel && graph_.traits(task).probability < 1; }

  /// For how long the first step is at the end of `task`'s node.
  Duration release_time(TaskId task) const {
    if (conditional(task)) return round_ns(c_.conditional_release);
    return round_ns(fetched(task) ? c_.graph_fetch : roots_ > 1 ? c_.graph_release_among : c_.graph_release);
  }

  void serve(std::uint32_t node, TimePoint now) {
    if (degrees_[node] == 0) return serve_root(node, now);
    stages_[node] = Stage::kServed;
    TimePoint turn = now;
    if (graph_.in_degree(plan_[node].task) > 0) {
      const TaskId before = last_before_[index(plan_[node].task)].task;
      TimePoint& taken_up = taken_up_[index(before)];
      if (taken_up == kAbsent) {
        taken_up = std::max(now, next_end_);
        next_end_ = taken_up + release_time(before);
      }
      turn = std::max(turn, taken_up);
    }
    turn = std::max(turn, free_);
    free_ = turn + round_ns(c_.graph_service);
    go_on_at(turn, node, now);
  }

  /// The device takes up what the host launches before all ends that wait.
  void serve_root(std::uint32_t node, TimePoint now) {
    stages_[node] = Stage::kServed;
    next_end_ = std::max(next_end_, now) + round_ns(c_.graph_release_among);
    free_ = std::max(free_, now) + round_ns(c_.graph_service);
    arrive(node, now);
  }

  void go_on_at(TimePoint turn, std::uint32_t node, TimePoint now) {
    if (turn == now) return arrive(node, now);
    calendar_.schedule(turn, EventKind::kStartable, node, *this);
  }

  void arrive(std::uint32_t node, TimePoint now) {
    if (conditional(plan_[node].task)) {
      stages_[node] = Stage::kDeciding;
      return calendar_.schedule(now + round_ns(c_.conditional_decide), EventKind::kStartable, node, *this);
    }
    if (!operations_.takes(node)) return device_.arrive(node, now);
    waits_.handed_over(node, now);
    operations_.arrive(node, false, now);
  }

  /// The value of a conditional node is set.
  void decide(std::uint32_t node, TimePoint now) {
    const TimePoint looked_at = std::max({now, next_look_, called_[node]});
    next_look_ = looked_at + round_ns(c_.conditional_service);
    const TaskId task = plan_[node].task;
    if (costs_.holds(task)) {
      stages_[node] = Stage::kEntering;
      const TimePoint turn = std::max(looked_at, free_);
      free_ = turn + round_ns(c_.graph_service);
      return calendar_.schedule(turn + round_ns(c_.conditional_enter), EventKind::kStartable, node, *this);
    }
    TaskTimes& times = timeline_.tasks[index(task)];
    times.started = now - round_ns(c_.conditional_decide);
    times.ended = now;
    times.core = CoreId{0};  // it fits beside what is there
    waits_.handed_over(node, now);
    node_ended(node, now, looked_at + round_ns(c_.conditional_skip));
  }

  void operation_ended(std::uint32_t node, TimePoint now) override { kernel_ended(node, plan_[node].task, now); }
  void traffic_changed(double traffic, TimePoint now) override { device_.leave_bandwidth(traffic, now); }

  /// None of the nodes starts before `gate`; `now` is when the graph's predecessor had ended.
  void launch(TimePoint now, TimePoint gate) {
    left_ = plan_.size();
    awaited_.clear();
    for (std::size_t i = 0; i < graph_.size(); ++i) awaited_.push_back(graph_.in_degree(task_id(i)));
    alike_ = kAlike;
    stages_.assign(plan_.size(), Stage::kStartable);
    taken_up_.assign(plan_.size(), kAbsent);
    last_before_.assign(plan_.size(), {});
    called_.resize(plan_.size());
    last_end_ = now;
    waits_.begin(gate);
    std::size_t roots = 0;
    std::size_t leaves = 0;     // of the others
    Nanoseconds handed_over{};  // to the device: roots
    double conditionals = 0;
    for (std::uint32_t node = 0; node < plan_.size(); ++node) {
      if (conditional(plan_[node].task)) called_[node] = host_ + round_ns(++conditionals * c_.graph_launch_per_conditional);
      timeline_.tasks[index(plan_[node].task)] = {};
      if (graph_.in_degree(plan_[node].task) == 0) timeline_.tasks[index(plan_[node].task)].ready = now;
      if (degrees_[node] > 0) {
        waits_.launched(node, host_);
        leaves += graph_.out_degree(plan_[node].task) == 0 ? 1 : 0;
        continue;
      }
      waits_.launched(node, host_ + round_ns(handed_over + (++roots == roots_ ? inner_time() : Nanoseconds{0})));
      handed_over += root_time_;
    }
    be_busy(round_ns(c_.graph_launch + static_cast<double>(plan_.size()) * c_.graph_launch_per_node + inner_time() +
                     static_cast<double>(leaves) * c_.graph_launch_per_leaf + handed_over +
                     conditionals * c_.graph_launch_per_conditional));
  }

  Nanoseconds inner_time() const { return static_cast<double>(inner_) * (c_.graph_launch_per_inner + doublings_ * c_.graph_inner_growth); }

  Duration update_time() const {
    const auto nodes = static_cast<double>(plan_.size());
    switch (update_) {
      case GraphUpdate::kNone:
        return Duration{0};
      case GraphUpdate::kNodeParams:
        return round_ns(nodes * c_.graph_set_node);
      case GraphUpdate::kWholeGraph:
        return round_ns(c_.graph_update + nodes * c_.graph_update_per_node);
      case GraphUpdate::kReinstantiate:
        return round_ns(c_.graph_instantiate + nodes * c_.graph_instantiate_per_node);
    }
    return Duration{0};
  }

  void be_busy(Duration time) {
    if (time == Duration{0}) return;
    std::vector<Span>& busy = timeline_.dispatchers[0];
    if (busy.empty()) {
      busy.push_back({host_, host_ + time});
    } else {
      busy.back().end += time;  // the host never waits
    }
    host_ += time;
  }

  void handed_over(std::uint32_t node, TimePoint now) override { waits_.handed_over(node, now); }

  void kernel_ended(std::uint32_t node, TaskId task, TimePoint now) override {
    timeline_.tasks[index(task)].core = device_.core_of(node);
    if (!conditional(task)) return node_ended(node, now, now);
    const TimePoint taken_up = std::max(now, next_return_);
    next_return_ = taken_up + round_ns(c_.conditional_return);
    const bool again = predicates_ == GraphPredicates::kWhile;
    node_ended(node, now, taken_up + round_ns(c_.conditional_leave + (again ? c_.conditional_again : Nanoseconds{0})));
  }

  /// Its task has ended; what is behind the node sees its end at `end`.
  void node_ended(std::uint32_t node, TimePoint now, TimePoint end) {
    const TaskId task = plan_[node].task;
    bool releases = false;
    for (const TaskId successor : graph_.successors(task)) {
      releases = --awaited_[index(successor)] == 0 || releases;
      TimePoint& ready = timeline_.tasks[index(successor)].ready;
      ready = std::max(ready, now);  // kAbsent is before all times
      if (end >= last_before_[index(successor)].end) last_before_[index(successor)] = {task, end};
    }
    if (roots_ > 1 && graph_.out_degree(task) > 0) {
      const bool alike = follows_alike(task);
      if (!alike && !releases) next_end_ = std::max(next_end_, now) + release_time(task);
    }
    waits_.ended(node, fetched(task) ? end + round_ns(c_.graph_fetch) : end);
    last_end_ = std::max(last_end_, end);
    if (--left_ == 0 && --replays_ > 0) calendar_.schedule(last_end_, EventKind::kReplay, 0, *this);
  }

  /// Whether the nodes that ended just before were of its layer; it is one more.
  bool follows_alike(TaskId task) {
    alike_ = layers_[index(task)] == ending_layer_ ? alike_ + 1 : 0;
    ending_layer_ = layers_[index(task)];
    return alike_ >= kAlike;
  }

  struct Before {
    TaskId task{};
    TimePoint end = kAbsent;
  };

  const TaskGraph& graph_;
  Timeline& timeline_;
  Calendar& calendar_;
  const Constants& c_;
  const BodyCosts& costs_;
  GraphUpdate update_;
  GraphPredicates predicates_;
  std::vector<StreamLaunch> plan_;
  std::vector<std::uint32_t> degrees_;  ///< by node
  std::size_t roots_;
  std::size_t inner_;  ///< nodes with predecessors, unless the graph is a chain
  double doublings_;
  Nanoseconds root_time_;
  LaunchWaits waits_;
  Device device_;
  Operations operations_;
  int replays_;
  TimePoint host_{};                  ///< the host's own time
  TimePoint next_end_{};              ///< the device can take up another end that makes nodes ready
  TimePoint free_{};                  ///< it can bring another node to start
  TimePoint next_look_{};             ///< it can look at another conditional node
  TimePoint next_return_{};           ///< it can take up the end of another body of theirs
  TimePoint last_end_{};              ///< of this replay's nodes that have ended
  std::vector<Stage> stages_;         ///< by node
  std::vector<TimePoint> called_;     ///< by node: when the launch call comes to it, if it is a conditional one
  std::vector<TimePoint> taken_up_;   ///< by TaskId: when its end was, if that made others ready
  std::vector<std::size_t> layers_;   ///< by TaskId
  std::vector<std::size_t> awaited_;  ///< by TaskId: predecessors whose nodes have not ended
  std::size_t ending_layer_ = 0;      ///< of the last node that has
  int alike_ = 0;                     ///< nodes of that layer that have ended since one of another did
  std::vector<Before> last_before_;   ///< by TaskId: the predecessor whose node ended last
  std::size_t left_ = 0;              ///< nodes of this replay
};

}  // namespace

std::unique_ptr<Wiring> make_cuda_graph(const WiringInputs& inputs) { return std::make_unique<CudaGraph>(inputs); }

}  // namespace tasktwin::sim
