#include "models/runtimes/runtimes.hpp"
#include "verify/calibration/fit/dispatch_rounds.hpp"
#include "verify/calibration/fit/phases.hpp"
#include "verify/calibration/mechanisms/calibrated_mechanisms.hpp"
#include "verify/calibration/probes/micro_graphs.hpp"

namespace tasktwin::verify {

using mechanism::Mailboxes;

Calibrated<mechanism::DeviceMailboxes> calibrate_device_mailboxes(Probes& probes) {
  using namespace std::chrono_literals;
  const Design design = named_design("central-dispatcher");
  Calibrated<mechanism::DeviceMailboxes> mailboxes(&Machine::device_mailboxes);
  const gpu::Measurement lonely = probes.run("a dispatcher with little to do", chain_graph(2000, 1000ns), design, 3);
  mailboxes.set(&Mailboxes::hop, mean_phase(lonely.timeline, fetching), "dispatched to received along a chain through a dispatcher");
  // A completion that becomes visible at a random moment of an idle sweep waits half a sweep, is read by the next, and is
  // then taken in and resolved before its successor counts as ready.
  RoundParts stamped;
  stamped.add(lonely.dispatch_rounds, probes.machine().control_cores.lanes);
  const Estimate waits =
      mean_over_links(lonely.timeline, [](const TaskTimes& before, const TaskTimes& task) { return task.ready - before.ended; });
  mailboxes.set(&Mailboxes::publish, waits - 1.5 * mean_or_zero(stamped.sweeps) - fit_groups(stamped.resolved).complete,
                "ended to successor ready along a chain through a dispatcher, less the dispatcher's own steps");
  // Cores lie near and far and look at moments of their own: with hops all alike, tasks of one length would end together for ever.
  const Timeline spread = probes.run("mailboxes near and far", stencil_graph(60, 60, 3us), design, 1).timeline;
  std::vector<double> posts;
  for (const TaskTimes& times : spread.tasks) posts.push_back(ns(fetching(times)));
  mailboxes.set(&Mailboxes::hop_sigma, spread_of(posts),
                "dispatched to received of a stencil of 60 columns through dispatchers, half of what lies between the 16th and the 84th "
                "percentile");
  mailboxes.assume(&Mailboxes::doorbell, mailboxes.hop, "hop_ns");
  return mailboxes;
}

}  // namespace tasktwin::verify
