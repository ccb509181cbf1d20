#pragma once

#include <span>
#include <vector>

#include "models/dependences/judged_order.hpp"

namespace tasktwin {

/// What the host takes for calls that a program gets; where it makes such calls itself, their median counts.
struct EventCalls {
  Duration record{};
  Duration wait{};
};

/// The program in which the wait is for a record of its own right after the launch of `task`: a wait of a stream stays one, a call that
/// blocks is then about that event alone. Contract: `call` waits, and `task` is launched before it.
HostProgram with_wait_behind(const HostProgram& program, const CallPlace& call, TaskId task, const EventCalls& costs);

/// A wait, and the orders that are to be kept in its place.
struct ReplacedWait {
  CallPlace call{};
  std::vector<NeededOrder> orders;
};

/// The program without these waits, but with a record after the launch of each `before` and a wait of the stream of `after` right before
/// its launch; none within one stream. Contract: the calls wait; each `before` is launched before its `after`.
HostProgram with_orders(const HostProgram& program, std::span<const ReplacedWait> waits, const EventCalls& costs);

}  // namespace tasktwin
