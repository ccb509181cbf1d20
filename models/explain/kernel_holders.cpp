#include "models/explain/kernel_holders.hpp"

#include <algorithm>
#include <ranges>

#include "models/core_shares.hpp"

namespace tasktwin {

namespace {

std::vector<const Occupancy*> sorted_by(TimePoint Occupancy::*time, const OccupancyIndex& index) {
  std::vector<const Occupancy*> sorted;
  for (const Occupancy& occupancy : index.all()) sorted.push_back(&occupancy);
  std::ranges::stable_sort(sorted, {}, time);
  return sorted;
}

}  // namespace

KernelHolders::KernelHolders(const TaskGraph& graph, const Design& design, const Timeline& timeline, const OccupancyIndex& ran)
    : graph_(graph), design_(design), timeline_(timeline), by_end_(sorted_by(&Occupancy::ended, ran)) {
  if (design.hardware_queues == 0) return;
  by_start_ = sorted_by(&Occupancy::started, ran);
  place_.resize(graph.size());
  for (std::size_t i = 0; i < graph.size(); ++i) place_[index(graph.topological_order()[i])] = i;
}

const Occupancy* KernelHolders::freed_for(const Occupancy& started, TimePoint time) const {
  const auto type = [this](const Occupancy& one) { return timeline_.cores[index(one.core)]; };
  const auto share = [this](const Occupancy& one) { return share_of(design_, graph_[one.task].kernel); };
  const Occupancy* of_other_share = nullptr;
  for (const Occupancy* other : std::ranges::equal_range(by_end_, time, {}, &Occupancy::ended)) {
    if (type(*other) != type(started) || other->started >= time) continue;
    if (share(*other) == share(started)) return other;
    if (of_other_share == nullptr) of_other_share = other;
  }
  return of_other_share;
}

const Occupancy* KernelHolders::ahead_in_queue(const Occupancy& occupancy) const {
  const auto queues = static_cast<std::size_t>(design_.hardware_queues);
  if (queues == 0) return nullptr;
  const Occupancy* ahead = nullptr;
  for (const Occupancy* other : std::ranges::equal_range(by_start_, occupancy.started, {}, &Occupancy::started)) {
    const std::size_t place = place_[index(other->task)];
    if (index(other->core) % queues != index(occupancy.core) % queues || place >= place_[index(occupancy.task)]) continue;
    if (ahead == nullptr || place > place_[index(ahead->task)]) ahead = other;
  }
  return ahead;
}

}  // namespace tasktwin
