#pragma once

#include <array>

#include "models/machine/fields/field.hpp"

namespace tasktwin::mechanism {

/// The host building a graph and bringing it to the device, before the device begins with it.
struct HostBuild {
  Nanoseconds run{};
  Nanoseconds task{};
  Nanoseconds dependency{};
  Nanoseconds upload{};
  Nanoseconds upload_task{};

  static constexpr auto fields() {
    using M = HostBuild;
    return std::array{
        constant<&M::run>(Payer::kHost, "building a graph of any size"),
        constant<&M::task>(Payer::kHost, "added by each task"),
        constant<&M::dependency>(Payer::kHost, "added by each dependency"),
        constant<&M::upload>(Payer::kDriver, "copying a built graph of any size to the device"),
        constant<&M::upload_task>(Payer::kDriver, "added by each task"),
    };
  }
};

}  // namespace tasktwin::mechanism
