#include <algorithm>
#include <numeric>
#include <thread>

#include <cuda.h>

#include "gpu/cuda/device_buffer.hpp"
#include "gpu/cuda/graph_handle.hpp"
#include "gpu/host/timed_calls.hpp"
#include "gpu/peers/devices/communicators.hpp"
#include "gpu/probes/peer_bench.hpp"
#include "gpu/probes/peer_probes.hpp"
#include "gpu/streams/host_pace.hpp"
#include "models/base/error.hpp"

namespace tasktwin::gpu {

namespace {

constexpr std::int64_t kKiB = 1 << 10;
constexpr std::int64_t kMiB = 1 << 20;
constexpr std::int64_t kMostBytes = 128 * kMiB;
constexpr Duration kBesideTime{2000};
constexpr Operation kKinds[] = {Operation::kAllReduce, Operation::kAllGather, Operation::kReduceScatter,
                                Operation::kAllToAll,  Operation::kBroadcast, Operation::kSendRecv};
constexpr std::int64_t kSizes[] = {8, kKiB, 8 * kKiB, 64 * kKiB, 256 * kKiB, kMiB, 4 * kMiB, 16 * kMiB, 64 * kMiB, 128 * kMiB};

std::vector<int> first_devices(int devices) {
  std::vector<int> all(static_cast<std::size_t>(devices));
  std::iota(all.begin(), all.end(), 0);
  return all;
}

/// Blocks of the first kernel in `graph`. The runtime does not tell of kernels that a library has launched through the driver.
int blocks_of(const CudaGraph& graph) {
  decltype(&cuGraphKernelNodeGetParams) parameters_of = nullptr;
  cudaDriverEntryPointQueryResult found{};
  check(cudaGetDriverEntryPointByVersion("cuGraphKernelNodeGetParams", reinterpret_cast<void**>(&parameters_of), CUDA_VERSION,
                                         cudaEnableDefault, &found),
        "looking for a function of the driver");
  std::size_t count = 0;
  check(cudaGraphGetNodes(graph, nullptr, &count), "asking for the nodes of a graph");
  std::vector<cudaGraphNode_t> nodes(count);
  check(cudaGraphGetNodes(graph, nodes.data(), &count), "asking for the nodes of a graph");
  for (const cudaGraphNode_t node : nodes) {
    cudaGraphNodeType type{};
    check(cudaGraphNodeGetType(node, &type), "asking for the type of a node");
    CUDA_KERNEL_NODE_PARAMS kernel{};
    if (type != cudaGraphNodeTypeKernel || parameters_of == nullptr) continue;
    if (parameters_of(node, &kernel) == CUDA_SUCCESS) return static_cast<int>(kernel.gridDimX);
  }
  return 0;
}

class CollectiveProbe {
 public:
  explicit CollectiveProbe(int devices) : bench_(devices), communicators_(first_devices(devices)), ends_(events_of(devices)) {
    for (int device = 0; device < devices; ++device) {
      const OnDevice on(device);
      // all_gather takes what all ranks give, rounded up.
      const auto words = static_cast<std::size_t>(kMostBytes / static_cast<std::int64_t>(sizeof(float)) + devices);
      give_.emplace_back(words, "probing collectives");
      take_.emplace_back(words, "probing collectives");
      check(cudaMemset(give_.back().data(), 0, give_.back().bytes()), "setting GPU memory");
      parts_.push_back({give_.back().data(), take_.back().data(), bench_.stream(device)});
    }
    bench_.synchronize();
  }

  Collectives measure() {
    Collectives found;
    found.library = nccl_version();
    for (const Operation kind : kKinds) {
      pace_.find_processor();
      for (const std::int64_t bytes : kSizes) found.times.push_back(measure(kind, bytes, found.why_no_graph));
    }
    found.beside = beside(found.why_no_graph.empty());
    found.rank_pace_ns = pace_.find_processor();
    found.rank_call_ns = rank_call();
    return found;
  }

 private:
  /// Each rank's calls by a thread of its own, for a small all_reduce.
  double rank_call() const {
    constexpr int kCalls = 200;
    const auto make = [&](int rank, std::vector<double>& times) {
      const OnDevice on(rank);
      const CollectiveCall call{.kind = Operation::kAllReduce, .bytes = static_cast<std::size_t>(8 * kKiB)};
      for (int i = 0; i < kCalls; ++i)
        times.push_back(host_time_ns([&] { communicators_.call_rank(call, rank, parts_[static_cast<std::size_t>(rank)]); }));
    };
    std::vector<std::vector<double>> times(parts_.size());
    {
      std::vector<std::jthread> threads;
      for (int rank = 0; rank < communicators_.ranks(); ++rank)
        threads.emplace_back([&, rank] { make(rank, times[static_cast<std::size_t>(rank)]); });
    }
    bench_.synchronize();
    return median(times.front());
  }

  Collectives::Beside beside(bool in_graphs) const {
    constexpr int kPairs = 20;
    const auto kernels = [&] {
      for (int device = 0; device < bench_.devices(); ++device) {
        const OnDevice on(device);
        launch_hold(kBesideTime, bench_.stream(device));
      }
      check(cudaGetLastError(), "launching a probe");
    };
    const auto alone = [&] {
      communicators_.call({.kind = Operation::kAllReduce, .bytes = static_cast<std::size_t>(Collectives::kBesideBytes)}, parts_);
    };
    const auto pair = [&] {
      kernels();
      alone();
    };
    Collectives::Beside found;
    if (!in_graphs) return found;
    found.graph_ns = in_graph(kPairs, pair);
    found.kernel_graph_ns = in_graph(kPairs, kernels);
    found.alone_graph_ns = in_graph(kPairs, alone);
    return found;
  }

  /// What each of `count` calls adds after as many, in streams and as nodes of one graph.
  template <class Call>
  double in_streams(int count, const Call& call) const {
    return bench_.each(0, 1, count, [&](int some) {
      for (int i = 0; i < some; ++i) call();
    });
  }
  template <class Call>
  double in_graph(int count, const Call& call) const {
    const ExecutableGraph once(captured(count, call));
    const ExecutableGraph twice(captured(2 * count, call));
    return bench_.each(0, 1, count, [&](int some) {
      check(cudaGraphLaunch(some <= count ? once : twice, bench_.stream(0)), "launching a graph of collectives");
    });
  }

  CollectiveTime measure(Operation kind, std::int64_t bytes, std::string& why_no_graph) const {
    CollectiveTime time{.kind = kind, .ranks = communicators_.ranks(), .bytes = bytes};
    time.pace_ns = pace_.call_ns();
    const int count = bytes < 4 * kMiB ? 20 : 6;
    const auto call = [&] { communicators_.call({.kind = kind, .bytes = static_cast<std::size_t>(bytes)}, parts_); };
    std::vector<double> calls;
    time.stream_ns = in_streams(count, [&] { calls.push_back(host_time_ns(call)); });
    time.call_ns = median(calls);
    if (!why_no_graph.empty()) return time;
    try {
      time.graph_ns = in_graph(count, call);
      if (kind == Operation::kAllReduce) time.blocks = blocks_of(captured(1, call));
    } catch (const RunError& error) {
      why_no_graph = error.what();
    }
    return time;
  }

  /// One graph over all devices: their streams are brought into the capture that the first begins, and back.
  template <class Call>
  CudaGraph captured(int some, const Call& call) const {
    const OnDevice on(0);
    const cudaStream_t first = bench_.stream(0);
    check(cudaStreamBeginCapture(first, cudaStreamCaptureModeThreadLocal), "beginning the capture");
    cudaGraph_t graph = nullptr;
    try {
      check(cudaEventRecord(begin_, first), "recording an event");
      for (int device = 1; device < bench_.devices(); ++device)
        check(cudaStreamWaitEvent(bench_.stream(device), begin_, 0), "waiting for an event");
      for (int i = 0; i < some; ++i) call();
      for (int device = 1; device < bench_.devices(); ++device) {
        const OnDevice there(device);
        const Event& join = ends_[static_cast<std::size_t>(device)];
        check(cudaEventRecord(join, bench_.stream(device)), "recording an event");
        check(cudaStreamWaitEvent(first, join, 0), "waiting for an event");
      }
    } catch (...) {
      static_cast<void>(cudaStreamEndCapture(first, &graph));
      if (graph != nullptr) static_cast<void>(cudaGraphDestroy(graph));
      throw;
    }
    check(cudaStreamEndCapture(first, &graph), "ending the capture");
    return CudaGraph(graph);
  }

  static std::vector<Event> events_of(int devices) {
    std::vector<Event> events;
    for (int device = 0; device < devices; ++device) {
      const OnDevice on(device);
      events.emplace_back();
    }
    return events;
  }

  PeerBench bench_;
  Communicators communicators_;
  std::vector<DeviceBuffer<float>> give_;  ///< by device
  std::vector<DeviceBuffer<float>> take_;
  std::vector<RankBuffers> parts_;
  StreamPace pace_;
  Event begin_;  ///< of device 0
  std::vector<Event> ends_;
};

}  // namespace

Collectives probe_collectives(int devices) { return CollectiveProbe(devices).measure(); }

}  // namespace tasktwin::gpu
