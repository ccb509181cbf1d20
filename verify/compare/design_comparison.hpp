#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "scenarios/load/scenario.hpp"
#include "verify/compare/standings.hpp"
#include "verify/output/text/json.hpp"
#include "verify/predict/prediction.hpp"

namespace tasktwin::verify {

struct ComparisonOptions {
  std::uint64_t seed = 1;
  std::uint64_t runs = 1;
  bool keep_series = false;  ///< with the steps of each design's first run
  bool causes = false;       ///< Standing::path_by_cause
  std::size_t jobs = 1;      ///< processes for the runs after the first; 0 for one a processor
};

/// What `compare` has found out about one scenario.
struct CompareOutcome {
  std::uint64_t seed = 0;
  std::uint64_t runs = 1;             ///< asked for
  std::vector<std::string> random;    ///< what the seed decides, under any of the designs
  std::vector<RunSeries> series;      ///< by design, steps recorded
  std::vector<Standing> standings;    ///< likewise
  std::vector<PairVerdict> verdicts;  ///< of `standings`
};

/// The same with what `compare` says of it.
struct DesignComparison : CompareOutcome {
  DesignComparison() = default;
  DesignComparison(DesignComparison&&) = default;  // a moved vector's elements stay where they are
  DesignComparison& operator=(DesignComparison&&) = default;

  const Standing* best = nullptr;    ///< by the mean; of equal ones the first
  const Standing* winner = nullptr;  ///< nullptr where designs are not separated
  bool interrupted = false;          ///< of the designs asked for only the first are compared

  double ratio(const Standing& standing) const { return best->mean() > 0 ? standing.mean() / best->mean() : 1; }
  /// Whether any design's runs differ.
  bool varies() const;
};

/// Predicts `scenario` under each of `designs`, with the same seeds, and holds them against each other run by run. Contract: there are
/// designs; `progress` advances by their runs. Throws Interrupted where not one is done when the signal comes.
DesignComparison compare_designs(const scenarios::Scenario& scenario, std::span<const Design> designs, const ComparisonOptions& options,
                                 Progress& progress);

Json to_json(const scenarios::Scenario& scenario, const DesignComparison& comparison);

}  // namespace tasktwin::verify
