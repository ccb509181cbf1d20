#pragma once

#include <array>

#include "models/machine/fields/field.hpp"

namespace tasktwin::mechanism {

/// Barriers that all resident cores meet at.
struct Barriers {
  Nanoseconds leave{};
  Nanoseconds arrive{};

  static constexpr auto fields() {
    using M = Barriers;
    return std::array{
        constant<&M::leave>(Payer::kDevice, "last core counted at a barrier to all having left it"),
        constant<&M::arrive>(Payer::kDevice, "counting a core that arrives, one after the other"),
    };
  }
};

}  // namespace tasktwin::mechanism
