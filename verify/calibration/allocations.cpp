#include <fmt/format.h>

#include "verify/calibration/calibration.hpp"
#include "verify/calibration/fit.hpp"

namespace tasktwin::verify {

namespace {

using Sized = gpu::AllocationTimes::Sized;

double mib(std::int64_t bytes) { return static_cast<double>(bytes) / (1 << 20); }

/// Sets `name`_ns and `name`_per_mib_ns to intercept and slope of what takes more than `less`, by relative errors; to 0 where nothing does.
void set_by_size(Calibration& calibration, const std::string& name, const std::vector<Sized>& calls, double less, const std::string& what) {
  std::vector<Observation> observations;
  for (const Sized& call : calls) {
    calibration.keep_sample(name + "_ns", fmt::format("{} MiB", mib(call.bytes)), call.ns);
    const double beyond = call.ns - less;
    if (beyond > 0) observations.push_back(relative({1.0, mib(call.bytes)}, beyond));
  }
  const std::vector<Estimate> line = observations.empty() ? std::vector<Estimate>(2) : fit_constants(observations);
  calibration.set(name + "_ns", line[0], what + ", intercept");
  calibration.set(name + "_per_mib_ns", line[1], what + ", slope");
}

}  // namespace

void calibrate_allocations(Calibration& calibration) {
  const gpu::AllocationTimes times = calibration.allocations();
  set_by_size(calibration, "allocators.malloc", times.malloc, 0, "cudaMalloc of 2 MiB to 1 GiB behind cudaFree of as much, on an idle device");
  set_by_size(calibration, "allocators.malloc_new", times.malloc_new, 0,
              "24 calls of cudaMalloc of 2 to 128 MiB one behind another, on an idle device");
  set_by_size(calibration, "allocators.free", times.free, 0, "cudaFree of 2 MiB to 1 GiB on an idle device");

  calibration.set("allocators.malloc_async_ns", times.malloc_async_ns,
                  "cudaMallocAsync of up to 16 MiB from what its stream has freed, in 8 streams, between kernels");
  calibration.set("allocators.free_async_ns", times.free_async_ns, "cudaFreeAsync of up to 16 MiB in 8 streams, between kernels");
  std::vector<Observation> looks;
  for (const gpu::AllocationTimes::Look& look : times.looks) {
    calibration.keep_sample("allocators.pool_look_ns", fmt::format("{} streams", look.streams), look.ns);
    const double beyond = look.ns - times.malloc_async_ns;
    if (beyond > 0) looks.push_back(relative({2.0 * look.streams + 1.0}, beyond));
  }
  calibration.set("allocators.pool_look_ns", looks.empty() ? Estimate{} : fit_constants(looks)[0],
                  "cudaMallocAsync beside 1 to 16 streams that have all freed less, less malloc_async_ns; all asked twice, its own once");
  set_by_size(calibration, "allocators.pool_grow", times.pool_grow, times.malloc_async_ns,
              "mean of 24 calls of cudaMallocAsync of 1 to 8 segments in a row, less malloc_async_ns");

  std::vector<Observation> trims;
  for (const gpu::AllocationTimes::Trim& trim : times.trims) {
    calibration.keep_sample("allocators.pool_trim_ns", fmt::format("{} segments", trim.segments), trim.ns);
    if (trim.ns > 0) trims.push_back(relative({static_cast<double>(trim.segments)}, trim.ns));
  }
  calibration.set("allocators.pool_trim_ns", trims.empty() ? Estimate{} : fit_constants(trims)[0],
                  "blocking for a stream with 1 to 16 unused segments in a pool of release threshold 0, less one that keeps them, slope");
  calibration.set("allocators.cached_ns", times.cached_ns,
                  "calls of the caching allocator with 200 blocks of up to 32 MiB, none of which ask for memory");
}

}  // namespace tasktwin::verify
