#include "models/run/timeline.hpp"

#include <algorithm>
#include <ranges>

namespace tasktwin {

Duration Timeline::makespan() const {
  TimePoint last{};
  for (const TaskTimes& times : tasks) last = std::max(last, finish(times));
  return last.time_since_epoch();
}

bool Timeline::crosses_devices(TaskId from, TaskId to) const {
  const auto device = [this](TaskId task) {
    const CoreId core = tasks[index(task)].core;
    return core == kNoCore || index(core) >= core_devices.size() ? std::int32_t{0} : core_devices[index(core)];
  };
  return device(from) != device(to);
}

void Timeline::delay(Duration by) {
  if (by == Duration{0}) return;
  const auto later = [by](TimePoint& time) {
    if (is_present(time)) time += by;
  };
  for (TaskTimes& times : tasks) {
    for (TimePoint* const time : {&times.ready, &times.dispatched, &times.received, &times.started, &times.ended, &times.published})
      later(*time);
  }
  for (BlockTimes& block : blocks) {
    for (TimePoint* const time : {&block.started, &block.ended, &block.published}) later(*time);
  }
  for (Span& span : dispatchers | std::views::join) span = {span.begin + by, span.end + by};
  for (Step& step : steps | std::views::join) step = {step.begin + by, step.end + by, step.kind};
  for (HostStep& step : host_steps) {
    for (TimePoint* const time : {&step.own, &step.began, &step.waited, &step.ended}) later(*time);
  }
  for (QueueSample& sample : ready_queue) sample.time += by;
  for (MemorySample& sample : memory) sample.time += by;
  later(seen);
  later(stopped);
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
