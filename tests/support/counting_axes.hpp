#pragma once

#include "models/design/design.hpp"
#include "models/runtimes/runtimes.hpp"

namespace tasktwin {

/// `design` with the axes at their defaults that make no difference to it, as designs must leave them; as it is where it is of no runtime.
inline Design with_counting_axes(Design design) {
  if (find_runtime(design) == nullptr) return design;
  for (const AxisField& axis : axis_fields()) {
    if (counts(axis, design)) continue;
    if (axis.is_word()) {
      axis.set_word(design, axis.word(Design{}));
    } else {
      design.*axis.number = Design{}.*axis.number;
    }
  }
  return design;
}

}  // namespace tasktwin
