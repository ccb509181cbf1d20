#pragma once

#include <array>

#include "models/machine/fields/field.hpp"

namespace tasktwin::mechanism {

/// From all resident cores being there to the first look for work: code is fetched.
struct FirstLooks {
  Nanoseconds look{};
  Nanoseconds uncached{};

  static constexpr auto fields() {
    using M = FirstLooks;
    return std::array{
        constant<&M::look>(Payer::kDevice, "all resident cores there to their first look for work"),
        constant<&M::uncached>(Payer::kDevice,
                               "added to that where control cores and workers are on the device, in a run that finds the cache empty"),
    };
  }
};

}  // namespace tasktwin::mechanism
