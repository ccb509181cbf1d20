#include "models/bounds/prediction_interval.hpp"

#include <algorithm>
#include <cmath>

#include "models/base/error.hpp"
#include "models/bounds/learnt_errors.hpp"
#include "models/runtimes/runtimes.hpp"

namespace tasktwin {

std::string error_mechanism(const Design& design) {
  const Runtime& runtime = runtime_of(design);
  const std::string where = runtime.resident() && !runtime.host_dispatched() ? "/" + std::string(to_word(design.ready_queue)) : "";
  return std::string(to_word(design.driver)) + "/" + std::string(to_word(design.release)) + where;
}

PredictionInterval prediction_interval(const Design& design, Duration makespan) {
  if (makespan <= Duration{0}) throw InputError("makespan_ns: is " + std::to_string(makespan.count()) + "; must be more than 0");
  PredictionInterval interval{.mechanism = error_mechanism(design)};
  const auto found = std::ranges::find(kLearntErrors, interval.mechanism, &LearntError::mechanism);
  const bool known = found != kLearntErrors.end();
  const double half = known ? found->half_width : std::ranges::max(kLearntErrors, {}, &LearntError::half_width).half_width;
  interval.low_ns = static_cast<double>(makespan.count()) * std::exp(-half);
  interval.high_ns = static_cast<double>(makespan.count()) * std::exp(half);
  interval.cases = known ? found->cases : 0;
  return interval;
}

}  // namespace tasktwin
