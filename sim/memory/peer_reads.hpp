#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include <simgrid/s4u/Activity.hpp>

#include "models/run/as_run.hpp"
#include "sim/engine/activities.hpp"
#include "sim/engine/calendar.hpp"
#include "sim/engine/peer_network.hpp"

namespace tasktwin::sim {

/// What blocks of one device read of other devices' memory. All that they read of one device is one flow: it gets a max-min share of the
/// links on its way beside copies, collectives and the reads of other devices, and no more than peers.read_bandwidth. Within it each
/// block reads at the same part of the rate that it has alone, so that each ends when its time alone has passed on the flow's clock, as
/// in MemoryBandwidth. Ends lie between nanoseconds; they are reported at the next whole one, and what passes until then is made up.
class PeerReads final : public EventHandler, private Activities::Owner {
 public:
  class Listener {
   public:
    /// Of one start().
    virtual void peer_read_ended(std::uint32_t block, TimePoint now) = 0;

   protected:
    ~Listener() = default;
  };

  PeerReads(Calendar& calendar, const AsRun& machine, int device, Listener& listener);
  ~PeerReads();
  PeerReads(const PeerReads&) = delete;
  PeerReads& operator=(const PeerReads&) = delete;

  /// A block's equal part, of `blocks`, of the bytes of each device, side by side: each at that part of the block's rate that its bytes are
  /// of all. The listener is told of each device. Contract: the engine's date is now, so the calendar does not run ahead; bytes are
  /// positive.
  void start(std::uint32_t block, const std::map<int, std::int64_t>& bytes, int blocks, TimePoint now);

  void handle(EventKind kind, std::uint32_t source, TimePoint now) override;

 private:
  struct Read {
    double end = 0;  ///< on its flow's clock
    double rate = 0;
    std::uint32_t block = 0;
  };
  /// From one device.
  struct Flow {
    std::vector<Read> reads;
    double clock = 0;                       ///< ns that each has read as if alone
    double next = 0;                        ///< the clock at the end of what is in flight
    double rates = 0;                       ///< of all that read, as it began
    double payload = 0;                     ///< bytes in flight
    double begun = 0;                       ///< the engine's date
    simgrid::s4u::ActivityPtr in_flight{};  ///< null while none is
    bool pausing = false;                   ///< it goes on within this nanosecond, or at the next whole one
    double since = 0;                       ///< the engine's date from which it has, at the pace that it had
    double pace = 0;
  };

  void start(std::uint32_t block, int source, double bytes, double rate, TimePoint now);
  void activity_ended(std::uint32_t source, double date) override;
  void interrupt(Flow& flow);
  void pause(int source, Flow& flow, double pace, TimePoint until);
  void go_on(int source, Flow& flow);

  Calendar& calendar_;
  const AsRun& machine_;
  int device_;
  Listener& listener_;
  PeerNetwork& network_;
  std::map<int, Flow> flows_;  ///< by source
};

}  // namespace tasktwin::sim
