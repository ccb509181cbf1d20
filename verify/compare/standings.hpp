#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "models/explain/observed_path.hpp"
#include "verify/output/text/json.hpp"
#include "verify/predict/prediction.hpp"
#include "verify/predict/run_statistics.hpp"

namespace tasktwin::verify {

/// A design's runs among those of others, without their timelines.
struct Standing {
  Design design;
  Assessment assessment;  ///< of the first run
  bool has_dispatchers = false;
  std::vector<double> makespans;                          ///< in nanoseconds, by run; one where all runs are equal
  bool random = false;                                    ///< chance decides something (random_parts)
  std::array<Duration, kPathCauseCount> path_by_cause{};  ///< of the first run (ObservedPath)

  double mean() const;
};

/// Two designs, run by run.
struct PairVerdict {
  std::string faster;  ///< by the mean; the first named where the means are equal
  std::string slower;
  double gain = 0;  ///< mean of slower − faster over the slower's mean
  double low = 0;   ///< 95 % confidence interval of that
  double high = 0;
  bool separated = false;  ///< the interval leaves 0 out
};

/// Every pair, in the order of `standings`. Designs whose runs are all equal are compared with each run of the others.
/// The interval is paired_difference()'s, over the slower's mean taken as known. Where neither design varies it is the
/// difference itself, and any difference separates them.
std::vector<PairVerdict> judge_pairs(const std::vector<Standing>& standings);

/// The design that is faster than each other beyond noise; nullptr where there is none, or no other. (Each pair is judged at 95 %: that
/// all hold is then no less sure, Berger 1982.)
const Standing* winner(const std::vector<Standing>& standings, const std::vector<PairVerdict>& verdicts);

/// "A is faster than B by 3.2 % (95 % CI 2.9 to 3.5 %)", "no difference beyond noise between A and B (…)", "A and B are equal".
std::string to_text(const PairVerdict& verdict, bool varies);
Json to_json(const PairVerdict& verdict);

}  // namespace tasktwin::verify
