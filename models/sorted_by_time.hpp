#pragma once

#include <functional>
#include <ranges>

#include <boost/sort/spreadsort/integer_sort.hpp>

#include "models/units.hpp"

namespace tasktwin {

/// Sorts by the time that `of` gives for an element, in a number of passes that does not grow with the elements (spreadsort; Ross 2002).
/// Equal ones come in any order, the same for the same range.
template <std::ranges::random_access_range Range, class Of = std::identity>
void sort_by_time(Range& range, Of of = {}) {
  boost::sort::spreadsort::integer_sort(
      std::ranges::begin(range), std::ranges::end(range),
      [&of](const auto& element, unsigned bits) { return to_ns(std::invoke(of, element)) >> bits; },
      [&of](const auto& a, const auto& b) { return std::invoke(of, a) < std::invoke(of, b); });
}

}  // namespace tasktwin
