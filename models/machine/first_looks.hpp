#pragma once

#include <array>

#include "models/machine/field.hpp"

namespace tasktwin::mechanism {

/// From all resident cores being there to the first look for work, by wiring: code is fetched.
struct FirstLooks {
  Nanoseconds static_queues{};
  Nanoseconds layer_barrier{};
  Nanoseconds shared_queue{};
  Nanoseconds work_stealing{};
  Nanoseconds central_dispatcher{};
  Nanoseconds host_dispatcher{};
  Nanoseconds uncached{};

  static constexpr auto fields() {
    using M = FirstLooks;
    return std::array{
        constant<&M::static_queues>(Payer::kDevice, "workers with frozen lists of their own"),
        constant<&M::layer_barrier>(Payer::kDevice, "workers that meet behind every layer"),
        constant<&M::shared_queue>(Payer::kDevice, "workers with one queue"),
        constant<&M::work_stealing>(Payer::kDevice, "workers with queues of their own, with or without frozen lists"),
        constant<&M::central_dispatcher>(Payer::kDevice, "control cores on the device"),
        constant<&M::host_dispatcher>(Payer::kDevice, "threads of the host"),
        constant<&M::uncached>(Payer::kDevice, "added to those of the device in a run that finds the cache empty"),
    };
  }
};

}  // namespace tasktwin::mechanism
