// How texts are varied beside what libFuzzer does by itself: a number becomes another; a word becomes another word of the text, or one of
// the format's; a line, or an item of a list in brackets, comes twice, goes, changes places or comes from another text. Bytes alone seldom
// come from one right file to another.
#include "tests/fuzz/text_mutator.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdint>
#include <cstring>
#include <random>
#include <string>
#include <string_view>
#include <vector>

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t max_size);

namespace {

using Chance = std::minstd_rand;

struct Token {
  std::size_t begin = 0;
  std::size_t length = 0;
};

std::size_t below(Chance& chance, std::size_t count) { return std::uniform_int_distribution<std::size_t>(0, count - 1)(chance); }

/// The longest runs of characters for which `is_of` holds.
template <class IsOf>
std::vector<Token> runs(std::string_view text, const IsOf& is_of) {
  std::vector<Token> found;
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t begin = i;
    while (i < text.size() && is_of(static_cast<unsigned char>(text[i]))) ++i;
    if (i > begin) found.push_back({begin, i - begin});
    i = std::max(i, begin + 1);
  }
  return found;
}

std::string other_number(Chance& chance, const std::string& number) {
  static constexpr std::array kNumbers{"0",
                                       "1",
                                       "2",
                                       "3",
                                       "4",
                                       "7",
                                       "8",
                                       "16",
                                       "31",
                                       "32",
                                       "33",
                                       "64",
                                       "99",
                                       "100",
                                       "101",
                                       "255",
                                       "256",
                                       "1000",
                                       "4096",
                                       "65535",
                                       "65536",
                                       "1000000",
                                       "-1",
                                       "-2",
                                       "0.5",
                                       "1e3",
                                       "1e-3",
                                       "1e300",
                                       "1e400",
                                       "2147483647",
                                       "2147483648",
                                       "4294967296",
                                       "9007199254740993",
                                       "1125899906842624",
                                       "9223372036854775807",
                                       "18446744073709551616"};
  const std::size_t kind = below(chance, 6);
  if (kind < 3 || number.size() > 15) return kNumbers[below(chance, kNumbers.size())];
  const long long value = std::strtoll(number.c_str(), nullptr, 10);
  if (kind == 3) return std::to_string(value + static_cast<long long>(below(chance, 5)) - 2);
  return std::to_string(kind == 4 ? value * static_cast<long long>(1 + below(chance, 20)) : value / 2);
}

/// The parts of a text that may be varied as wholes, each beside a separator that others of its kind have too.
struct Parts {
  std::vector<Token> parts;
  std::string separator;
};

/// Lines, each with its end.
Parts lines_of(const std::string& text) {
  Parts lines;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size() - 1) + 1;
    lines.parts.push_back({at, end - at});
    at = end;
  }
  return lines;
}

/// What commas part within brackets, of every depth.
Parts items_of(const std::string& text) {
  Parts items{.parts = {}, .separator = ","};
  std::vector<std::size_t> begins;
  char quote = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (quote != 0) {
      if (c == '\\') ++i;
      if (c == quote) quote = 0;
      continue;
    }
    if (c == '"') quote = c;
    if (c == '[' || c == '{' || c == '(') begins.push_back(i + 1);
    const bool ends = c == ']' || c == '}' || c == ')';
    if (begins.empty() || !(ends || c == ',')) continue;
    if (i > begins.back()) items.parts.push_back({begins.back(), i - begins.back()});
    if (ends) {
      begins.pop_back();
    } else {
      begins.back() = i + 1;
    }
  }
  return items;
}

std::string_view of(const std::string& text, const Token& token) { return std::string_view(text).substr(token.begin, token.length); }

/// Empty where the text has nothing of that kind, as below.
std::string with_other_part(Chance& chance, const std::string& text, const Parts& parts) {
  if (parts.parts.size() < 2) return {};
  Token one = parts.parts[below(chance, parts.parts.size())];
  Token other = parts.parts[below(chance, parts.parts.size())];
  std::string changed = text;
  switch (below(chance, 4)) {
    case 0:  // comes twice
      return changed.insert(one.begin, std::string(of(text, one)) + parts.separator);
    case 1:  // goes, with the separator behind it, where there is one
      return changed.erase(
          one.begin,
          one.length + (text.compare(one.begin + one.length, parts.separator.size(), parts.separator) == 0 ? parts.separator.size() : 0));
    case 2:  // is another
      return changed.replace(one.begin, one.length, of(text, other));
    default:  // changes places
      if (one.begin > other.begin) std::swap(one, other);
      if (one.begin + one.length > other.begin) return {};
      changed.replace(other.begin, other.length, of(text, one));
      return changed.replace(one.begin, one.length, of(text, other));
  }
}

std::string with_other_number(Chance& chance, const std::string& text) {
  const std::vector<Token> numbers = runs(text, [](unsigned char c) { return std::isdigit(c) != 0 || c == '.'; });
  if (numbers.empty()) return {};
  const Token& one = numbers[below(chance, numbers.size())];
  return std::string(text).replace(one.begin, one.length, other_number(chance, text.substr(one.begin, one.length)));
}

std::string with_other_word(Chance& chance, const std::string& text) {
  const std::vector<Token> words = runs(text, [](unsigned char c) { return std::isalpha(c) != 0 || c == '_'; });
  if (words.empty()) return {};
  const Token& one = words[below(chance, words.size())];
  const std::span<const std::string> known = tasktwin::fuzz::words();
  const bool of_format = !known.empty() && below(chance, 2) == 0;
  const std::string other = of_format ? known[below(chance, known.size())] : std::string(of(text, words[below(chance, words.size())]));
  return std::string(text).replace(one.begin, one.length, other);
}

}  // namespace

/// Fuzzers that have words define it themselves.
__attribute__((weak)) std::span<const std::string> tasktwin::fuzz::words() { return {}; }

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t max_size, unsigned seed) {
  Chance chance(seed);
  const std::string text(reinterpret_cast<const char*>(data), size);
  std::string changed;
  switch (below(chance, 8)) {
    case 0:
    case 1:
    case 2:
      changed = with_other_number(chance, text);
      break;
    case 3:
      changed = with_other_word(chance, text);
      break;
    case 4:
      changed = with_other_part(chance, text, lines_of(text));
      break;
    case 5:
      changed = with_other_part(chance, text, items_of(text));
      break;
    default:
      break;
  }
  if (changed.empty() || changed.size() > max_size) return LLVMFuzzerMutate(data, size, max_size);
  std::memcpy(data, changed.data(), changed.size());
  return changed.size();
}

/// A line or an item of the one text takes the place of one of the other, or comes before it.
extern "C" std::size_t LLVMFuzzerCustomCrossOver(const std::uint8_t* data, std::size_t size, const std::uint8_t* other_data,
                                                 std::size_t other_size, std::uint8_t* out, std::size_t max_size, unsigned seed) {
  Chance chance(seed);
  const std::string text(reinterpret_cast<const char*>(data), size);
  const std::string other(reinterpret_cast<const char*>(other_data), other_size);
  const auto parts_of = below(chance, 2) == 0 ? lines_of : items_of;
  const Parts own = parts_of(text);
  const Parts others = parts_of(other);
  if (own.parts.empty() || others.parts.empty()) return 0;
  const Token& one = own.parts[below(chance, own.parts.size())];
  const std::string taken(of(other, others.parts[below(chance, others.parts.size())]));
  std::string changed = text;
  if (below(chance, 2) == 0) {
    changed.replace(one.begin, one.length, taken);
  } else {
    changed.insert(one.begin, taken + own.separator);
  }
  if (changed.size() > max_size) return 0;
  std::memcpy(out, changed.data(), changed.size());
  return changed.size();
}
