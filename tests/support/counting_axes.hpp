#pragma once

#include "models/design.hpp"

namespace tasktwin {

/// `design` with the axes at their defaults that make no difference to it, as designs must leave them.
inline Design with_counting_axes(Design design) {
  for (const AxisField& axis : axis_fields()) {
    if (axis.counts(design)) continue;
    if (axis.is_word()) {
      axis.set_word(design, axis.word(Design{}));
    } else {
      design.*axis.number = Design{}.*axis.number;
    }
  }
  return design;
}

}  // namespace tasktwin
