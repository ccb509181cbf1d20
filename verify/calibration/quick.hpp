#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "verify/calibration/calibration.hpp"

namespace tasktwin::verify {

/// How a quick calibration came by the constants of its machine.
struct QuickCounts {
  int measured = 0;  ///< here
  int scaled = 0;    ///< with their mechanism, by a factor for the whole of it
  int taken = 0;     ///< as the other machine has them
};

struct QuickCalibration {
  Calibration calibration;
  QuickCounts counts;
};

/// The machine `base` as the card at hand has it: what differs from card to card, and from host to host, is measured (the way to the memory
/// and its bandwidth, launches of streams), a mechanism's other times are scaled together so that makespans of a few micro-graphs
/// come out, and the rest stays as `base` has it, which its source says. `card`: the GPU as the driver reports it; its name, cores and
/// limits.
QuickCalibration calibrate_quickly(const Machine& card, const Machine& base, const std::string& date,
                                   const std::function<void(std::string_view)>& progress, CalibrationBackend backend);

/// Of those of `machines` that are one GPU each, the one measured on a `device` of the same kind, else the one whose number of cores is
/// nearest to the card's; null where there is none.
const Machine* nearest_machine(const Machine& card, const std::string& device, const std::vector<Machine>& machines);

}  // namespace tasktwin::verify
