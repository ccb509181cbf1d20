#pragma once

#include <optional>
#include <span>

#include "models/body_cost.hpp"
#include "models/ids.hpp"
#include "sim/memory_bandwidth.hpp"

namespace tasktwin::sim {

/// Runs task bodies: a body that starts at s ends at max(end of its flow of bytes, s + fixed) + overhead.
class Bodies final : public EventHandler, private MemoryBandwidth::Listener {
 public:
  class Listener {
   public:
    /// `end` is now or later.
    virtual void body_ended(TaskId task, TimePoint end) = 0;

   protected:
    ~Listener() = default;
  };

  /// `costs` by TaskId. Where the machine states no bandwidth, bytes cost nothing (as in BodyCost::alone).
  Bodies(Calendar& calendar, const Constants& constants, std::span<const BodyCost> costs, Listener& listener);

  /// Returns the body's end where it does not depend on other bodies; otherwise kAbsent, and the listener is told.
  TimePoint start(TaskId task, TimePoint at);

  void handle(EventKind kind, std::uint32_t subject, TimePoint now) override;

 private:
  void flow_ended(std::uint32_t flow, TimePoint at) override;

  Calendar& calendar_;
  std::span<const BodyCost> costs_;
  Listener& listener_;
  std::optional<MemoryBandwidth> memory_;
  std::vector<TimePoint> starts_;  ///< by TaskId, of bodies with bytes; empty where there are none
};

}  // namespace tasktwin::sim
