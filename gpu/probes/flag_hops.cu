#include <algorithm>
#include <array>
#include <set>

#include "gpu/cuda/device_buffer.hpp"
#include "gpu/cuda/memory_order.cuh"
#include "gpu/probes/memory_probes.hpp"

namespace tasktwin::gpu {

namespace {

enum class Raise { kStoreRelease, kFenceStore, kReleaseFenceStore, kAddRelease, kFenceAdd, kReleaseFenceAdd, kExchangeRelease };
enum class Await { kAcquire, kRelaxedThenFence, kAcquireSleeping, kAcquireSpinThenSleep };

constexpr std::array<std::string_view, 7> kRaiseNames{"st.release",       "fence.acq_rel + st.relaxed",  "fence.release + st.relaxed",
                                                      "red.release",      "fence.acq_rel + red.relaxed", "fence.release + red.relaxed",
                                                      "atom.exch.release"};
constexpr std::array<std::string_view, 4> kAwaitNames{"ld.acquire", "ld.relaxed, then fence", "ld.acquire, sleeping 32 ns",
                                                      "ld.acquire, sleeping after 64"};

constexpr std::uint32_t kWarmUpRounds = 64;
constexpr std::uint32_t kRounds = 2000;
constexpr std::uint32_t kSpinsBeforeSleep = 64;
constexpr std::uint32_t kMostPolls = 1u << 22;  // some seconds: a partner that never comes ends the probe instead of hanging it
constexpr std::uint32_t kWordsPerLine = 32;     // 128 bytes
constexpr std::uint32_t kBarrierRounds = 500;
constexpr std::uint32_t kRingRounds = 40;

__device__ void fence() { cuda::atomic_thread_fence(kAcqRel, cuda::thread_scope_device); }

/// Counts `word` up from `value` - 1 to `value`, after everything this thread did before.
template <Raise How>
__device__ void raise(std::uint32_t& word, std::uint32_t value) {
  if constexpr (How == Raise::kFenceStore || How == Raise::kFenceAdd) fence();
  if constexpr (How == Raise::kReleaseFenceStore || How == Raise::kReleaseFenceAdd) release_fence();
  if constexpr (How == Raise::kStoreRelease) {
    DeviceWord(word).store(value, kRelease);
  } else if constexpr (How == Raise::kAddRelease) {
    asm volatile("red.release.gpu.add.u32 [%0], %1;" ::"l"(&word), "r"(1) : "memory");
  } else if constexpr (How == Raise::kExchangeRelease) {
    std::uint32_t before;
    asm volatile("atom.release.gpu.exch.b32 %0, [%1], %2;" : "=r"(before) : "l"(&word), "r"(value) : "memory");
  } else if constexpr (How == Raise::kFenceAdd || How == Raise::kReleaseFenceAdd) {
    asm volatile("red.relaxed.gpu.add.u32 [%0], %1;" ::"l"(&word), "r"(1) : "memory");
  } else {
    DeviceWord(word).store(value, kRelaxed);
  }
}

/// Whether `word` came to be `value`.
template <Await How>
__device__ bool await(std::uint32_t& word, std::uint32_t value) {
  for (std::uint32_t polls = 0; polls < kMostPolls; ++polls) {
    if (DeviceWord(word).load(How == Await::kRelaxedThenFence ? kRelaxed : kAcquire) == value) {
      if constexpr (How == Await::kRelaxedThenFence) fence();
      return true;
    }
    if (How == Await::kAcquireSleeping || (How == Await::kAcquireSpinThenSleep && polls >= kSpinsBeforeSleep)) __nanosleep(32);
  }
  return false;
}

/// Block 0 and block `partner` take turns; the others leave at once. The elapsed time is 0 where a flag was not seen.
template <Raise How, Await Until>
__global__ void ping_pong(std::uint32_t* words, std::uint32_t partner, std::uint64_t* elapsed_ns) {
  std::uint32_t& ping = words[0];
  std::uint32_t& pong = words[kWordsPerLine];
  if (blockIdx.x == 0) {
    std::uint64_t begin = 0;
    for (std::uint32_t round = 1; round <= kWarmUpRounds + kRounds; ++round) {
      if (round == kWarmUpRounds + 1) begin = global_timer();
      raise<How>(ping, round);
      if (!await<Until>(pong, round)) return;
    }
    *elapsed_ns = global_timer() - begin;
  } else if (blockIdx.x == partner) {
    for (std::uint32_t round = 1; round <= kWarmUpRounds + kRounds; ++round) {
      if (!await<Until>(ping, round)) return;
      raise<How>(pong, round);
    }
  }
}

/// All blocks in turn, kRingRounds times: each awaits its own word of that round and raises the next block's.
template <Raise How>
__global__ void pass_round(std::uint32_t* words, std::uint64_t* began, std::uint64_t* ended) {
  const auto word = [words](std::uint32_t block, std::uint32_t round) -> std::uint32_t& { return words[block * kRingRounds + round]; };
  const bool last = blockIdx.x + 1 == gridDim.x;
  if (blockIdx.x == 0) *began = global_timer();
  for (std::uint32_t round = 0; round < kRingRounds; ++round) {
    if ((blockIdx.x > 0 || round > 0) && !await<Await::kAcquire>(word(blockIdx.x, round), 1)) return;
    if (last && round + 1 == kRingRounds) break;
    raise<How>(last ? word(0, round + 1) : word(blockIdx.x + 1, round), 1);
  }
  if (last) *ended = global_timer();
}

struct Passage {
  std::uint64_t arrived = 0;
  std::uint64_t left = 0;  ///< 0 where the block gave up
};

__global__ void meet(std::uint32_t* arrivals, Passage* passages) {
  for (std::uint32_t round = 0; round < kBarrierRounds; ++round) {
    const std::uint64_t arrived = global_timer();
    raise<Raise::kAddRelease>(*arrivals, 0);
    const std::uint32_t wanted = (round + 1) * gridDim.x;
    std::uint32_t polls = 0;
    while (DeviceWord(*arrivals).load(kAcquire) < wanted) {
      if (++polls == kMostPolls) return;
    }
    passages[round * gridDim.x + blockIdx.x] = {arrived, global_timer()};
  }
}

int attribute(cudaDeviceAttr which) {
  int value = 0;
  check(cudaDeviceGetAttribute(&value, which, 0), "asking for the GPU's properties");
  return value;
}

/// Launches blocks of one thread, each on a multiprocessor of its own and all resident: a block takes more than half of the
/// shared memory there, and a cooperative launch refuses what does not fit.
template <class... Parameters>
void launch_apart(void (*kernel)(Parameters...), int blocks, std::type_identity_t<Parameters>... parameters) {
  const int bytes = attribute(cudaDevAttrMaxSharedMemoryPerMultiprocessor) / 2 + 1;
  check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes), "sizing a probe's shared memory");
  void* arguments[] = {&parameters...};
  check(cudaLaunchCooperativeKernel(reinterpret_cast<const void*>(kernel), dim3(static_cast<unsigned>(blocks)), dim3(1), arguments,
                                    static_cast<std::size_t>(bytes), nullptr),
        "launching a probe");
  check(cudaDeviceSynchronize(), "running a probe");
}

double median(std::vector<double> values) {
  std::ranges::nth_element(values, values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2));
  return values[values.size() / 2];
}

template <Raise How, Await Until>
FlagHop flag_hop() {
  const int blocks = attribute(cudaDevAttrMultiProcessorCount);
  const FlagHop named{kRaiseNames[static_cast<std::size_t>(How)], kAwaitNames[static_cast<std::size_t>(Until)], 0};
  std::vector<double> hops;
  for (const int partner : std::set<int>{1, 2, blocks / 4, blocks / 2, blocks - 1}) {
    if (partner <= 0 || partner >= blocks) continue;
    const std::vector<std::uint32_t> zeros(2 * kWordsPerLine);
    const DeviceBuffer<std::uint32_t> words(std::span<const std::uint32_t>(zeros), "a probe");
    const DeviceBuffer<std::uint64_t> elapsed(std::span<const std::uint64_t>(std::vector<std::uint64_t>(1)), "a probe");
    launch_apart(ping_pong<How, Until>, blocks, words.data(), static_cast<std::uint32_t>(partner), elapsed.data());
    const std::uint64_t ns = elapsed.to_host("a probe").front();
    if (ns == 0) throw RunError("probing flags (" + std::string(named.release) + "; " + std::string(named.wait) + "): one was never seen");
    hops.push_back(static_cast<double>(ns) / kRounds / 2);
  }
  if (hops.empty()) throw RunError("probing flags: the GPU has a single multiprocessor");
  return {named.release, named.wait, median(hops)};
}

template <Raise How>
FlagHop flag_ring() {
  const auto blocks = static_cast<std::size_t>(attribute(cudaDevAttrMultiProcessorCount));
  const FlagHop named{kRaiseNames[static_cast<std::size_t>(How)], kAwaitNames[static_cast<std::size_t>(Await::kAcquire)], 0};
  std::vector<double> hops;
  for (int repeat = 0; repeat < 5; ++repeat) {
    const DeviceBuffer<std::uint32_t> words(std::span<const std::uint32_t>(std::vector<std::uint32_t>(blocks * kRingRounds)), "a probe");
    const DeviceBuffer<std::uint64_t> times(std::span<const std::uint64_t>(std::vector<std::uint64_t>(2)), "a probe");
    launch_apart(pass_round<How>, static_cast<int>(blocks), words.data(), times.data(), times.data() + 1);
    const std::vector<std::uint64_t> seen = times.to_host("a probe");
    if (seen[1] == 0) throw RunError("probing a ring of flags (" + std::string(named.release) + "): one was never seen");
    hops.push_back(static_cast<double>(seen[1] - seen[0]) / static_cast<double>(blocks * kRingRounds - 1));
  }
  return {named.release, named.wait, median(hops)};
}

template <Raise How>
void add_hops(std::vector<FlagHop>& hops) {
  hops.push_back(flag_hop<How, Await::kAcquire>());
  hops.push_back(flag_hop<How, Await::kRelaxedThenFence>());
  hops.push_back(flag_hop<How, Await::kAcquireSleeping>());
  hops.push_back(flag_hop<How, Await::kAcquireSpinThenSleep>());
}

GridBarrierTime grid_barrier(int blocks) {
  const std::vector<std::uint32_t> zero(1);
  const DeviceBuffer<std::uint32_t> arrivals(std::span<const std::uint32_t>(zero), "a probe");
  const std::vector<Passage> none(static_cast<std::size_t>(blocks) * kBarrierRounds);
  const DeviceBuffer<Passage> passages(std::span<const Passage>(none), "a probe");
  launch_apart(meet, blocks, arrivals.data(), passages.data());
  const std::vector<Passage> seen = passages.to_host("a probe");
  std::vector<double> times;
  for (std::size_t first = 0; first < seen.size(); first += static_cast<std::size_t>(blocks)) {
    Passage last;
    for (std::size_t i = first; i < first + static_cast<std::size_t>(blocks); ++i) {
      if (seen[i].left == 0) throw RunError("probing a grid barrier of " + std::to_string(blocks) + " blocks: one never got past it");
      last = {std::max(last.arrived, seen[i].arrived), std::max(last.left, seen[i].left)};
    }
    times.push_back(static_cast<double>(last.left - last.arrived));
  }
  return {blocks, median(times)};
}

}  // namespace

std::vector<FlagHop> probe_flag_hops() {
  std::vector<FlagHop> hops;
  add_hops<Raise::kStoreRelease>(hops);
  add_hops<Raise::kFenceStore>(hops);
  add_hops<Raise::kReleaseFenceStore>(hops);
  add_hops<Raise::kAddRelease>(hops);
  add_hops<Raise::kFenceAdd>(hops);
  add_hops<Raise::kReleaseFenceAdd>(hops);
  add_hops<Raise::kExchangeRelease>(hops);
  return hops;
}

std::vector<FlagHop> probe_flag_rings() {
  return {flag_ring<Raise::kStoreRelease>(), flag_ring<Raise::kReleaseFenceStore>(), flag_ring<Raise::kAddRelease>(),
          flag_ring<Raise::kReleaseFenceAdd>()};
}

std::vector<GridBarrierTime> probe_grid_barriers() {
  const int multiprocessors = attribute(cudaDevAttrMultiProcessorCount);
  std::set<int> sizes;
  for (const int blocks : {2, 32, 132}) sizes.insert(std::min(blocks, multiprocessors));
  std::vector<GridBarrierTime> times;
  for (const int blocks : sizes) times.push_back(grid_barrier(blocks));
  return times;
}

}  // namespace tasktwin::gpu
