#include "models/timeline.hpp"

#include <algorithm>

namespace tasktwin {

Duration Timeline::makespan() const {
  TimePoint last{};
  for (const TaskTimes& times : tasks) last = std::max(last, finish(times));
  return last.time_since_epoch();
}

}  // namespace tasktwin
