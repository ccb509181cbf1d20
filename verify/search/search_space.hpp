#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "verify/predict/sweep.hpp"

namespace tasktwin::verify {

/// A place of the scenario file, and what a search tries there.
struct SearchAxis {
  std::string path;
  std::vector<std::string> values;
  std::string design = {};  ///< whose axis alone it is ("designs.NAME.KEY"); empty for that of every design
  bool ordered = false;     ///< the values are numbers, ascending
};

/// Reads "path=v1,v2,…", or "designs.KEY" alone for every word that the axis KEY knows. Throws InputError.
SearchAxis parse_search_axis(std::string_view text, const std::vector<std::string>& designs);

/// A combination of values: one of each axis that its design has.
struct SearchPoint {
  std::size_t design = 0;
  std::vector<int> values;  ///< by axis, which of its values; kNoValue for an axis of another design
};

inline constexpr int kNoValue = -1;

/// All combinations, numbered from 0: by design, then the last axis fastest. After them each design as its file has it, a point without
/// values.
class SearchSpace {
 public:
  /// Throws InputError if there are more points than kMostPoints, an axis is varied twice, or there is no design or axis.
  SearchSpace(std::vector<std::string> designs, std::vector<SearchAxis> axes);

  static constexpr std::uint64_t kMostPoints = std::uint64_t{1} << 53;

  std::uint64_t size() const { return size_; }
  /// Of a design as its file has it.
  std::uint64_t shipped(std::size_t design) const { return size_ + design; }
  /// One more than the highest of a point.
  std::uint64_t numbers() const { return size_ + designs_.size(); }
  const std::vector<std::string>& designs() const { return designs_; }
  const std::vector<SearchAxis>& axes() const { return axes_; }
  bool has(std::size_t design, std::size_t axis) const { return axes_[axis].design.empty() || axes_[axis].design == designs_[design]; }

  /// Of a design, the number of its first point and one more than that of its last.
  std::pair<std::uint64_t, std::uint64_t> points_of(std::size_t design) const {
    return {first_[design], design + 1 < first_.size() ? first_[design + 1] : size_};
  }

  SearchPoint at(std::uint64_t number) const;
  std::uint64_t number(const SearchPoint& point) const;
  /// "path=value" of each axis that the point's design has.
  std::vector<std::string> overrides(const SearchPoint& point) const;
  /// Points that differ from this one in one value: of an ordered axis the next ones, of another all; or in the design, where both have the
  /// same axes. None of a design as its file has it.
  std::vector<std::uint64_t> neighbours(std::uint64_t number) const;

 private:
  std::vector<std::string> designs_;
  std::vector<SearchAxis> axes_;
  std::vector<std::uint64_t> first_;  ///< by design, the number of its first point
  std::uint64_t size_ = 0;
};

}  // namespace tasktwin::verify
