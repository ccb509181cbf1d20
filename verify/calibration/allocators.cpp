#include <fmt/format.h>

#include "verify/calibration/mechanisms.hpp"

namespace tasktwin::verify {

using mechanism::Allocators;

namespace {

double mib(std::int64_t bytes) { return static_cast<double>(bytes) / (1 << 20); }

/// A call whose time grows with what it is for.
struct BySize {
  Nanoseconds Allocators::*once;
  Nanoseconds Allocators::*per_mib;
};

/// Sets both to intercept and slope of what takes more than `less`, by relative errors; to 0 where nothing does.
void set_by_size(Probes& probes, Calibrated<Allocators>& allocators, BySize call, const std::vector<gpu::AllocationTimes::Sized>& times,
                 double less, const std::string& what) {
  Fit<Line> fit;
  for (const gpu::AllocationTimes::Sized& one : times) {
    probes.keep_sample(&Machine::allocators, call.once, fmt::format("{} MiB", mib(one.bytes)), one.ns);
    const double beyond = one.ns - less;
    if (beyond > 0) fit.observe_relative({.intercept = 1, .slope = mib(one.bytes)}, beyond);
  }
  const Line<Estimate> line = fit.solve();
  allocators.set(call.once, line.intercept, what + ", intercept");
  allocators.set(call.per_mib, line.slope, what + ", slope");
}

void calibrate_pools(Probes& probes, const gpu::AllocationTimes& times, Calibrated<Allocators>& allocators) {
  Fit<Slope> looks;
  for (const gpu::AllocationTimes::Look& look : times.looks) {
    probes.keep_sample(&Machine::allocators, &Allocators::pool_look, fmt::format("{} streams", look.streams), look.ns);
    const double beyond = look.ns - times.malloc_async_ns;
    if (beyond > 0) looks.observe_relative({.slope = 2.0 * look.streams + 1.0}, beyond);
  }
  allocators.set(&Allocators::pool_look, looks.solve().slope,
                 "cudaMallocAsync beside 1 to 16 streams that have all freed less, less malloc_async_ns; all asked twice, its own once");
  set_by_size(probes, allocators, {&Allocators::pool_grow, &Allocators::pool_grow_per_mib}, times.pool_grow, times.malloc_async_ns,
              "mean of 24 calls of cudaMallocAsync of 1 to 8 segments in a row, less malloc_async_ns");
  Fit<Slope> trims;
  for (const gpu::AllocationTimes::Trim& trim : times.trims) {
    probes.keep_sample(&Machine::allocators, &Allocators::pool_trim, fmt::format("{} segments", trim.segments), trim.ns);
    if (trim.ns > 0) trims.observe_relative({.slope = static_cast<double>(trim.segments)}, trim.ns);
  }
  allocators.set(&Allocators::pool_trim, trims.solve().slope,
                 "blocking for a stream with 1 to 16 unused segments in a pool of release threshold 0, less one that keeps them, slope");
}

}  // namespace

Calibrated<Allocators> calibrate_allocators(Probes& probes) {
  Calibrated<Allocators> allocators(&Machine::allocators);
  const gpu::AllocationTimes times =
      probes.ask("allocations", &CalibrationBackend::allocations, probes.machine().memory_limits.pool_segment);
  set_by_size(probes, allocators, {&Allocators::malloc, &Allocators::malloc_per_mib}, times.malloc, 0,
              "cudaMalloc of 2 MiB to 1 GiB behind cudaFree of as much, on an idle device");
  set_by_size(probes, allocators, {&Allocators::malloc_new, &Allocators::malloc_new_per_mib}, times.malloc_new, 0,
              "24 calls of cudaMalloc of 2 to 128 MiB one behind another, on an idle device");
  set_by_size(probes, allocators, {&Allocators::free, &Allocators::free_per_mib}, times.free, 0,
              "cudaFree of 2 MiB to 1 GiB on an idle device");
  allocators.set(&Allocators::malloc_async, times.malloc_async_ns,
                 "cudaMallocAsync of up to 16 MiB from what its stream has freed, in 8 streams, between kernels");
  allocators.set(&Allocators::free_async, times.free_async_ns, "cudaFreeAsync of up to 16 MiB in 8 streams, between kernels");
  calibrate_pools(probes, times, allocators);
  allocators.set(&Allocators::cached, times.cached_ns,
                 "calls of the caching allocator with 200 blocks of up to 32 MiB, none of which ask for memory");
  return allocators;
}

}  // namespace tasktwin::verify
