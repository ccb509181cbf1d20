#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "models/design/design.hpp"
#include "models/graph/task_graph.hpp"

namespace tasktwin {

/// One kernel launch of the driver `streams`.
struct StreamLaunch {
  TaskId task{};
  std::uint32_t stream = 0;
  /// Whose ends are waited for first, as Design::stream_wait says: per other stream its latest predecessor, and of a rank of a collective
  /// the same device's rank of the collective before it over the same devices, which have one communicator. Where the host waits, only
  /// those that it does not already know to have ended.
  std::vector<TaskId> awaited;
  bool records_event = false;  ///< some later launch awaits this one by an event, or by a host function after it
  std::int32_t device = 0;
  bool programmatic = false;  ///< comes onto the device while the launch before it in its stream, which no other launch awaits, runs
};

/// Whether the host waits for kernels, and its launches do not run ahead of them. (Under `program` the calls themselves say where.)
bool host_waits(StreamWait wait);

/// How many streams `design` uses for `graph` on each device: `streams` of them, one, or one for each kernel that occurs.
std::uint32_t stream_count(const TaskGraph& graph, const Design& design);
/// On all devices together: those of device d begin at d * stream_count.
std::uint32_t total_streams(const TaskGraph& graph, const Design& design);

/// The order in which the host launches: the topological one, with the ranks of each collective one after the other, by device. Throws
/// InputError if collectives wait for each other.
std::vector<TaskId> launch_order(const TaskGraph& graph);

/// The collectives of a group of devices have one communicator, which makes one at a time, in the order of the calls. Of each rank but
/// those of a communicator's first collective: the rank before it on its device, and itself. Contract: `order` is launch_order.
std::vector<std::pair<TaskId, TaskId>> communicator_order(const TaskGraph& graph, std::span<const TaskId> order);

/// The stream of each launch in the host's order (launch_order), each device's launches by themselves. By granularity: the i-th launch into
/// stream i modulo `streams`; a stream for each kernel, in the order in which they first occur; layer modulo `streams`; the task's own
/// modulo `streams`; stream 0; or list-scheduled: the stream whose latest launch is a predecessor (of several the latest), so that
/// it needs no event, else the one with the fewest launches, the lowest first.
std::vector<std::uint32_t> assign_streams(const TaskGraph& graph, const Design& design);

/// The host's calls in order; the simulator and the executors all follow it. Contract: check_design has passed.
std::vector<StreamLaunch> plan_streams(const TaskGraph& graph, const Design& design);

/// The chains that a graph's nodes are taken to fall into: list_scheduled onto as many streams as that takes.
std::vector<StreamLaunch> plan_branches(const TaskGraph& graph);

/// By TaskId, 0 for the most urgent of `levels`: priorities, or bottom levels of the expected `durations`, spread evenly between
/// the greatest and the least that occur. All 0 under stream_priorities `none`.
std::vector<std::uint8_t> launch_levels(const TaskGraph& graph, const Design& design, std::span<const Duration> durations, int levels);

}  // namespace tasktwin
