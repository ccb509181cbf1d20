#pragma once

#include "tests/sim/random_cases.hpp"

namespace tasktwin::sim {

/// Draws what only driver `streams` takes: how launches go to streams, hardware queues, limits of the machine, clusters, and for
/// the tasks kernels, layers, blocks and what those need, a second type of core, and bytes along edges. No block is too large.
void draw_streams(RandomCase& drawn);

/// Draws what only driver `cuda_graph` takes.
void draw_cuda_graph(RandomCase& drawn);

}  // namespace tasktwin::sim
