#include "sim/host/host_threads.hpp"

namespace tasktwin::sim {

HostThreads::HostThreads(const WiringInputs& inputs, Listener& listener)
    : program_(*inputs.program),
      calendar_(inputs.calendar),
      events_(inputs.events),
      listener_(listener),
      first_of_(inputs.graph.size()),
      left_(inputs.graph.size(), 0),
      has_ended_(inputs.graph.size(), false) {
  for (const HostThread& thread : program_.threads) {
    for (const HostCall& call : thread.calls) {
      const auto first = static_cast<std::uint32_t>(index(call.first));
      if (call.tasks > 0) left_[first] = call.tasks;
      for (std::uint32_t task = first; task < first + call.tasks; ++task) first_of_[task] = first;
    }
  }
  for (const HostThread& thread : program_.threads)
    threads_.push_back({.clock = HostClock(events_), .targets = std::vector<Target>(thread.calls.size())});
  find_targets();
}

/// What each call waits for, by the order in which the calls were captured: a launch that another thread makes ahead of its turn is
/// after what comes first in its stream, which may be what the waiting thread has still to launch.
void HostThreads::find_targets() {
  const std::vector<LaunchedTasks> sources = record_sources(program_);
  std::vector<LaunchedTasks> last(program_.streams);
  std::size_t launched = 0;
  for (const auto& [thread, place] : program_.order) {
    const HostCall& call = program_.threads[thread].calls[place];
    Target& target = threads_[thread].targets[place];
    if (call.kind == HostCallKind::kDeviceSync) target.before = launched;
    if (call.kind == HostCallKind::kStreamSync) target.launch = last[call.stream];
    if (call.kind == HostCallKind::kEventSync && call.record != kNoRecord) target.launch = sources[call.record];
    if (call.kind != HostCallKind::kLaunch || call.tasks == 0) continue;
    target.launch = last[call.stream] = {call.first, call.tasks};
    launched += call.tasks;
  }
}

void HostThreads::begin() {
  for (std::uint32_t thread = 0; thread < threads_.size(); ++thread) calendar_.schedule(TimePoint{}, EventKind::kHost, thread, *this);
}

void HostThreads::handle(EventKind /*kind*/, std::uint32_t thread, TimePoint now) { step(thread, now); }

void HostThreads::ended(std::uint32_t task, TimePoint now) {
  has_ended_[task] = true;
  --left_[first_of_[task]];
  while (ended_before_ < has_ended_.size() && has_ended_[ended_before_]) ++ended_before_;
  for (std::uint32_t thread = 0; thread < threads_.size(); ++thread) {
    if (threads_[thread].blocked) step(thread, now);
  }
}

/// Until the thread's own time is ahead of `now`, or it waits for an end that has not come.
void HostThreads::step(std::uint32_t number, TimePoint now) {
  Thread& thread = threads_[number];
  thread.clock.wait_until(now);
  const std::vector<HostCall>& calls = program_.threads[number].calls;
  while (thread.next < calls.size()) {
    if (!advance(thread, number, calls[thread.next])) return;
    if (thread.clock.now() > now) {
      calendar_.schedule(thread.clock.now(), EventKind::kHost, number, *this);
      return;
    }
  }
}

/// One step; false where the call waits.
bool HostThreads::advance(Thread& thread, std::uint32_t number, const HostCall& call) {
  if (!thread.prepared) {
    thread.prepared = true;
    thread.step.thread = number;
    thread.step.call = static_cast<std::uint32_t>(thread.next);
    thread.step.own = thread.clock.now();
    thread.clock.spend(call.own);
    thread.step.began = thread.clock.now();
    return true;
  }
  if (call.kind == HostCallKind::kLaunch && !thread.launched) {
    launch(thread, call);
    if (call.blocks) thread.launched = true;
  }
  if (is_sync(call.kind) || thread.launched) {
    thread.blocked = !waits_over(thread.targets[thread.next]);
    if (thread.blocked) return false;
  }
  thread.step.waited = thread.clock.now();
  thread.clock.spend(call.call);
  thread.step.ended = thread.clock.now();
  events_.host_step(thread.step);
  if (is_sync(call.kind) && ended_before_ == has_ended_.size()) events_.completions_seen(thread.clock.now());
  thread.prepared = thread.launched = false;
  ++thread.next;
  return true;
}

bool HostThreads::waits_over(const Target& target) const {
  return ended_before_ >= target.before && (target.launch.tasks == 0 || left_[index(target.launch.first)] == 0);
}

void HostThreads::launch(Thread& thread, const HostCall& call) {
  if (call.tasks == 0) return;
  listener_.launched(call, thread.clock.now(), thread.clock.now() + (call.blocks ? Duration{0} : call.call));
}

}  // namespace tasktwin::sim
