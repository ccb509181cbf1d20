#pragma once

#include <string>

#include "models/base/error.hpp"

namespace tasktwin::scenarios {

/// What an error says behind the file, line and column that it begins with.
inline std::string without_place(const InputError& error) {
  return std::string(error.what()).substr(std::string(InputError(error.where(), "").what()).size());
}

}  // namespace tasktwin::scenarios
