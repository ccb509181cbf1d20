#pragma once

#include <functional>
#include <ranges>

#include <boost/sort/pdqsort/pdqsort.hpp>

namespace tasktwin {

/// Sorts by the time that `of` gives for an element, without branches that nothing could predict (pattern-defeating quicksort; Peters
/// 2021). Equal ones come in any order, the same for the same range.
template <std::ranges::random_access_range Range, class Of = std::identity>
void sort_by_time(Range& range, Of of = {}) {
  boost::sort::pdqsort_branchless(std::ranges::begin(range), std::ranges::end(range),
                                  [&of](const auto& a, const auto& b) { return std::invoke(of, a) < std::invoke(of, b); });
}

}  // namespace tasktwin
