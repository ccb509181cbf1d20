#include <algorithm>

#include "gpu/cuda/device_buffer.hpp"
#include "gpu/cuda/graph_handle.hpp"
#include "gpu/cuda/mapped_word.hpp"
#include "gpu/host/timed_calls.hpp"
#include "gpu/probes/peer_bench.hpp"
#include "gpu/probes/peer_probes.hpp"
#include "gpu/task_kernels/stream_kernels.hpp"

namespace tasktwin::gpu {

namespace {

constexpr std::int64_t kKiB = 1 << 10;
constexpr std::int64_t kMiB = 1 << 20;
constexpr std::int64_t kMostBytes = 256 * kMiB;
constexpr int kManyStreams = 4;
constexpr std::int64_t kSizes[] = {8, 4 * kKiB, 64 * kKiB, 256 * kKiB, kMiB, 4 * kMiB, 16 * kMiB, 64 * kMiB, 256 * kMiB};

class CopyProbe {
 public:
  explicit CopyProbe(int devices) : bench_(devices, kManyStreams) {
    for (int device = 0; device < devices; ++device) {
      const OnDevice on(device);
      buffers_.emplace_back(static_cast<std::size_t>(kMostBytes), "probing copies");
      check(cudaMemset(buffers_.back().data(), 1, buffers_.back().bytes()), "setting GPU memory");
      events_.emplace_back().resize(2 * kChain);
    }
    bench_.synchronize();
  }

  PeerCopies measure() {
    PeerCopies copies;
    const auto pairs = neighbours(bench_.devices());
    for (const DevicePair pair : pairs) {
      for (const std::int64_t bytes : kSizes) {
        add(copies, {.pair = pair, .way = CopyWay::kSource, .streams = 1, .bytes = bytes});
        if (pair != pairs.front()) continue;
        add(copies, {.pair = pair, .way = CopyWay::kTarget, .streams = 1, .bytes = bytes});
        add(copies, {.pair = pair, .way = CopyWay::kGraph, .streams = 1, .bytes = bytes});
        if (bytes >= 64 * kKiB && bytes <= 16 * kMiB)
          add(copies, {.pair = pair, .way = CopyWay::kSource, .streams = kManyStreams, .bytes = bytes});
        if (bytes >= kMiB) add(copies, {.pair = pair, .way = CopyWay::kSource, .streams = 1, .duplex = true, .bytes = bytes});
      }
    }
    copies.call_ns = call_time(pairs.front());
    for (const std::int64_t bytes : {std::int64_t{8}, 64 * kKiB, kMiB, 16 * kMiB})
      copies.chained.push_back({bytes, chained(pairs.front(), bytes)});
    return copies;
  }

 private:
  static constexpr int kChain = 32;

  /// In a stream of the device where it begins, unless the other is to make it.
  void copy(DevicePair pair, std::int64_t bytes, cudaStream_t stream) const {
    check(cudaMemcpyPeerAsync(memory(pair.to) + kMostBytes / 2, pair.to, memory(pair.from), pair.from, half(bytes), stream),
          "copying to a peer");
  }
  /// What goes and what comes lie in halves of their own, so that no two copies touch the same bytes; the largest begin at their ends.
  static std::size_t half(std::int64_t bytes) { return static_cast<std::size_t>(std::min(bytes, kMostBytes / 2)); }
  std::byte* memory(int device) const { return buffers_[static_cast<std::size_t>(device)].data(); }

  void add(PeerCopies& copies, PeerCopy one) const {
    one.bytes = static_cast<std::int64_t>(half(one.bytes));
    const auto count = static_cast<int>(std::clamp<std::int64_t>(256 * kMiB / one.bytes, 4, 32));
    if (one.way == CopyWay::kGraph) {
      one.ns = in_graph(one, count);
    } else {
      const int maker = one.way == CopyWay::kSource ? one.pair.from : one.pair.to;
      one.ns = bench_.each(maker, one.streams, count, [&](int some) {
        for (int i = 0; i < some; ++i) {
          copy(one.pair, one.bytes, bench_.stream(maker, i % one.streams));
          if (one.duplex) copy({one.pair.to, one.pair.from}, one.bytes, bench_.stream(one.pair.to, i % one.streams));
        }
      });
    }
    copies.queued.push_back(one);
  }

  double in_graph(const PeerCopy& one, int count) const {
    const OnDevice on(one.pair.from);
    const auto chain = [&](int some) {
      CudaGraph graph;
      cudaGraphNode_t last = nullptr;
      for (int i = 0; i < some; ++i) {
        cudaGraphNode_t node = nullptr;
        check(cudaGraphAddMemcpyNode1D(&node, graph, &last, i == 0 ? 0 : 1, memory(one.pair.to) + kMostBytes / 2, memory(one.pair.from),
                                       half(one.bytes), cudaMemcpyDefault),
              "adding a copy to the graph");
        last = node;
      }
      return ExecutableGraph(graph);
    };
    const ExecutableGraph once = chain(count);
    const ExecutableGraph twice = chain(2 * count);
    return bench_.each(one.pair.from, 1, count, [&](int some) {
      check(cudaGraphLaunch(some <= count ? once : twice, bench_.stream(one.pair.from)), "launching a graph");
    });
  }

  double call_time(DevicePair pair) const {
    std::vector<double> times;
    bench_.behind_gate(pair.from, 1, [&] {
      for (int i = 0; i < 64; ++i) times.push_back(host_time_ns([&] { copy(pair, 64 * kKiB, bench_.stream(pair.from)); }));
    });
    return median(times);
  }

  double chained(DevicePair pair, std::int64_t bytes) const {
    return bench_.each(pair.from, 1, kChain, [&](int hops) {
      for (int hop = 0; hop < hops; ++hop) {
        const DevicePair way = hop % 2 == 0 ? pair : DevicePair{pair.to, pair.from};
        const OnDevice on(way.from);
        const cudaStream_t stream = bench_.stream(way.from);
        launch_wide_stamp(aside_.device_address(), stream);
        copy(way, bytes, stream);
        const Event& event = events_[static_cast<std::size_t>(way.from)][static_cast<std::size_t>(hop)];
        check(cudaEventRecord(event, stream), "recording an event");
        check(cudaStreamWaitEvent(bench_.stream(way.to), event, 0), "waiting for an event");
      }
      check(cudaGetLastError(), "launching a probe");
    });
  }

  PeerBench bench_;
  MappedWord aside_;
  std::vector<DeviceBuffer<std::byte>> buffers_;  ///< by device
  std::vector<std::vector<Event>> events_;        ///< by device
};

}  // namespace

PeerCopies probe_peer_copies(int devices) { return CopyProbe(devices).measure(); }

}  // namespace tasktwin::gpu
