#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "models/timeline.hpp"

namespace tasktwin::verify {

/// A measurement kept for later: verify/recorded/<machine>/<scenario>.<design>.json (facts) beside
/// <scenario>.<design>.csv.gz (the timeline).
struct RecordedCase {
  std::string scenario;
  std::string design;
  std::string machine;
  std::string device;   ///< as the driver names it
  std::string driver;   ///< version
  std::string runtime;  ///< CUDA version
  std::string date;     ///< ISO 8601
  std::string commit;   ///< of the build that measured
  std::string command;  ///< that reproduces it
  std::string graph_hash;  ///< of the tasks and edges measured: verify refuses a recording of another graph
  std::vector<Duration> makespans;
  std::vector<Duration> stamped_makespans;
  std::int64_t ordering_violations = 0;
  double residual = 0;
  bool has_residual = false;
  Timeline timeline;
};

}  // namespace tasktwin::verify
