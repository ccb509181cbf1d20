#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "models/outcome.hpp"
#include "verify/calibration/calibration.hpp"
#include "verify/calibration/fit.hpp"
#include "verify/calibration/micro_graphs.hpp"
#include "verify/launch_costs/prediction.hpp"

namespace tasktwin::verify {

namespace {

using namespace std::chrono_literals;

/// Long enough for the host's launch call to have come to all conditional nodes before the first of them has its turn.
constexpr Duration kLaunched = 2ms;

/// A predicate that always holds is none; this one does not in one of 2^53 draws.
const double kHolds = std::nextafter(1.0, 0.0);

/// Runs graphs of conditional nodes and keeps what their launch calls take.
class ConditionalRuns {
 public:
  explicit ConditionalRuns(Calibration& calibration) : calibration_(calibration) {}

  Timeline run(const std::string& what, const TaskGraph& graph, GraphPredicates type) {
    Design design = named_design("cuda-graph");
    design.graph_predicates = type;
    Timeline timeline = calibration_.run("conditional nodes", graph, design, 3).timeline;
    const double beyond = host_busy_ns(timeline) - predict_graph_calls(graph, calibration_.machine()).launch_ns;
    double nodes = 0;
    for (std::size_t i = 0; i < graph.size(); ++i) nodes += graph.traits(task_id(i)).probability < 1 ? 1 : 0;
    calibration_.keep_sample("conditional_nodes.launch_ns", what, beyond / nodes);
    if (beyond > 0) calls_.push_back(relative({nodes}, beyond));
    return timeline;
  }

  void set_calls() const {
    calibration_.set("conditional_nodes.launch_ns", fit_constants(calls_)[0],
                     "launch calls of 4 to 320 conditional nodes, less those of as many kernel nodes, least relative squares");
  }

 private:
  Calibration& calibration_;
  std::vector<Observation> calls_;
};

/// From each task's end to the next one's start along a chain, by whether the two run.
void calibrate_chains(Calibration& calibration, ConditionalRuns& runs) {
  const TaskGraph chain = predicated_chains_graph(1, 300, 10us, 0.5, kLaunched);
  const std::vector<bool> holds = draw_outcome(chain, gpu::RunOptions{}.seed).holds;
  std::vector<double> decisions;
  std::vector<Timeline> timelines;
  std::vector<bool> loops;
  for (const auto& [type, word] : Words<GraphPredicates>::entries) {
    if (type == GraphPredicates::kKernel) continue;
    timelines.push_back(runs.run(fmt::format("a chain of 300, type {}", word), chain, type));
    loops.push_back(type == GraphPredicates::kWhile);
    for (std::size_t i = 1; i < chain.size(); ++i) {
      const TaskTimes& task = timelines.back().tasks[i];
      if (!holds[i]) decisions.push_back(ns(task.ended - task.started));
    }
  }
  const Estimate decision = trimmed_mean(decisions);
  const double gap = calibration.get("graph_launch.gap_ns");
  ObservationGroups gaps;
  for (std::size_t run = 0; run < timelines.size(); ++run) {
    for (std::size_t i = 2; i < chain.size(); ++i) {
      const double between = ns(timelines[run].tasks[i].started - timelines[run].tasks[i - 1].ended);
      const double left = holds[i - 1] ? 1 : 0;
      gaps[{1 - left, left, loops[run] ? left : 0, holds[i] ? 1.0 : 0.0}].push_back(between - gap - (holds[i] ? decision.value : 0));
    }
  }
  const std::vector<Observation> means = group_means(gaps);
  for (const Observation& mean : means) {
    const auto& w = mean.weights;
    const std::string before = w[0] > 0 ? "behind a body left out" : w[2] > 0 ? "behind a loop" : "behind a body";
    calibration.keep_sample(w[3] > 0   ? "conditional_nodes.enter_ns"
                            : w[0] > 0 ? "conditional_nodes.skip_ns"
                                       : "conditional_nodes.leave_ns",
                            fmt::format("ended to {} {}, less graph_gap_ns", w[3] > 0 ? "body started" : "looked at", before), mean.value);
  }
  const std::vector<Estimate> fitted = fit_constants(means);
  const std::string of = " of chains of conditional nodes of three types, every other of which is left out";
  calibration.set("conditional_nodes.decide_ns", decision, "started to ended of bodies left out," + of);
  calibration.set("conditional_nodes.skip_ns", fitted[0], "ended to started less graph_gap_ns," + of + ", least squares");
  calibration.set("conditional_nodes.leave_ns", fitted[1], "ended to started less graph_gap_ns," + of + ", least squares");
  calibration.set("conditional_nodes.again_ns", fitted[2], "ended to started less graph_gap_ns," + of + ", least squares");
  calibration.set("conditional_nodes.enter_ns", fitted[3], "ended to started less graph_gap_ns," + of + ", least squares");
}

/// Conditional nodes between a gate and a join, left out or not: what each further one adds to the time between the first end and the join.
void calibrate_fans(Calibration& calibration, ConditionalRuns& runs) {
  const auto each = [&](const std::string& constant, double probability, double last) {
    std::vector<Observation> added;
    for (const int width : {4, 8, 12, 30, 90}) {
      const std::string what = fmt::format("{} between a gate and a join{}", width, probability > 0 ? "" : ", bodies left out");
      const Timeline timeline = runs.run(what, predicated_chains_graph(width, 1, 20us, probability, kLaunched, true), GraphPredicates::kIf);
      TimePoint first = TimePoint::max();
      for (int i = 1; i <= width; ++i) first = std::min(first, timeline.tasks[static_cast<std::size_t>(i)].ended);
      const double others = width - 1;
      const double time = ns(timeline.tasks.back().started - first) - last - others * calibration.get("graph_launch.join_ns");
      calibration.keep_sample(constant, what + ", first ended to join, each", time / others);
      added.push_back(relative({others}, time));
    }
    return fit_constants(added)[0];
  };
  const double gap = calibration.get("graph_launch.gap_ns");
  calibration.set("conditional_nodes.service_ns",
                  each("conditional_nodes.service_ns", 0, calibration.get("conditional_nodes.skip_ns") + gap),
                  "first ended to join of 4 to 90 conditional nodes side by side whose bodies are left out, least relative squares");
  calibration.set("conditional_nodes.body_end_service_ns",
                  each("conditional_nodes.body_end_service_ns", kHolds, calibration.get("conditional_nodes.leave_ns") + gap),
                  "first ended to join of 4 to 90 conditional nodes side by side, least relative squares");
}

/// Chains of conditional nodes side by side, more than the device keeps up with.
void calibrate_releases(Calibration& calibration, ConditionalRuns& runs) {
  const std::string what = "16 chains of 20, bodies left out";
  const Timeline timeline = runs.run(what, predicated_chains_graph(16, 20, 3us, 0, kLaunched), GraphPredicates::kIf);
  std::vector<TimePoint> starts;
  for (std::size_t i = 1; i < timeline.tasks.size(); ++i) starts.push_back(timeline.tasks[i].started);
  std::ranges::sort(starts);
  const std::size_t from = starts.size() / 4;
  const std::size_t to = starts.size() * 3 / 4;
  calibration.set("conditional_nodes.release_ns", ns(starts[to] - starts[from]) / static_cast<double>(to - from),
                  "start to start of 16 chains of 20 conditional nodes side by side whose bodies are left out, the middle half");
}

/// From one's end to the next one's start along a chain of conditional nodes left out, by how many branches of them are to come: two rounds
/// of the device's looks, one until it sees the value and one until it sees the end.
void calibrate_polls(Calibration& calibration, ConditionalRuns& runs) {
  constexpr int kLength = 40;
  constexpr int kFew = 16;
  constexpr int kMany = 32;  // more of them add nothing
  const auto hop = [&](int branches) {
    const std::string what = fmt::format("a chain of {}, bodies left out, {} branches to come", kLength, branches);
    const Timeline timeline = runs.run(what, predicated_fan_graph(kLength, branches, 10us, 0, kLaunched), GraphPredicates::kIf);
    std::vector<double> hops;
    for (std::size_t i = 2; i <= kLength; ++i) hops.push_back(ns(timeline.tasks[i].started - timeline.tasks[i - 1].ended));
    const double mean = trimmed_mean(hops).value;
    calibration.keep_sample("conditional_nodes.poll_ns", what + ", ended to started", mean);
    return mean;
  };
  calibration.set("conditional_nodes.poll_ns", std::max(0.0, (hop(kMany) - hop(kFew)) / (2 * (kMany - kFew))),
                  "ended to started along a chain of conditional nodes left out, by 16 and 32 branches of such nodes to come, half the "
                  "difference each");
}

}  // namespace

void calibrate_conditionals(Calibration& calibration) {
  ConditionalRuns runs(calibration);
  calibrate_chains(calibration, runs);
  calibrate_fans(calibration, runs);
  calibrate_releases(calibration, runs);
  calibrate_polls(calibration, runs);
  runs.set_calls();
}

}  // namespace tasktwin::verify
