#include "verify/output/timelines/slices.hpp"

#include <numeric>

#include "models/explain/occupancy.hpp"
#include "models/explain/waves.hpp"

namespace tasktwin::verify {

namespace {

bool seen_to_run(const TaskTimes& times) { return is_present(times.started) && is_present(times.ended); }

std::vector<Slice> slices_of(const Timeline& timeline) {
  std::vector<Slice> slices;
  const std::vector<Occupancy> parts = occupancies(timeline);
  const std::vector<int> in_wave = waves(parts);
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const Occupancy& one = parts[i];
    const bool alone = (i == 0 || parts[i - 1].task != one.task) && (i + 1 == parts.size() || parts[i + 1].task != one.task);
    slices.push_back({one.task, index(one.core), one.started, one.ended, one.published, alone ? 0 : in_wave[i]});
  }
  for (std::size_t i = 0; i < timeline.tasks.size(); ++i) {
    const TaskTimes& times = timeline.tasks[i];
    if (times.core == kNoCore && seen_to_run(times))
      slices.push_back({task_id(i), timeline.cores.size(), times.started, times.ended, times.published});
  }
  std::ranges::stable_sort(slices, {}, &Slice::task);
  return slices;
}

}  // namespace

const Slice* Lanes::first_slice(TaskId task) const {
  const std::size_t first = first_of[index(task)];
  return first < slices.size() ? &slices[first] : nullptr;
}

Lanes assign_lanes(const Timeline& timeline) {
  Lanes lanes;
  lanes.slices = slices_of(timeline);
  const std::vector<Slice>& slices = lanes.slices;
  lanes.first_of.assign(timeline.tasks.size(), slices.size());
  for (std::size_t i = slices.size(); i > 0; --i) lanes.first_of[index(slices[i - 1].task)] = i - 1;
  lanes.in_order.resize(slices.size());
  std::iota(lanes.in_order.begin(), lanes.in_order.end(), 0u);
  std::ranges::stable_sort(lanes.in_order, {}, [&slices](std::uint32_t i) { return slices[i].started; });
  std::vector<std::vector<TimePoint>> lane_ends(timeline.cores.size() + 1);
  lanes.lane_of.resize(slices.size());
  for (const std::uint32_t i : lanes.in_order) {
    auto& ends = lane_ends[slices[i].core];
    auto lane = std::ranges::find_if(ends, [&](TimePoint end) { return end <= slices[i].started; });
    if (lane == ends.end()) lane = ends.insert(ends.end(), TimePoint{});
    *lane = slices[i].end();
    lanes.lane_of[i] = static_cast<std::size_t>(lane - ends.begin());
  }
  for (const auto& ends : lane_ends) lanes.lanes_of.push_back(ends.size());
  return lanes;
}

}  // namespace tasktwin::verify
