#include "verify/report/measured_pairs.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "verify/output/text/text_table.hpp"
#include "verify/predict/statistics.hpp"

namespace tasktwin::verify {

MeasuredTimes measured_times(std::string design, const std::vector<Duration>& makespans) {
  std::vector<double> numbers;
  for (const Duration makespan : makespans) numbers.push_back(static_cast<double>(to_ns(makespan)));
  return {std::move(design), median(numbers), percentile(numbers, 0.25), percentile(numbers, 0.75)};
}

bool faster_beyond_noise(const MeasuredTimes& a, const MeasuredTimes& b) { return a.third_quartile < b.first_quartile; }

std::string measured_sentence(const MeasuredTimes& a, const MeasuredTimes& b) {
  const MeasuredTimes& faster = a.median <= b.median ? a : b;
  const MeasuredTimes& slower = a.median <= b.median ? b : a;
  const std::string medians = fmt::format("medians {} and {}", format_us(faster.median), format_us(slower.median));
  const std::string gain = format_percent((slower.median - faster.median) / slower.median);
  if (faster_beyond_noise(faster, slower))
    return fmt::format("measured, {} is faster than {} by {} ({})", faster.design, slower.design, gain, medians);
  return fmt::format(
      "measured, {} and {} differ by {}, no more than their runs among themselves ({}; the middle halves of the runs overlap)",
      faster.design, slower.design, gain, medians);
}

std::optional<std::string> measured_winner(std::span<const MeasuredTimes> designs) {
  if (designs.size() < 2) return std::nullopt;
  for (const MeasuredTimes& one : designs) {
    const auto beaten = std::ranges::count_if(designs, [&one](const MeasuredTimes& other) { return faster_beyond_noise(one, other); });
    if (static_cast<std::size_t>(beaten) + 1 == designs.size()) return one.design;
  }
  return std::nullopt;
}

}  // namespace tasktwin::verify
