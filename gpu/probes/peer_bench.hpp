#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "gpu/cuda/on_device.hpp"
#include "gpu/cuda/stream_handle.hpp"
#include "gpu/operations/timed_events.hpp"
#include "models/base/units.hpp"

namespace tasktwin::gpu {

/// Streams on several devices whose work begins together: after a kernel that outlasts the calls that put it there.
class PeerBench {
 public:
  explicit PeerBench(int devices, int streams_each = 1);

  int devices() const { return static_cast<int>(lanes_.size()); }
  cudaStream_t stream(int device, int number = 0) const { return lanes_[at(device)].streams[at(number)]; }
  void synchronize() const;

  /// From the end of that kernel, on `first`, to the end of all that `submit` puts into the first that many streams of the devices; on
  /// `first`'s clock. `submit` is called again where its calls took longer than the kernel.
  double behind_gate(int first, int streams, const std::function<void()>& submit) const;

  /// What each of `count` adds to a run of as many before it, median of a few; submit(n) puts n of them into the streams.
  double each(int first, int streams, int count, const std::function<void(int)>& submit) const;

 private:
  struct Lane {
    std::vector<Stream> streams;
    std::vector<Event> joins;
    TimedEvent begin;
    TimedEvent end;
  };
  static std::size_t at(int number) { return static_cast<std::size_t>(number); }

  std::vector<Lane> lanes_;
};

/// A kernel of one thread that runs for `time`. Errors are those of cudaGetLastError.
void launch_hold(Duration time, cudaStream_t stream);

}  // namespace tasktwin::gpu
