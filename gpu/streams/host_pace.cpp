#include "gpu/streams/host_pace.hpp"

#include <algorithm>
#include <chrono>
#include <functional>

#include "gpu/host/quick_processor.hpp"
#include "gpu/task_kernels/stream_kernels.hpp"

namespace tasktwin::gpu {

namespace {

constexpr const char* kWhat = "finding a processor for the host";
constexpr int kNodes = 32;
constexpr int kRounds = 2;

void settle() { check(cudaDeviceSynchronize(), kWhat); }

/// What this process has seen of a call.
struct Search {
  double quickest_ns = 0;
  std::chrono::steady_clock::time_point last{};
};

/// Looks for a processor, which takes a tenth of a second, only where the call takes longer by a tenth than it has in this process, and not
/// twice within a second.
double find_where_slower(const std::function<void()>& call, const std::function<void()>& settle, Search& search) {
  constexpr double kNearlyAsQuick = 1.1;
  constexpr auto kApart = std::chrono::seconds(1);
  const auto now = std::chrono::steady_clock::now();
  if (search.quickest_ns > 0 && now - search.last < kApart) return median_call_ns(call, settle);
  search.last = now;
  const double found = move_to_quickest_processor(call, settle, kNearlyAsQuick * search.quickest_ns).call_ns;
  search.quickest_ns = search.quickest_ns > 0 ? std::min(search.quickest_ns, found) : found;
  return found;
}

}  // namespace

double StreamPace::find_processor() const {
  static Search search;
  return per_launch(find_where_slower([this] { launch_burst(); }, settle, search));
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
  static Search search;
  return find_where_slower([&] { launch(stream); }, [&] { check(cudaStreamSynchronize(stream), kWhat); }, search);
}

double GraphPace::call_ns(cudaStream_t stream) const {
  return median_call_ns([&] { launch(stream); }, [&] { check(cudaStreamSynchronize(stream), kWhat); });
}

}  // namespace tasktwin::gpu
