#include "models/explain/occupancy.hpp"

#include <algorithm>
#include <numeric>
#include <tuple>

namespace tasktwin {

bool ran(const TaskTimes& times) { return is_present(times.started) && is_present(times.ended) && times.core != kNoCore; }

std::vector<Occupancy> occupancies(const Timeline& timeline) {
  std::vector<Occupancy> all;
  all.reserve(timeline.tasks.size() + timeline.blocks.size());
  const bool on_streams = std::ranges::count(timeline.roles, ControlRole::kHost) > 0;
  auto block = on_streams ? timeline.blocks.end() : timeline.blocks.begin();
  for (std::size_t i = 0; i < timeline.tasks.size(); ++i) {
    bool in_blocks = false;
    for (; block != timeline.blocks.end() && index(block->task) <= i; ++block) {
      in_blocks = true;
      if (is_present(block->started) && is_present(block->ended) && block->core != kNoCore)
        all.push_back({block->task, block->core, block->started, block->ended, block->published});
    }
    const TaskTimes& times = timeline.tasks[i];
    if (!in_blocks && ran(times)) all.push_back({task_id(i), times.core, times.started, times.ended, times.published});
  }
  return all;
}

OccupancyIndex::OccupancyIndex(const Timeline& timeline)
    : all_(occupancies(timeline)),
      first_(timeline.tasks.size() + 1, 0),
      by_core_(all_.size()),
      core_first_(timeline.cores.size() + 1, 0),
      rank_(all_.size()) {
  for (const Occupancy& occupancy : all_) ++first_[index(occupancy.task) + 1];
  std::partial_sum(first_.begin(), first_.end(), first_.begin());
  std::iota(by_core_.begin(), by_core_.end(), 0u);
  std::ranges::stable_sort(by_core_, {}, [this](std::uint32_t i) { return std::tuple(all_[i].core, all_[i].started, all_[i].ended); });
  for (const Occupancy& occupancy : all_) ++core_first_[index(occupancy.core) + 1];
  std::partial_sum(core_first_.begin(), core_first_.end(), core_first_.begin());
  for (std::uint32_t rank = 0; rank < by_core_.size(); ++rank) rank_[by_core_[rank]] = rank;
}

std::span<const Occupancy> OccupancyIndex::of(TaskId task) const {
  return std::span(all_).subspan(first_[index(task)], first_[index(task) + 1] - first_[index(task)]);
}

std::span<const std::uint32_t> OccupancyIndex::on(CoreId core) const {
  return std::span(by_core_).subspan(core_first_[index(core)], core_first_[index(core) + 1] - core_first_[index(core)]);
}

const Occupancy* OccupancyIndex::before(const Occupancy& occupancy, std::size_t steps) const {
  const std::size_t rank = rank_[position(occupancy)];
  if (rank - core_first_[index(occupancy.core)] < steps) return nullptr;
  return &all_[by_core_[rank - steps]];
}

}  // namespace tasktwin
