#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "models/error.hpp"
#include "models/task_graph.hpp"

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

/// The parameters of one graph: those given, the defaults of the others.
class ParameterValues {
 public:
  using Value = std::variant<std::int64_t, std::string>;
  using Map = std::map<std::string, Value, std::less<>>;

  /// Throws ParameterError for a parameter that is not declared, of the wrong kind or out of range.
  ParameterValues(std::span<const Parameter> declared, const Map& given);

  /// Contract: `name` is declared, as a number or as a word.
  std::int64_t whole(std::string_view name) const { return std::get<std::int64_t>(values_.find(name)->second); }
  int small(std::string_view name) const { return static_cast<int>(whole(name)); }
  const std::string& word(std::string_view name) const { return std::get<std::string>(values_.find(name)->second); }
  bool given(std::string_view name) const { return given_.contains(name); }

 private:
  Map values_;
  Map given_;
};

/// How large a graph gets, by closed form.
struct GraphSize {
  std::int64_t tasks = 0;
  std::int64_t edges = 0;
  std::string formula;  ///< how `tasks` and `edges` come about, with the numbers in place
};

/// A family of task graphs; each is a file in scenarios/generators/.
struct Generator {
  std::string_view name;
  std::string_view meaning;
  std::vector<Parameter> parameters;
  GraphSize (*size)(const ParameterValues& values) = nullptr;
  TaskGraph (*make)(const ParameterValues& values, std::uint64_t seed) = nullptr;
};

std::span<const Generator> generators();

/// Throws InputError if `name` is none; the message lists them and the nearest.
const Generator& generator(std::string_view name);

/// The largest graphs that are made: a million tasks take about 100 MB while they are built.
inline constexpr std::int64_t kMaxTasks = 20'000'000;
inline constexpr std::int64_t kMaxEdges = 200'000'000;

/// Throws InputError, with the arithmetic, for a graph larger than that, and ParameterError for values that contradict each other.
TaskGraph generate(const Generator& generator, const ParameterValues& values, std::uint64_t seed);

}  // namespace tasktwin::scenarios
