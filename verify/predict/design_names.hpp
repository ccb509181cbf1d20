#pragma once

#include <algorithm>
#include <string>
#include <vector>

namespace tasktwin::verify {

/// The names in "a,b", as --designs takes them; none where `names` is empty.
inline std::vector<std::string> design_names(const std::string& names) {
  std::vector<std::string> split;
  for (std::size_t begin = 0; !names.empty() && begin <= names.size();) {
    const std::size_t end = std::min(names.find(',', begin), names.size());
    split.push_back(names.substr(begin, end - begin));
    begin = end + 1;
  }
  return split;
}

}  // namespace tasktwin::verify
