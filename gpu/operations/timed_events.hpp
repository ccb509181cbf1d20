#pragma once

#include <cstdint>
#include <utility>

#include "gpu/cuda/cuda_error.hpp"
#include "gpu/cuda/device_buffer.hpp"
#include "gpu/operations/host_function.hpp"

namespace tasktwin::gpu {

/// An event that takes the device's time.
class TimedEvent {
 public:
  TimedEvent() { check(cudaEventCreateWithFlags(&event_, cudaEventDefault), "creating an event"); }
  ~TimedEvent() {
    if (event_) static_cast<void>(cudaEventDestroy(event_));
  }
  TimedEvent(TimedEvent&& other) noexcept : event_(std::exchange(other.event_, nullptr)) {}
  TimedEvent& operator=(TimedEvent&&) = delete;

  operator cudaEvent_t() const { return event_; }
  void record(cudaStream_t stream) const { check(cudaEventRecord(event_, stream), "recording an event"); }
  /// In a stream that is being captured: as a node of the graph that takes the time at each launch.
  void record_in_graph(cudaStream_t stream) const {
    check(cudaEventRecordWithFlags(event_, stream, cudaEventRecordExternal), "recording an event in a graph");
  }

 private:
  cudaEvent_t event_ = nullptr;
};

/// Nanoseconds from one event to another. Contract: both are recorded and have come.
double ns_between(cudaEvent_t from, cudaEvent_t to);

/// Events on the clock of kernels' stamps: a stamp that lies between two events tells what an event's time is there. Right to half of what
/// lies between the two, about a microsecond, the same for all events of a run. A function of the host holds the stream back until all
/// are queued, so that no more lies between them than the device takes.
class EventClock {
 public:
  EventClock() = default;
  EventClock(const EventClock&) = delete;
  EventClock& operator=(const EventClock&) = delete;

  /// To be called before a run, for CUDA says how far apart events are in single precision. Waits for the stream.
  void set(cudaStream_t stream);
  /// Contract: set() and the event have come.
  std::uint64_t stamp(cudaEvent_t event) const;

 private:
  static constexpr std::size_t kTries = 8;       // of which the narrowest is taken
  static constexpr Duration kHeldBack{200'000};  // longer than their calls take

  struct Try {
    TimedEvent before;
    TimedEvent after;
  };

  std::uint32_t held_back_ = 0;
  HostFunction gate_{.time = kHeldBack, .mark = 1, .done = &held_back_};
  Try tries_[kTries];
  DeviceBuffer<std::uint64_t> stamps_{kTries, "the events' clock"};
  std::size_t best_ = 0;
  double before_stamp_ = 0;  ///< the stamp on the events' clock: ns after the best try's first event
  std::uint64_t stamp_ = 0;
};

}  // namespace tasktwin::gpu
