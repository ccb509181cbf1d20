#include "scenarios/operators/expression.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "models/base/error.hpp"
#include "scenarios/files/quoted.hpp"

namespace tasktwin::scenarios {

namespace {

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// Recursive descent: a sum of products of atoms.
class Expression {
 public:
  Expression(std::string_view text, const ValueOfName& value_of, const ValueInTable& value_in)
      : rest_(text), value_of_(value_of), value_in_(value_in) {}

  double whole() {
    const double value = sum();
    if (next() != '\0') refuse("an operator (+ - * /) is missing");
    if (!std::isfinite(value)) throw InputError("its value is too large");
    return value;
  }

 private:
  static constexpr int kDeepest = 100;

  [[noreturn]] void refuse(const std::string& why) const {
    throw InputError(why + (rest_.empty() ? " at its end" : " before " + in_quotes(rest_)));
  }

  /// The next character that is no blank; '\0' at the end.
  char next() {
    rest_.remove_prefix(std::min(rest_.find_first_not_of(' '), rest_.size()));
    return rest_.empty() ? '\0' : rest_.front();
  }
  bool take(char c) {
    if (next() != c) return false;
    rest_.remove_prefix(1);
    return true;
  }
  void need(char c) {
    if (!take(c)) refuse(std::string("'") + c + "' is missing");
  }

  double sum() {
    double value = product();
    for (;;) {
      if (take('+'))
        value += product();
      else if (take('-'))
        value -= product();
      else
        return value;
    }
  }

  double product() {
    double value = atom();
    for (;;) {
      if (take('*')) {
        value *= atom();
      } else if (take('/')) {
        const double divisor = atom();
        if (divisor == 0) throw InputError("it divides by 0");
        value /= divisor;
      } else {
        return value;
      }
    }
  }

  double atom() {
    if (is_digit(next())) return number();
    if (is_letter(next())) return name();
    if (!take('(')) refuse("a number, a name or '(' is missing");
    return closed_sum();
  }

  double number() {
    double value = 0;
    const auto [end, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), value);
    if (error != std::errc{}) refuse("no number that can be used");
    rest_.remove_prefix(static_cast<std::size_t>(end - rest_.data()));
    return value;
  }

  double name() {
    const auto end = std::ranges::find_if_not(rest_, [](char c) { return is_letter(c) || is_digit(c) || c == '.'; });
    const std::string_view word(rest_.begin(), end);
    rest_.remove_prefix(word.size());
    if ((word == "min" || word == "max") && take('(')) return of_two(word == "min");
    if (word == "ceil" && take('(')) return std::ceil(closed_sum());
    if (next() == '(') return in_table(word);
    if (const auto value = value_of_(word)) return *value;
    throw InputError("it names " + in_quotes(word) + ", which has no value");
  }

  /// Up to the parenthesis that ends it.
  double closed_sum() {
    if (++depth_ > kDeepest) throw InputError("it has more than " + std::to_string(kDeepest) + " parentheses in each other");
    const double value = sum();
    --depth_;
    need(')');
    return value;
  }

  double in_table(std::string_view word) {
    take('(');
    const double place = closed_sum();
    if (const auto value = value_in_ ? value_in_(word, place) : std::nullopt) return *value;
    throw InputError("it names " + in_quotes(word) + ", which is no table");
  }

  double of_two(bool least) {
    const double first = sum();
    need(',');
    const double second = sum();
    need(')');
    return least ? std::min(first, second) : std::max(first, second);
  }

  std::string_view rest_;
  const ValueOfName& value_of_;
  const ValueInTable& value_in_;
  int depth_ = 0;
};

}  // namespace

double evaluate(std::string_view text, const ValueOfName& value_of, const ValueInTable& value_in) {
  return Expression(text, value_of, value_in).whole();
}

bool may_be_named(std::string_view name) {
  return !name.empty() && is_letter(name.front()) && name != "min" && name != "max" &&
         std::ranges::all_of(name, [](char c) { return is_letter(c) || is_digit(c); });
}

}  // namespace tasktwin::scenarios
