#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "models/base/units.hpp"
#include "scenarios/claim_files/claim_file.hpp"

namespace tasktwin::verify {

/// Where and when a claim was measured, and by what.
struct ClaimOrigin {
  std::string device;
  std::string driver;
  std::string runtime;
  std::string date;  ///< ISO 8601
  std::string commit;
  std::string command;  ///< that reproduces it
  friend bool operator==(const ClaimOrigin&, const ClaimOrigin&) = default;
};

/// One side of a comparison as it was run.
struct MeasuredSide {
  std::string design;
  std::string axes;        ///< the design's axes as a JSON object
  std::string graph_hash;  ///< of tasks and edges
  std::vector<Duration> makespans;
  Nanoseconds host_call{};  ///< gpu::Measurement::host_call; 0 also in older files
  std::int64_t ordering_violations = 0;
  std::optional<double> residual;
  double residual_limit = 0;

  bool right() const { return ordering_violations == 0 && (!residual || *residual <= residual_limit); }
  friend bool operator==(const MeasuredSide&, const MeasuredSide&) = default;
};

/// The two figures of a comparison, and their ratio.
struct Figures {
  double baseline_ns = 0;
  double contender_ns = 0;

  double ratio() const { return baseline_ns / contender_ns; }
};

/// What a measurement says of a claim, or of one of its comparisons.
enum class ClaimVerdict {
  kHolds,
  kDoesNotHold,
  kPartly,       ///< of a claim: some of its comparisons hold
  kNotRecorded,  ///< not measured yet
  kNotMeasured,  ///< it cannot be, for a reason that is given
};
std::string_view to_text(ClaimVerdict verdict);

/// A comparison of a claim: what is claimed, measured and predicted.
struct ClaimRow {
  std::string id;
  std::string scenario;
  std::string baseline;   ///< design, or executor
  std::string contender;  ///< design, or executor
  scenarios::ClaimedRatio claimed;
  std::optional<Figures> measured;
  std::vector<MeasuredSide> sides;  ///< baseline and contender; empty where METG was measured, or nothing
  ClaimOrigin origin;
  std::string why_unmeasured;  ///< empty where it is only not recorded
  bool failed = false;         ///< a run came to no end, was out of order or gave wrong numbers
  std::optional<Figures> predicted;
  std::string why_unpredicted;

  ClaimVerdict verdict() const;
  /// Nothing where nothing is predicted.
  std::optional<ClaimVerdict> predicted_verdict() const;
  /// Nothing where one of both is missing.
  std::optional<bool> agrees() const;
  /// Predicted / measured ratio − 1.
  std::optional<double> error() const;
};

/// A claim, held against all its comparisons.
struct ClaimSummary {
  std::string id;
  std::string title;
  ClaimOrigin origin;  ///< of the first comparison measured
  int compared = 0;    ///< comparisons
  int recorded = 0;    ///< those that are not just not recorded
  int measured = 0;
  int hold = 0;
  int judged = 0;  ///< those both measured and predicted
  int agree = 0;   ///< and of the same verdict

  ClaimVerdict verdict() const;
};

ClaimSummary summarize(const scenarios::Claim& claim, const std::vector<ClaimRow>& rows);

}  // namespace tasktwin::verify
