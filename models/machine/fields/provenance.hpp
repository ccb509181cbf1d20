#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace tasktwin {

/// A 95 % confidence interval.
struct Interval {
  double low = 0;
  double high = 0;
  friend bool operator==(const Interval&, const Interval&) = default;
};

/// Where a constant comes from.
enum class Source {
  kStated,     ///< stated by the user, in a scenario or in code
  kMeasured,   ///< by a micro-benchmark
  kPublished,  ///< by the chip's makers or users
  kAssumed,    ///< neither measured nor published
};

constexpr std::string_view to_word(Source source) {
  constexpr std::string_view words[] = {"stated", "measured", "published", "assumed"};
  return words[static_cast<int>(source)];
}

/// What a machine's measured constants have in common.
struct MeasuredOn {
  std::string device = {};  ///< with its driver and runtime
  std::string date = {};    ///< ISO 8601
  friend bool operator==(const MeasuredOn&, const MeasuredOn&) = default;
};

struct Provenance {
  Source source = Source::kStated;
  std::string text = {};                  ///< the method, the publication, or the reason
  std::string date = {};                  ///< ISO 8601; empty where none is given
  std::optional<Interval> interval = {};  ///< of its value, where the measurement has one
  friend bool operator==(const Provenance&, const Provenance&) = default;
};

}  // namespace tasktwin
