#pragma once

#include <cstdint>
#include <vector>

#include "models/base/ids.hpp"
#include "models/base/units.hpp"
#include "sim/engine/calendar.hpp"

namespace tasktwin::sim {

/// The shares of a core's resources that a body takes; 0 for a resource that it does not use.
struct BodyShare {
  double issue = 0;    ///< of the slots in which instructions are issued
  double reading = 0;  ///< of the bandwidth that one core draws
};

/// Bodies of blocks on the same core. They run at full speed until the shares of a resource exceed one; then all that use it slow down
/// by that factor: docs/model/shared_cores.md.
class SharedCores final : public EventHandler {
 public:
  class Listener {
   public:
    /// Its work is done; it keeps its share until leave(). `at` is now.
    virtual void work_done(std::uint32_t runner, TimePoint at) = 0;
    /// From `now` on it runs at this fraction of its speed alone.
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
