#pragma once

#include <cmath>

namespace tasktwin {

/// How fast bodies that read memory get on, 1 for as fast as alone. `demand`: what they would all draw alone, over the memory's total.
/// Loads wait for each other the longer the more of the memory is in use, as customers of a queue do whose server is busy for that
/// part of the time: of the bandwidth in use, u = share · demand, each load takes 1 + contention · u / (1 − u) times as long. Without
/// contention all go on as alone until the total is reached, and then share it. (Bodies that read 16 MiB a core on 1 to 132 cores of an
/// H200 follow that within a few percent; u never reaches 1.)
inline double memory_share(double demand, double contention) {
  if (contention <= 0) return demand > 1 ? 1 / demand : 1;
  const double sum = 1 + demand;
  return 2 / (sum + std::sqrt(sum * sum - 4 * (1 - contention) * demand));
}

}  // namespace tasktwin
