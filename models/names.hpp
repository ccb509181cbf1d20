#pragma once

#include <array>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

namespace tasktwin {

/// The words of an enumeration as files, tables and errors write them. Specialised beside each enumeration as
/// `static constexpr std::array entries{std::pair{E::kValue, std::string_view{"word"}}, …};` in declaration order.
template <class E>
struct Words;

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

/// The word of `choices` nearest to `word` by edit distance, if it is near enough to be a slip of the pen.
std::optional<std::string_view> nearest_word(std::string_view word, std::span<const std::string_view> choices);

/// "; did you mean 'x'? (valid: a, b, x)", or without the question where nothing is near.
std::string suggest(std::string_view word, std::span<const std::string_view> choices);

}  // namespace tasktwin
