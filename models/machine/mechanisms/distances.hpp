#pragma once

#include <array>

#include "models/machine/fields/field.hpp"

namespace tasktwin::mechanism {

/// What it costs that some cores are farther from each other than others. A machine without it has them all equally near.
struct Distances {
  int control_package{};
  Nanoseconds package_hop{};
  int compute_die{};
  Nanoseconds die_hop{};

  static constexpr auto fields() {
    using M = Distances;
    return std::array{
        constant<&M::control_package>(Payer::kControlMemory, "control cores of a package, numbered one package after the other"),
        constant<&M::package_hop>(Payer::kControlMemory, "added to a hop between control cores of two packages"),
        constant<&M::compute_die>(Payer::kDevice, "compute cores of a die, numbered one die after the other"),
        constant<&M::die_hop>(Payer::kDevice, "added to a counter's or flag's hop between compute cores of two dies"),
    };
  }
};

}  // namespace tasktwin::mechanism
