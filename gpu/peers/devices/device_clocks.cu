#include "gpu/peers/devices/device_clocks.hpp"

#include <algorithm>

#include "gpu/cuda/device_buffer.hpp"
#include "gpu/cuda/memory_order.cuh"
#include "gpu/cuda/on_device.hpp"
#include "gpu/cuda/stream_handle.hpp"
#include "gpu/cuda/system_word.cuh"

namespace tasktwin::gpu {

namespace {

constexpr std::uint32_t kExchanges = 200;
constexpr std::uint32_t kMostPolls = 1u << 22;  // some seconds: a device that never answers ends the comparison instead of hanging it
constexpr std::uint64_t kStep = 64;             // exchanges longer than the quickest by up to this still count

struct Exchange {
  std::uint64_t sent;
  std::uint64_t stamped;  ///< by the other device
  std::uint64_t seen;     ///< 0 where it was not
};

__device__ bool await_word(const std::uint32_t* word, std::uint32_t value) {
  for (std::uint32_t polls = 0; polls < kMostPolls; ++polls) {
    if (load_acquire_system(word) == value) return true;
  }
  return false;
}

__global__ void ask(std::uint32_t* asked, const std::uint32_t* answered, Exchange* exchanges) {
  for (std::uint32_t i = 0; i < kExchanges; ++i) {
    exchanges[i].sent = global_timer();
    store_release_system(asked, i + 1);
    if (!await_word(answered, i + 1)) return;
    exchanges[i].seen = global_timer();
  }
}

/// Stamps are in the memory of the device that asks, and are there when it sees the answer.
__global__ void answer(const std::uint32_t* asked, std::uint32_t* answered, Exchange* exchanges) {
  for (std::uint32_t i = 0; i < kExchanges; ++i) {
    if (!await_word(asked, i + 1)) return;
    exchanges[i].stamped = global_timer();
    store_release_system(answered, i + 1);
  }
}

}  // namespace

struct DeviceClocks::Side {
  Stream stream;
  DeviceBuffer<std::uint32_t> word{1, "comparing the devices' timers"};
  DeviceBuffer<Exchange> exchanges{kExchanges, "comparing the devices' timers"};
};

DeviceClocks::DeviceClocks(int devices) : ahead_ns_(static_cast<std::size_t>(devices), 0) {
  for (int device = 0; device < devices; ++device) {
    const OnDevice on(device);
    sides_.push_back(std::make_unique<Side>());
  }
}

DeviceClocks::~DeviceClocks() = default;

void DeviceClocks::compare() {
  const Side& first = *sides_.front();
  for (std::size_t device = 1; device < sides_.size(); ++device) {
    const Side& other = *sides_[device];
    check(cudaMemset(first.word.data(), 0, first.word.bytes()), "clearing GPU memory");
    check(cudaMemset(other.word.data(), 0, other.word.bytes()), "clearing GPU memory");
    check(cudaMemset(first.exchanges.data(), 0, first.exchanges.bytes()), "clearing GPU memory");
    for (std::size_t i : {std::size_t{0}, device}) {
      const OnDevice on(static_cast<int>(i));
      check(cudaDeviceSynchronize(), "clearing GPU memory");
    }
    {
      const OnDevice on(static_cast<int>(device));
      answer<<<1, 1, 0, other.stream>>>(other.word.data(), first.word.data(), first.exchanges.data());
      check(cudaGetLastError(), "comparing the devices' timers");
    }
    const OnDevice on(0);
    ask<<<1, 1, 0, first.stream>>>(other.word.data(), first.word.data(), first.exchanges.data());
    check(cudaGetLastError(), "comparing the devices' timers");
    first.stream.synchronize();
    other.stream.synchronize();

    const std::vector<Exchange> exchanges = first.exchanges.to_host("the devices' timers");
    if (std::ranges::any_of(exchanges, [](const Exchange& one) { return one.seen == 0; }))
      throw RunError("comparing the devices' timers: GPU " + std::to_string(device) + " did not answer");
    const auto took = [](const Exchange& one) { return one.seen - one.sent; };
    const std::uint64_t quickest = took(*std::ranges::min_element(exchanges, {}, took));
    double sum = 0;
    int counted = 0;
    for (const Exchange& one : exchanges) {
      if (took(one) > quickest + kStep) continue;
      const std::uint64_t middle = one.sent + took(one) / 2;
      sum += static_cast<double>(static_cast<std::int64_t>(one.stamped - middle));
      ++counted;
    }
    ahead_ns_[device] = static_cast<std::int64_t>(sum / counted);
  }
}

}  // namespace tasktwin::gpu
