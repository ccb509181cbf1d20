#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "models/program/stream_plan.hpp"
#include "sim/engine/run_context.hpp"
#include "sim/host/host_calls.hpp"

namespace tasktwin::sim {

/// A thread of the host under driver `streams`: a serial loop over the launches of a plan, from 0 on. For each: what Design::stream_wait
/// says of those it awaits, the launch, and an event record, or a host function, if it is awaited itself. The times of one task's
/// calls are rounded once, as sums.
///
/// Which launch is next, and when the host looks for it, is one of three kinds (host_parts.hpp); what all of them share is HostParts.
class Launcher {
 public:
  class Listener {
   public:
    virtual void launched(std::uint32_t launch, TimePoint begin, TimePoint end) = 0;

   protected:
    ~Listener() = default;
  };

  virtual ~Launcher() = default;

  /// Begins a pass over the plan. Contract: after Calendar::begin_run; all streams have met since the last one.
  virtual void begin() = 0;
  /// The streams meet, all kernels having ended by `now`; before the time returned none of another pass may start.
  virtual TimePoint meet(TimePoint now) = 0;
  virtual void kernel_ended(std::uint32_t launch, TimePoint now) = 0;
};

/// Launches are known by their place in `plan`; `calls` is null where all launches are kernels.
std::unique_ptr<Launcher> make_launcher(const WiringInputs& inputs, const std::vector<StreamLaunch>& plan, Launcher::Listener& listener,
                                        HostCalls* calls);

}  // namespace tasktwin::sim
