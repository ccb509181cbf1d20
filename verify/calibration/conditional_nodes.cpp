#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "models/outcome.hpp"
#include "verify/calibration/assumed_counts.hpp"
#include "verify/calibration/mechanisms.hpp"
#include "verify/calibration/micro_graphs.hpp"
#include "verify/calibration/phases.hpp"
#include "verify/launch_costs/prediction.hpp"

namespace tasktwin::verify {

using mechanism::ConditionalNodes;
using mechanism::GraphLaunch;

namespace {

using namespace std::chrono_literals;

/// Long enough for the host's launch call to have come to all conditional nodes before the first of them has its turn.
constexpr Duration kLaunched = 2ms;

/// A predicate that always holds is none; this one does not in one of 2^53 draws.
const double kHolds = std::nextafter(1.0, 0.0);

/// Runs graphs of conditional nodes and keeps what their launch calls take.
class ConditionalRuns {
 public:
  ConditionalRuns(Probes& probes, const GraphLaunch& graphs) : probes_(probes), known_(probes.machine()) { known_.graph_launch = graphs; }

  Timeline run(const std::string& what, const TaskGraph& graph, GraphPredicates type) {
    Design design = named_design("cuda-graph");
    design.graph_predicates = type;
    Timeline timeline = probes_.run("conditional nodes", graph, design, 3).timeline;
    const double beyond = host_busy_ns(timeline) - predict_graph_calls(graph, known_).launch_ns;
    double nodes = 0;
    for (std::size_t i = 0; i < graph.size(); ++i) nodes += graph.traits(task_id(i)).probability < 1 ? 1 : 0;
    keep_sample(&ConditionalNodes::launch, what, beyond / nodes);
    if (beyond > 0) calls_.observe_relative({.slope = nodes}, beyond);
    return timeline;
  }

  void keep_sample(Nanoseconds ConditionalNodes::*constant, std::string setting, double value) {
    probes_.keep_sample(&Machine::conditional_nodes, constant, std::move(setting), value);
  }

  Estimate call() const { return calls_.solve().slope; }

 private:
  Probes& probes_;
  Machine known_;
  Fit<Slope> calls_;
};

/// From one task's end to the next one's start along a chain.
template <class T>
struct LinkSteps {
  T skip{};
  T leave{};
  T again{};
  T enter{};
  auto all() { return std::array{&skip, &leave, &again, &enter}; }
};

/// What chains of conditional nodes are seen to do, by whether two tasks one behind the other run.
struct ChainRuns {
  TaskGraph chain = predicated_chains_graph(1, 300, 10us, 0.5, kLaunched);
  std::vector<bool> holds = draw_outcome(chain, gpu::RunOptions{}.seed).holds;
  std::vector<std::pair<GraphPredicates, Timeline>> runs = {};

  explicit ChainRuns(ConditionalRuns& conditional) {
    for (const auto& [type, word] : Words<GraphPredicates>::entries) {
      if (type != GraphPredicates::kKernel)
        runs.emplace_back(type, conditional.run(fmt::format("a chain of 300, type {}", word), chain, type));
    }
  }

  /// Bodies left out.
  Estimate decision() const {
    std::vector<double> decisions;
    for (const auto& [type, timeline] : runs) {
      for (std::size_t i = 1; i < chain.size(); ++i) {
        if (!holds[i]) decisions.push_back(ns(body_of(timeline.tasks[i])));
      }
    }
    return trimmed_mean(decisions);
  }

  std::vector<Groups<LinkSteps>::Mean> links(double decision, double gap) const {
    Groups<LinkSteps> gaps;
    for (const auto& [type, timeline] : runs) {
      for (std::size_t i = 2; i < chain.size(); ++i) {
        const double between = ns(timeline.tasks[i].started - timeline.tasks[i - 1].ended);
        const double left = holds[i - 1] ? 1 : 0;
        gaps[{.skip = 1 - left, .leave = left, .again = type == GraphPredicates::kWhile ? left : 0, .enter = holds[i] ? 1.0 : 0.0}]
            .push_back(between - gap - (holds[i] ? decision : 0));
      }
    }
    return gaps.means();
  }
};

void calibrate_chains(ConditionalRuns& runs, const GraphLaunch& graphs, Calibrated<ConditionalNodes>& nodes) {
  const ChainRuns chains(runs);
  const Estimate decision = chains.decision();
  Fit<LinkSteps> links;
  for (const auto& [weights, mean] : chains.links(decision, graphs.gap.count())) {
    links.observe(weights, mean);
    const std::string before = weights.skip > 0 ? "behind a body left out" : weights.again > 0 ? "behind a loop" : "behind a body";
    runs.keep_sample(weights.enter > 0  ? &ConditionalNodes::enter
                     : weights.skip > 0 ? &ConditionalNodes::skip
                                        : &ConditionalNodes::leave,
                     fmt::format("ended to {} {}, less graph_gap_ns", weights.enter > 0 ? "body started" : "looked at", before), mean);
  }
  const LinkSteps<Estimate> fitted = links.solve();
  const std::string of = " of chains of conditional nodes of three types, every other of which is left out";
  const std::string between = "ended to started less graph_gap_ns," + of + ", least squares";
  nodes.set(&ConditionalNodes::decide, decision, "started to ended of bodies left out," + of);
  nodes.set(&ConditionalNodes::skip, fitted.skip, between);
  nodes.set(&ConditionalNodes::leave, fitted.leave, between);
  nodes.set(&ConditionalNodes::again, fitted.again, between);
  nodes.set(&ConditionalNodes::enter, fitted.enter, between);
}

/// Conditional nodes between a gate and a join, left out or not: what each further one adds to the time between the first end and the join.
void calibrate_fans(ConditionalRuns& runs, const GraphLaunch& graphs, Calibrated<ConditionalNodes>& nodes) {
  const auto each = [&](Nanoseconds ConditionalNodes::*constant, double probability, Nanoseconds last) {
    Fit<Slope> added;
    for (const int width : {4, 8, 12, 30, 90}) {
      const std::string what = fmt::format("{} between a gate and a join{}", width, probability > 0 ? "" : ", bodies left out");
      const Timeline timeline = runs.run(what, predicated_chains_graph(width, 1, 20us, probability, kLaunched, true), GraphPredicates::kIf);
      TimePoint first = TimePoint::max();
      for (int i = 1; i <= width; ++i) first = std::min(first, timeline.tasks[static_cast<std::size_t>(i)].ended);
      const double others = width - 1;
      const double time = ns(timeline.tasks.back().started - first) - (last + graphs.gap).count() - others * graphs.join.count();
      runs.keep_sample(constant, what + ", first ended to join, each", time / others);
      added.observe_relative({.slope = others}, time);
    }
    return added.solve().slope;
  };
  nodes.set(&ConditionalNodes::service, each(&ConditionalNodes::service, 0, nodes.skip),
            "first ended to join of 4 to 90 conditional nodes side by side whose bodies are left out, least relative squares");
  nodes.set(&ConditionalNodes::body_end_service, each(&ConditionalNodes::body_end_service, kHolds, nodes.leave),
            "first ended to join of 4 to 90 conditional nodes side by side, least relative squares");
}

/// Chains of conditional nodes side by side, more than the device keeps up with.
void calibrate_releases(ConditionalRuns& runs, Calibrated<ConditionalNodes>& nodes) {
  const std::string what = "16 chains of 20, bodies left out";
  const Timeline timeline = runs.run(what, predicated_chains_graph(16, 20, 3us, 0, kLaunched), GraphPredicates::kIf);
  std::vector<TimePoint> starts;
  for (std::size_t i = 1; i < timeline.tasks.size(); ++i) starts.push_back(timeline.tasks[i].started);
  std::ranges::sort(starts);
  const std::size_t from = starts.size() / 4;
  const std::size_t to = starts.size() * 3 / 4;
  nodes.set(&ConditionalNodes::release, ns(starts[to] - starts[from]) / static_cast<double>(to - from),
            "start to start of 16 chains of 20 conditional nodes side by side whose bodies are left out, the middle half");
}

/// From one's end to the next one's start along a chain of conditional nodes left out, by how many branches of them are to come: two rounds
/// of the device's looks, one until it sees the value and one until it sees the end.
void calibrate_polls(ConditionalRuns& runs, Calibrated<ConditionalNodes>& nodes) {
  constexpr int kLength = 40;
  constexpr int kFew = 16;
  constexpr int kMany = 32;  // more of them add nothing
  const auto hop = [&](int branches) {
    const std::string what = fmt::format("a chain of {}, bodies left out, {} branches to come", kLength, branches);
    const Timeline timeline = runs.run(what, predicated_fan_graph(kLength, branches, 10us, 0, kLaunched), GraphPredicates::kIf);
    std::vector<double> hops;
    for (std::size_t i = 2; i <= kLength; ++i) hops.push_back(ns(timeline.tasks[i].started - timeline.tasks[i - 1].ended));
    const Estimate mean = trimmed_mean(hops);
    runs.keep_sample(&ConditionalNodes::poll, what + ", ended to started", mean);
    return mean;
  };
  nodes.set(&ConditionalNodes::poll, (hop(kMany) - hop(kFew)) / (2 * (kMany - kFew)),
            "ended to started along a chain of conditional nodes left out, by 16 and 32 branches of such nodes to come, half the "
            "difference each");
}

}  // namespace

Calibrated<ConditionalNodes> calibrate_conditional_nodes(Probes& probes, const GraphLaunch& graphs) {
  Calibrated<ConditionalNodes> nodes(&Machine::conditional_nodes, assumed::kConditionalNodes);
  ConditionalRuns runs(probes, graphs);
  calibrate_chains(runs, graphs, nodes);
  calibrate_fans(runs, graphs, nodes);
  calibrate_releases(runs, nodes);
  calibrate_polls(runs, nodes);
  nodes.set(&ConditionalNodes::launch, runs.call(),
            "launch calls of 4 to 320 conditional nodes, less those of as many kernel nodes, least relative squares");
  nodes.assume(&ConditionalNodes::polled_branches, "more do not make the rounds of looks longer, seen on an H200");
  return nodes;
}

}  // namespace tasktwin::verify
