#pragma once

#include "scenarios/generators/parts/generator.hpp"

namespace tasktwin::scenarios {

/// Chunks of data that go to the device, through a kernel, and back: copy_h2d → kernel → copy_d2h for each, in a stream of its
/// own as far as the design has streams. The kernel spins on `blocks` cores, each a whole one. 3 · chunks tasks, 2 · chunks edges.
struct CopyPipelineParameters {
  std::int64_t chunks = 64;
  std::int64_t bytes = 4'194'304;
  Duration time{76'260};
  int blocks = 132;
  bool pageable = false;
};

TaskGraph make_copy_pipeline(const CopyPipelineParameters& parameters);

}  // namespace tasktwin::scenarios
