#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "models/design/design.hpp"
#include "models/graph/task_graph.hpp"
#include "models/run/timeline.hpp"
#include "models/runtimes/runtimes.hpp"
#include "sim/simulator.hpp"
#include "tests/support/free_machine.hpp"

namespace tasktwin::sim {

/// Devices of four cores at one switch, 10 bytes/ns a port; nothing else takes time.
inline Machine device_machine(int devices) {
  Machine machine = free_machine();
  machine.name = "devices";
  machine.compute_cores = {{.type = CoreType::kSm, .count = 4}};
  machine.devices.per_node = devices;
  machine.peers->link_bandwidth = machine.peers->read_bandwidth = machine.peers->core_read_bandwidth = 10;
  machine.network->nic_bandwidth = machine.network->tree_bandwidth = 10;
  machine.memory->bandwidth = machine.memory->core_bandwidth = 1e9;
  return machine;
}

inline Design device_streams(Launching launching = Launching::kThreadPerDevice) {
  Design design = named_design("cuda-streams");
  design.stream_granularity = StreamGranularity::kHinted;
  design.streams = 4;
  design.launching = launching;
  return design;
}

/// A graph of kernels, collectives and copies between devices, made task by task.
class DeviceGraphs {
 public:
  TaskId kernel(int device, std::int64_t ns, int stream = 0) {
    return add({.cost = {.time = Duration{ns}}, .device = device}, {.stream = stream});
  }
  TaskId copy(int from, int to, std::int64_t bytes, int stream = 0) {
    return add({.cost = {.bytes = {bytes}}, .args = {0, 0, to}, .kernel = Kernel::kEmpty, .operation = Operation::kCopyP2p, .device = from},
               {.stream = stream});
  }
  /// A rank on each of `devices`, in their order.
  std::vector<TaskId> collective(Operation operation, const std::vector<int>& devices, std::int64_t bytes, int root = 0, int stream = 0) {
    std::vector<TaskId> ranks;
    ++collectives_;
    for (const int device : devices) {
      ranks.push_back(add(
          {.cost = {.bytes = {bytes}}, .args = {0, collectives_, root}, .kernel = Kernel::kEmpty, .operation = operation, .device = device},
          {.stream = stream}));
    }
    return ranks;
  }
  void edge(TaskId from, TaskId to, std::int64_t bytes = 0) { builder_.add_edge(from, to, {bytes}); }
  TaskId add(Task task, const TaskTraits& traits = {}) {
    task.traits = builder_.add_traits(traits);
    return builder_.add_task("t" + std::to_string(builder_.size()), task);
  }
  TaskGraph build() { return std::move(builder_).build(); }

 private:
  TaskGraphBuilder builder_;
  std::int32_t collectives_ = 0;
};

inline std::int64_t started(const Timeline& timeline, TaskId task) { return to_ns(timeline.tasks[index(task)].started); }
inline std::int64_t ended(const Timeline& timeline, TaskId task) { return to_ns(timeline.tasks[index(task)].ended); }

/// What InputError says of the run.
std::string refusal(const TaskGraph& graph, const Machine& machine, const Design& design);

}  // namespace tasktwin::sim
