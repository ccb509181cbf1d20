#include <algorithm>
#include <map>
#include <numeric>

#include <boost/pending/disjoint_sets.hpp>

#include "gpu/bodies/stream.cuh"
#include "gpu/device_buffer.hpp"
#include "gpu/memory_order.cuh"
#include "gpu/multiprocessor.cuh"
#include "gpu/persistent/launch.cuh"
#include "gpu/probes.hpp"

namespace tasktwin::gpu {

namespace {

using Set = std::vector<std::uint32_t>;  ///< of multiprocessors

constexpr std::uint64_t kBytes = std::uint64_t{8} << 20;  // that each one reads
constexpr std::uint64_t kStaysNs = 20'000;                // of a block, so that none takes another's place
constexpr const char* kPurpose = "a probe of the memory's ports";

__global__ void note_place(std::uint32_t* places) {
  if (threadIdx.x == 0) places[blockIdx.x] = multiprocessor();
  for (const std::uint64_t begin = global_timer(); global_timer() - begin < kStaysNs;) {
  }
}

/// On the multiprocessors that are to: all of a cooperative grid begin together.
__global__ void __launch_bounds__(kBodyThreads, 1)
    read_on(const std::uint8_t* reads, const void* buffer, std::uint32_t* arrived, std::uint64_t* took) {
  extern __shared__ __align__(128) float ring[];
  if (threadIdx.x == 0) {
    DeviceWord(*arrived).fetch_add(1, kAcqRel);
    while (DeviceWord(*arrived).load(kAcquire) < gridDim.x) {
    }
  }
  __syncthreads();
  const std::uint32_t self = multiprocessor();
  if (!reads[self]) return;
  const std::uint64_t begin = global_timer();
  stream(self * kBytes, kBytes, buffer, ring);
  __syncthreads();
  if (threadIdx.x == 0) took[self] = global_timer() - begin;
}

class Prober {
 public:
  Prober()
      : places_(count_, kPurpose),
        took_(count_, kPurpose),
        reads_(count_, kPurpose),
        arrived_(1, kPurpose),
        buffer_(kStreamBufferBytes, kPurpose) {
    const auto size = static_cast<int>(kBodySharedBytes);
    check(cudaFuncSetAttribute(note_place, cudaFuncAttributeMaxDynamicSharedMemorySize, size), "sizing shared memory");
    check(cudaFuncSetAttribute(note_place, cudaFuncAttributeNonPortableClusterSizeAllowed, 1), "allowing clusters of 16");
    check(cudaMemset(buffer_.data(), 0, buffer_.bytes()), "clearing memory");
  }

  std::uint32_t count() const { return count_; }

  /// Where the blocks of a kernel go, clusters of `cluster` of them, while nothing else runs.
  std::vector<std::uint32_t> places(std::uint32_t blocks, std::uint32_t cluster) const {
    cudaLaunchAttribute attribute{};
    attribute.id = cudaLaunchAttributeClusterDimension;
    attribute.val.clusterDim = {cluster, 1, 1};
    cudaLaunchConfig_t config{};
    config.gridDim = blocks;
    config.blockDim = kBodyThreads;
    config.dynamicSmemBytes = kBodySharedBytes;
    config.attrs = &attribute;
    config.numAttrs = 1;
    check(cudaLaunchKernelEx(&config, note_place, places_.data()), "launching clusters");
    std::vector<std::uint32_t> places = places_.to_host(kPurpose);
    places.resize(blocks);
    return places;
  }

  /// Bytes/ns of each, in the order of `set`, while all of it read: medians of three.
  std::vector<double> rates(const Set& set) const {
    std::vector<std::uint8_t> reads(count_, 0);
    for (const std::uint32_t one : set) reads[one] = 1;
    check(cudaMemcpy(reads_.data(), reads.data(), count_, cudaMemcpyHostToDevice), "copying to the GPU");
    std::vector<std::vector<double>> seen(set.size());
    for (int repeat = 0; repeat < 3; ++repeat) {
      check(cudaMemset(arrived_.data(), 0, arrived_.bytes()), "clearing memory");
      launch_resident(read_on, {count_, kBodyThreads, kBodySharedBytes}, nullptr, reads_.data(), buffer_.data(), arrived_.data(),
                      took_.data());
      const std::vector<std::uint64_t> took = took_.to_host(kPurpose);
      for (std::size_t i = 0; i < set.size(); ++i) seen[i].push_back(static_cast<double>(kBytes) / static_cast<double>(took[set[i]]));
    }
    std::vector<double> medians;
    for (std::vector<double>& rates : seen) {
      std::ranges::sort(rates);
      medians.push_back(rates[1]);
    }
    return medians;
  }

 private:
  std::uint32_t count_ = multiprocessor_count();
  DeviceBuffer<std::uint32_t> places_;
  DeviceBuffer<std::uint64_t> took_;
  DeviceBuffer<std::uint8_t> reads_;
  DeviceBuffer<std::uint32_t> arrived_;
  DeviceBuffer<std::byte> buffer_;
};

double sum(std::span<const double> rates) { return std::accumulate(rates.begin(), rates.end(), 0.0); }

/// Multiprocessors that blocks of a cluster have been seen on together, the largest sets first.
std::vector<Set> cluster_sets(const Prober& prober) {
  boost::disjoint_sets_with_storage<> seen(prober.count());
  for (const std::uint32_t size : {16U, 8U, 4U, 2U}) {
    for (std::uint32_t blocks = size; blocks <= prober.count(); blocks += size) {
      const std::vector<std::uint32_t> places = prober.places(blocks, size);
      for (std::uint32_t i = 0; i < blocks; ++i) seen.union_set(std::size_t{places[i]}, std::size_t{places[i / size * size]});
    }
  }
  std::map<std::size_t, Set> by_member;
  for (std::uint32_t i = 0; i < prober.count(); ++i) by_member[seen.find_set(std::size_t{i})].push_back(i);
  std::vector<Set> sets;
  for (auto& [first, set] : by_member) sets.push_back(std::move(set));
  std::ranges::stable_sort(sets, std::greater{}, &Set::size);
  return sets;
}

/// What a port carries: the median over sets that would draw more alone; 0 where none is held back.
double port_bandwidth(const Prober& prober, const std::vector<Set>& sets, double alone) {
  std::vector<double> carried;
  for (const Set& set : sets) {
    const double total = sum(prober.rates(set));
    if (total < 0.85 * alone * static_cast<double>(set.size())) carried.push_back(total);
  }
  if (carried.empty()) return 0;
  std::ranges::sort(carried);
  return carried[carried.size() / 2];
}

/// Sets behind one port slow each other down alike, and draw no more together than it carries. The small ones, which could not fill a port
/// with another, are tried all at once.
void unite_by_port(const Prober& prober, const std::vector<Set>& sets, double alone, double port,
                   boost::disjoint_sets_with_storage<>& ports) {
  const auto is_small = [&](const Set& set) { return 4 * alone * static_cast<double>(set.size()) < port; };
  const auto first_small = static_cast<std::size_t>(std::ranges::find_if(sets, is_small) - sets.begin());
  const auto try_with = [&](std::size_t one, std::size_t from, std::size_t to) {
    Set all = sets[one];
    for (std::size_t i = from; i < to; ++i) all.insert(all.end(), sets[i].begin(), sets[i].end());
    const std::vector<double> rates = prober.rates(all);
    const auto own = std::span(rates).first(sets[one].size());
    const double own_mean = sum(own) / static_cast<double>(own.size());
    std::size_t at = own.size();
    for (std::size_t i = from; i < to; ++i) {
      const auto its = std::span(rates).subspan(at, sets[i].size());
      at += its.size();
      const bool alike = sum(its) / static_cast<double>(its.size()) < 1.05 * own_mean;
      if (alike && own_mean < 0.9 * alone && sum(own) + sum(its) < 1.07 * port) ports.union_set(one, i);
    }
  };
  for (std::size_t one = 0; one < first_small; ++one) {
    for (std::size_t other = one + 1; other < first_small; ++other) try_with(one, other, other + 1);
    try_with(one, first_small, sets.size());
  }
}

}  // namespace

MemoryPortProbe probe_memory_ports() {
  int clusters = 0;
  check(cudaDeviceGetAttribute(&clusters, cudaDevAttrClusterLaunch, 0), "asking for the GPU's properties");
  if (clusters == 0) return {};
  const Prober prober;
  const std::vector<Set> sets = cluster_sets(prober);
  const double alone = prober.rates({0}).front();
  const double port = port_bandwidth(prober, sets, alone);
  if (port == 0) return {};
  boost::disjoint_sets_with_storage<> ports(sets.size());
  unite_by_port(prober, sets, alone, port, ports);

  std::vector<std::size_t> port_of(prober.count());
  for (std::size_t i = 0; i < sets.size(); ++i) {
    for (const std::uint32_t one : sets[i]) port_of[one] = ports.find_set(i);
  }
  // Which of a port's multiprocessors a block takes varies from launch to launch, but hardly how many of each port's n blocks take.
  MemoryPortProbe probe{.by_placement = {}, .bytes_per_ns = port};
  std::vector<int> taken(sets.size());
  for (std::uint32_t blocks = 1; blocks <= prober.count(); ++blocks) {
    std::vector<int> more(sets.size());
    for (const std::uint32_t place : prober.places(blocks, 1)) ++more[port_of[place]];
    for (std::size_t i = 0; i < sets.size(); ++i) more[i] -= taken[i];
    const auto next = static_cast<std::size_t>(std::ranges::max_element(more) - more.begin());
    ++taken[next];
    probe.by_placement.push_back(static_cast<int>(next));
  }
  return probe;
}

}  // namespace tasktwin::gpu
