#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>
#include <vector>

#include "models/base/random.hpp"
#include "verify/output/text/terminal.hpp"
#include "verify/pool/process_pool.hpp"
#include "verify/search/search_results.hpp"
#include "verify/search/search_space.hpp"
#include "verify/search/search_trial.hpp"

namespace tasktwin::verify {

/// Which points are simulated.
enum class SearchMethod : std::uint8_t { kGuided, kGrid, kRandom, kHalving };

}  // namespace tasktwin::verify

namespace tasktwin {

template <>
struct Words<verify::SearchMethod> {
  static constexpr std::array entries{
      std::pair{verify::SearchMethod::kGuided, std::string_view{"guided"}},
      std::pair{verify::SearchMethod::kGrid, std::string_view{"grid"}},
      std::pair{verify::SearchMethod::kRandom, std::string_view{"random"}},
      std::pair{verify::SearchMethod::kHalving, std::string_view{"halving"}},
  };
};

}  // namespace tasktwin

namespace tasktwin::verify {

/// As --budget has them.
inline constexpr std::uint64_t kMostSimulations = 1'000'000'000;

struct SearchSettings {
  SearchMethod method = SearchMethod::kGuided;
  std::uint64_t budget = 0;  ///< simulations at most, but under `grid`; what is refused or pruned counts nothing; 0: the usual one
  std::uint64_t runs = 1;    ///< of the points that stay to the end, with the seeds from each scenario's on
  std::uint64_t seed = 1;    ///< of which points are drawn
  bool prune = true;         ///< leave out points whose lower bound lies above the best makespan; with one scenario only
};

/// Simulates points of a space, of several scenarios each, for low makespans: first each design as the files have it. Points are chosen in
/// rounds from all that earlier rounds gave, so that the results depend neither on the processes nor on the order in which they come.
class Search {
 public:
  /// Throws InputError for a file that cannot be read.
  Search(const std::vector<std::string>& files, SearchSpace space, const SearchSettings& settings);

  /// What processes of the pool are asked.
  std::string serve(std::string_view request);

  /// Goes on from `known`, which is `file`'s; that may be null. Where interrupt_asked() it ends with what it has, or throws Interrupted
  /// where that is nothing. Throws InputError where a known makespan lies below its bound, and where every point that was tried is refused.
  void run(Pool& pool, PointResults known, ResultFile* file, Progress& progress);

  const SearchSpace& space() const { return space_; }
  /// Points there are: combinations, and designs as the files have them where these are no combination.
  std::uint64_t points() const;
  /// The point that is this design as the files have it; nullopt where it is refused.
  std::optional<std::uint64_t> base(std::size_t design) const { return bases_[design]; }
  bool is_base(std::uint64_t number) const { return bases_[space_.at(number).design] == number; }
  /// What a point has at an axis, as files write it; empty where it has not that axis, or what the files have is not known.
  std::string value(std::uint64_t number, std::size_t axis) const;
  const SearchSettings& settings() const { return settings_; }
  /// Of the points that were chosen.
  const PointResults& results() const { return results_; }
  std::uint64_t simulations() const { return spent_; }
  std::size_t scenarios() const { return scenarios_; }
  /// The signal to end came: the results are those that were there by then.
  bool interrupted() const { return interrupted_; }
  /// By how much two points of one run each may differ by chance, as a fraction (95 %), by further runs of the fastest point that chance
  /// has a part in; nullopt with several runs a point, or where chance decides nothing.
  std::optional<double> chance() const { return chance_; }

 private:
  using Numbers = std::vector<std::uint64_t>;

  void find_bases();
  std::optional<std::uint64_t> combination_of(std::size_t design) const;
  std::uint64_t usual_budget();
  void run_all();
  void run_bases(bool one_run);
  void measure_chance();
  void require_combination() const;

  /// What of a point's result its design or no run can have had, in words; empty where nothing is.
  std::string contradiction(const SearchPoint& point, const DesignTraits& traits, const std::vector<std::vector<double>>& makespans);
  void check_known(const std::string& file);

  void run_grid();
  void run_random(std::uint64_t budget);
  void run_guided(std::uint64_t budget);
  void run_halving();

  /// Sees that each of `numbers` has `runs` runs, or is known not to run.
  void evaluate(const Numbers& numbers, std::uint64_t runs);
  void reveal(std::uint64_t number, std::uint64_t runs);
  void take(std::uint64_t number, std::uint64_t first_run, PointResult answer);
  void charge(const Numbers& numbers, std::uint64_t runs);
  void tell_plan(double seconds, std::size_t done);
  std::uint64_t planned() const;

  std::optional<std::uint64_t> draw_of(std::size_t design);
  Numbers draw(std::size_t count);
  Numbers propose(std::size_t count);
  Numbers candidates();
  std::vector<std::pair<std::uint64_t, double>> scores() const;
  std::optional<double> limit_ns(std::uint64_t runs) const;
  bool is_spent(std::uint64_t budget) const;

  SearchSpace space_;
  SearchSettings settings_;
  TrialRunner runner_;
  std::size_t scenarios_;
  std::vector<std::optional<std::uint64_t>> bases_;  ///< by design
  std::vector<std::vector<std::string>>
      shipped_values_;  ///< by design and axis, as the first file has them; empty for what is no axis of designs
  std::optional<double> chance_;

  Pool* pool_ = nullptr;
  ResultFile* file_ = nullptr;
  Progress* progress_ = nullptr;
  PointResults known_;    ///< from the file
  PointResults results_;  ///< in the order of numbers
  Numbers order_;         ///< as they were chosen
  std::map<std::uint64_t, std::uint64_t> charged_;
  std::uint64_t spent_ = 0;
  std::unordered_set<std::uint64_t> chosen_;
  Random random_;
  std::size_t turn_ = 0;                       ///< draws so far: whose turn it is
  std::vector<std::optional<Numbers>> hands_;  ///< by design: of a small one its points, shuffled, without those drawn; the next at the end
  bool plan_told_ = false;
  bool interrupted_ = false;
};

/// The logarithms of a point's geometric mean over scenarios, by run. Empty where it has not run.
std::vector<double> log_makespans(const PointResult& result);

/// The logarithm of the geometric mean over scenarios of the mean makespan of all runs; nullopt where the point has not run.
std::optional<double> score(const PointResult& result);

/// The geometric mean over scenarios of the mean makespan of all runs, that of a single scenario to the last bit; nullopt where the point
/// has not run.
std::optional<double> mean_makespan_ns(const PointResult& result);

}  // namespace tasktwin::verify
