#pragma once

#include "models/machine.hpp"

namespace tasktwin {

/// A machine that has every mechanism, each of which takes no time. Tests set what they are about.
inline Machine free_machine() {
  Machine machine;
  for (const MachineSection& section : machine_sections()) section.add(machine);
  return machine;
}

/// `machine` with its cores and limits alone.
inline Machine without_mechanisms(Machine machine) {
  for (const MachineSection& section : machine_sections()) section.remove(machine);
  machine.provenance.clear();
  return machine;
}

}  // namespace tasktwin
