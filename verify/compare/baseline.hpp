#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "verify/compare/design_comparison.hpp"
#include "verify/output/text/json.hpp"

namespace tasktwin::verify {

/// What an earlier `compare --format json` says of a design.
struct BaselineDesign {
  std::vector<double> makespans;               ///< ns, by run
  std::optional<bool> random = {};             ///< chance decided something of them; none where the file does not say
  std::map<std::string, double> path_ns = {};  ///< of the observed critical path, by cause
  Json axes = {};                              ///< by name; null where the file does not say
};

/// And of a scenario.
struct Baseline {
  std::string scenario;
  std::string machine = {};  ///< its name; empty where the file does not say
  std::string machine_hash;
  std::uint64_t seed = 0;
  std::map<std::string, BaselineDesign> designs;
};

/// Reads what `compare --format json` printed. Throws InputError with file and field.
std::vector<Baseline> read_baseline(const std::string& file);

/// How much longer runs take than others, as a fraction of the others' mean.
struct Slowdown {
  double mean = 0;
  double low = 0;  ///< what it is at least, with the confidence that is asked for; the mean itself where nothing varies
};

/// `paired`: run by run with the same seeds, where there are as many (Student 1908), else as two samples (Welch 1947), of which one run
/// is a makespan without chance. Contract: neither is empty, and what is random has several runs.
Slowdown slowdown(std::span<const double> now, std::span<const double> before, bool paired, double confidence = 0.99);

/// A design that is slower than it may be.
struct Regression {
  std::string scenario;
  std::string design;
  std::string than;  ///< "the baseline", or a design
  Slowdown by;
  std::string cause = {};  ///< what on its critical path grew most; empty where nothing did
};

/// "cholesky under static-queues is 3.1 % slower than the baseline (at least 2.8 %): dispatch +12.3 µs, …".
std::string to_text(const Regression& regression);
Json to_json(const Regression& regression);

/// A design that is faster than the baseline by more than a slowdown may be.
struct Improvement {
  std::string scenario;
  std::string design;
  double by = 0;  ///< as a fraction of the baseline's mean
};

/// What a gate found. Designs count once for each scenario and for each thing that they are held to.
struct GateOutcome {
  std::size_t held_to_baseline = 0;
  std::size_t held_to_design = 0;
  std::vector<Regression> too_slow = {};
  std::vector<Improvement> faster = {};

  void add(GateOutcome other);
};

/// "gate: 3 of 4 designs within 2 % of base.json; tiny under hybrid is 4.0 % faster: renew the baseline?", a line for each thing that
/// designs are held to.
std::string to_text(const GateOutcome& outcome, double fail_above, const std::string& baseline, const std::string& worse_than);
Json to_json(const GateOutcome& outcome);

/// What a gate of continuous integration holds compared designs to. A slowdown is one where its low end lies above `fail_above`.
class Gate {
 public:
  double fail_above = 0;        ///< as a fraction
  std::string worse_than = {};  ///< a design that no other may be slower than; empty for none
  std::vector<Baseline> baselines = {};

  /// Throws InputError where no baseline has a design of `selections`, by names of scenario and design, and where `worse_than` is the
  /// only one: such a gate would hold nothing.
  /// `file` is what the baselines are from.
  void check_common(std::span<const Selection> selections, const std::string& file) const;

  /// Throws InputError where `runs` are too few to distinguish a difference from chance, or `worse_than` is not compared.
  GateOutcome check(const scenarios::Scenario& scenario, const DesignComparison& comparison) const;

  /// Designs of `comparison` that no baseline has, and those that only a baseline has, in sentences.
  std::vector<std::string> unmatched(const scenarios::Scenario& scenario, const DesignComparison& comparison) const;

 private:
  const Baseline* of(const std::string& scenario) const;
  /// How many times check() holds a design to something where chance decides.
  std::size_t held_by_chance(const scenarios::Scenario& scenario, const DesignComparison& comparison) const;
};

}  // namespace tasktwin::verify
