#pragma once

#include <array>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

namespace tasktwin {

/// The words of an enumeration as files, tables and errors write them. Specialised next to each enumeration as
/// `static constexpr std::array entries{std::pair{E::kValue, std::string_view{"word"}}, …};` in declaration order.
template <class E>
struct Words;

/// A value of an axis of a Design: its word and what it means. An axis has a table `values` of these in its Words, of which
/// `entries` is words_of(values).
template <class E>
struct AxisValue {
  E value;
  std::string_view word;
  std::string_view meaning;
};
template <class E>
AxisValue(E, const char*, const char*) -> AxisValue<E>;

template <class E, std::size_t N>
constexpr auto words_of(const std::array<AxisValue<E>, N>& values) {
  std::array<std::pair<E, std::string_view>, N> entries{};
  for (std::size_t i = 0; i < N; ++i) {
    entries[i].first = values[i].value;
    entries[i].second = values[i].word;
  }
  return entries;
}

template <class E>
constexpr std::string_view to_word(E value) {
  for (const auto& [candidate, word] : Words<E>::entries) {
    if (candidate == value) return word;
  }
  return "?";
}

template <class E>
constexpr std::optional<E> from_word(std::string_view word) {
  for (const auto& [value, candidate] : Words<E>::entries) {
    if (candidate == word) return value;
  }
  return std::nullopt;
}

template <class E>
constexpr auto all_words() {
  std::array<std::string_view, Words<E>::entries.size()> words{};
  for (std::size_t i = 0; i < words.size(); ++i) words[i] = Words<E>::entries[i].second;
  return words;
}

/// What the values of an axis mean, in the order of all_words.
template <class E>
constexpr auto all_meanings() {
  std::array<std::string_view, Words<E>::values.size()> meanings{};
  for (std::size_t i = 0; i < meanings.size(); ++i) meanings[i] = Words<E>::values[i].meaning;
  return meanings;
}

/// The word of `choices` nearest to `word` by edit distance, if it is near enough to be a slip of the pen; else the first that begins with
/// `word`, where that has four letters or more.
std::optional<std::string_view> nearest_word(std::string_view word, std::span<const std::string_view> choices);

/// "; did you mean 'x'? (valid: a, b, x)", or without the question where nothing is near; "; there are none" without choices. Of a long
/// list the first ones are shown.
std::string suggest(std::string_view word, std::span<const std::string_view> choices);

}  // namespace tasktwin
