#pragma once

#include <array>

#include "models/machine/fields/field.hpp"

namespace tasktwin::mechanism {

/// Calls that allocate and free device memory.
struct Allocators {
  Nanoseconds malloc{};
  Nanoseconds malloc_per_mib{};
  Nanoseconds malloc_new{};
  Nanoseconds free{};
  Nanoseconds free_per_mib{};
  Nanoseconds malloc_async{};
  Nanoseconds pool_look{};
  Nanoseconds pool_grow_per_mib{};
  Nanoseconds pool_trim{};

  static constexpr auto fields() {
    using M = Allocators;
    return std::array{
        constant<&M::malloc>(Payer::kDriver, "host time of one cudaMalloc of memory that was freed before, the device idle"),
        constant<&M::malloc_per_mib>(Payer::kDriver, "added to malloc_ns by each MiB"),
        constant<&M::malloc_new>(Payer::kDriver, "host time of one cudaMalloc of other memory, a kernel running"),
        constant<&M::free>(Payer::kDriver, "host time of one cudaFree, the device idle"),
        constant<&M::free_per_mib>(Payer::kDriver, "added to free_ns by each MiB"),
        constant<&M::malloc_async>(Payer::kHost,
                                   "host time of one cudaMallocAsync from what its stream has freed, or of one cudaFreeAsync"),
        constant<&M::pool_look>(Payer::kDriver, "added to malloc_async_ns each time that another stream is asked how far it has come"),
        constant<&M::pool_grow_per_mib>(Payer::kDriver, "added to malloc_async_ns by each MiB of segments that the pool maps"),
        constant<&M::pool_trim>(Payer::kDriver, "added to a synchronisation by each segment that a pool gives back"),
    };
  }
};

}  // namespace tasktwin::mechanism
