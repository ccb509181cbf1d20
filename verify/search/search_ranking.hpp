#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "models/base/names.hpp"
#include "verify/output/text/json.hpp"
#include "verify/search/design_search.hpp"

namespace tasktwin::verify {

/// How a point compares with the best one; undecided with too few runs: it was dropped before it had as many as those that stayed.
enum class Standpoint : std::uint8_t { kBest, kNotTold, kWorse, kUndecided };

/// The cost of a point in addition to its time.
enum class PointCost : std::uint8_t { kControlCores, kCores };

}  // namespace tasktwin::verify

namespace tasktwin {

template <>
struct Words<verify::Standpoint> {
  static constexpr std::array entries{
      std::pair{verify::Standpoint::kBest, std::string_view{"best"}},
      std::pair{verify::Standpoint::kNotTold, std::string_view{"not told apart"}},
      std::pair{verify::Standpoint::kWorse, std::string_view{"worse"}},
      std::pair{verify::Standpoint::kUndecided, std::string_view{"undecided"}},
  };
};

template <>
struct Words<verify::PointCost> {
  static constexpr std::array entries{
      std::pair{verify::PointCost::kControlCores, std::string_view{"control-cores"}},
      std::pair{verify::PointCost::kCores, std::string_view{"cores"}},
  };
};

}  // namespace tasktwin

namespace tasktwin::verify {

struct RankedPoint {
  std::uint64_t number = 0;
  double makespan_ns = 0;  ///< mean of its runs; the geometric mean over scenarios
  std::size_t runs = 0;    ///< of each scenario
  Standpoint stands = Standpoint::kBest;
  double slower = 0;  ///< than the best, as a fraction
  double low = 0;     ///< interval of that, in which all comparisons with the best lie at once in 95 % of searches (Bonferroni)
  double high = 0;
  bool on_front = false;  ///< no other point is as fast at no higher cost, or costs no more and is faster
  int cost = 0;
  bool is_base = false;  ///< its design as the files have it
};

/// What an axis does to the makespan, of its values with points that ran: by itself, all others as they come (MainEffects), and by the
/// fastest point of each value.
struct AxisImportance {
  std::string path;                ///< "design" for the choice between designs
  std::string best;                ///< value, on average
  double factor = 1;               ///< makespan of its worst value over that of its best, on average
  double share = 0;                ///< of the variance of all effects
  std::string best_by_point = {};  ///< the value of which a point is the fastest
  double factor_by_point = 1;      ///< the fastest makespan of its worst value over that of its best
  std::string design = {};         ///< of which these two are, as values of several cannot be told from the designs; empty for "design"
};

/// What became of the points of one design.
struct DesignPoints {
  std::string design;
  std::uint64_t points = 0;  ///< there are
  std::size_t tried = 0;
  std::size_t ran = 0;
  std::size_t pruned = 0;
  std::size_t refused = 0;
  std::size_t no_end = 0;
  std::optional<std::uint64_t> base = {};  ///< its point that is the design as the files have it, where that ran
  bool base_alone = false;                 ///< that is none of the combinations, none of which ran
  std::optional<double> gain = {};         ///< by how much shorter its best point's makespan is than the base's, of as many runs
};

struct SearchAnswer {
  std::vector<RankedPoint> points;         ///< that ran; those of the most runs first, and by makespan
  std::size_t not_told = 0;                ///< points of Standpoint::kNotTold
  std::size_t undecided = 0;               ///< of Standpoint::kUndecided
  bool one_run = false;                    ///< of points that chance has a part in
  std::optional<double> chance = {};       ///< Search::chance()
  std::vector<DesignPoints> designs;       ///< all of them
  std::vector<AxisImportance> importance;  ///< the largest first; an axis of which fewer than two values ran is not there
  std::size_t pruned = 0;
  std::size_t no_end = 0;
  Refusals refused;
};

/// Contract: at least one point ran.
SearchAnswer answer_of(const Search& search, PointCost cost);

/// What holds beyond the ranking, a sentence each: how many points cannot be distinguished from the best or are undecided, what was gained
/// over designs as the files have them, and designs of which no point ran. Table and page print these.
std::vector<std::string> verdict_of(const SearchAnswer& answer);

/// What prints a point's row again: a command line.
std::string command_of(const Search& search, const std::vector<std::string>& files, std::uint64_t number);

Json answer_to_json(const Search& search, const std::vector<std::string>& files, const SearchAnswer& answer, std::size_t most);
/// With `most` rows of the ranking and those of the designs as the files have them, and the command of the best.
std::string answer_to_text(const Search& search, const std::vector<std::string>& files, const SearchAnswer& answer, std::size_t most,
                           PointCost cost);
/// A row for each point that was chosen, with any outcome.
std::string results_to_csv(const Search& search);
/// The same as a JSON object a line.
std::string results_to_json_lines(const Search& search);

/// SearchData of page/src/data.ts, of at most kMostOnPage points, the best ones.
Json search_page_data(const Search& search, const SearchAnswer& answer, PointCost cost);
inline constexpr std::size_t kMostOnPage = 20'000;

}  // namespace tasktwin::verify
