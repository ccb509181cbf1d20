#pragma once

#include <cmath>
#include <span>

#include "models/base/units.hpp"

namespace tasktwin {

/// What bodies that read memory share: the memory, and before it the paths by which the cores reach it.
struct MemoryLaw {
  double total = 0;       ///< bytes/ns of the memory
  double contention = 0;  ///< as in memory_share()
  double port = 0;        ///< bytes/ns that each path carries; 0 for no limit
  double queue = 0;       ///< bytes/ns that what each path can have in flight would draw alone; 0 for no limit
};

/// The speed of bodies that read memory, 1 for that of a body alone. `demand`: the rates that all would draw alone, over the memory's
/// total; `steady`: the rate of others that the memory does not slow down, over its total, below 1. Queueing: at utilisation u = share ·
/// demand + steady each load takes 1 + contention · u / (1 − u) times as long. Without contention bodies run at full speed until the total
/// is reached, and then share it. See docs/model/memory.md.
inline double memory_share(double demand, double contention, double steady = 0) {
  const double left = 1 - steady;
  if (contention <= 0) return demand > left ? left / demand : 1;
  const double sum = 1 + demand - (1 - contention) * steady;
  return 2 * left / (sum + std::sqrt(sum * sum - 4 * (1 - contention) * demand * left));
}

/// The same by path: `demands` are what the bodies of each would draw alone, bytes/ns.
/// A port that would have to carry more than it can holds its bodies back, all alike, and the memory does not slow those down further; the
/// others share what such ports leave. A queue has only that many loads in flight at a time, and the memory, which delivers as much as
/// without queues, serves all that are in flight alike; no body runs faster than alone. So in a crowd the bodies get the less, the more
/// are in their queue. Contract: as many shares as demands; the law has ports or queues, not both.
void memory_shares(const MemoryLaw& law, std::span<const double> demands, std::span<double> shares);

/// The part at which the memory itself serves all of them, whatever their paths hold back: 1 where nothing is drawn.
double memory_served(const MemoryLaw& law, std::span<const double> demands);

}  // namespace tasktwin
