#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "verify/calibration/calibration.hpp"

namespace tasktwin::verify {

/// The most by which a design's predictions of small runs may be off on average, as a share, if a machine file is to count as that of the
/// GPU at hand. On the card that it is of they are off by a few per cent, by up to 13 % where all cores read memory at once; an H200's file
/// on an H100 by 25 and 40 % there.
inline constexpr double kLargestDrift = 0.20;

/// How far off predictions by `machine` are on the GPU at hand. It compares makespans: sums that measurements fix, whatever
/// constants a fit has split them into. It is measured in a process of its own, which makes the backend, so that this one can still say how
/// many hardware queues it asks for. Contract: as in_child().
std::vector<SpotCheck> measure_drift(const Machine& machine, const std::function<void(std::string_view)>& progress,
                                     const std::function<CalibrationBackend()>& backend);

/// "the machine file … does not fit this GPU: predictions of small runs are off by 31 % under static-queues, …", and what to do; empty
/// where no design's are off by more than kLargestDrift.
std::string drift_text(const std::string& machine_file, const std::vector<SpotCheck>& checks);

/// "predictions of 35 small runs are off by 1.9 % on average, by 6.2 % at most (hybrid, a stencil of 50 columns)".
std::string spots_text(const std::vector<SpotCheck>& checks);

}  // namespace tasktwin::verify
