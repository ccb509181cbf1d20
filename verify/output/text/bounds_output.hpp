#pragma once

#include <string>
#include <string_view>

#include "models/bounds/bounds.hpp"
#include "verify/output/text/json.hpp"

namespace tasktwin::verify {

/// The highest bound's name in words, "critical path"; "none" where no bound is above 0.
std::string highest_bound_name(const Bounds& bounds);

/// Each bound as "<name>_ns", the highest as "highest_ns", and its name as "highest".
Json bounds_to_json(const Bounds& bounds);

/// "critical path 1.234 µs, area 5.678 µs, …".
std::string bounds_to_text(const Bounds& bounds);

/// "1.234 ×" with the highest bound's name, for tables; "none" where there is no bound.
std::string over_bound_text(double over_bound, const Bounds& bounds);

}  // namespace tasktwin::verify
