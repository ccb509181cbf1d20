#pragma once

#include <algorithm>
#include <array>
#include <set>
#include <span>
#include <vector>

#include "models/machine.hpp"
#include "models/own_kernels.hpp"

namespace tasktwin::sim {

/// The caches from which resident cores take the code of their bodies, one for each GPC of a GPU. A kernel's first body behind one sends
/// for it, and until it has come, KernelCost::cold later, no body of that kernel there gets on; in a run that finds the cache of the whole
/// device empty it comes from memory for all, KernelCost::uncached_cold behind the first body of the run. See docs/model/bodies.md.
///
/// Multiprocessors are numbered in turn through the GPCs, and CoreGroup::memory_queues as they first occur among those: of eight GPCs
/// queue q belongs to the one that q modulo 8 says. Where a machine tells neither queues nor ports, one cache serves all.
class CodeFetches {
 public:
  /// By CoreId the number of its cache, from 0. A core that the machine tells nothing of shares the first one's.
  static std::vector<std::size_t> caches(const Machine& machine, std::span<const CoreType> cores) {
    std::vector<std::size_t> of(cores.size(), 0);
    for (const CoreGroup& group : machine.compute_cores) {
      const auto gpcs = static_cast<int>(std::set<int>(group.memory_ports.begin(), group.memory_ports.end()).size());
      if (gpcs == 0) continue;
      auto queue = group.memory_queues.begin();
      for (std::size_t i = 0; i < cores.size() && queue != group.memory_queues.end(); ++i) {
        if (cores[i] == group.type) of[i] = static_cast<std::size_t>(*queue++ % gpcs);
      }
    }
    return of;
  }

  CodeFetches(const Machine& machine, std::span<const CoreType> cores) : cache_of_(caches(machine, cores)) {
    const auto last = std::ranges::max_element(cache_of_);
    there_.resize(last == cache_of_.end() ? 1 : *last + 1);
    for (Times& times : there_) times.fill(kAbsent);
    from_memory_.fill(kAbsent);
  }

  /// How long a body that starts at `start` waits for its code. Those told later may start earlier.
  Duration wait(const KernelCost& cost, Kernel kernel, CoreId core, TimePoint start) {
    const auto number = static_cast<std::size_t>(kernel);
    const TimePoint here = sooner(there_[cache_of_[index(core)]][number], start + round_ns(cost.cold));
    const TimePoint anywhere = sooner(from_memory_[number], start + round_ns(cost.uncached_cold));
    return std::max({Duration{0}, here - start, anywhere - start});
  }

 private:
  using Times = std::array<TimePoint, kMostKernels>;  ///< by kernel: from then on its code is there; kAbsent before anyone sent for it

  static TimePoint sooner(TimePoint& there, TimePoint time) {
    there = is_present(there) ? std::min(there, time) : time;
    return there;
  }

  std::vector<std::size_t> cache_of_;
  std::vector<Times> there_;  ///< by cache
  Times from_memory_;
};

}  // namespace tasktwin::sim
