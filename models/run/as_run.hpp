#pragma once

#include "models/design/design.hpp"
#include "models/machine/machine.hpp"

namespace tasktwin {

/// The conditions of a run in addition to the machine.
struct RunConditions {
  double host_pace = 1;       ///< how many times as long the host's own code takes as the machine says (host_slowdown)
  bool cache_empty = false;   ///< the run finds the cache empty (finds_cache_empty)
  bool given_bodies = false;  ///< bodies' times are given, with all that the first ones and launched ones take longer
};

/// A machine as a design meets it in a run: the pace of the host and of the control cores' code, the state of the cache and what the design
/// makes bodies take are applied. The simulator sees nothing else. Contract: the machine has what the design needs (check_design).
struct AsRun : Machine {
  mechanism::ControlLoop control;  ///< of the design's control cores, on the device or threads of the host; unused under a design without
  mechanism::Mailboxes mailboxes;  ///< between them and the compute cores
};

AsRun as_run(const Design& design, const Machine& machine, const RunConditions& conditions = {});
/// A machine is met once.
AsRun as_run(const Design& design, const AsRun& machine, const RunConditions& conditions = {}) = delete;

/// How many times as long the host's calls under `design` took as `machine` says, at a time when what its constant
/// host_calls.reference_launch or graph_launch.reference_launch is about took `host_call`: other processes on the host change it
/// from second to second. 1 where one of the two times is 0, and for designs of which the host makes next to no calls.
double host_slowdown(const Design& design, const Machine& machine, Nanoseconds host_call);

}  // namespace tasktwin
