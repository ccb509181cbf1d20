#include "verify/search/search_space.hpp"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <numeric>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "models/base/error.hpp"
#include "models/design/design.hpp"

namespace tasktwin::verify {

namespace {

bool is_number(const std::string& text) {
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc{} && end == text.data() + text.size();
}

/// The design that "designs.NAME.KEY" is of; empty for "designs.KEY" and all else. A name may have dots.
std::string design_of(std::string_view path, const std::vector<std::string>& designs) {
  constexpr std::string_view kDesigns = "designs.";
  if (!path.starts_with(kDesigns)) return {};
  path.remove_prefix(kDesigns.size());
  for (const std::string& name : designs) {
    if (path.starts_with(name) && path.substr(name.size()).starts_with('.')) return name;
  }
  return {};
}

/// "designs.KEY" with every word of KEY.
Variation every_word(std::string_view path) {
  const std::string key(path.substr(path.rfind('.') + 1));
  const AxisField& axis = axis_named(key);
  if (!axis.is_word())
    throw InputError(fmt::format("--vary: '{}' is a number, so that its values must be given, such as {}=1,2,4", path, path));
  return {std::string(path), {axis.words.begin(), axis.words.end()}};
}

}  // namespace

SearchAxis parse_search_axis(std::string_view text, const std::vector<std::string>& designs) {
  const bool bare = text.starts_with("designs.") && text.find('=') == std::string_view::npos;
  Variation variation = bare ? every_word(text) : parse_variation(text);
  SearchAxis axis{std::move(variation.path), std::move(variation.values)};
  axis.design = design_of(axis.path, designs);
  axis.ordered = std::ranges::all_of(axis.values, is_number);
  if (axis.ordered) {
    std::ranges::stable_sort(axis.values, {}, [](const std::string& value) { return std::strtod(value.c_str(), nullptr); });
  }
  std::vector<std::string> once;
  for (const std::string& value : axis.values) {
    if (std::ranges::find(once, value) != once.end())
      throw InputError(fmt::format("--vary: '{}' has the value {} twice", axis.path, value));
    once.push_back(value);
  }
  return axis;
}

SearchSpace::SearchSpace(std::vector<std::string> designs, std::vector<SearchAxis> axes)
    : designs_(std::move(designs)), axes_(std::move(axes)) {
  for (std::size_t i = 0; i < axes_.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      if (axes_[i].path == axes_[j].path) throw InputError(fmt::format("--vary: '{}' is varied twice", axes_[i].path));
    }
  }
  for (std::size_t design = 0; design < designs_.size(); ++design) {
    first_.push_back(size_);
    std::uint64_t points = 1;
    for (std::size_t axis = 0; axis < axes_.size(); ++axis) {
      if (has(design, axis)) points *= axes_[axis].values.size();
      if (points > kMostPoints) throw InputError(fmt::format("--vary: more than {} combinations", kMostPoints));
    }
    size_ += points;
  }
  if (size_ < 2) throw InputError("there is nothing to choose from; name several --designs, or places with --vary");
}

SearchPoint SearchSpace::at(std::uint64_t number) const {
  SearchPoint point;
  if (number >= size_) return {static_cast<std::size_t>(number - size_), std::vector<int>(axes_.size(), kNoValue)};
  point.design = static_cast<std::size_t>(std::ranges::upper_bound(first_, number) - first_.begin()) - 1;
  number -= first_[point.design];
  point.values.assign(axes_.size(), kNoValue);
  for (std::size_t axis = axes_.size(); axis-- > 0;) {
    if (!has(point.design, axis)) continue;
    point.values[axis] = static_cast<int>(number % axes_[axis].values.size());
    number /= axes_[axis].values.size();
  }
  return point;
}

std::uint64_t SearchSpace::number(const SearchPoint& point) const {
  std::uint64_t number = 0;
  for (std::size_t axis = 0; axis < axes_.size(); ++axis) {
    if (has(point.design, axis)) number = number * axes_[axis].values.size() + static_cast<std::uint64_t>(point.values[axis]);
  }
  return first_[point.design] + number;
}

std::vector<std::string> SearchSpace::overrides(const SearchPoint& point) const {
  std::vector<std::string> overrides;
  for (std::size_t axis = 0; axis < axes_.size(); ++axis) {
    if (point.values[axis] != kNoValue)
      overrides.push_back(axes_[axis].path + '=' + axes_[axis].values[static_cast<std::size_t>(point.values[axis])]);
  }
  return overrides;
}

std::vector<std::uint64_t> SearchSpace::neighbours(std::uint64_t number) const {
  std::vector<std::uint64_t> all;
  if (number >= size_) return all;
  const SearchPoint point = at(number);
  for (std::size_t axis = 0; axis < axes_.size(); ++axis) {
    if (point.values[axis] == kNoValue) continue;
    for (int value = 0; value < std::ssize(axes_[axis].values); ++value) {
      const int step = std::abs(value - point.values[axis]);
      if (step == 0 || (axes_[axis].ordered && step > 1)) continue;
      SearchPoint next = point;
      next.values[axis] = value;
      all.push_back(this->number(next));
    }
  }
  for (std::size_t design = 0; design < designs_.size(); ++design) {
    SearchPoint next = point;
    next.design = design;
    bool same_axes = design != point.design;
    for (std::size_t axis = 0; axis < axes_.size(); ++axis) same_axes &= has(design, axis) == (point.values[axis] != kNoValue);
    if (same_axes) all.push_back(this->number(next));
  }
  return all;
}

}  // namespace tasktwin::verify
