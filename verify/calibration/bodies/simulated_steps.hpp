#pragma once

#include <vector>

#include "verify/calibration/fit/calibrated.hpp"
#include "verify/calibration/probes/body_times.hpp"
#include "verify/calibration/probes/probes.hpp"

namespace tasktwin::verify {

/// Steps that measure bodies, or fit simulations of a whole machine to what was measured. `known` has all mechanisms of mechanisms.hpp, and
/// what the steps above each have found.

std::vector<CalibratedKernel> calibrate_single_threads(Probes& probes, const Machine& known);
CalibratedKernel calibrate_arithmetic(Probes& probes, const Machine& known);
std::vector<CalibratedKernel> calibrate_tiles(Probes& probes, const Machine& known);

/// What a kernel that only reads shows of the memory and of itself.
struct MemoryBandwidth {
  Calibrated<mechanism::Memory> memory;
  CalibratedKernel stream;

  void into(Machine& machine) const {
    memory.into(machine);
    stream.into(machine);
  }
};
MemoryBandwidth calibrate_memory_bandwidth(Probes& probes, const Machine& known);
/// What one core draws, what all can, and how they slow each other down, by long tasks and makespans of waves; kernel stream as `known` has
/// it.
Calibrated<mechanism::Memory> calibrate_steady_bandwidth(Probes& probes, const Machine& known);
/// Of kernels that read rows of matrices.
CalibratedKernel calibrate_reader(Probes& probes, const Machine& known, Kernel kernel);
/// How much of the memory copies take up, by how much longer kernels take during them.
Calibrated<mechanism::Copies> calibrate_copy_traffic(Probes& probes, const Machine& known);
/// LaunchedKernels::stream_latency, and in `machine` the shares of issue slots that blocks of kernels `fma` and `stream` take.
Calibrated<mechanism::LaunchedKernels> calibrate_shared_cores(Probes& probes, Machine& machine);
/// By how much less a reader takes right after another of its kernel than after another kernel.
CalibratedKernel calibrate_reader_again(Probes& probes, const Machine& known, Kernel kernel);

/// What is bound by arithmetic and latencies.
CalibratedKernel calibrate_norms(Probes& probes, const Machine& known);
CalibratedKernel calibrate_merges(Probes& probes, const Machine& known);
CalibratedKernel calibrate_attention(Probes& probes, const Machine& known);

/// Of kernels that read rows, attention and merges: what their bodies take longer in kernels of several blocks.
std::vector<CalibratedKernel> calibrate_grids(Probes& probes, const Machine& known);

/// All of these, each into `machine` for those after it.
void calibrate_bodies(Probes& probes, Machine& machine);

}  // namespace tasktwin::verify
