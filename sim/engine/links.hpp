#pragma once

#include <cstdint>

#include "models/graph/operation.hpp"
#include "models/run/as_run.hpp"
#include "sim/engine/activities.hpp"
#include "sim/engine/calendar.hpp"

namespace tasktwin::sim {

/// The links over which bytes reach and leave the device, as SimGrid's: max-min shares of h2d or d2h and of duplex, which both
/// directions have in common, and of staging for pageable memory; p2p and memset by themselves. A flow's end between two nanoseconds
/// gives its share up at once and is reported at the next whole one.
class Links final : public EventHandler, private Activities::Owner {
 public:
  class Listener {
   public:
    virtual void flow_ended(std::uint32_t flow, TimePoint at) = 0;

   protected:
    ~Listener() = default;
  };

  /// Those of one device. Sets the bandwidths of the engine's links; those that the machine does not state no flow may use.
  Links(Calendar& calendar, const AsRun& machine, int device, Listener& listener);
  ~Links();
  Links(const Links&) = delete;
  Links& operator=(const Links&) = delete;

  /// Contract: the engine's date is now, so the calendar does not run ahead; a transfer; bytes are positive.
  void start(std::uint32_t flow, Operation operation, bool pageable, Bytes bytes);

  void handle(EventKind kind, std::uint32_t subject, TimePoint now) override;

 private:
  void activity_ended(std::uint32_t flow, double date) override;

  Calendar& calendar_;
  int device_;
  Listener& listener_;
};

}  // namespace tasktwin::sim
