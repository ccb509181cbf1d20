#pragma once

#include <string>
#include <vector>

#include "verify/explain/changes.hpp"
#include "verify/explain/explanation.hpp"

namespace tasktwin::verify {

/// Where the time of one design's run goes, what holds it up, and which changes would help most.
class DesignExplanation {
 public:
  DesignExplanation(DesignAccount account, Changes changes, std::vector<std::string> random, std::string bodies = {});

  std::vector<std::string> sentences() const;
  /// Each cause of the path and of idle time with its part; shares of each add up to the whole.
  std::string table() const;
  Json to_json() const;

 private:
  std::string main_causes() const;
  std::string changes_text() const;

  DesignAccount account_;
  Changes changes_;
  std::vector<std::string> random_;
  std::string bodies_;  ///< which bodies the path is at most of the time, a sentence; empty for nothing worth saying
};

/// Simulates `scenario` under the design, and, where it has kMostTasksOfChanges tasks or fewer, under what would change it.
DesignExplanation explain(const scenarios::Scenario& scenario, const Design& design, std::uint64_t seed, Progress& progress);

/// Under which a scenario is explained where no design is named: the one that takes least; of a captured program the one that makes its
/// calls again.
const Design& design_to_explain(const scenarios::Scenario& scenario, std::uint64_t seed, Progress& progress);

}  // namespace tasktwin::verify
