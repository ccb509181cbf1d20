#include "models/design/own_policy.hpp"

#include <array>
#include <charconv>

namespace tasktwin {

std::string OwnPolicy::text() const {
  std::string stated;
  for (const auto& [parameter, value] : parameters) {
    std::array<char, 32> digits{};
    char* const end = std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr;
    stated += (stated.empty() ? "" : ", ") + parameter + "=" + std::string(digits.data(), end);
  }
  return (file.empty() ? name : file + ":" + name) + (stated.empty() ? "" : "(" + stated + ")");
}

}  // namespace tasktwin
