#include <algorithm>
#include <string>

#include "verify/calibration/calibration.hpp"
#include "verify/calibration/fit.hpp"
#include "verify/calibration/micro_graphs.hpp"

namespace tasktwin::verify {

namespace {

using namespace std::chrono_literals;

constexpr int kChainLength = 200;

/// Along a chain across two streams under `how`, from each kernel's end to the host going on, trimmed mean in ns.
Estimate end_to_host(Calibration& calibration, StreamWait how) {
  Design design = named_design("cuda-streams");
  design.streams = 2;
  design.stream_wait = how;
  const std::string what = "a host that waits by " + std::string(to_word(how));
  const Timeline timeline = calibration.run(what, chain_graph(kChainLength, 20us), design, 3).timeline;
  const std::vector<Span>& busy = timeline.dispatchers.front();  // the host waits before every launch but the first
  std::vector<double> times;
  for (std::size_t i = 1; i < std::min(busy.size(), timeline.tasks.size()); ++i)
    times.push_back(ns(busy[i].begin - timeline.tasks[i - 1].ended));
  return trimmed_mean(times);
}

}  // namespace

void calibrate_host_waits(Calibration& calibration) {
  const gpu::HostCallTimes calls = calibration.host_calls();
  const double syncs[] = {calls.event_sync_ns, calls.stream_sync_ns, calls.device_sync_ns};
  const StreamWait ways[] = {StreamWait::kEventSync, StreamWait::kStreamSync, StreamWait::kDeviceSync};
  double call = 0;
  double latency = 0;
  for (std::size_t i = 0; i < std::size(ways); ++i) {
    const double known = end_to_host(calibration, ways[i]);
    calibration.keep_sample("host_calls.sync_ns", std::string(to_word(ways[i])), syncs[i]);
    calibration.keep_sample("host_calls.sync_latency_ns", std::string(to_word(ways[i])), known);
    call += syncs[i] / std::size(ways);
    latency += known / std::size(ways);
  }
  calibration.set("host_calls.sync_ns", call, "calls that block for an event, a stream and a device with nothing to do, mean");
  calibration.set("host_calls.sync_latency_ns", latency,
                  "ended to the host's next call along a chain of 20 us kernels, blocking for event, stream and device, mean");
  calibration.set("host_calls.event_query_ns", calls.event_query_ns, "calls that ask for an event that is still to come");
  calibration.set("host_calls.callback_ns", calls.host_function_ns, "calls that put a host function into a stream");
  calibration.set("host_calls.callback_latency_ns", end_to_host(calibration, StreamWait::kCallback),
                  "ended to the host's next call along a chain of 20 us kernels with host functions");
}

}  // namespace tasktwin::verify
