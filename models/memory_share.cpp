#include "models/memory_share.hpp"

#include <algorithm>
#include <numeric>

namespace tasktwin {

void memory_shares(const MemoryLaw& law, std::span<const double> demands, std::span<double> shares) {
  double open = std::accumulate(demands.begin(), demands.end(), 0.0);
  double share = memory_share(open / law.total, law.contention);
  std::ranges::fill(shares, share);
  if (law.port <= 0) return;
  double full = 0;  // carried by ports that hold their bodies back, which are given those shares for good
  constexpr double kOpen = -1;
  std::ranges::fill(shares, kOpen);
  for (;;) {
    std::size_t busiest = demands.size();
    for (std::size_t i = 0; i < demands.size(); ++i) {
      if (shares[i] == kOpen && (busiest == demands.size() || demands[i] > demands[busiest])) busiest = i;
    }
    if (busiest == demands.size() || demands[busiest] * share <= law.port) break;
    shares[busiest] = law.port / demands[busiest];
    open -= demands[busiest];
    full += law.port;
    share = memory_share(std::max(0.0, open) / law.total, law.contention, full / law.total);
  }
  std::ranges::replace(shares, kOpen, share);
}

}  // namespace tasktwin
