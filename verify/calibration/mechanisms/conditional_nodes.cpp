#include <algorithm>

#include <fmt/format.h>

#include "models/run/outcome.hpp"
#include "models/runtimes/runtimes.hpp"
#include "verify/calibration/fit/assumed_counts.hpp"
#include "verify/calibration/fit/phases.hpp"
#include "verify/calibration/mechanisms/calibrated_mechanisms.hpp"
#include "verify/calibration/probes/micro_graphs.hpp"

namespace tasktwin::verify {

using mechanism::ConditionalNodes;
using mechanism::GraphLaunch;

namespace {

using namespace std::chrono_literals;

/// Long enough for the host's launch call to have come to all conditional nodes before the first of them has its turn.
constexpr Duration kLaunched = 2ms;

/// Runs graphs of conditional nodes.
class ConditionalRuns {
 public:
  explicit ConditionalRuns(Probes& probes) : probes_(probes) {}

  Timeline run(const TaskGraph& graph, GraphPredicates type) {
    Design design = named_design("cuda-graph");
    design.graph_predicates = type;
    return probes_.run("conditional nodes", graph, design, 3).timeline;
  }

  void keep_sample(Nanoseconds ConditionalNodes::*constant, std::string setting, double value) {
    probes_.keep_sample(&Machine::conditional_nodes, constant, std::move(setting), value);
  }

 private:
  Probes& probes_;
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

/// What chains of conditional nodes are seen to do, by whether two tasks one after the other run.
struct ChainRuns {
  TaskGraph chain = predicated_chains_graph(1, 300, 10us, 0.5, kLaunched);
  std::vector<bool> holds = draw_outcome(chain, gpu::RunOptions{}.seed).holds;
  std::vector<std::pair<GraphPredicates, Timeline>> runs = {};

  explicit ChainRuns(ConditionalRuns& conditional) {
    for (const auto& [type, word] : Words<GraphPredicates>::entries) {
      if (type != GraphPredicates::kKernel) runs.emplace_back(type, conditional.run(chain, type));
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
                     fmt::format("ended to {} {}, less graph_launch.gap_ns", weights.enter > 0 ? "body started" : "looked at", before),
                     mean);
  }
  const LinkSteps<Estimate> fitted = links.solve();
  const std::string of = " of chains of conditional nodes of three types, every other of which is left out";
  const std::string between = "ended to started less graph_launch.gap_ns," + of + ", least squares";
  const std::string decided = between + ", with what the node takes to set its value";
  nodes.set(&ConditionalNodes::skip, fitted.skip + decision, decided);
  nodes.set(&ConditionalNodes::leave, fitted.leave, between);
  nodes.set(&ConditionalNodes::again, fitted.again, between);
  nodes.set(&ConditionalNodes::enter, fitted.enter + decision, decided);
}

/// Conditional nodes between a gate and a join, left out: what each further one adds to the time between the first end and the join.
void calibrate_fans(ConditionalRuns& runs, const GraphLaunch& graphs, Calibrated<ConditionalNodes>& nodes) {
  Fit<Slope> added;
  for (const int width : {8, 30, 90}) {
    const Timeline timeline = runs.run(predicated_chains_graph(width, 1, 20us, 0, kLaunched, true), GraphPredicates::kIf);
    TimePoint first = TimePoint::max();
    for (int i = 1; i <= width; ++i) first = std::min(first, timeline.tasks[static_cast<std::size_t>(i)].ended);
    const double others = width - 1;
    const double time = ns(timeline.tasks.back().started - first) - (nodes.skip + graphs.gap).count();
    runs.keep_sample(&ConditionalNodes::service,
                     fmt::format("{} between a gate and a join, bodies left out, first ended to join, each", width), time / others);
    added.observe_relative({.slope = others}, time);
  }
  nodes.set(&ConditionalNodes::service, added.solve().slope,
            "first ended to join of 8 to 90 conditional nodes side by side whose bodies are left out, least relative squares");
}

/// From one's end to the next one's start along a chain of conditional nodes left out, by how many branches of them are to come: two rounds
/// of the device's looks, one until it sees the value and one until it sees the end.
void calibrate_polls(ConditionalRuns& runs, Calibrated<ConditionalNodes>& nodes) {
  constexpr int kLength = 40;
  constexpr int kFew = 16;
  constexpr int kMany = 32;  // more of them add nothing
  const auto hop = [&](int branches) {
    const std::string what = fmt::format("a chain of {}, bodies left out, {} branches to come", kLength, branches);
    const Timeline timeline = runs.run(predicated_fan_graph(kLength, branches, 10us, 0, kLaunched), GraphPredicates::kIf);
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
  ConditionalRuns runs(probes);
  calibrate_chains(runs, graphs, nodes);
  calibrate_fans(runs, graphs, nodes);
  calibrate_polls(runs, nodes);
  nodes.assume(&ConditionalNodes::polled_branches, "more do not make the rounds of looks longer, seen on an H200");
  return nodes;
}

}  // namespace tasktwin::verify
