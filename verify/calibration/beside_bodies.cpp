#include "verify/calibration/body_times.hpp"

#include <algorithm>
#include <array>

#include "sim/wirings.hpp"

namespace tasktwin::verify {

namespace {

/// One of each wiring that has something of its own beside bodies.
constexpr std::array kOfTheirOwn{"central-dispatcher", "shared-queue", "work-stealing", "hybrid", "layer-barrier"};

/// So few that they hardly hold each other up; a wave has two bodies for each of them, one right behind the other, or fewer.
constexpr int kFewCores = 6;

BodyProbe on_few_cores(BodyProbe probe) {
  constexpr int kWaves = 8;
  constexpr int kFewestBodies = 64;
  probe.width = std::min(probe.width, 2 * kFewCores);
  probe.tasks.resize(std::min(probe.tasks.size(), static_cast<std::size_t>(std::max(kWaves * probe.width, kFewestBodies))));
  return probe;
}

BodyTimes times_under(Probes& probes, const Machine& known, const BodyProbe& probe, const char* design) {
  const TaskGraph graph = graph_of(probe);
  const Timeline timeline =
      probes.run(std::string(kernel_of(probe)) + " beside fetches", graph, on_cores_of_their_own(design), kBodyRepeats, kFewCores).timeline;
  const BodyTimes times = times_of(known, graph, timeline, probe);
  const std::string setting = " on " + std::to_string(kFewCores) + " cores under " + design;
  keep_body_sample(probes, probe, setting, times.warm);
  if (times.again > 0) keep_body_sample(probes, probe, setting + "; again", times.again);
  return times;
}

/// Both of those right behind another and of those that are not, where both were seen.
double longer(const BodyTimes& times, const BodyTimes& than) {
  if (times.again == 0 || than.again == 0) return times.warm - than.warm;
  return (times.warm - than.warm + times.again - than.again) / 2;
}

}  // namespace

BesideBodies::BesideBodies(Probes& probes, const Machine& known) {
  measure(probes, known, {.tasks = std::vector<Task>(1000, spin_task(Duration{3000})), .problem = {}, .between = {}}, spinning_);
}

void BesideBodies::measure(Probes& probes, const Machine& known, const BodyProbe& probe, KernelCost& cost) const {
  const BodyProbe few = on_few_cores(probe);
  const BodyTimes alone = times_under(probes, known, few, "static-queues");
  for (const char* design : kOfTheirOwn) {
    const auto [time, sign] = sim::beside_bodies(named_design(design));
    cost.*time = Nanoseconds{sign * longer(times_under(probes, known, few, design), alone)} - spinning_.*time;
  }
}

}  // namespace tasktwin::verify
