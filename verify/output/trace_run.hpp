#pragma once

#include <string>

#include "models/design.hpp"
#include "models/timeline.hpp"

namespace tasktwin::verify {

/// One timeline in a trace or a drawing; several are shown side by side.
struct TraceRun {
  std::string label;  ///< "predicted", "measured"
  const Timeline* timeline = nullptr;
  Driver driver = Driver::kPersistent;  ///< `streams`: cores are called streams and the control core the host
};

/// "streams" or "compute cores", "host" or "dispatchers": what a run's two groups of rows are called.
std::string cores_title(const TraceRun& run);
std::string controls_title(const TraceRun& run);

/// "aic 3", "stream 3"; "core not observed" for the number of cores.
std::string core_title(const TraceRun& run, std::size_t core);
/// "scheduler 0", "host 0".
std::string control_title(const TraceRun& run, std::size_t control);

}  // namespace tasktwin::verify
