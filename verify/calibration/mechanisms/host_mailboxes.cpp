#include "models/runtimes/runtimes.hpp"
#include "verify/calibration/fit/phases.hpp"
#include "verify/calibration/mechanisms/calibrated_mechanisms.hpp"
#include "verify/calibration/probes/micro_graphs.hpp"

namespace tasktwin::verify {

using mechanism::HostMailboxes;
using mechanism::Mailboxes;

namespace {

using namespace std::chrono_literals;

/// A thread lies nearer to the device in one run than in another; tasks go through all of several, but only a single one's queue, which it
/// has to itself, does not come between an end and the next task. As for the device's control cores: half a sweep until one begins that can
/// see it, that sweep, and taking it in.
void calibrate_hops(Probes& probes, const Design& several, const mechanism::ControlLoop& loop, Calibrated<HostMailboxes>& mailboxes) {
  constexpr int kRuns = 9;
  Design one = several;
  one.dispatchers = 1;
  const TaskGraph links = chain_graph(400, 1000ns);
  std::vector<double> hops;
  std::vector<double> lonely_hops;
  std::vector<double> waits;
  for (int run = 0; run < kRuns; ++run) {
    const Timeline lonely = probes.run("a host thread with little to do", links, one, 1).timeline;
    const Timeline shared = probes.run("host threads with little to do", links, several, 1).timeline;
    for (std::size_t i = 0; i < links.size(); ++i) {
      hops.push_back(ns(fetching(shared.tasks[i])));
      lonely_hops.push_back(ns(fetching(lonely.tasks[i])));
      if (i > 0) waits.push_back(ns(lonely.tasks[i].ready - lonely.tasks[i - 1].ended));
    }
  }
  mailboxes.set(&Mailboxes::hop, trimmed_mean(hops), "dispatched to received along chains through host threads, 9 runs");
  // A core asks for its mailbox across the bus, so that how long it takes depends on when it last did.
  mailboxes.set(
      &Mailboxes::hop_sigma, spread_of(lonely_hops),
      "dispatched to received along chains through a host thread, one of 9 after the other, half of what lies between the 16th and "
      "the 84th percentile");
  const double sweep = loop.poll.count() + probes.machine().core_count() * loop.poll_per_core.count();
  const double taking = (loop.first_complete + loop.complete + loop.resolve).count();
  mailboxes.set(&Mailboxes::publish, trimmed_mean(waits) - 1.5 * sweep - taking,
                "ended to successor ready along chains through a host thread, one of 9 after the other, less its own steps");
}

}  // namespace

Calibrated<HostMailboxes> calibrate_host_mailboxes(Probes& probes, const mechanism::ControlLoop& loop) {
  const Design several = named_design("host-dispatcher");
  Calibrated<HostMailboxes> mailboxes(&Machine::host_mailboxes);
  calibrate_hops(probes, several, loop, mailboxes);
  return mailboxes;
}

}  // namespace tasktwin::verify
