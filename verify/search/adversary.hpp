#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "models/base/random.hpp"
#include "scenarios/load/scenario.hpp"
#include "verify/output/text/terminal.hpp"
#include "verify/pool/process_pool.hpp"

namespace tasktwin::verify {

/// A task as an adversary changes it: it spins for a time or, where it streams, reads what one core alone reads in that time.
struct DrawnTask {
  std::int64_t time_ns = 0;
  bool streams = false;
  std::int64_t bytes(double bytes_per_ns) const;
};

/// Edges go to higher numbers.
struct DrawnGraph {
  std::vector<DrawnTask> tasks;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> edges;

  /// `bytes_per_ns`: what one core alone reads.
  TaskGraph build(double bytes_per_ns) const;
  /// `graph.tasks` of a scenario's file.
  std::string to_yaml(double bytes_per_ns) const;
};

struct AdversarySettings {
  std::uint64_t budget = 20'000;  ///< graphs at most
  std::uint64_t seed = 1;
  std::size_t most_tasks = 200;
};

/// A graph, and how one design does on it against another and against the highest lower bound.
struct Adverse {
  DrawnGraph graph;
  double bytes_per_ns = 0;  ///< of its tasks that stream
  double loss = 0;          ///< makespan of A over that of B, minus 1
  double a_ns = 0;          ///< mean of kChanceRuns runs where chance decides something
  double b_ns = 0;
  double bound_ns = 0;
};

/// Looks for a graph on which design `a` loses most against `b` on the scenario's machine: graphs drawn from families (layers, forks and
/// joins, chains, stars, with tasks that spin and tasks that share the memory's bandwidth), then the best of each generation edited, times,
/// edges and tasks alike (an evolution strategy, (μ + λ); Rechenberg 1973). The result does not depend on the pool. Throws InputError where
/// a design cannot run on the machine.
class Adversary {
 public:
  Adversary(const scenarios::Scenario& scenario, Design a, Design b, const AdversarySettings& settings);

  /// What processes of the pool are asked: a graph in, its loss out.
  std::string serve(std::string_view request) const;

  Adverse run(Pool& pool, Progress& progress) const;

 private:
  double loss(const DrawnGraph& graph) const;
  Adverse judged(DrawnGraph graph) const;

  scenarios::Scenario scenario_;  ///< without its graph
  Design a_;
  Design b_;
  AdversarySettings settings_;
  double bytes_per_ns_ = 0;  ///< what one core alone reads; 0 where the machine's bytes take no time, so that no task streams
};

/// A scenario file of the graph under both designs.
std::string adverse_scenario(const Adverse& found, const std::string& machine, const std::string& a, const std::string& b);

}  // namespace tasktwin::verify
