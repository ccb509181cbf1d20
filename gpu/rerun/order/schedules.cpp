#include "gpu/rerun/order/schedules.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <stdexcept>
#include <utility>

namespace tasktwin::gpu::rerun {

namespace {

using Way = Schedule::Way;

struct Word {
  std::string_view text;
  Way way;
  std::size_t least = 0;  ///< of its number; 0: it has none
  std::size_t most = 0;
  std::size_t otherwise = 0;  ///< its number where none is given; 0: one must be
};
constexpr std::array kWords{Word{"as-captured", Way::kAsCaptured},
                            Word{"chain", Way::kChain},
                            Word{"graph", Way::kGraph},
                            Word{"programmatic", Way::kProgrammatic},
                            Word{"dependences", Way::kDependences},
                            Word{"streams", Way::kStreams, 1, kMaxStreams},
                            Word{"plan", Way::kPlan, 1, kMaxPlans, 1},
                            Word{"cut", Way::kCut, 2, 1'000'000}};

std::optional<std::size_t> number_in(std::string_view text) {
  std::size_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

Schedule parse_one(std::string_view text) {
  const std::size_t colon = text.find(':');
  const auto word = std::ranges::find(kWords, text.substr(0, colon), &Word::text);
  if (word == kWords.end()) {
    throw std::invalid_argument("unknown schedule '" + std::string(text) +
                                "' (valid: as-captured, chain, graph, programmatic, dependences, streams:N, plan:N, cut:N)");
  }
  if (word->least == 0) {
    if (colon == std::string_view::npos) return {word->way, 0};
    throw std::invalid_argument("schedule '" + std::string(word->text) + "' has no number, unlike '" + std::string(text) + "'");
  }
  if (colon == std::string_view::npos && word->otherwise > 0) return {word->way, word->otherwise};
  const auto number = colon == std::string_view::npos ? std::nullopt : number_in(text.substr(colon + 1));
  if (!number || *number < word->least || *number > word->most) {
    throw std::invalid_argument("schedule '" + std::string(text) + "' needs a number from " + std::to_string(word->least) + " to " +
                                std::to_string(word->most) + ", as in '" + std::string(word->text) + ":4'");
  }
  return {word->way, *number};
}

}  // namespace

std::string Schedule::name() const {
  const auto word = std::ranges::find(kWords, way, &Word::way);
  return std::string(word->text) + (word->least > 0 && number != word->otherwise ? ":" + std::to_string(number) : "");
}

std::vector<Schedule> parse_schedules(std::string_view words) {
  std::vector<Schedule> all{{Way::kAsCaptured, 0}};
  while (true) {
    const std::size_t comma = words.find(',');
    const Schedule one = parse_one(words.substr(0, comma));
    const auto same = [&one](const Schedule& other) { return other.way == one.way && other.number == one.number; };
    if (std::ranges::none_of(all, same)) all.push_back(one);
    if (comma == std::string_view::npos) return all;
    words.remove_prefix(comma + 1);
  }
}

}  // namespace tasktwin::gpu::rerun
