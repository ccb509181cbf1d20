#pragma once

#include "scenarios/generators/parts/synthetic_body.hpp"

namespace tasktwin::scenarios {

/// Each task waits for the one before: length tasks, length − 1 edges.
struct ChainParameters {
  std::int64_t length = 1000;
  int blocks = 1;  ///< of each task; costs are those of a block
  Body body;
};

TaskGraph make_chain(const ChainParameters& parameters);

}  // namespace tasktwin::scenarios
