#include "verify/output/text/bounds_output.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "verify/output/text/text_table.hpp"

namespace tasktwin::verify {

namespace {

std::string in_words(std::string_view name) {
  std::string words(name);
  std::ranges::replace(words, '_', ' ');
  return words;
}

}  // namespace

std::string highest_bound_name(const Bounds& bounds) { return bounds.highest() > Duration{} ? in_words(bounds.highest_name()) : "none"; }

Json bounds_to_json(const Bounds& bounds) {
  Json json = Json::object();
  for (const auto& [name, value] : bounds.entries()) json[fmt::format("{}_ns", name)] = to_ns(value);
  json["highest_ns"] = to_ns(bounds.highest());
  json["highest"] = bounds.highest() > Duration{} ? Json(bounds.highest_name()) : Json(nullptr);
  return json;
}

std::string bounds_to_text(const Bounds& bounds) {
  std::string text;
  for (const auto& [name, value] : bounds.entries())
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", in_words(name), format_us(value));
  return text;
}

std::string over_bound_text(double over_bound, const Bounds& bounds) {
  return over_bound > 0 ? fmt::format("{:.3f} × {}", over_bound, highest_bound_name(bounds)) : "none";
}

}  // namespace tasktwin::verify
