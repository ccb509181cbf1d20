#pragma once

#include <cstdint>
#include <set>
#include <vector>

#include "models/machine/machine.hpp"
#include "models/program/host_program.hpp"
#include "models/program/stream_plan.hpp"
#include "models/run/timeline.hpp"
#include "sim/engine/run_context.hpp"
#include "sim/streams/followers.hpp"
#include "sim/streams/host_calls.hpp"

namespace tasktwin::sim {

/// The hardware queues that streams share: the design's, else the machine's; 0 for no limit.
int hardware_queues(const Machine& machine, const Design& design);

/// The core type of each stream's first task; of the machine's first cores where a stream has none.
std::vector<CoreType> stream_types(const TaskGraph& graph, const Machine& machine, const Design& design);

/// The pairs of launches of which the second awaits the first.
std::vector<std::pair<std::uint32_t, std::uint32_t>> awaited_pairs(const std::vector<StreamLaunch>& plan, std::size_t tasks);

/// The host under driver `streams`: a serial loop over the launches of plan_streams, from 0 on. For each: what Design::stream_wait
/// says of those it awaits, the launch, and an event record, or a host function, if it is awaited itself. The times of one task's
/// calls are rounded once, as sums.
///
/// `events`: a stream_wait each; no call waits for the device.
/// `event_sync`, `stream_sync`, `device_sync`: a call each (one for the device) that returns after sync, or sync_latency after the
/// last end it waits for, whichever is later. `event_query`: calls of sync each, until one ends no earlier than sync_latency after
/// that end. `callback`: the host launches, of the streams' next kernels whose awaited ones' host functions have all run, callback_latency
/// after their ends, the one that is first in the plan; with none it waits.
///
/// A stream holds that many launches after the one that runs (LaunchLimits::stream_launches), without the marks of allocations: the host
/// blocks in the call for a further one until the oldest has ended, and knows of it as of any end that it blocks for. Meanwhile it
/// launches nothing into other streams either.
///
/// Where there are other launches than kernels, HostCalls says what their calls do to the host, and so does a wait that has blocked
/// it. The host then keeps step with the device: it makes each call when its own time has come, and begins a replay when the
/// one before has ended.
///
/// Where a program is known that launched the tasks (WiringInputs::program), the host spends before each launch the own time that the
/// program spent, and on the launch what its call took, in place of HostCalls::launch and first_launches. What it called else is gone.
///
/// On several devices, Peers::set_device passes before a launch for another device than that of the one before.
///
/// Between two replays all streams in use meet: under `events` in that of the first launch, which waits for an event of each other
/// and of which each then awaits one; else the host blocks for the device.
class Launcher final : public EventHandler {
 public:
  class Listener {
   public:
    virtual void launched(std::uint32_t launch, TimePoint begin, TimePoint end) = 0;

   protected:
    ~Listener() = default;
  };

  /// `streams`: one more than the highest of the plan's, or more. `calls` is null where all launches are kernels.
  Launcher(const WiringInputs& inputs, const std::vector<StreamLaunch>& plan, std::uint32_t streams, Listener& listener,
           HostCalls* calls = nullptr);

  /// Begins a pass over the plan. Contract: after Calendar::begin_run; all streams have met since the last one.
  void begin();
  /// The streams meet, all kernels having ended by `now`; before the time returned none of another pass may start.
  TimePoint meet(TimePoint now);
  void kernel_ended(std::uint32_t launch, TimePoint now);

  void handle(EventKind kind, std::uint32_t subject, TimePoint now) override;

 private:
  void go_on();
  void step(TimePoint now);
  bool spend_own_time();
  Nanoseconds launch_time(std::uint32_t launch);
  bool advance(TimePoint now);
  bool wait_before(TimePoint now);
  bool make_call(TimePoint now);
  void step_later(TimePoint now);
  std::size_t waits_of(const StreamLaunch& launch) const;
  TimePoint end_of(const StreamLaunch& launch, std::size_t wait) const;
  void wait_for(TimePoint end);
  void block_for(TimePoint end);
  void call(std::uint32_t launch);
  Nanoseconds longer_at_first();
  Nanoseconds before(const StreamLaunch& launch);
  Nanoseconds awaiting(const StreamLaunch& launch) const;
  void begin_callbacks();
  void enable(std::uint32_t launch);
  void launch_next(TimePoint now);
  void be_busy(Duration time);
  void limit_streams(const WiringInputs& inputs);
  bool blocked_by_stream(std::uint32_t launch);

  Calendar& calendar_;
  Listener& listener_;
  const mechanism::Streams& stream_times_;
  const mechanism::HostCalls& host_calls_;
  const std::vector<StreamLaunch>& plan_;
  RunEvents& events_;
  DispatcherId host_;
  StreamWait how_;
  std::uint32_t streams_in_use_ = 0;
  Nanoseconds set_device_;
  std::int32_t current_device_ = 0;
  std::vector<std::uint32_t> position_;        ///< by TaskId; empty where the host waits for no task
  std::vector<std::uint32_t> last_;            ///< by stream: its latest launch
  std::vector<std::uint32_t> next_in_stream_;  ///< by launch
  Followers followers_;                        ///< under `callback`
  TimePoint now_{};                            ///< the host's own, which may be ahead of the device's
  std::vector<HostShare> shares_;              ///< by TaskId; empty without a program
  std::uint32_t next_ = 0;                     ///< launch
  std::uint32_t prepared_ = 0;                 ///< launches whose own time is spent
  int made_ = 0;                               ///< launches of this run, as far as HostCalls::kFirstLaunches
  std::size_t waited_ = 0;                     ///< for that many of those it awaits
  std::vector<TimePoint> ends_;                ///< by launch
  std::uint32_t ended_ = 0;                    ///< launches
  TimePoint last_end_{};
  std::vector<std::uint32_t> outstanding_;  ///< under `callback`: host functions still to run, and the launch before it in its stream
  std::set<std::uint32_t> ready_;           ///< likewise: launches that may be made
  bool idle_ = false;
  HostCalls* calls_;
  std::vector<std::uint32_t> previous_in_stream_;  ///< by launch; with calls_
  std::uint32_t returning_ = ~0u;                  ///< the launch whose end the host's call waits for
  bool stepping_ = false;                          ///< a step is scheduled
  std::vector<std::uint32_t> makes_room_;          ///< by launch: the one that must have ended first; empty where no stream fills up
  bool blocked_ = false;                           ///< the host waits for such an end
};

}  // namespace tasktwin::sim
