#pragma once

#include <cstdint>
#include <vector>

#include "sim/launcher.hpp"
#include "sim/wirings.hpp"

namespace tasktwin::sim {

/// When each launch may be handed over to the device: at the latest of its call's begin + launch_latency, the end of the
/// kernel before it in its stream + stream_gap, the end of each kernel that its stream awaits + event_gap, and the hand-over of
/// the launch before it in its hardware queue.
///
/// Stream s goes through hardware queue s modulo their number. A queue holds waits and kernels in the host's order and hands
/// over its head only: what stands behind a kernel that cannot yet be handed over waits with it, needed or not, the false
/// dependency that Fermi's one queue had and that Kepler's 32 (Hyper-Q) avoid up to 32 streams (NVIDIA, "Kepler GK110", 2012;
/// Amert et al., "GPU Scheduling on the NVIDIA TX2: Hidden Details Revealed", RTSS 2017). Assumed: handing over takes no time of
/// its own, a queue is never full, and the waits of a launch reach it together with the launch.
class LaunchWaits {
 public:
  /// Events of kind kStartable, one for each launch, go to `handler`.
  LaunchWaits(const WiringInputs& inputs, const HostProgram& program, EventHandler& handler);

  /// Schedules the launches that wait for nothing but the host. Contract: once, after Calendar::begin_run.
  void begin();
  void handed_over(std::uint32_t launch, TimePoint now);
  void ended(std::uint32_t launch, TimePoint now);

 private:
  static constexpr std::uint32_t kNoLaunch = ~0u;

  struct Launch {
    TimePoint startable{};                     ///< as far as known
    std::uint32_t waits = 0;                   ///< signals still to come
    std::uint32_t next_in_stream = kNoLaunch;  ///< signalled at its end
    std::uint32_t next_in_queue = kNoLaunch;   ///< signalled at its hand-over; none where each stream has its own queue
    std::uint32_t awaiting_begin = 0;          ///< where in awaiting_ those that await its event begin
    std::uint32_t awaiting_end = 0;
  };

  void line_up(const std::vector<StreamLaunch>& launches, std::uint32_t lines, std::uint32_t Launch::*next);
  void await_events(const std::vector<StreamLaunch>& launches, std::size_t tasks);
  void signal(std::uint32_t launch, TimePoint at);

  Calendar& calendar_;
  EventHandler& handler_;
  Duration stream_gap_;
  Duration event_gap_;
  std::vector<Launch> launches_;
  std::vector<std::uint32_t> awaiting_;
};

}  // namespace tasktwin::sim
