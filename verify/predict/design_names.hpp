#pragma once

#include <algorithm>
#include <string>
#include <vector>

namespace tasktwin::verify {

/// The names in "a, b", as --designs takes them, without blanks around; none where `names` is empty.
inline std::vector<std::string> design_names(const std::string& names) {
  std::vector<std::string> split;
  for (std::size_t begin = 0; !names.empty() && begin <= names.size();) {
    const std::size_t end = std::min(names.find(',', begin), names.size());
    std::string& name = split.emplace_back(names.substr(begin, end - begin));
    name.erase(0, std::min(name.find_first_not_of(' '), name.size()));
    name.erase(name.find_last_not_of(' ') + 1);
    begin = end + 1;
  }
  return split;
}

}  // namespace tasktwin::verify
