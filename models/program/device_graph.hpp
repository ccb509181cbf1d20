#pragma once

#include <cstddef>

#include "models/design/design.hpp"
#include "models/graph/task_graph.hpp"
#include "models/machine/machine.hpp"

namespace tasktwin {

/// A task graph as a design spreads it over the devices of a machine. Simulator and executors run `graph`.
struct DeviceGraph {
  /// The first `tasks` of it are the given graph's, with their ids and each with its device; then follow the copies between devices
  /// that the design puts in: operation copy_p2p, Task::device whence, Task::args[2] whither.
  TaskGraph graph;
  std::size_t tasks = 0;
};

/// Copies that a design may put in; a million take about 700 MB and a quarter of a minute.
inline constexpr std::size_t kMostCopies = 4'000'000;

/// Throws InputError, naming the task, if it names a device that the machine does not have, or a collective makes no sense: a single rank,
/// two on one device, ranks of different bytes, a root that is none of them, collectives that wait for each other.
void check_devices(const TaskGraph& graph, const Machine& machine);

/// Places tasks that name no device (Design::device_placement), and under Design::peer_data `copy` puts a copy after a task for each other
/// device on which successors wait for bytes of it, as many as the most of them do. Throws as check_devices does, and
/// InputError for more than kMostCopies.
DeviceGraph on_devices(const TaskGraph& graph, const Machine& machine, const Design& design);

}  // namespace tasktwin
