#include "verify/predict/sweep.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "models/base/error.hpp"

namespace tasktwin::verify {

namespace {

[[noreturn]] void refuse(std::string_view text, std::string_view why) {
  throw InputError(
      fmt::format("--vary: '{}' {}; it must have the form path=v1,v2,…, such as graph.time_ns=500,1000 or "
                  "designs.mailbox_depth=1,2,4",
                  text, why));
}

}  // namespace

Variation parse_variation(std::string_view text) {
  const std::size_t equals = text.find('=');
  if (equals == std::string_view::npos && text.starts_with("designs."))
    refuse(text, "has no values: 'tasktwin search' alone takes all words of an axis by itself");
  if (equals == std::string_view::npos || equals == 0) refuse(text, "names no path");
  Variation variation{std::string(text.substr(0, equals)), {""}};
  std::string open;  // brackets and quotes
  for (const char c : text.substr(equals + 1)) {
    const bool quoted = !open.empty() && (open.back() == '"' || open.back() == '\'');
    if (quoted ? c == open.back() : !open.empty() && c == open.back()) {
      open.pop_back();
    } else if (!quoted) {
      if (c == '[') open += ']';
      if (c == '{') open += '}';
      if (c == '"' || c == '\'') open += c;
    }
    if (c == ',' && open.empty()) {
      variation.values.emplace_back();
    } else {
      variation.values.back() += c;
    }
  }
  if (!open.empty()) refuse(text, fmt::format("lacks a closing {}", open.back()));
  if (std::ranges::find(variation.values, "") != variation.values.end()) refuse(text, "has an empty value");
  return variation;
}

std::vector<std::string> column_names(const std::vector<Variation>& variations) {
  /// The last `keys` keys of a path, one a line.
  const auto last = [](std::string_view path, std::size_t keys) {
    std::string name;
    for (; keys > 0 && !path.empty(); --keys) {
      const std::size_t dot = path.rfind('.');
      const std::string_view key = path.substr(dot == std::string_view::npos ? 0 : dot + 1);
      name = std::string(key) + (name.empty() ? "" : "\n") + name;
      path = path.substr(0, dot == std::string_view::npos ? 0 : dot);
    }
    return name;
  };
  std::vector<std::string> names;
  for (const Variation& variation : variations) {
    const auto all = static_cast<std::size_t>(std::ranges::count(variation.path, '.')) + 1;
    std::size_t keys = variation.path.starts_with("designs.") && all > 2 ? 2 : 1;
    const auto is_alike = [&](const Variation& one) {
      return one.path != variation.path && last(one.path, keys) == last(variation.path, keys);
    };
    while (keys < all && std::ranges::any_of(variations, is_alike)) ++keys;
    names.push_back(last(variation.path, keys));
  }
  return names;
}

std::map<std::string, std::size_t> places(const Variation& variation) {
  std::vector<std::pair<double, std::string>> sorted;
  for (const std::string& value : variation.values) {
    double number = 0;
    const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), number);
    const bool is_number = error == std::errc{} && end == value.data() + value.size();
    sorted.emplace_back(is_number ? number : std::numeric_limits<double>::quiet_NaN(), value);
  }
  const auto is_text = [](const auto& entry) { return std::isnan(entry.first); };
  if (std::ranges::none_of(sorted, is_text)) std::ranges::stable_sort(sorted, {}, [](const auto& entry) { return entry.first; });
  std::map<std::string, std::size_t> places;
  for (const auto& [number, value] : sorted) places.emplace(value, places.size());
  return places;
}

std::vector<std::vector<std::string>> combinations(const std::vector<Variation>& variations, std::size_t most) {
  std::vector<std::vector<std::string>> points{{}};
  for (std::size_t i = 0; i < variations.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      if (variations[j].path == variations[i].path) throw InputError(fmt::format("--vary: '{}' is varied twice", variations[i].path));
    }
    if (points.size() * variations[i].values.size() > most) throw InputError(fmt::format("--vary: more than {} combinations", most));
    std::vector<std::vector<std::string>> longer;
    for (const std::vector<std::string>& point : points) {
      for (const std::string& value : variations[i].values) {
        longer.push_back(point);
        longer.back().push_back(value);
      }
    }
    points = std::move(longer);
  }
  return points;
}

}  // namespace tasktwin::verify
