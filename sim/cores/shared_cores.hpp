#pragma once

#include <cstdint>
#include <vector>

#include "models/base/ids.hpp"
#include "models/base/units.hpp"
#include "sim/engine/calendar.hpp"

namespace tasktwin::sim {

/// What a body takes of what the blocks on its core share, of what one core has; 0 where it takes nothing and waits for nobody.
struct BodyShare {
  double issue = 0;    ///< of the slots in which instructions are issued
  double reading = 0;  ///< of the bandwidth that one core draws
};

/// Bodies of blocks that stand on one core beside each other. Each gets on as alone until shares of something that it takes add up to more
/// than one; then all that take it get on slower by that: docs/model/shared_cores.md.
class SharedCores final : public EventHandler {
 public:
  class Listener {
   public:
    /// Its work is done; it keeps its share until leave(). `at` is now.
    virtual void work_done(std::uint32_t runner, TimePoint at) = 0;
    /// From `now` on it gets on at this part of its pace alone.
    virtual void pace_changed(std::uint32_t runner, double pace, TimePoint now) = 0;

   protected:
    ~Listener() = default;
  };

  SharedCores(Calendar& calendar, std::size_t cores, Listener& listener) : calendar_(calendar), listener_(listener), cores_(cores) {}

  /// `work`: what it takes alone. Contract, here and below: in the order of `now`; a runner has one body at a time.
  void arrive(std::uint32_t runner, CoreId core, const BodyShare& share, Duration work, TimePoint now);
  void leave(std::uint32_t runner, CoreId core, TimePoint now);

  void handle(EventKind kind, std::uint32_t core, TimePoint now) override;

 private:
  struct Body {
    std::uint32_t runner = 0;
    BodyShare share;
    double left = 0;  ///< ns of its work, alone
    double pace = 1;
    bool done = false;
  };
  struct Core {
    std::vector<Body> bodies;
    TimePoint now{};
    TimePoint alarm = kAbsent;  ///< the earliest event scheduled
  };

  void advance(Core& core, TimePoint now);
  void set_paces(Core& core, TimePoint now);
  void schedule_next(Core& core);

  Calendar& calendar_;
  Listener& listener_;
  std::vector<Core> cores_;
};

}  // namespace tasktwin::sim
