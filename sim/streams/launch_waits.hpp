#pragma once

#include <cstdint>
#include <vector>

#include "models/machine/machine.hpp"
#include "models/program/stream_plan.hpp"
#include "sim/engine/calendar.hpp"
#include "sim/host/followers.hpp"

namespace tasktwin::sim {

/// The hardware queues that streams share: the design's, else the machine's; 0 for no limit.
int hardware_queues(const LaunchLimits& limits, const Design& design);

/// By launch: what the bytes of a kernel take at all of the memory's bandwidth; empty where Streams::loaded_queue is 0.
std::vector<Duration> drawing_times(const TaskGraph& graph, const Machine& machine, const std::vector<StreamLaunch>& plan);

/// What a launch is to the device.
enum class LaunchItem : std::uint8_t {
  kKernel,   ///< or a memset, which the driver makes a kernel of
  kCopyH2d,  ///< each direction is another engine's
  kCopyD2h,
  kCopyP2p,
  kMark,  ///< takes no time: an allocation or a free, which the host has made
  kHost,  ///< a function of the host
  kRank,  ///< of a collective: a kernel that the library puts behind an event of its own
};

/// What kernels wait for on the device, and how long it takes to reach them.
struct WaitRules {
  std::uint32_t streams = 0;            ///< of all devices
  std::uint32_t devices = 1;            ///< each with as many streams
  std::uint32_t queues = 0;             ///< hardware queues of a device; 0 for one a stream
  bool awaits = true;                   ///< whether a stream waits for those its launches await; else the host has
  bool barrier = false;                 ///< stream 0 waits for all launched before, and all launched later wait for it
  Duration latency{};                   ///< host's call begun → kernel starts
  Duration stream_gap{};                ///< kernel ends → next one of its stream starts
  Duration programmatic_gap{};          ///< likewise, where that one is programmatic
  Duration event_gap{};                 ///< kernel ends → one that awaits it starts
  Nanoseconds waiting_queue{};          ///< added to that by each other hardware queue that waits for an event
  Nanoseconds queue_turns{};            ///< added to that where more than two hardware queues do
  Nanoseconds loaded_queue{};           ///< added to waiting_queue where the kernel drew all of the memory's bandwidth
  std::vector<Duration> drawing{};      ///< by launch: what its bytes take at that bandwidth; empty where loaded_queue is 0
  Duration event_hop{};                 ///< kernel ends → one of another device that awaits it starts
  Duration copy_hop{};                  ///< in place of that, after a copy
  std::vector<std::uint32_t> graphs{};  ///< by launch: which graph it is a node of, from 1 on, or 0; empty where none is
  Duration graph_gap{};                 ///< in place of stream_gap and event_gap, between two nodes of one graph
  Duration memset_gap{};                ///< in place of graph_gap, after a memset for what is none: an engine of copies has set the bytes
  std::vector<bool> memsets{};          ///< by launch; empty where there are none
  Duration function_latency{};          ///< added to stream_gap after a kernel that records an event: what the host's function takes
  std::vector<LaunchItem> items{};      ///< by launch; empty where all are kernels
  Duration copy_latency{};              ///< in place of latency, for a copy
  Duration peer_latency{};              ///< in place of that, for a copy to another device
  Duration copy_gap{};                  ///< in place of stream_gap, between two copies of one direction
  Duration peer_gap{};                  ///< in place of that, between two copies to other devices
  Duration engine_gap{};                ///< in place of stream_gap and event_gap, after a copy for what is no copy in its direction
};

/// When each launch may be handed over to the device: at the latest of its call's begin + latency, the end of the
/// kernel before it in its stream + stream_gap, the end of each kernel that its stream awaits + event_gap, and the hand-over of
/// the launch before it in its hardware queue.
///
/// A rank of a collective comes behind the next kernel in the stream of one that it awaits, where both can be handed over then: the library
/// lets it wait for an event of its own besides.
///
/// One that is launched programmatically is handed over as soon as the kernel before it in its stream has come to its trigger, and waits on
/// the device.
///
/// The device looks at the hardware queues that wait for events in turn, so that one sees its event the later, the more of them there are:
/// in the mean by waiting_queue for each other; two it looks at side by side. Behind a kernel that drew much of the memory's bandwidth each
/// look takes longer: observed, its cause is not known.
///
/// A mark and a function of the host are reached at once by what they wait for, and what is after a mark waits for what is before it.
///
/// Engines do not signal ends to each other: one whose next task waits for another's polls. A kernel after a copy is handed
/// over engine_gap after it; of kernels several wait side by side. A copy is handed over when what it waits for ends, and its engine,
/// which looks for one at a time, takes it later (turns, CopyEngines).
///
/// Stream s of a device goes through its hardware queue s modulo their number. A queue holds waits and kernels in the host's order and
/// hands over its head only: launches after a kernel that cannot yet be handed over wait with it, needed or not, the false dependency
/// that Fermi's one queue had and that Kepler's 32 (Hyper-Q) avoid up to 32 streams (NVIDIA, "Kepler GK110", 2012; Amert et al., "GPU
/// Scheduling on the NVIDIA TX2: Hidden Details Revealed", RTSS 2017). Assumed: handing over takes no time of its own, and the waits of a
/// launch reach it together with the launch. Copies have queues of their own, one a direction: with one connection a copy was seen to
/// start while a kernel launched before it, in another stream, could not.
class LaunchWaits {
 public:
  /// Events of kind kStartable, one for each launch, go to `handler`, and of kind kComes for those that are programmatic.
  LaunchWaits(Calendar& calendar, const std::vector<StreamLaunch>& plan, WaitRules rules, EventHandler& handler);

  /// All launches again, none before `gate`.
  void begin(TimePoint gate);
  /// The host's call; for a mark, its end. Contract: once a launch, after begin().
  void launched(std::uint32_t launch, TimePoint begin);
  void handed_over(std::uint32_t launch, TimePoint now);
  /// Its first body begins.
  void begun(std::uint32_t launch, TimePoint now) { launches_[launch].begun = now; }
  void ended(std::uint32_t launch, TimePoint now);
  /// Contract: the next in its stream is programmatic; before ended().
  void triggered(std::uint32_t launch, TimePoint now);
  /// Whether all that keeps a programmatic one from coming is known to be over.
  bool may_come(std::uint32_t launch) const { return launches_[launch].comes_after == 0; }
  /// Whether the next in its stream is.
  bool has_early_follower(std::uint32_t launch) const {
    const std::uint32_t next = launches_[launch].next_in_stream;
    return next != kNoLaunch && launches_[next].programmatic;
  }
  /// Whether a copy was called for while it had to wait for what is not its engine's.
  bool turns(std::uint32_t launch) const { return launches_[launch].other_engine && launches_[launch].held; }

 private:
  static constexpr std::uint32_t kNoLaunch = ~0u;

  struct Launch {
    TimePoint startable{};        ///< as far as known
    std::uint32_t waits = 0;      ///< signals still to come
    std::uint32_t all_waits = 1;  ///< from the beginning; the host's call is one
    TimePoint begun{};
    TimePoint comes{};                         ///< where it is programmatic: when it may come, as far as known
    std::uint32_t comes_after = 0;             ///< signals for that still to come
    std::uint32_t events = 0;                  ///< of those still to come, ends of others that its stream awaits
    std::uint32_t all_events = 0;              ///< from the beginning
    std::uint32_t queue = 0;                   ///< its hardware queue
    std::uint32_t next_in_stream = kNoLaunch;  ///< signalled at its end
    std::uint32_t next_in_queue = kNoLaunch;   ///< signalled at its hand-over; none where each stream has its own queue
    Duration gap{};                            ///< to the next in its stream
    std::int32_t device = 0;
    LaunchItem engine{};        ///< its item; of a mark, that of what is before it
    bool other_engine = false;  ///< a copy, and something that it waits for is not in its direction
    bool held = false;          ///< it had to wait for something when the host called for it
    bool programmatic = false;
    bool awaits = false;  ///< called, it is in its queue and waits for events
  };

  void follow_streams(const std::vector<StreamLaunch>& plan);
  void share_queues(const std::vector<StreamLaunch>& plan);
  LaunchItem item(std::uint32_t launch) const { return rules_.items.empty() ? LaunchItem::kKernel : rules_.items[launch]; }
  Duration gap(LaunchItem first, LaunchItem then, bool programmatic) const;
  Duration event_gap(std::uint32_t first, std::uint32_t then, TimePoint now) const;
  Duration node_gap(std::uint32_t first, std::uint32_t then) const;
  bool in_one_graph(std::uint32_t first, std::uint32_t then) const;
  void set_engines(const std::vector<StreamLaunch>& plan);
  void set_gaps(const std::vector<StreamLaunch>& plan);
  void await_ends(const std::vector<StreamLaunch>& plan);
  /// By how much later launch `then` sees an event of `first`, which ends, for other queues that wait.
  Duration behind_others(std::uint32_t first, std::uint32_t then, TimePoint now) const;
  /// Of the memory's bandwidth, while it ran.
  double drawn_share(std::uint32_t launch, TimePoint ended) const;
  void event_came(Launch& launch);
  void signal(std::uint32_t launch, TimePoint at);
  void signal_coming(std::uint32_t launch, TimePoint at);

  Calendar& calendar_;
  EventHandler& handler_;
  WaitRules rules_;
  std::vector<Launch> launches_;
  Followers awaiting_;
  std::vector<std::uint32_t> awaiting_in_;     ///< by hardware queue: its launches that wait for events
  std::vector<std::uint32_t> queues_waiting_;  ///< by device: its queues that have such
};

}  // namespace tasktwin::sim
