
#include "gpu/peers/plans/decode_shards.hpp"
#include "gpu/peers/plans/peer_lists.hpp"
#include "gpu/supported/supported.hpp"
#include "models/program/device_graph.hpp"
#include "models/runtimes/runtimes.hpp"

namespace tasktwin::gpu {

namespace {

/// Kernels that compute the numbers of a problem have its data on each device alone.
std::optional<std::string> why_no_problem(const TaskGraph& graph, const Machine& machine, bool shards) {
  if (std::holds_alternative<std::monostate>(graph.problem())) return std::nullopt;
  const auto* const decode = std::get_if<DecodeProblem>(&graph.problem());
  if (decode == nullptr) return "its kernels compute numbers that lie on one device; over several devices a decode step is split";
  if (!shards)
    return "its decode step adds up parts of sums from several devices, which needs driver 'streams', or 'cuda_graph' with graph_source "
           "'capture'";
  return why_no_shards(graph, *decode, machine.devices.count());
}

/// The first task of those that the devices do not run, and why; `collectives`: whether those are run.
std::optional<std::string> why_no_peer_task(const TaskGraph& graph, bool operations, std::string_view no_collectives) {
  for (std::size_t i = 0; i < graph.size(); ++i) {
    const Task& task = graph[task_id(i)];
    const std::string name = "task '" + std::string(graph.name(task_id(i))) + "' ";
    if (is_collective(task.operation)) {
      if (!no_collectives.empty()) return name + "is a " + std::string(to_word(task.operation)) + ": " + std::string(no_collectives);
    } else if (task.operation != Operation::kKernel && task.operation != Operation::kCopyP2p) {
      return name + "is a " + std::string(to_word(task.operation)) +
             "; executors over several GPUs run kernels, copies between them (copy_p2p) and collectives";
    } else if (task.operation == Operation::kCopyP2p && task.args[0] != 0) {
      return name + "copies from a buffer that tasks allocate; executors over several GPUs allocate none";
    } else if (task.operation == Operation::kCopyP2p && !operations) {
      return name +
             "is a copy_p2p; workers that stay on the multiprocessors call no copy engine; bytes of an edge need peer_data "
             "'read', a copy of its own driver 'streams' or 'cuda_graph'";
    }
    if (task.operation == Operation::kKernel && is_own(task.kernel))
      return name + "runs a kernel of the scenario's own; executors over several GPUs run the built-in ones";
  }
  return std::nullopt;
}

std::optional<std::string> why_no_peer_streams(const TaskGraph& graph, const Machine& machine) {
  auto why = why_no_peer_task(graph, true, "");
  return why ? why : why_no_problem(graph, machine, true);
}

std::optional<std::string> why_no_peer_graph(const TaskGraph& graph, const Machine& machine, const Design& design) {
  const bool captures = design.graph_source == GraphSource::kCapture;
  auto why =
      why_no_peer_task(graph, true, captures ? "" : "a collective comes into a graph by stream capture; it needs graph_source 'capture'");
  return why ? why : why_no_problem(graph, machine, captures);
}

std::optional<std::string> why_no_peer_queues(const TaskGraph& graph, const Machine& machine) {
  if (machine.devices.count() > kMostPeers) {
    return "machine '" + machine.name + "' has " + std::to_string(machine.devices.count()) +
           " devices; resident workers of one run are on at most " + std::to_string(kMostPeers);
  }
  auto why = why_no_peer_task(graph, false,
                              "NCCL's collectives are kernels of their own, which find no room beside resident workers; it needs "
                              "'collectives: {by: one_shot}', or driver 'streams' or 'cuda_graph'");
  return why ? why : why_no_problem(graph, machine, false);
}

std::optional<std::string> why_not_under(const Runtime& runtime, const TaskGraph& graph, const Machine& machine, const Design& design) {
  return runtime.streams() ? why_no_peer_streams(graph, machine)
         : runtime.graph() ? why_no_peer_graph(graph, machine, design)
                           : why_no_peer_queues(graph, machine);
}

}  // namespace

std::optional<std::string> why_unsupported_by_peers(const TaskGraph& graph, const Machine& machine, const Design& design) {
  const Runtime& runtime = runtime_of(design);
  if (!runtime.on_peers) {
    std::string names;
    for (const Runtime* const one : runtimes()) {
      if (one->on_peers) names += (names.empty() ? "'" : ", '") + std::string(one->name) + "'";
    }
    return "no GPU executor runs runtime '" + std::string(runtime.name) + "' over several devices; there are " + names;
  }
  if (machine.devices.nodes > 1) {
    return "machine '" + machine.name + "' has " + std::to_string(machine.devices.nodes) + " nodes; executors run on the GPUs of one host";
  }
  if (!design.sets.empty())
    return "sets of cores ('" + design.sets.front().name + "') over several devices are simulated; GPUs have them on one device";
  if (auto why = why_no_axis(runtime, design, &AxisUse::peers)) return why;
  const tasktwin::DeviceGraph placed = on_devices(graph, machine, design);
  if (auto why = why_not_under(runtime, placed.graph, machine, design)) return why;
  return why_no_task(placed.graph, runtime.peers);
}

}  // namespace tasktwin::gpu
