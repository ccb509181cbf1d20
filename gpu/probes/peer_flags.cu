#include <algorithm>
#include <array>
#include <memory>

#include "gpu/cuda/device_buffer.hpp"
#include "gpu/cuda/memory_order.cuh"
#include "gpu/cuda/on_device.hpp"
#include "gpu/cuda/stream_handle.hpp"
#include "gpu/host/timed_calls.hpp"
#include "gpu/probes/peer_probes.hpp"

namespace tasktwin::gpu {

namespace {

enum class Raise { kStoreRelease, kAddRelease, kFenceAdd };
enum class Await { kAcquire, kRelaxedThenFence, kAcquireRemote };

constexpr std::array<std::string_view, 3> kRaiseNames{"st.release.sys", "red.release.sys", "fence.release.sys + red.relaxed.sys"};
constexpr std::array<std::string_view, 3> kAwaitNames{"ld.acquire.sys", "ld.relaxed.sys, then fence",
                                                      "ld.acquire.sys of the other's memory"};

constexpr std::uint32_t kWarmUpRounds = 64;
constexpr std::uint32_t kRounds = 2000;
constexpr std::uint32_t kMostPolls = 1u << 22;  // some seconds: a partner that never comes ends the probe instead of hanging it
constexpr std::uint32_t kWordsPerLine = 32;     // 128 bytes
constexpr int kRepeats = 3;

/// Counts `word` up from `value` - 1 to `value`, after everything this thread did before.
template <Raise How>
__device__ void raise(std::uint32_t* word, std::uint32_t value) {
  if constexpr (How == Raise::kStoreRelease) {
    asm volatile("st.release.sys.global.u32 [%0], %1;" ::"l"(word), "r"(value) : "memory");
  } else if constexpr (How == Raise::kAddRelease) {
    asm volatile("red.release.sys.global.add.u32 [%0], %1;" ::"l"(word), "r"(1) : "memory");
  } else {
    asm volatile("fence.release.sys;" ::: "memory");
    asm volatile("red.relaxed.sys.global.add.u32 [%0], %1;" ::"l"(word), "r"(1) : "memory");
  }
}

/// Whether `word` came to be `value`.
template <Await How>
__device__ bool await(const std::uint32_t* word, std::uint32_t value) {
  for (std::uint32_t polls = 0; polls < kMostPolls; ++polls) {
    std::uint32_t seen;
    if constexpr (How == Await::kRelaxedThenFence) {
      asm volatile("ld.relaxed.sys.global.u32 %0, [%1];" : "=r"(seen) : "l"(word) : "memory");
    } else {
      asm volatile("ld.acquire.sys.global.u32 %0, [%1];" : "=r"(seen) : "l"(word) : "memory");
    }
    if (seen == value) {
      if constexpr (How == Await::kRelaxedThenFence) asm volatile("fence.acquire.sys;" ::: "memory");
      return true;
    }
  }
  return false;
}

/// One side of two that take turns: raises `raised`, awaits `awaited`, or the other way round. Where words are fresh each round has lines
/// of its own. The elapsed time stays 0 where a flag was not seen.
template <Raise How, Await Until>
__global__ void take_turns(std::uint32_t* raised, const std::uint32_t* awaited, bool begins, bool fresh, std::uint64_t* elapsed_ns) {
  std::uint64_t begin = 0;
  for (std::uint32_t round = 1; round <= kWarmUpRounds + kRounds; ++round) {
    if (round == kWarmUpRounds + 1) begin = global_timer();
    const std::uint32_t at = fresh ? round * kWordsPerLine : 0;
    const std::uint32_t value = fresh ? 1 : round;
    if (begins) raise<How>(raised + at, value);
    if (!await<Until>(awaited + at, value)) return;
    if (!begins) raise<How>(raised + at, value);
  }
  *elapsed_ns = global_timer() - begin;
}

/// Two sides, each with words in its own memory.
class Players {
 public:
  explicit Players(DevicePair pair) {
    for (const int device : {pair.from, pair.to}) {
      const OnDevice on(device);
      sides_.push_back(std::make_unique<Side>());
      sides_.back()->device = device;
    }
  }

  template <Raise How, Await Until>
  double hop(bool fresh) const {
    std::vector<double> hops;
    for (int repeat = 0; repeat < kRepeats; ++repeat) hops.push_back(play<How, Until>(fresh));
    return median(hops);
  }

 private:
  struct Side {
    int device = 0;
    Stream stream;
    DeviceBuffer<std::uint32_t> words{(kWarmUpRounds + kRounds + 1) * kWordsPerLine, "a probe"};
    DeviceBuffer<std::uint64_t> elapsed{1, "a probe"};
  };

  /// Each polls words of its own memory, or where it polls the other's the writer writes its own.
  template <Raise How, Await Until>
  double play(bool fresh) const {
    for (const auto& side : sides_) {
      const OnDevice on(side->device);
      check(cudaMemset(side->words.data(), 0, side->words.bytes()), "clearing memory");
      check(cudaMemset(side->elapsed.data(), 0, side->elapsed.bytes()), "clearing memory");
      check(cudaDeviceSynchronize(), "clearing memory");
    }
    for (std::size_t i = 0; i < 2; ++i) {
      const Side& mine = *sides_[i];
      const Side& other = *sides_[1 - i];
      const OnDevice on(mine.device);
      constexpr bool kRemote = Until == Await::kAcquireRemote;
      take_turns<How, Until><<<1, 1, 0, mine.stream>>>((kRemote ? mine : other).words.data(), (kRemote ? other : mine).words.data(), i == 0,
                                                       fresh, mine.elapsed.data());
      check(cudaGetLastError(), "launching a probe");
    }
    for (const auto& side : sides_) side->stream.synchronize();
    const std::uint64_t ns = sides_.front()->elapsed.to_host("a probe").front();
    if (ns == 0) throw RunError("probing flags between GPUs: one was never seen");
    return static_cast<double>(ns) / kRounds / 2;
  }

  std::vector<std::unique_ptr<Side>> sides_;
};

template <Raise How, Await Until>
void add_hop(std::vector<PeerFlagHop>& hops, DevicePair pair, const Players& players) {
  for (const bool fresh : {false, true}) {
    hops.push_back({pair, kRaiseNames[static_cast<std::size_t>(How)], kAwaitNames[static_cast<std::size_t>(Until)], fresh,
                    players.hop<How, Until>(fresh)});
  }
}

__global__ void link_words(std::uint64_t* words, std::uint32_t count, std::uint32_t stride) {
  for (std::uint32_t i = 0; i < count; ++i)
    words[std::size_t{i} * stride] = reinterpret_cast<std::uint64_t>(words + std::size_t{(i + 1) % count} * stride);
}

/// Follows `steps` links; each is read past the L1 cache.
__global__ void follow_words(const std::uint64_t* first, std::uint32_t steps, std::uint64_t* elapsed_ns) {
  std::uint64_t at = reinterpret_cast<std::uint64_t>(first);
  std::uint64_t begin = 0;
  for (std::uint32_t step = 0; step < steps + 64; ++step) {
    if (step == 64) begin = global_timer();
    asm volatile("ld.relaxed.gpu.global.u64 %0, [%0];" : "+l"(at)::"memory");
  }
  *elapsed_ns = at == 0 ? 0 : global_timer() - begin;
}

double load_time(DevicePair pair) {
  constexpr std::uint32_t kLinks = 1024;
  constexpr std::uint32_t kStride = 16;  // 128 bytes
  constexpr std::uint32_t kSteps = 4000;
  const OnDevice on(pair.from);
  DeviceBuffer<std::uint64_t> words;
  {
    const OnDevice there(pair.to);
    words = DeviceBuffer<std::uint64_t>(std::size_t{kLinks} * kStride, "a probe");
    link_words<<<1, 1>>>(words.data(), kLinks, kStride);
    check(cudaDeviceSynchronize(), "running a probe");
  }
  const DeviceBuffer<std::uint64_t> elapsed(1, "a probe");
  std::vector<double> times;
  for (int repeat = 0; repeat < kRepeats; ++repeat) {
    follow_words<<<1, 1>>>(words.data(), kSteps, elapsed.data());
    check(cudaGetLastError(), "launching a probe");
    times.push_back(static_cast<double>(elapsed.to_host("a probe").front()) / kSteps);
  }
  return median(times);
}

/// Each device with itself, then neighbours.
std::vector<DevicePair> pairs_and_self(int devices) {
  std::vector<DevicePair> pairs{{0, 0}};
  for (const DevicePair pair : neighbours(devices)) pairs.push_back(pair);
  return pairs;
}

}  // namespace

std::vector<DevicePair> neighbours(int devices) {
  std::vector<DevicePair> pairs;
  for (int device = 0; device < devices; ++device) {
    for (const DevicePair pair : {DevicePair{device, (device + 1) % devices}, DevicePair{(device + 1) % devices, device}}) {
      if (pair.from != pair.to && std::ranges::find(pairs, pair) == pairs.end()) pairs.push_back(pair);
    }
  }
  return pairs;
}

std::vector<PeerFlagHop> probe_peer_flags(int devices) {
  std::vector<PeerFlagHop> hops;
  for (const DevicePair pair : pairs_and_self(devices)) {
    const Players players(pair);
    add_hop<Raise::kStoreRelease, Await::kAcquire>(hops, pair, players);
    add_hop<Raise::kAddRelease, Await::kAcquire>(hops, pair, players);
    add_hop<Raise::kFenceAdd, Await::kAcquire>(hops, pair, players);
    add_hop<Raise::kFenceAdd, Await::kRelaxedThenFence>(hops, pair, players);
    add_hop<Raise::kStoreRelease, Await::kRelaxedThenFence>(hops, pair, players);
    add_hop<Raise::kStoreRelease, Await::kAcquireRemote>(hops, pair, players);
  }
  return hops;
}

std::vector<PeerLoad> probe_peer_loads(int devices) {
  std::vector<PeerLoad> loads;
  for (const DevicePair pair : pairs_and_self(devices)) loads.push_back({pair, load_time(pair)});
  return loads;
}

}  // namespace tasktwin::gpu
