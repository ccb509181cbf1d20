#pragma once

#include <string>

#include "models/base/error.hpp"
#include "models/design/design.hpp"

namespace tasktwin {

/// What check_design says against `design`; empty where it says nothing.
inline std::string refusal(const Design& design, const Machine& machine) {
  try {
    check_design(design, machine);
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

}  // namespace tasktwin
