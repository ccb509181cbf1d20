#include "models/explain/occupancy.hpp"

#include <algorithm>
#include <numeric>
#include <optional>
#include <tuple>
#include <utility>

namespace tasktwin {

bool ran(const TaskTimes& times) { return is_present(times.started) && is_present(times.ended) && times.core != kNoCore; }

namespace {

/// Of each task its blocks where `in_blocks`, else one; `whole(task)` says of which core, nullopt for a task to be left out.
std::vector<Occupancy> collect(const Timeline& timeline, bool in_blocks, auto whole) {
  std::vector<Occupancy> all;
  all.reserve(timeline.tasks.size() + timeline.blocks.size());
  auto block = in_blocks ? timeline.blocks.begin() : timeline.blocks.end();
  for (std::size_t i = 0; i < timeline.tasks.size(); ++i) {
    bool found = false;
    for (; block != timeline.blocks.end() && index(block->task) <= i; ++block) {
      found = true;
      if (is_present(block->started) && is_present(block->ended) && block->core != kNoCore)
        all.push_back({block->task, block->core, block->started, block->ended, block->published});
    }
    if (found) continue;
    const TaskTimes& times = timeline.tasks[i];
    if (const std::optional<CoreId> core = whole(i)) all.push_back({task_id(i), *core, times.started, times.ended, times.published});
  }
  return all;
}

}  // namespace

std::vector<Occupancy> occupancies(const Timeline& timeline) {
  return collect(timeline, !timeline.on_streams,
                 [&timeline](std::size_t i) { return ran(timeline.tasks[i]) ? std::optional(timeline.tasks[i].core) : std::nullopt; });
}

std::vector<Occupancy> core_occupancies(const TaskGraph& graph, const Timeline& timeline) {
  const std::size_t cores = timeline.core_count();
  std::vector<Occupancy> all = collect(timeline, true, [&](std::size_t i) -> std::optional<CoreId> {
    if (!ran(timeline.tasks[i]) || graph[task_id(i)].operation != Operation::kKernel) return std::nullopt;
    return timeline.on_streams ? kNoCore : timeline.tasks[i].core;
  });
  const auto count = all.size();
  for (std::size_t i = 0; i < count; ++i) {
    if (all[i].core != kNoCore) continue;
    const Occupancy unplaced = all[i];
    const auto blocks = static_cast<std::size_t>(graph.traits(unplaced.task).blocks);
    all.insert(all.end(), std::min(blocks, cores) - 1, unplaced);
  }
  if (all.size() > count) std::ranges::stable_sort(all, {}, &Occupancy::task);
  return all;
}

OccupancyIndex::OccupancyIndex(std::vector<Occupancy> all, std::size_t tasks, std::size_t cores)
    : all_(std::move(all)), first_(tasks + 1, 0), core_first_(cores + 1, 0), rank_(all_.size()) {
  for (const Occupancy& occupancy : all_) ++first_[index(occupancy.task) + 1];
  std::partial_sum(first_.begin(), first_.end(), first_.begin());
  for (std::uint32_t i = 0; i < all_.size(); ++i) {
    if (all_[i].core != kNoCore) by_core_.push_back(i);
  }
  std::ranges::stable_sort(by_core_, {}, [this](std::uint32_t i) { return std::tuple(all_[i].core, all_[i].started, all_[i].ended); });
  for (const std::uint32_t i : by_core_) ++core_first_[index(all_[i].core) + 1];
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
