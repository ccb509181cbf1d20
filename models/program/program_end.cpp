#include "models/program/program_end.hpp"

#include "models/runtimes/runtimes.hpp"

#include <algorithm>

namespace tasktwin {

namespace {

/// When the host was busy last.
Duration host_end(const Timeline& timeline) {
  Duration last{};
  for (std::size_t i = 0; i < timeline.dispatchers.size(); ++i) {
    if (timeline.roles[i] == ControlRole::kHost && !timeline.dispatchers[i].empty())
      last = std::max(last, timeline.dispatchers[i].back().end.time_since_epoch());
  }
  return last;
}

}  // namespace

HostTail host_tail(const HostProgram& program) {
  HostTail tail;
  for (const HostCall& call : program.threads[program.order.back().first].calls) {
    if (call.kind == HostCallKind::kLaunch && call.tasks > 0) {
      tail = {.waits = call.blocks};
      continue;
    }
    const bool waits = is_sync(call.kind) && !tail.waits;
    (tail.waits ? tail.after : tail.before) += call.own + (waits ? Duration{0} : call.call);
    tail.waits = tail.waits || waits;
  }
  return tail;
}

Duration program_end(const HostProgram& program, const Machine& machine, const Design& design, const Timeline& timeline) {
  const Duration device = timeline.makespan();
  const Duration host = host_end(timeline);
  if (runtime_of(design).id == RuntimeId::kHostProgram) return std::max(device, host);
  const HostTail tail = host_tail(program);
  if (!tail.waits) return std::max(device, host + tail.before);
  const Duration seen = machine.host_calls ? round_ns(machine.host_calls->sync_latency) : Duration{0};
  return std::max(device + seen, host + tail.before) + tail.after;
}

}  // namespace tasktwin
