#include "gpu/cuda/device_buffer.hpp"
#include "gpu/cuda/mapped_word.hpp"
#include "gpu/host/timed_calls.hpp"
#include "gpu/probes/peer_bench.hpp"
#include "gpu/probes/peer_chains.hpp"
#include "gpu/probes/peer_probes.hpp"
#include "gpu/streams/host_pace.hpp"
#include "gpu/task_kernels/stream_kernels.hpp"

namespace tasktwin::gpu {

namespace {

constexpr int kCalls = 256;
constexpr int kRepeats = 7;
constexpr const char* kWhat = "launching a probe";

/// The host's time a call of `count` that `make` makes, into streams that a kernel keeps busy meanwhile.
template <class Make>
double per_call(const PeerBench& bench, int count, Make make) {
  std::vector<double> times;
  for (int repeat = 0; repeat < kRepeats; ++repeat) {
    for (int device = 0; device < bench.devices(); ++device) {
      const OnDevice on(device);
      launch_hold(Duration{3'000'000}, bench.stream(device));
    }
    times.push_back(host_time_ns([&] { make(); }) / count);
    bench.synchronize();
  }
  check(cudaGetLastError(), kWhat);
  return median(times);
}

PeerCalls::GraphLaunch graph_launch(const PeerBench& bench, DevicePair pair, int nodes, const MappedWord& aside) {
  PeerCalls::GraphLaunch found{.nodes = nodes, .devices = pair.from == pair.to ? 1 : 2};
  const OnDevice on(pair.from);
  const CudaGraph graph = chain_of_stamps(pair, nodes, aside.device_address());
  const ExecutableGraph executable(graph);
  const cudaStream_t stream = bench.stream(pair.from);
  check(cudaGraphUpload(executable, stream), "uploading a graph");
  std::vector<double> calls;
  std::vector<double> makespans;
  for (int repeat = 0; repeat < 3 * kRepeats; ++repeat) {
    bench.synchronize();
    makespans.push_back(host_time_ns([&] {
      calls.push_back(host_time_ns([&] { check(cudaGraphLaunch(executable, stream), "launching a graph"); }));
      check(cudaStreamSynchronize(stream), "running a graph");
    }));
  }
  found.launch_ns = median(calls);
  found.makespan_ns = median(makespans);
  return found;
}

}  // namespace

PeerCalls probe_peer_calls(int devices) {
  const PeerBench bench(devices, 2);
  const StreamPace pace;
  const double pace_before = pace.find_processor();
  const MappedWord aside;
  const DevicePair pair{0, 1};
  PeerCalls calls;
  const auto launch = [&](int device) { launch_wide_stamp(aside.device_address(), bench.stream(device)); };
  const OnDevice first(pair.from);
  calls.launch_ns = per_call(bench, kCalls, [&] {
    for (int i = 0; i < kCalls; ++i) launch(pair.from);
  });
  calls.launch_by_turns_ns = per_call(bench, kCalls, [&] {
    for (int i = 0; i < kCalls; ++i) {
      const int device = i % 2 == 0 ? pair.from : pair.to;
      check(cudaSetDevice(device), "choosing a device");
      launch(device);
    }
  });
  check(cudaSetDevice(pair.from), "choosing a device");
  for (const DevicePair way : {DevicePair{0, 0}, pair}) {
    for (const int nodes : {2, 16, 128, 512}) calls.graphs.push_back(graph_launch(bench, way, nodes, aside));
  }
  calls.pace_ns = (pace_before + pace.call_ns()) / 2;
  return calls;
}

}  // namespace tasktwin::gpu
