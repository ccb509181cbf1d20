#include "gpu/persistent/launch/timeline_samples.hpp"

#include <map>

namespace tasktwin::gpu {

std::vector<QueueSample> queue_samples(const Timeline& timeline) {
  std::map<TimePoint, int> changes;
  for (const TaskTimes& times : timeline.tasks) {
    if (!is_present(times.ready) || !is_present(times.dispatched)) continue;
    ++changes[times.ready];
    --changes[times.dispatched];
  }
  std::vector<QueueSample> samples;
  int length = 0;
  for (const auto& [time, change] : changes) {
    length += change;
    if (change != 0) samples.push_back({time, length});
  }
  return samples;
}

}  // namespace tasktwin::gpu
