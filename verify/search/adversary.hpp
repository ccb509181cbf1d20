#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "models/random.hpp"
#include "scenarios/scenario.hpp"
#include "verify/output/terminal.hpp"
#include "verify/pool/pool.hpp"

namespace tasktwin::verify {

/// A graph of tasks that spin, as an adversary changes it. Edges go to higher numbers.
struct SpinGraph {
  std::vector<std::int64_t> times_ns;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> edges;

  TaskGraph build() const;
  /// `graph.tasks` of a scenario's file.
  std::string to_yaml() const;
};

struct AdversarySettings {
  std::uint64_t budget = 4000;  ///< graphs at most
  std::uint64_t seed = 1;
  std::size_t most_tasks = 200;
};

/// A graph, and how one design does on it against another and against the highest lower bound.
struct Adverse {
  SpinGraph graph;
  double loss = 0;  ///< makespan of A over that of B, minus 1
  double a_ns = 0;  ///< mean of kChanceRuns runs where chance decides something
  double b_ns = 0;
  double bound_ns = 0;
};

/// Looks for a graph on which design `a` loses most against `b` on the scenario's machine: graphs drawn from families (layers, forks and
/// joins, chains, stars), then the best of each generation edited, times, edges and tasks alike (an evolution strategy, (μ + λ); Rechenberg
/// 1973). The same whatever the pool. Throws InputError where a design cannot run on the machine.
class Adversary {
 public:
  Adversary(const scenarios::Scenario& scenario, Design a, Design b, const AdversarySettings& settings);

  /// What processes of the pool are asked: a graph in, its loss out.
  std::string serve(std::string_view request) const;

  Adverse run(Pool& pool, Progress& progress) const;

 private:
  double loss(const SpinGraph& graph) const;
  Adverse judged(SpinGraph graph) const;

  scenarios::Scenario scenario_;  ///< without its graph
  Design a_;
  Design b_;
  AdversarySettings settings_;
};

/// A scenario file of the graph under both designs.
std::string adverse_scenario(const Adverse& found, const std::string& machine, const std::string& a, const std::string& b);

}  // namespace tasktwin::verify
