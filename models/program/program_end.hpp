#pragma once

#include "models/design/design.hpp"
#include "models/machine/machine.hpp"
#include "models/program/host_program.hpp"
#include "models/run/timeline.hpp"

namespace tasktwin {

/// How a captured program ends, after its last launch.
struct HostTail {
  Duration before{};   ///< what the host does there until it waits for the device, or until its last call returns where it does not
  bool waits = false;  ///< for what was launched
  Duration after{};    ///< what it does once that wait is over
};
HostTail host_tail(const HostProgram& program);

/// When the program is over in a run of it under `design`: the device has ended, and the host has returned from its last call; where it
/// waits for the device, it knows of its end HostCalls::sync_latency later. A clock of the program's own shows this, and
/// Timeline::makespan() when the device ends. Contract: the program has a call.
Duration program_end(const HostProgram& program, const Machine& machine, const Design& design, const Timeline& timeline);

}  // namespace tasktwin
