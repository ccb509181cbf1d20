#pragma once

#include <array>
#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <thread>
#include <utility>
#include <vector>

#include <simgrid/s4u/Engine.hpp>
#include <simgrid/s4u/Host.hpp>
#include <simgrid/s4u/Link.hpp>

#include "sim/engine/activities.hpp"
#include "sim/engine/calendar.hpp"
#include "sim/engine/peer_network.hpp"

namespace tasktwin::sim {

/// What is connected by links.
enum class LinkEnd : std::uint8_t { kPinnedMemory, kPageableMemory, kDevice, kPeer, kZeroes };
inline constexpr std::size_t kLinkEndCount = 5;

/// A link by what it carries. Copies from or to pageable memory go through staging as well; both directions between the host and the
/// device go through duplex.
enum class LinkName : std::uint8_t { kH2d, kD2h, kDuplex, kP2p, kStaging, kMemset };
inline constexpr std::size_t kLinkCount = 6;

/// SimGrid's engine, which a process can have only one of, with the calendar among its models. Made on first use and used
/// again for each run: its clock continues, and a run's times count from its present value. Contract: its user has the turn.
class Platform {
 public:
  static Platform& instance();

  /// One thread's use of the platform, from construction to destruction.
  class Turn {
   public:
    /// Waits for the turn of another thread to end, and meanwhile asks `interrupted`. Throws RunError where that says true, and where
    /// this thread has its turn already: a simulation cannot start another.
    Turn(Platform& platform, const std::function<bool()>& interrupted);
    ~Turn();
    Turn(const Turn&) = delete;
    Turn& operator=(const Turn&) = delete;

   private:
    Platform& platform_;
    std::unique_lock<std::timed_mutex> lock_;
    simgrid::kernel::context::Context* before_ = nullptr;  ///< this thread's
  };

  simgrid::s4u::Engine& engine() { return *engine_; }
  Calendar& calendar() { return *calendar_; }
  Activities& activities() { return *activities_; }

  simgrid::s4u::Host* end(LinkEnd end, int device = 0) const { return host_links(device).ends[static_cast<std::size_t>(end)]; }
  /// Of a device: each has links of its own to its host. Its bandwidth is to be set again in each run.
  simgrid::s4u::Link* link(LinkName name, int device = 0) const { return host_links(device).links[static_cast<std::size_t>(name)]; }
  /// Lets there be end() and link() of that many devices.
  void have_devices(int count);
  /// The links between the machine's devices, which are kept for later runs, with the bandwidths of this one.
  PeerNetwork& network(const AsRun& machine);
  /// One unit of work a nanosecond, shared equally by all executions that no bound holds lower.
  simgrid::s4u::Host* shared_memory() const { return shared_memory_; }

  /// Runs the engine until nothing is left to happen. Returns the wall time of that, in seconds. What is in flight when a part throws
  /// is cancelled.
  double run();

 private:
  Platform();
  struct HostLinks {
    std::array<simgrid::s4u::Host*, kLinkEndCount> ends{};
    std::array<simgrid::s4u::Link*, kLinkCount> links{};
  };

  const HostLinks& host_links(int device) const { return host_links_[static_cast<std::size_t>(device)]; }
  static HostLinks make_links(simgrid::s4u::NetZone& zone, const std::string& suffix);

  std::unique_ptr<simgrid::s4u::Engine> engine_;
  simgrid::kernel::context::Context* context_ = nullptr;  ///< the engine's own, which it looks for by thread
  std::shared_ptr<Calendar> calendar_;
  std::unique_ptr<Activities> activities_;
  std::timed_mutex mutex_;  ///< whose turn it is
  std::atomic<std::thread::id> taken_by_;
  simgrid::s4u::NetZone* zone_ = nullptr;
  std::vector<HostLinks> host_links_;  ///< by device
  std::vector<std::pair<Devices, std::unique_ptr<PeerNetwork>>> networks_;
  simgrid::s4u::Host* shared_memory_ = nullptr;
};

}  // namespace tasktwin::sim
