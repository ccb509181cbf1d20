#include "models/timeline.hpp"

#include <algorithm>

namespace tasktwin {

Duration Timeline::makespan() const {
  TimePoint last{};
  for (const TaskTimes& times : tasks) last = std::max(last, finish(times));
  return last.time_since_epoch();
}

MemorySample Timeline::peak_memory() const {
  MemorySample peak{};
  for (const MemorySample& sample : memory) {
    peak.used = std::max(peak.used, sample.used);
    peak.reserved = std::max(peak.reserved, sample.reserved);
  }
  return peak;
}

}  // namespace tasktwin
