#pragma once

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "models/base/error.hpp"
#include "scenarios/load/scenario.hpp"

namespace tasktwin::scenarios {

/// Where the ratio of a comparison lies if the claim holds; at least one end is given.
struct ClaimedRatio {
  std::optional<double> at_least;
  std::optional<double> at_most;

  bool holds(double ratio) const { return (!at_least || ratio >= *at_least) && (!at_most || ratio <= *at_most); }
};

/// Two scenarios of one design each, whose makespans are compared.
struct MakespanSides {
  Scenario baseline;
  Scenario contender;
};

/// Two executors of the METG benchmark, compared by METG(50 %) on a pattern of Task Bench.
struct MetgSides {
  std::string pattern;
  std::string baseline;
  std::string contender;
  Machine machine;
};

/// One measurement that the claim is held against: baseline / contender.
struct Comparison {
  std::string name;
  std::variant<MakespanSides, MetgSides> sides;
  ClaimedRatio claimed;
  SourceLocation where;
};

/// Something said about a mechanism, with what it takes to believe or refute it.
struct Claim {
  std::string id;
  std::string title;
  std::string claimed;   ///< in our own words
  std::string source;    ///< where it comes from
  std::string workload;  ///< what is run, and why it is a fair test
  std::vector<Comparison> comparisons;
};

/// Reads a claim's file, or the shipped claim of that id ("C14"). A comparison takes machine, graph and seed from the file's top
/// where it has none of its own; a side takes its design from the list there, else it is a named one. Throws InputError with
/// file:line:column, also for a listed design that no comparison uses.
Claim load_claim(const std::string& path_or_id);

}  // namespace tasktwin::scenarios
