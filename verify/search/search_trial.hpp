#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "models/base/names.hpp"
#include "models/bounds/bounds.hpp"
#include "scenarios/load/varied_scenario.hpp"
#include "verify/pool/process_pool.hpp"

namespace tasktwin::verify {

/// One design of a scenario file with overrides, to be simulated: what processes of a pool are asked.
struct Trial {
  std::size_t scenario = 0;  ///< which of the files
  std::string design;
  std::vector<std::string> overrides = {};
  std::uint64_t first_run = 0;  ///< run r has the scenario's seed + r
  std::uint64_t runs = 1;
  bool remarked = false;                ///< with remarks
  bool assessed = false;                ///< with an assessment
  std::optional<double> limit_ns = {};  ///< not simulated where the mean of its lower bounds lies above
};

/// What became of a trial.
enum class TrialOutcome : std::uint8_t {
  kRan,
  kPruned,   ///< a lower bound lies above Trial::limit_ns
  kIllegal,  ///< the overrides or the design were refused
  kNoEnd,    ///< a run came to a standstill
};

}  // namespace tasktwin::verify

namespace tasktwin {

template <>
struct Words<verify::TrialOutcome> {
  static constexpr std::array entries{
      std::pair{verify::TrialOutcome::kRan, std::string_view{"ran"}},
      std::pair{verify::TrialOutcome::kPruned, std::string_view{"pruned"}},
      std::pair{verify::TrialOutcome::kIllegal, std::string_view{"illegal"}},
      std::pair{verify::TrialOutcome::kNoEnd, std::string_view{"no end"}},
  };
};

}  // namespace tasktwin

namespace tasktwin::verify {

/// What Assessment says of the first run, as far as tables of trials have it.
struct TrialAssessment {
  Bounds bounds;
  double over_bound = 0;
  double core_busy_share = 0;
  double dispatcher_busy_share = 0;
  double overhead_share = 0;
  bool has_dispatchers = false;
};

struct TrialResult {
  TrialOutcome outcome = TrialOutcome::kRan;
  std::string why = {};                ///< where it did not run
  std::string scenario = {};           ///< its name
  std::vector<double> makespans = {};  ///< ns, by run; one where chance decides nothing
  bool random = false;                 ///< chance decides something (random_parts)
  int cores = 0;                       ///< that take tasks
  int control_cores = 0;               ///< that the design uses
  std::vector<std::string> remarks = {};
  std::optional<TrialAssessment> assessment = {};
};

/// What holds of a design's runs before there is one; the members are TrialResult's.
struct DesignTraits {
  bool random = false;
  int cores = 0;
  int control_cores = 0;
  friend bool operator==(const DesignTraits&, const DesignTraits&) = default;
};
DesignTraits traits_of(const scenarios::Scenario& scenario, const Design& design);

/// Simulates trials of the same files, each of which is read once.
class TrialRunner {
 public:
  /// `designs`: named designs that trials may name though the files lack them. Throws InputError for a file that cannot be read.
  TrialRunner(std::span<const std::string> files, std::span<const std::string> designs);

  /// Throws nothing that a trial's overrides, design or runs are to blame for.
  TrialResult run(const Trial& trial);
  scenarios::VariedScenario& scenario(std::size_t number) { return scenarios_[number]; }

  /// The same for a pool: a trial's bytes in, its result's out.
  std::string serve(std::string_view request);

 private:
  std::vector<scenarios::VariedScenario> scenarios_;
  std::size_t simulated_ = 0;  ///< trials
};

/// The designs named in `names` ("a,b"), or all of the file's. Throws InputError for one that is unknown or repeated, and for none at all.
std::vector<std::string> chosen_designs(const scenarios::VariedScenario& scenario, const std::string& names);

/// Throws InputError where `path` of an override is of a design of the scenario that is not among `chosen`: nothing would change.
void refuse_left_out(const scenarios::VariedScenario& scenario, std::span<const std::string> chosen, std::string_view path);

/// Answers of several trials may come in any order; `take` gets them in the order of the trials.
void run_in_order(Pool& pool, std::size_t count, const std::function<Trial(std::size_t)>& trial,
                  const std::function<void(std::size_t, TrialResult)>& take);

/// Why trials were refused, and how many of them, the most frequent first. Reasons that differ in one quoted word are one, with all words:
/// "placement 'cpop'/'heft' cannot …".
class Refusals {
 public:
  void add(const std::string& why) { ++counts_[why]; }
  std::size_t count() const;
  std::vector<std::pair<std::string, std::size_t>> by_count() const;
  /// "12 of 480 points are skipped; 8: …; 4: …": each reason on a line of its own, the first few of them. Empty where there is none.
  std::string to_text(std::size_t of) const;

 private:
  std::map<std::string, std::size_t> counts_;
};

std::string trial_to_bytes(const Trial& trial);
TrialResult trial_result_from_bytes(std::string_view bytes);

}  // namespace tasktwin::verify
