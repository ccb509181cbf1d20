#include "gpu/probes/peer_bench.hpp"

#include "gpu/cuda/memory_order.cuh"
#include "gpu/host/timed_calls.hpp"

namespace tasktwin::gpu {

namespace {

constexpr int kRepeats = 5;
constexpr Duration kGateTime{2'000'000};
constexpr Duration kLongestGate{200'000'000};

__global__ void hold(std::uint64_t ns) {
  const std::uint64_t begin = global_timer();
  while (global_timer() - begin < ns) {
  }
}

}  // namespace

void launch_hold(Duration time, cudaStream_t stream) { hold<<<1, 1, 0, stream>>>(static_cast<std::uint64_t>(time.count())); }

PeerBench::PeerBench(int devices, int streams_each) {
  for (int device = 0; device < devices; ++device) {
    const OnDevice on(device);
    Lane& lane = lanes_.emplace_back();
    lane.streams.resize(at(streams_each));
    lane.joins.resize(at(streams_each));
  }
}

void PeerBench::synchronize() const {
  for (int device = 0; device < devices(); ++device) {
    const OnDevice on(device);
    check(cudaDeviceSynchronize(), "waiting for the GPU");
  }
}

double PeerBench::behind_gate(int first, int streams, const std::function<void()>& submit) const {
  const Lane& lane = lanes_[at(first)];
  const cudaStream_t front = lane.streams.front();
  const auto for_others = [&](auto&& visit) {
    for (int device = 0; device < devices(); ++device) {
      for (int number = 0; number < streams; ++number) {
        if (device == first && number == 0) continue;
        const OnDevice on(device);
        visit(stream(device, number), lanes_[at(device)].joins[at(number)]);
      }
    }
  };
  for (Duration gate = kGateTime;; gate *= 4) {
    {
      const OnDevice on(first);
      launch_hold(gate, front);
      check(cudaGetLastError(), "launching a probe");
      lane.begin.record(front);
    }
    for_others([&](cudaStream_t other, cudaEvent_t) { check(cudaStreamWaitEvent(other, lane.begin, 0), "waiting for an event"); });
    submit();
    const bool in_time = cudaEventQuery(lane.begin) == cudaErrorNotReady;
    for_others([&](cudaStream_t other, cudaEvent_t join) {
      check(cudaEventRecord(join, other), "recording an event");
      check(cudaStreamWaitEvent(front, join, 0), "waiting for an event");
    });
    {
      const OnDevice on(first);
      lane.end.record(front);
    }
    check(cudaStreamSynchronize(front), "running a probe");
    if (in_time) return ns_between(lane.begin, lane.end);
    if (gate >= kLongestGate)
      throw RunError("probing several GPUs: the host's calls took longer than " + std::to_string(gate.count()) + " ns");
  }
}

double PeerBench::each(int first, int streams, int count, const std::function<void(int)>& submit) const {
  const auto timed = [&](int some) {
    std::vector<double> times;
    for (int repeat = 0; repeat < kRepeats; ++repeat) times.push_back(behind_gate(first, streams, [&] { submit(some); }));
    return median(times);
  };
  timed(1);  // what a first call loads
  const double short_run = timed(count);
  return std::max(0.0, (timed(2 * count) - short_run) / count);
}

}  // namespace tasktwin::gpu
