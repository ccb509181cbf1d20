#include <fmt/format.h>

#include "verify/calibration/mechanisms/calibrated_mechanisms.hpp"
#include "verify/predict/statistics.hpp"

namespace tasktwin::verify {

using mechanism::Allocators;

namespace {

double mib(std::int64_t bytes) { return static_cast<double>(bytes) / (1 << 20); }

/// A call whose time grows with what it is for.
struct BySize {
  Nanoseconds Allocators::*once;
  Nanoseconds Allocators::*per_mib;
};

/// Sets both to intercept and slope by relative errors.
void set_by_size(Probes& probes, Calibrated<Allocators>& allocators, BySize call, const std::vector<gpu::AllocationTimes::Sized>& times,
                 const std::string& what) {
  Fit<Line> fit;
  for (const gpu::AllocationTimes::Sized& one : times) {
    probes.keep_sample(&Machine::allocators, call.once, fmt::format("{} MiB", mib(one.bytes)), one.ns);
    if (one.ns > 0) fit.observe_relative({.intercept = 1, .slope = mib(one.bytes)}, one.ns);
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
  Fit<Slope> grown;
  for (const gpu::AllocationTimes::Sized& one : times.pool_grow) {
    probes.keep_sample(&Machine::allocators, &Allocators::pool_grow_per_mib, fmt::format("{} MiB", mib(one.bytes)), one.ns);
    if (one.ns > times.malloc_async_ns) grown.observe_relative({.slope = mib(one.bytes)}, one.ns - times.malloc_async_ns);
  }
  allocators.set(&Allocators::pool_grow_per_mib, grown.solve().slope,
                 "mean of 24 calls of cudaMallocAsync of 1 to 8 segments in a row, less malloc_async_ns, slope");
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
  set_by_size(probes, allocators, {&Allocators::malloc, &Allocators::malloc_per_mib}, times.malloc,
              "cudaMalloc of 2 MiB to 1 GiB behind cudaFree of as much, on an idle device");
  std::vector<double> fresh;
  for (const gpu::AllocationTimes::Sized& one : times.malloc_new) fresh.push_back(one.ns);
  allocators.set(&Allocators::malloc_new, mean_or_zero(fresh),
                 "24 calls of cudaMalloc of 2 to 128 MiB, a kernel of 20 us launched behind each, mean");
  set_by_size(probes, allocators, {&Allocators::free, &Allocators::free_per_mib}, times.free,
              "cudaFree of 2 MiB to 1 GiB on an idle device");
  allocators.set(&Allocators::malloc_async, times.malloc_async_ns,
                 "cudaMallocAsync of up to 16 MiB from what its stream has freed, in 8 streams, between kernels");
  calibrate_pools(probes, times, allocators);
  return allocators;
}

}  // namespace tasktwin::verify
