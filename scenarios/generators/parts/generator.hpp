#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "models/base/error.hpp"
#include "models/graph/task_graph.hpp"

namespace tasktwin::scenarios {

/// One parameter of a generator: a whole number in a range, or one word of a list.
struct Parameter {
  std::string_view name;  ///< with the unit as suffix where it has one
  std::string_view meaning;
  std::int64_t min = 0;
  std::int64_t max = 0;
  std::int64_t multiple_of = 1;
  std::int64_t value = 0;                 ///< the default
  std::vector<std::string_view> words{};  ///< what is valid, where it is a word
  std::string_view word{};                ///< the default
  bool is_word() const { return !words.empty(); }
};

/// A value that a generator cannot work with. The message does not repeat the parameter's name.
struct ParameterError : InputError {
  ParameterError(std::string_view name, const std::string& message)
      : InputError(std::string(name) + ": " + message), parameter(name), reason(message) {}
  std::string parameter;
  std::string reason;
};

/// The parameters that a file gives, by name.
using GivenParameters = std::map<std::string, std::variant<std::int64_t, std::string>, std::less<>>;

/// Goes through a generator's parameters once for each graph: every call declares one, takes what its variable holds as the
/// default, and sets the variable if a value is given. Throws ParameterError for a value of the wrong kind or out of range.
class ParameterTable {
 public:
  explicit ParameterTable(const GivenParameters& given) : given_(given) {}

  /// A whole number or a time in nanoseconds.
  template <class T>
  void number(std::string_view name, std::string_view meaning, T& value, std::int64_t min, std::int64_t max, std::int64_t multiple_of = 1) {
    value = static_cast<T>(
        whole({.name = name, .meaning = meaning, .min = min, .max = max, .multiple_of = multiple_of, .value = to_whole(value)}));
  }
  /// A word of an enumeration, or of `words` where only these of it are valid.
  template <class E>
  void word(std::string_view name, std::string_view meaning, E& value, std::vector<std::string_view> words = {}) {
    if (words.empty()) words = all_of<E>();
    value = *from_word<E>(choice(name, meaning, to_word(value), std::move(words)));
  }
  std::string_view choice(std::string_view name, std::string_view meaning, std::string_view preset, std::vector<std::string_view> words);

  bool given(std::string_view name) const { return given_.contains(name); }
  const std::vector<Parameter>& declared() const { return declared_; }
  /// Throws ParameterError for a value given to no declared parameter.
  void check_all_known() const;

 private:
  template <class E>
  static std::vector<std::string_view> all_of() {
    constexpr auto words = all_words<E>();
    return {words.begin(), words.end()};
  }
  static std::int64_t to_whole(std::int64_t number) { return number; }
  static std::int64_t to_whole(Duration time) { return to_ns(time); }
  std::int64_t whole(const Parameter& parameter);

  const GivenParameters& given_;
  std::vector<Parameter> declared_;
};

/// How large a graph gets, by closed form.
struct GraphSize {
  std::int64_t tasks = 0;
  std::int64_t edges = 0;
  std::string formula;  ///< how `tasks` and `edges` come about, with the numbers in place
  double body_ns = 0;   ///< of all bodies together, at least
};

/// A graph whose parameters are read and which is not made yet.
struct GraphPlan {
  GraphSize size;
  std::function<TaskGraph(std::uint64_t seed)> make;
};

/// A family of task graphs; each is a file in scenarios/generators/.
struct Generator {
  std::string_view name;
  std::string_view meaning;
  std::vector<Parameter> parameters;
  /// Throws ParameterError for a parameter that is not declared, of the wrong kind, out of range or at odds with another.
  std::function<GraphPlan(const GivenParameters& given)> plan;
};

/// A generator whose parameters P holds: `table` declares and reads them, with `defaults` as their defaults; `make` takes them, and
/// the seed where it draws.
template <class P, class... Seed>
Generator generator_of(std::string_view name, std::string_view meaning,
                       std::type_identity_t<void (*)(ParameterTable& table, P& values)> table,
                       std::type_identity_t<GraphSize (*)(const P& values)> size, TaskGraph (*make)(const P& values, Seed... seed),
                       P defaults = {}) {
  const auto read = [table, defaults](const GivenParameters& given) {
    P values = defaults;
    ParameterTable parameters(given);
    table(parameters, values);
    parameters.check_all_known();
    return std::pair(values, parameters.declared());
  };
  const auto plan = [read, size, make](const GivenParameters& given) {
    const P values = read(given).first;
    return GraphPlan{size(values), [values, make](std::uint64_t seed) {
                       if constexpr (sizeof...(Seed) > 0)
                         return make(values, seed);
                       else
                         return make(values);
                     }};
  };
  return {name, meaning, read({}).second, plan};
}

}  // namespace tasktwin::scenarios
