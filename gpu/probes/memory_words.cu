#include <vector>

#include "gpu/cuda/device_buffer.hpp"
#include "gpu/cuda/memory_order.cuh"
#include "gpu/probes/memory_probes.hpp"

namespace tasktwin::gpu {

namespace {

constexpr std::uint32_t kChainWords = 64 * 1024;  // 32 lines apart each, so the chain lies in L2 and not in L1
constexpr int kSteps = 4000;

/// Follows a chain of words, each the position of the next.
__global__ void chase(std::uint32_t* words, std::uint64_t* elapsed_ns, std::uint32_t* end) {
  std::uint32_t at = 0;
  for (int step = 0; step < kSteps; ++step) at = DeviceWord(words[at]).load(kRelaxed);
  const std::uint64_t begin = global_timer();
  for (int step = 0; step < kSteps; ++step) at = DeviceWord(words[at]).load(kRelaxed);
  *elapsed_ns = global_timer() - begin;
  *end = at;
}

/// Adds to one word again and again, awaiting each result.
__global__ void add_repeatedly(std::uint32_t* word, std::uint64_t* elapsed_ns) {
  const std::uint64_t begin = global_timer();
  std::uint32_t last = 0;
  for (int step = 0; step < kSteps; ++step) last = DeviceWord(*word).fetch_add(1 + (last == 0xffffffffu), kRelaxed);
  elapsed_ns[blockIdx.x] = global_timer() - begin;
}

std::vector<std::uint32_t> chain_through_memory() {
  std::vector<std::uint32_t> words(kChainWords);
  constexpr std::uint32_t kStride = 32 * 33;  // words; odd in lines, so that every line is visited
  for (std::uint32_t i = 0; i < kChainWords; ++i) words[i] = (i + kStride) % kChainWords;
  return words;
}

}  // namespace

MemoryWordTimes probe_memory_words() {
  const DeviceBuffer<std::uint32_t> chain(std::span<const std::uint32_t>(chain_through_memory()), "a probe");
  const DeviceBuffer<std::uint32_t> word(std::span<const std::uint32_t>(std::vector<std::uint32_t>(32)), "a probe");
  int blocks = 0;
  check(cudaDeviceGetAttribute(&blocks, cudaDevAttrMultiProcessorCount, 0), "counting multiprocessors");
  const DeviceBuffer<std::uint64_t> elapsed(static_cast<std::size_t>(blocks), "a probe");

  MemoryWordTimes times;
  chase<<<1, 1>>>(chain.data(), elapsed.data(), word.data());
  check(cudaGetLastError(), "probing reads");
  times.read_latency_ns = static_cast<double>(elapsed.to_host("a probe").front()) / kSteps;
  add_repeatedly<<<1, 1>>>(word.data(), elapsed.data());
  check(cudaGetLastError(), "probing atomics");
  times.atomic_latency_ns = static_cast<double>(elapsed.to_host("a probe").front()) / kSteps;
  add_repeatedly<<<blocks, 1>>>(word.data(), elapsed.data());
  check(cudaGetLastError(), "probing contended atomics");
  double slowest = 0;
  for (const std::uint64_t ns : elapsed.to_host("a probe")) slowest = std::max(slowest, static_cast<double>(ns));
  times.atomic_service_ns = slowest / kSteps / blocks;
  return times;
}

}  // namespace tasktwin::gpu
