// Calibration of copies, functions of the host and allocations, against a machine whose constants are known: the simulator, and for the
// probes what its constants make of them.
#include <gtest/gtest.h>

#include <algorithm>

#include "models/cost/body_cost.hpp"
#include "tests/support/free_machine.hpp"
#include "tests/verify/support/simulated_machine.hpp"
#include "verify/calibration/mechanisms/calibrated_mechanisms.hpp"

namespace tasktwin::verify {
namespace {

using tests::expect_found;
using tests::found_by;
using tests::probes_of;
using tests::simulated;

constexpr std::int64_t kMiB = 1 << 20;

/// An H200 whose constants of copies and allocations all differ.
Machine true_machine() {
  Machine machine = tests::known_card();
  machine.copies->call = Nanoseconds{2100};
  machine.copies->latency = Nanoseconds{6400};
  machine.copies->gap = Nanoseconds{1500};
  machine.copies->engine_gap = Nanoseconds{5300};
  machine.copies->setup = Nanoseconds{900};
  machine.allocators->malloc = Nanoseconds{51000};
  machine.allocators->malloc_per_mib = Nanoseconds{210};
  machine.allocators->malloc_new = Nanoseconds{14000};
  machine.allocators->free = Nanoseconds{43000};
  machine.allocators->free_per_mib = Nanoseconds{240};
  machine.allocators->malloc_async = Nanoseconds{800};
  machine.allocators->pool_look = Nanoseconds{130};
  machine.allocators->pool_grow_per_mib = Nanoseconds{90};
  machine.allocators->pool_trim = Nanoseconds{47000};
  machine.links->h2d_bandwidth = 53;
  machine.links->d2h_bandwidth = 51;
  machine.links->duplex_bandwidth = 91;
  machine.links->staging_bandwidth = 7.25;
  machine.copies->memset_bandwidth = 1900;
  return machine;
}

/// As the simulator's copies: an engine is held by each for its setup and its bytes; one stream adds the gap.
gpu::TransferTimes transfer_times(const Machine& machine) {
  gpu::TransferTimes times;
  const auto bytes_ns = [&machine](Operation operation, std::int64_t bytes, bool pageable) {
    return static_cast<double>(bytes) / transfer_rate(machine, operation, pageable);
  };
  for (const std::int64_t bytes : {kMiB / 64, kMiB / 4, kMiB, 16 * kMiB}) {
    for (const Operation operation : {Operation::kCopyH2d, Operation::kCopyD2h}) {
      for (const int streams : {1, 8}) {
        const double gap = streams == 1 ? machine.copies->gap.count() : 0;
        times.queued.push_back({operation, streams, bytes, gap + machine.copies->setup.count() + bytes_ns(operation, bytes, false)});
      }
      times.pageable.push_back({operation, 8 * bytes, 90'000 + bytes_ns(operation, 8 * bytes, true)});
    }
    times.queued.push_back({Operation::kMemset, 1, bytes, machine.streams->gap.count() + bytes_ns(Operation::kMemset, bytes, false)});
  }
  times.duplex_bytes_per_ns = machine.links->duplex_bandwidth;
  times.call_ns = machine.copies->call.count();
  times.first_word_ns = (machine.copies->latency + machine.copies->setup).count();
  return times;
}

gpu::AllocationTimes allocation_times(const Machine& machine, std::int64_t segment) {
  gpu::AllocationTimes times;
  for (const std::int64_t mib : {2, 16, 256}) {
    times.malloc.push_back(
        {mib * kMiB, (machine.allocators->malloc + static_cast<double>(mib) * machine.allocators->malloc_per_mib).count()});
    times.malloc_new.push_back({mib * kMiB, (machine.allocators->malloc_new).count()});
    times.free.push_back({mib * kMiB, (machine.allocators->free + static_cast<double>(mib) * machine.allocators->free_per_mib).count()});
  }
  for (const int segments : {1, 4, 16}) {
    const double mib = static_cast<double>(segments * segment) / kMiB;
    times.pool_grow.push_back(
        {segments * segment, (machine.allocators->malloc_async + mib * machine.allocators->pool_grow_per_mib).count()});
    times.trims.push_back({segments, (segments * machine.allocators->pool_trim).count()});
  }
  for (const int streams : {1, 4, 16})
    times.looks.push_back({streams, (machine.allocators->malloc_async + (2 * streams + 1) * machine.allocators->pool_look).count()});
  times.malloc_async_ns = machine.allocators->malloc_async.count();
  return times;
}

CalibrationBackend measured(const Machine& machine) {
  CalibrationBackend backend = simulated(machine);
  backend.transfers = [machine] { return transfer_times(machine); };
  backend.allocations = [machine](std::int64_t segment) { return allocation_times(machine, segment); };
  return backend;
}

Probes fresh(const Machine& truth) { return probes_of(without_mechanisms(truth), measured(truth)); }

TEST(CopyCalibration, FindsTheConstantsOfTheMachineItMeasures) {
  const Machine truth = true_machine();
  Probes probes = fresh(truth);
  expect_found(found_by(probes, calibrate_transfers(probes, *truth.streams)), truth,
               {"copies.call_ns", "copies.latency_ns", "copies.gap_ns", "copies.setup_ns", "copies.engine_gap_ns",
                "links.h2d_bandwidth_gb_per_s", "links.d2h_bandwidth_gb_per_s", "links.duplex_bandwidth_gb_per_s",
                "links.staging_bandwidth_gb_per_s", "copies.memset_bandwidth_gb_per_s"});
}

TEST(CopyCalibration, BothDirectionsMoveNoMoreThanEachOfThem) {
  Machine truth = true_machine();
  truth.links->duplex_bandwidth = 140;
  Probes probes = fresh(truth);
  truth.links->duplex_bandwidth = truth.links->h2d_bandwidth + truth.links->d2h_bandwidth;
  expect_found(found_by(probes, calibrate_transfers(probes, *truth.streams)), truth, {"links.duplex_bandwidth_gb_per_s"});
}

TEST(AllocationCalibration, FindsTheConstantsOfTheMachineItMeasures) {
  const Machine truth = true_machine();
  Probes probes = fresh(truth);
  expect_found(found_by(probes, calibrate_allocators(probes)), truth,
               {"allocators.malloc_ns", "allocators.malloc_per_mib_ns", "allocators.malloc_new_ns", "allocators.free_ns",
                "allocators.free_per_mib_ns", "allocators.malloc_async_ns", "allocators.pool_look_ns", "allocators.pool_grow_per_mib_ns",
                "allocators.pool_trim_ns"});
}

TEST(AllocationCalibration, TakesAPoolThatTrimsForNothingAtItsWord) {
  const Machine truth = true_machine();
  Machine quick = truth;
  quick.allocators->pool_trim = Nanoseconds{0};
  Probes probes = fresh(quick);
  EXPECT_EQ(calibrate_allocators(probes).pool_trim, Nanoseconds{0});
}

}  // namespace
}  // namespace tasktwin::verify
