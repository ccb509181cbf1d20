#pragma once

#include "models/machine/machine.hpp"

namespace tasktwin {

/// A machine that has every mechanism, each of which takes no time; its counts are those of an H200. Tests set what they are about.
inline Machine free_machine() {
  Machine machine;
  for (const MachineSection& section : machine_sections()) section.add(machine);
  machine.resident_cores->lanes = 32;
  machine.distances->control_package = 1024;
  machine.distances->compute_die = 1024;
  machine.group_queue->slots = 32;
  machine.group_queue->comparators = 4;
  machine.graph_launch->near_nodes = 256;
  machine.graph_launch->node_successors = 6;
  machine.conditional_nodes->polled_branches = 32;
  return machine;
}

/// `machine` with its cores and limits alone.
inline Machine without_mechanisms(Machine machine) {
  for (const MachineSection& section : machine_sections()) section.remove(machine);
  machine.provenance.clear();
  return machine;
}

}  // namespace tasktwin
