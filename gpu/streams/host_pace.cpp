#include "gpu/streams/host_pace.hpp"

#include "gpu/quick_processor.hpp"
#include "gpu/streams/stream_kernels.hpp"

namespace tasktwin::gpu {

namespace {

constexpr const char* kWhat = "finding a processor for the host";
constexpr int kNodes = 32;
constexpr int kRounds = 2;

void settle() { check(cudaDeviceSynchronize(), kWhat); }

}  // namespace

double StreamPace::find_processor() const {
  return per_launch(move_to_quickest_processor([this] { launch_burst(); }, settle).call_ns);
}

double StreamPace::call_ns() const {
  return per_launch(median_call_ns([this] { launch_burst(); }, settle));
}

double StreamPace::per_launch(double burst_ns) {
  check(cudaGetLastError(), kWhat);
  return burst_ns / (kRounds * kStreams);
}

void StreamPace::launch_burst() const {
  for (int i = 0; i < kRounds; ++i) {
    for (const Stream& stream : streams_) launch_wide_stamp(aside_.device_address(), stream);
  }
}

GraphPace::GraphPace() {
  const CudaGraph graph;
  for (int i = 0; i < kNodes; ++i) add_origin_stamp_node(graph, aside_.device_address());
  graph_.emplace(graph);
}

void GraphPace::launch(cudaStream_t stream) const { check(cudaGraphLaunch(*graph_, stream), kWhat); }

double GraphPace::find_processor(cudaStream_t stream) const {
  return move_to_quickest_processor([&] { launch(stream); }, [&] { check(cudaStreamSynchronize(stream), kWhat); }).call_ns;
}

double GraphPace::call_ns(cudaStream_t stream) const {
  return median_call_ns([&] { launch(stream); }, [&] { check(cudaStreamSynchronize(stream), kWhat); });
}

}  // namespace tasktwin::gpu
