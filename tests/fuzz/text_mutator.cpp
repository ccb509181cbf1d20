// How texts are varied beside what libFuzzer does by itself: a number becomes another, a line comes twice, goes or changes places, a word
// becomes another word of the text. Bytes alone seldom come from one right file to another.
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

/// Empty where the text has nothing of that kind.
std::string with_other_number(Chance& chance, const std::string& text) {
  const std::vector<Token> numbers = runs(text, [](unsigned char c) { return std::isdigit(c) != 0; });
  if (numbers.empty()) return {};
  const Token& one = numbers[below(chance, numbers.size())];
  return std::string(text).replace(one.begin, one.length, other_number(chance, text.substr(one.begin, one.length)));
}

std::string with_other_word(Chance& chance, const std::string& text) {
  const std::vector<Token> words = runs(text, [](unsigned char c) { return std::isalpha(c) != 0 || c == '_'; });
  if (words.size() < 2) return {};
  const Token& one = words[below(chance, words.size())];
  const Token& other = words[below(chance, words.size())];
  return std::string(text).replace(one.begin, one.length, text.substr(other.begin, other.length));
}

std::string with_other_lines(Chance& chance, const std::string& text) {
  std::vector<std::string> lines;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size() - 1) + 1;
    lines.push_back(text.substr(at, end - at));
    at = end;
  }
  if (lines.size() < 2) return {};
  const auto one = static_cast<std::ptrdiff_t>(below(chance, lines.size()));
  const auto other = static_cast<std::ptrdiff_t>(below(chance, lines.size()));
  switch (below(chance, 3)) {
    case 0:
      lines.insert(lines.begin() + other, std::string(lines[static_cast<std::size_t>(one)]));
      break;
    case 1:
      lines.erase(lines.begin() + one);
      break;
    default:
      std::swap(lines[static_cast<std::size_t>(one)], lines[static_cast<std::size_t>(other)]);
  }
  std::string joined;
  for (const std::string& line : lines) joined += line;
  return joined;
}

}  // namespace

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
      changed = with_other_lines(chance, text);
      break;
    default:
      break;
  }
  if (changed.empty() || changed.size() > max_size) return LLVMFuzzerMutate(data, size, max_size);
  std::memcpy(data, changed.data(), changed.size());
  return changed.size();
}
