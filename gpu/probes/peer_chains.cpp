#include "gpu/probes/peer_chains.hpp"
#include "gpu/cuda/graph_handle.hpp"
#include "gpu/cuda/mapped_word.hpp"
#include "gpu/probes/peer_bench.hpp"
#include "gpu/probes/peer_probes.hpp"
#include "gpu/task_kernels/stream_kernels.hpp"

namespace tasktwin::gpu {

namespace {

constexpr int kHops = 64;

class ChainProbe {
 public:
  explicit ChainProbe(int devices) : bench_(devices, 2) {
    for (int device = 0; device < devices; ++device) {
      const OnDevice on(device);
      std::vector<Event>& events = events_.emplace_back();
      events.resize(4 * kHops);
    }
  }

  PeerChain measure(DevicePair pair) {
    PeerChain chain{.pair = pair};
    chain.by_events_ns = bench_.each(pair.from, 2, kHops, [&](int hops) { submit(pair, hops); });
    chain.in_graph_ns = graph_hop(pair);
    return chain;
  }

 private:
  /// A pair of a device with itself takes turns between two streams of it.
  void submit(DevicePair pair, int hops) const {
    for (int hop = 0; hop < hops; ++hop) {
      const bool there = hop % 2 == 1;
      const int device = there ? pair.to : pair.from;
      const int next_device = there ? pair.from : pair.to;
      const bool alone = pair.from == pair.to;
      const OnDevice on(device);
      const cudaStream_t stream = bench_.stream(device, alone && there ? 1 : 0);
      launch_wide_stamp(aside_.device_address(), stream);
      const Event& event = events_[static_cast<std::size_t>(device)][static_cast<std::size_t>(hop)];
      check(cudaEventRecord(event, stream), "recording an event");
      check(cudaStreamWaitEvent(bench_.stream(next_device, alone && !there ? 1 : 0), event, 0), "waiting for an event");
    }
    check(cudaGetLastError(), "launching a probe");
  }

  double graph_hop(DevicePair pair) const {
    const CudaGraph one_graph = chain_of_stamps(pair, kHops, aside_.device_address());
    const CudaGraph two_graph = chain_of_stamps(pair, 2 * kHops, aside_.device_address());
    const ExecutableGraph one(one_graph);
    const ExecutableGraph two(two_graph);
    return bench_.each(pair.from, 1, kHops, [&](int hops) {
      const OnDevice on(pair.from);
      check(cudaGraphLaunch(hops <= kHops ? one : two, bench_.stream(pair.from)), "launching a graph");
    });
  }

  PeerBench bench_;
  MappedWord aside_;
  std::vector<std::vector<Event>> events_;  ///< by device
};

}  // namespace

CudaGraph chain_of_stamps(DevicePair pair, int nodes, std::uint64_t* aside) {
  CudaGraph graph;
  std::vector<cudaGraphNode_t> last;
  for (int i = 0; i < nodes; ++i) {
    const OnDevice on(i % 2 == 1 ? pair.to : pair.from);
    last = {add_wide_stamp_node(graph, aside, last)};
  }
  return CudaGraph(graph.release());
}

std::vector<PeerChain> probe_peer_chains(int devices) {
  ChainProbe probe(devices);
  std::vector<PeerChain> chains{probe.measure({0, 0})};
  for (const DevicePair pair : neighbours(devices)) {
    if (pair.from < pair.to) chains.push_back(probe.measure(pair));  // a chain goes there and back
  }
  return chains;
}

}  // namespace tasktwin::gpu
