#include "models/base/name_pattern.hpp"

namespace tasktwin {

namespace {

bool has_wildcard(std::string_view pattern) { return pattern.find_first_of("*?") != std::string_view::npos; }

}  // namespace

bool is_called(std::string_view pattern, std::string_view name) {
  std::size_t at = 0;
  std::size_t in = 0;
  std::size_t star = std::string_view::npos;  // the last one, which may match more
  std::size_t behind_star = 0;
  while (in < name.size()) {
    if (at < pattern.size() && pattern[at] == '*') {
      star = at++;
      behind_star = in;
    } else if (at < pattern.size() && (pattern[at] == '?' || pattern[at] == name[in])) {
      ++at;
      ++in;
    } else if (star != std::string_view::npos) {
      at = star + 1;
      in = ++behind_star;
    } else {
      return false;
    }
  }
  return pattern.find_first_not_of('*', at) == std::string_view::npos;
}

bool matches(std::string_view pattern, std::string_view name) {
  return has_wildcard(pattern) ? is_called(pattern, name) : name.find(pattern) != std::string_view::npos;
}

}  // namespace tasktwin
