#include "sim/queue_samples.hpp"

#include <algorithm>

#include "models/base/sorted_by_time.hpp"

namespace tasktwin::sim {

std::vector<QueueSample> queue_samples(const std::vector<TaskTimes>& tasks) {
  std::vector<TimePoint> entered;
  std::vector<TimePoint> left;
  entered.reserve(tasks.size());
  left.reserve(tasks.size());
  for (const TaskTimes& times : tasks) {
    entered.push_back(std::min(times.ready, times.dispatched));  // what is staged early is handed out before it is ready
    left.push_back(times.dispatched);
  }
  sort_by_time(entered);
  sort_by_time(left);

  std::vector<QueueSample> samples;
  int length = 0;
  for (std::size_t in = 0, out = 0; out < left.size();) {
    const TimePoint now = in < entered.size() ? std::min(entered[in], left[out]) : left[out];
    int next = length;
    for (; in < entered.size() && entered[in] == now; ++in) ++next;
    for (; out < left.size() && left[out] == now; ++out) --next;
    if (next != length) samples.push_back({now, next});
    length = next;
  }
  return samples;
}

}  // namespace tasktwin::sim
