#include "models/base/names.hpp"

#include <algorithm>
#include <cctype>
#include <numeric>
#include <vector>

namespace tasktwin {

namespace {

/// Levenshtein distance, two rows at a time.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> previous(b.size() + 1);
  std::vector<std::size_t> current(b.size() + 1);
  std::iota(previous.begin(), previous.end(), std::size_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    current[0] = i + 1;
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t substitution = previous[j] + (a[i] == b[j] ? 0 : 1);
      current[j + 1] = std::min({previous[j + 1] + 1, current[j] + 1, substitution});
    }
    std::swap(previous, current);
  }
  return previous[b.size()];
}

/// Whatever letters are capitals: "nvidia-h100" has "H100".
bool contains(std::string_view text, std::string_view part) {
  const auto lower = [](char c) { return std::tolower(static_cast<unsigned char>(c)); };
  return !std::ranges::search(text, part, {}, lower, lower).empty();
}

constexpr std::size_t kLongestWord = 64;
constexpr std::size_t kShortestBeginning = 4;  ///< of a choice, to be taken for it
constexpr std::size_t kLongList = 24;          ///< choices that are all shown
constexpr std::size_t kOfALongList = 10;       ///< that are shown of more

}  // namespace

std::optional<std::string_view> nearest_word(std::string_view word, std::span<const std::string_view> choices) {
  if (word.size() > kLongestWord) return std::nullopt;
  std::optional<std::string_view> best;
  std::size_t best_distance = std::max<std::size_t>(2, word.size() / 3) + 1;
  for (const std::string_view choice : choices) {
    const std::size_t distance = edit_distance(word, choice);
    if (distance < best_distance) {
      best = choice;
      best_distance = distance;
    }
  }
  // Of "time" rather "time_ns" than "name".
  const auto with_unit = std::ranges::find_if(
      choices, [word](std::string_view choice) { return choice.starts_with(word) && choice.substr(word.size()).starts_with('_'); });
  if (best_distance > 1 && with_unit != choices.end()) return *with_unit;
  if (best || word.size() < kShortestBeginning) return best;
  const auto begun = std::ranges::find_if(choices, [word](std::string_view choice) { return choice.starts_with(word); });
  if (begun != choices.end()) return *begun;
  for (const std::string_view choice : choices) {
    if (contains(choice.substr(choice.size() - std::min(choice.size(), word.size())), word) && (!best || choice.size() > best->size()))
      best = choice;  // of "dgx-h100" and "nvidia-h100" the one that says more
  }
  if (best) return best;
  const auto with = std::ranges::find_if(choices, [word](std::string_view choice) { return contains(choice, word); });
  return with == choices.end() ? std::nullopt : std::optional(*with);
}

std::string suggest(std::string_view word, std::span<const std::string_view> choices) {
  if (choices.empty()) return "; there are none";
  const std::size_t shown = choices.size() > kLongList ? kOfALongList : choices.size();
  std::string valid;
  for (const std::string_view choice : choices.first(shown)) {
    if (!valid.empty()) valid += ", ";
    valid += choice;
  }
  if (shown < choices.size()) valid += ", … " + std::to_string(choices.size() - shown) + " more";
  const auto near = nearest_word(word, choices);
  return near ? "; did you mean '" + std::string(*near) + "'? (valid: " + valid + ")" : "; valid: " + valid;
}

}  // namespace tasktwin
