#include "gpu/supported/peers.hpp"

#include <array>

#include "gpu/peers/plans/decode_shards.hpp"
#include "gpu/peers/plans/peer_lists.hpp"
#include "models/program/device_graph.hpp"

namespace tasktwin::gpu {

namespace {

constexpr AxisSupport kPeerStreamAxes[] = {
    {"ready_queue"},      {"placement"}, {"streams"},    {"stream_granularity"}, {"replays"},
    {"device_placement"}, {"peer_data"}, {"collective"}, {"launching"},
};

constexpr AxisSupport kPeerGraphAxes[] = {
    {"ready_queue"}, {"placement"},        {"streams"},   {"stream_granularity"}, {"graph_source"},
    {"replays"},     {"device_placement"}, {"peer_data"}, {"collective"},
};

constexpr AxisSupport kPeerQueueAxes[] = {
    {"ready_queue"},
    {"placement"},
    {"mailbox_depth", {"1"}, "a worker reads its own list ahead, and holds one task"},
    {"fill", {"always"}, "a worker fetches whenever its mailbox has room"},
    {"graph_build", {"host"}, "on the GPU workers get a graph that the host has built"},
    {"notification", {"counter"}, "workers of several devices are told by counters"},
    {"backoff_ns"},
    {"termination", {"counter"}, "a worker stops at the end of its list"},
    {"device_placement"},
};

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
             "is a copy_p2p; workers that stay on the multiprocessors call no copy engine; it needs driver 'streams' or 'cuda_graph'";
    }
    if (task.operation == Operation::kKernel && is_own(task.kernel))
      return name + "runs a kernel of the scenario's own; executors over several GPUs run the built-in ones";
  }
  return std::nullopt;
}

std::optional<std::string> why_no_streams(const TaskGraph& graph, const Machine& machine, const Design&) {
  auto why = why_no_peer_task(graph, true, "");
  return why ? why : why_no_problem(graph, machine, true);
}

std::optional<std::string> why_no_graph(const TaskGraph& graph, const Machine& machine, const Design& design) {
  const bool captures = design.graph_source == GraphSource::kCapture;
  auto why =
      why_no_peer_task(graph, true, captures ? "" : "a collective comes into a graph by stream capture; it needs graph_source 'capture'");
  return why ? why : why_no_problem(graph, machine, captures);
}

std::optional<std::string> why_no_queues(const TaskGraph& graph, const Machine& machine, const Design&) {
  if (machine.devices.count() > kMostPeers) {
    return "machine '" + machine.name + "' has " + std::to_string(machine.devices.count()) +
           " devices; resident workers of one run are on at most " + std::to_string(kMostPeers);
  }
  auto why = why_no_peer_task(graph, false,
                              "NCCL's collectives are kernels of their own, which find no room beside resident workers; it needs driver "
                              "'streams' or 'cuda_graph'");
  return why ? why : why_no_problem(graph, machine, false);
}

}  // namespace

const Supported kPeerStreamsSupported{
    [](const Design& design) { return design.driver == Driver::kStreams && design.stream_wait == StreamWait::kEvents; },
    kPeerStreamAxes,
    {.blocks = true, .spawned = true, .numbered_blocks = true, .operations = true, .peer_bytes = true, .footprints = Footprints::kAll},
    why_no_streams};

const Supported kPeerGraphSupported{
    [](const Design& design) { return design.driver == Driver::kCudaGraph; },
    kPeerGraphAxes,
    {.blocks = true, .numbered_blocks = true, .operations = true, .peer_bytes = true, .footprints = Footprints::kAll},
    why_no_graph};

const Supported kPeerQueuesSupported{[](const Design& design) {
                                       return design.driver == Driver::kPersistent && design.release == Release::kCounters &&
                                              is_static(design.placement) && design.stealing == Stealing::kOff;
                                     },
                                     kPeerQueueAxes,
                                     {.operations = true},
                                     why_no_queues};

const Supported* find_peer_supported(const Design& design) {
  for (const Supported* one : {&kPeerStreamsSupported, &kPeerGraphSupported, &kPeerQueuesSupported}) {
    if (one->matches(design)) return one;
  }
  return nullptr;
}

std::optional<std::string> why_unsupported_by_peers(const TaskGraph& graph, const Machine& machine, const Design& design) {
  const Supported* const supported = find_peer_supported(design);
  if (supported == nullptr) {
    return "no GPU executor over several devices has driver '" + std::string(to_word(design.driver)) + "' with release '" +
           std::string(to_word(design.release)) + "', placement '" + std::string(to_word(design.placement)) + "' and stream_wait '" +
           std::string(to_word(design.stream_wait)) +
           "'; there are 'streams' with stream_wait 'events', 'cuda_graph', and 'persistent' with counters and a static placement";
  }
  if (machine.devices.nodes > 1) {
    return "machine '" + machine.name + "' has " + std::to_string(machine.devices.nodes) + " nodes; executors run on the GPUs of one host";
  }
  if (auto why = why_no_axis(*supported, design)) return why;
  const tasktwin::DeviceGraph placed = on_devices(graph, machine, design);
  if (auto why = supported->why_not(placed.graph, machine, design)) return why;
  return why_no_task(placed.graph, supported->tasks);
}

}  // namespace tasktwin::gpu
