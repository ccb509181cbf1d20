#include "sim/cores/shared_cores.hpp"

#include <algorithm>
#include <cmath>

namespace tasktwin::sim {

namespace {

/// Rounding errors of paces stay far below this; an end so little past a whole nanosecond is at it.
constexpr double kTolerance = 1e-6;

}  // namespace

void SharedCores::arrive(std::uint32_t runner, CoreId core, const BodyShare& share, Duration work, TimePoint now) {
  Core& at = cores_[index(core)];
  advance(at, now);
  at.bodies.push_back({.runner = runner, .share = share, .left = static_cast<double>(to_ns(work))});
  set_paces(at, now);
  schedule_next(at);
}

void SharedCores::leave(std::uint32_t runner, CoreId core, TimePoint now) {
  Core& at = cores_[index(core)];
  advance(at, now);
  std::erase_if(at.bodies, [runner](const Body& body) { return body.runner == runner; });
  set_paces(at, now);
  schedule_next(at);
}

void SharedCores::handle(EventKind /*kind*/, std::uint32_t core, TimePoint now) {
  Core& at = cores_[core];
  if (at.alarm == now) at.alarm = kAbsent;
  advance(at, now);
  schedule_next(at);
}

void SharedCores::advance(Core& core, TimePoint now) {
  const auto span = static_cast<double>(to_ns(now - core.now));
  core.now = now;
  for (Body& body : core.bodies) {
    if (body.done) continue;
    body.left -= span * body.pace;
    if (body.left > kTolerance) continue;
    body.done = true;
    listener_.work_done(body.runner, now);
  }
}

void SharedCores::set_paces(Core& core, TimePoint now) {
  BodyShare taken;
  for (const Body& body : core.bodies) {
    taken.issue += body.share.issue;
    taken.reading += body.share.reading;
  }
  for (Body& body : core.bodies) {
    const double slower = std::max({1.0, body.share.issue > 0 ? taken.issue : 0.0, body.share.reading > 0 ? taken.reading : 0.0});
    if (body.pace == 1 / slower) continue;
    body.pace = 1 / slower;
    listener_.pace_changed(body.runner, body.pace, now);
  }
}

/// A body that comes puts others' ends off, so an event may come early; it then finds nothing to do but to wait on.
void SharedCores::schedule_next(Core& core) {
  TimePoint next = kAbsent;
  for (const Body& body : core.bodies) {
    if (body.done) continue;
    const TimePoint end = core.now + Duration{std::max<std::int64_t>(0, std::llround(std::ceil(body.left / body.pace - kTolerance)))};
    if (!is_present(next) || end < next) next = end;
  }
  if (!is_present(next) || (is_present(core.alarm) && core.alarm <= next)) return;
  core.alarm = next;
  calendar_.schedule(next, EventKind::kBodyWork, static_cast<std::uint32_t>(&core - cores_.data()), *this);
}

}  // namespace tasktwin::sim
