#pragma once

#include "scenarios/generators/body.hpp"

namespace tasktwin::scenarios {

/// Tasks that wait for nothing: no edges.
struct IndependentParameters {
  std::int64_t tasks = 1000;
  Body body;
};

TaskGraph make_independent(const IndependentParameters& parameters);
Generator independent_generator();

}  // namespace tasktwin::scenarios
