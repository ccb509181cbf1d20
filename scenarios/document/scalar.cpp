#include "scenarios/document/scalar.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <optional>

#include "scenarios/files/quoted.hpp"

namespace tasktwin::scenarios {

namespace {

template <std::size_t N>
bool is_one_of(std::string_view text, const std::array<std::string_view, N>& words) {
  return std::ranges::find(words, text) != words.end();
}

bool all_in(std::string_view text, std::string_view characters) {
  return !text.empty() && text.find_first_not_of(characters) == std::string_view::npos;
}

constexpr std::string_view kDigits = "0123456789";

std::string_view unsigned_part(std::string_view text) {
  if (!text.empty() && (text.front() == '-' || text.front() == '+')) text.remove_prefix(1);
  return text;
}

/// [-+]? ( \. [0-9]+ | [0-9]+ ( \. [0-9]* )? ) ( [eE] [-+]? [0-9]+ )?
bool is_real(std::string_view text) {
  text = unsigned_part(text);
  const std::size_t exponent = text.find_first_of("eE");
  if (exponent != std::string_view::npos) {
    if (!all_in(unsigned_part(text.substr(exponent + 1)), kDigits)) return false;
    text = text.substr(0, exponent);
  }
  const std::size_t point = text.find('.');
  if (point == std::string_view::npos) return all_in(text, kDigits);
  const std::string_view whole = text.substr(0, point);
  const std::string_view fraction = text.substr(point + 1);
  return (whole.empty() || all_in(whole, kDigits)) && (fraction.empty() || all_in(fraction, kDigits)) &&
         !(whole.empty() && fraction.empty());
}

Node integer_node(std::string_view digits, int base, bool negative, const std::string& text) {
  const std::string signed_digits = (negative ? "-" : "") + std::string(digits);
  Node node;
  node.kind = Node::Kind::kInteger;
  node.text = text;
  const auto [end, error] = std::from_chars(signed_digits.data(), signed_digits.data() + signed_digits.size(), node.integer, base);
  if (error != std::errc{}) throw InputError("the number " + in_quotes(text) + " does not fit into 64 bits (at most 9223372036854775807)");
  node.real = static_cast<double>(node.integer);
  return node;
}

Node real_node(const std::string& text) {
  constexpr double kWholeUpTo = 9007199254740992.0;  // 2^53: every whole number below is a double
  const std::string_view digits = text.front() == '+' ? std::string_view(text).substr(1) : std::string_view(text);
  Node node;
  node.kind = Node::Kind::kReal;
  node.text = text;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), node.real);
  if (error != std::errc{}) throw InputError("the number " + in_quotes(text) + " is beyond a double's range");
  if (std::abs(node.real) <= kWholeUpTo && node.real == std::trunc(node.real)) {
    node.kind = Node::Kind::kInteger;
    node.integer = static_cast<std::int64_t>(node.real);
  }
  return node;
}

}  // namespace

Node text_node(const std::string& text) {
  Node node;
  node.kind = Node::Kind::kText;
  node.text = text;
  return node;
}

Node typed_scalar(const std::string& text) {
  constexpr std::array<std::string_view, 5> kNulls{"", "~", "null", "Null", "NULL"};
  constexpr std::array<std::string_view, 3> kTrue{"true", "True", "TRUE"};
  constexpr std::array<std::string_view, 3> kFalse{"false", "False", "FALSE"};
  constexpr std::array<std::string_view, 3> kInfinite{".inf", ".Inf", ".INF"};
  constexpr std::array<std::string_view, 3> kNotANumber{".nan", ".NaN", ".NAN"};

  Node node = text_node(text);
  if (is_one_of(text, kNulls)) {
    node.kind = Node::Kind::kNull;
  } else if (is_one_of(text, kTrue) || is_one_of(text, kFalse)) {
    node.kind = Node::Kind::kBool;
    node.boolean = is_one_of(text, kTrue);
  } else if (is_one_of(unsigned_part(text), kInfinite)) {
    throw InputError("is infinite; a finite number is needed");
  } else if (is_one_of(text, kNotANumber)) {
    throw InputError("is not a number (NaN); a finite number is needed");
  } else if (all_in(unsigned_part(text), kDigits)) {
    node = integer_node(unsigned_part(text), 10, text.front() == '-', text);
  } else if (text.starts_with("0x") && all_in(std::string_view(text).substr(2), "0123456789abcdefABCDEF")) {
    node = integer_node(std::string_view(text).substr(2), 16, false, text);
  } else if (text.starts_with("0o") && all_in(std::string_view(text).substr(2), "01234567")) {
    node = integer_node(std::string_view(text).substr(2), 8, false, text);
  } else if (is_real(text)) {
    node = real_node(text);
  }
  return node;
}

std::string shortest(double value) {
  std::array<char, 32> buffer{};
  const auto [end, error] = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value);
  return {buffer.data(), end};
}

std::string describe(const Node& node) {
  switch (node.kind) {
    case Node::Kind::kNull:
      return "empty";
    case Node::Kind::kBool:
      return "the truth value " + node.text;
    case Node::Kind::kInteger:
    case Node::Kind::kReal:
      return "the number " + node.text;
    case Node::Kind::kText:
      return "the text " + in_quotes(node.text);
    case Node::Kind::kList:
      return "a list";
    case Node::Kind::kMap:
      return "a map";
  }
  return {};
}

}  // namespace tasktwin::scenarios
