#include "models/machine/memory_share.hpp"

#include <algorithm>
#include <cassert>
#include <numeric>
#include <utility>

namespace tasktwin {

namespace {

constexpr double kOpen = -1;  ///< a share that is not known yet

void shares_of_ports(const MemoryLaw& law, std::span<const double> demands, std::span<double> shares) {
  double open = std::accumulate(demands.begin(), demands.end(), 0.0);
  double share = memory_share(open / law.total, law.contention);
  double full = 0;  // carried by ports that hold their bodies back, which are given those shares for good
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

void shares_of_queues(const MemoryLaw& law, std::span<const double> demands, std::span<double> shares) {
  const auto under_way = [&](std::size_t i) { return std::min(demands[i], law.queue); };
  const double wanted = std::accumulate(demands.begin(), demands.end(), 0.0);
  double left = wanted * memory_share(wanted / law.total, law.contention);
  double waiting = 0;  // in flight of queues whose share is open
  for (std::size_t i = 0; i < demands.size(); ++i) waiting += under_way(i);
  std::ranges::fill(shares, kOpen);
  for (bool found = true; std::exchange(found, false);) {
    for (std::size_t i = 0; i < demands.size(); ++i) {
      if (shares[i] != kOpen || under_way(i) * left < demands[i] * waiting) continue;
      shares[i] = 1;
      left -= demands[i];
      waiting -= under_way(i);
      found = true;
    }
  }
  for (std::size_t i = 0; i < demands.size(); ++i) {
    if (shares[i] == kOpen) shares[i] = left / waiting * under_way(i) / demands[i];
  }
}

}  // namespace

void memory_shares(const MemoryLaw& law, std::span<const double> demands, std::span<double> shares) {
  assert(law.port <= 0 || law.queue <= 0);
  if (law.port > 0) {
    shares_of_ports(law, demands, shares);
  } else if (law.queue > 0 && std::ranges::any_of(demands, [&](double demand) { return demand > law.queue; })) {
    shares_of_queues(law, demands, shares);
  } else {
    std::ranges::fill(shares, memory_share(std::accumulate(demands.begin(), demands.end(), 0.0) / law.total, law.contention));
  }
}

double memory_served(const MemoryLaw& law, std::span<const double> demands) {
  const double wanted = std::accumulate(demands.begin(), demands.end(), 0.0);
  return wanted > 0 ? memory_share(wanted / law.total, law.contention) : 1;
}

}  // namespace tasktwin
