#include "sim/host/host_threads.hpp"

namespace tasktwin::sim {

HostThreads::HostThreads(const WiringInputs& inputs, Listener& listener)
    : program_(*inputs.program),
      calendar_(inputs.calendar),
      events_(inputs.events),
      listener_(listener),
      sources_(record_sources(program_)),
      last_(program_.streams),
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
  for (std::size_t i = 0; i < program_.threads.size(); ++i) threads_.push_back({.clock = HostClock(events_)});
}

void HostThreads::begin() {
  for (std::uint32_t thread = 0; thread < threads_.size(); ++thread) calendar_.schedule(TimePoint{}, EventKind::kHost, thread, *this);
}

void HostThreads::handle(EventKind /*kind*/, std::uint32_t thread, TimePoint now) { step(thread, now); }

void HostThreads::ended(std::uint32_t task, TimePoint now) {
  has_ended_[task] = true;
  --left_[first_of_[task]];
  while (ended_before_ < launched_.size() && has_ended_[launched_[ended_before_]]) ++ended_before_;
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
    if (!advance(thread, calls[thread.next])) return;
    if (thread.clock.now() > now) {
      calendar_.schedule(thread.clock.now(), EventKind::kHost, number, *this);
      return;
    }
  }
}

/// One step; false where the call waits.
bool HostThreads::advance(Thread& thread, const HostCall& call) {
  if (!thread.prepared) {
    thread.prepared = true;
    thread.clock.spend(call.own);
    return true;
  }
  if (call.kind == HostCallKind::kLaunch && !thread.launched) {
    launch(thread, call);
    if (call.blocks) thread.launched = true;
  }
  if (is_sync(call.kind) || thread.launched) {
    if (!thread.blocked) look_for_target(thread, call);
    thread.blocked = !waits_over(thread);
    if (thread.blocked) return false;
  }
  thread.clock.spend(call.call);
  if (is_sync(call.kind) && ended_before_ == has_ended_.size()) events_.completions_seen(thread.clock.now());
  thread.prepared = thread.launched = false;
  ++thread.next;
  return true;
}

/// What the call, which begins to wait, waits for.
void HostThreads::look_for_target(Thread& thread, const HostCall& call) {
  thread.all = call.kind == HostCallKind::kDeviceSync ? launched_.size() : 0;
  thread.target = {};
  if (call.kind == HostCallKind::kLaunch) thread.target = {call.first, call.tasks};
  if (call.kind == HostCallKind::kStreamSync) thread.target = last_[call.stream];
  if (call.kind == HostCallKind::kEventSync && call.record != kNoRecord) thread.target = sources_[call.record];
}

bool HostThreads::waits_over(const Thread& thread) const {
  return ended_before_ >= thread.all && (thread.target.tasks == 0 || left_[index(thread.target.first)] == 0);
}

void HostThreads::launch(Thread& thread, const HostCall& call) {
  const auto first = static_cast<std::uint32_t>(index(call.first));
  for (std::uint32_t task = first; task < first + call.tasks; ++task) launched_.push_back(task);
  if (call.tasks == 0) return;
  last_[call.stream] = {call.first, call.tasks};
  listener_.launched(call, thread.clock.now(), thread.clock.now() + (call.blocks ? Duration{0} : call.call));
}

}  // namespace tasktwin::sim
