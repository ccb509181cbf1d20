#include <algorithm>
#include <array>

#include "gpu/bodies/body_thread.cuh"
#include "gpu/cuda/device_buffer.hpp"
#include "gpu/host/timed_calls.hpp"
#include "gpu/peers/reading/peer_reading.cuh"
#include "gpu/probes/peer_bench.hpp"
#include "gpu/probes/peer_probes.hpp"

namespace tasktwin::gpu {

namespace {

constexpr std::size_t kBytesABlock = std::size_t{4} << 20;
constexpr int kMostBlocks = 132;
constexpr int kKernels = 4;

/// Blocks take shared memory, so that each has a multiprocessor to itself.
__global__ void __launch_bounds__(kBodyThreads, 1) read_peer(const std::byte* memory) {
  read_bytes(memory + blockIdx.x * kBytesABlock, kBytesABlock);
}

class ReadProbe {
 public:
  explicit ReadProbe(int devices) : bench_(devices) {
    for (int device = 0; device < devices; ++device) {
      const OnDevice on(device);
      check(cudaFuncSetAttribute(read_peer, cudaFuncAttributeMaxDynamicSharedMemorySize, kBodySharedBytes), "sizing shared memory");
      buffers_.emplace_back(kMostBlocks * kBytesABlock, "probing reads");
      check(cudaMemset(buffers_.back().data(), 1, buffers_.back().bytes()), "setting GPU memory");
    }
    bench_.synchronize();
  }

  PeerReads measure(PeerReads one) const {
    const double ns = bench_.each(one.pair.from, 1, kKernels, [&](int kernels) {
      for (int i = 0; i < kernels; ++i) {
        launch(one.pair, one.blocks);
        if (one.duplex) launch({one.pair.to, one.pair.from}, one.blocks);
      }
    });
    one.bytes_per_ns = ns > 0 ? static_cast<double>(kBytesABlock) * one.blocks / ns : 0;
    return one;
  }

 private:
  void launch(DevicePair pair, int blocks) const {
    const OnDevice on(pair.from);
    read_peer<<<static_cast<unsigned>(blocks), kBodyThreads, kBodySharedBytes, bench_.stream(pair.from)>>>(
        buffers_[static_cast<std::size_t>(pair.to)].data());
    check(cudaGetLastError(), "launching a probe");
  }

  PeerBench bench_;
  std::vector<DeviceBuffer<std::byte>> buffers_;
};

}  // namespace

std::vector<PeerReads> probe_peer_reads(int devices) {
  const ReadProbe probe(devices);
  std::vector<PeerReads> reads;
  const auto pairs = neighbours(devices);
  for (const int blocks : {1, 2, 4, 8, 16, 33, 66, kMostBlocks}) reads.push_back(probe.measure({pairs.front(), blocks}));
  for (const DevicePair pair : pairs) {
    if (pair != pairs.front()) reads.push_back(probe.measure({pair, kMostBlocks}));
  }
  reads.push_back(probe.measure({pairs.front(), kMostBlocks, true}));
  return reads;
}

}  // namespace tasktwin::gpu
