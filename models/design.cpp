#include "models/design.hpp"

#include <algorithm>

#include "models/error.hpp"

namespace tasktwin {

std::span<const Design> named_designs() {
  static const std::vector<Design> designs{
      {.name = "cuda-streams",
       .driver = Driver::kStreams,
       .release = Release::kEvents,
       .ready_queue = ReadyQueue::kPerWorker,
       .placement = Placement::kRoundRobin},
      {.name = "central-dispatcher", .mailbox_depth = 5, .fill = Fill::kWhenNoCoreIdle},
      {.name = "static-queues",
       .release = Release::kCounters,
       .ready_queue = ReadyQueue::kPerWorker,
       .placement = Placement::kHeft,
       .mailbox_depth = 2},
      {.name = "shared-queue", .release = Release::kCounters, .mailbox_depth = 2},
  };
  return designs;
}

const Design& named_design(std::string_view name) {
  const auto designs = named_designs();
  const auto found = std::ranges::find(designs, name, &Design::name);
  if (found != designs.end()) return *found;
  std::vector<std::string_view> names;
  for (const Design& design : designs) names.push_back(design.name);
  throw InputError("unknown design '" + std::string(name) + "'" + suggest(name, names));
}

int dispatcher_count(const Design& design, const Machine& machine) {
  if (design.release != Release::kDispatcher) return 0;
  return design.dispatchers > 0 ? design.dispatchers : machine.control_cores.count;
}

std::vector<CoreType> worker_cores(const Design& design, const Machine& machine) {
  std::vector<CoreGroup> groups = machine.compute_cores;
  if (dispatcher_count(design, machine) > 0 && !groups.empty()) {
    std::ranges::max_element(groups, {}, &CoreGroup::count)->count -= machine.control_cores.occupied_cores;
  }
  std::vector<CoreType> cores;
  for (const CoreGroup& group : groups) cores.insert(cores.end(), static_cast<std::size_t>(std::max(0, group.count)), group.type);
  return cores;
}

void check_design(const Design& design, const Machine& machine) {
  const auto refuse = [&design](const std::string& why) { throw InputError("design '" + design.name + "': " + why); };
  const auto value = [](auto word) { return "'" + std::string(to_word(word)) + "'"; };

  const bool streams = design.driver == Driver::kStreams;
  if (streams != (design.release == Release::kEvents)) {
    refuse("driver " + value(design.driver) + " cannot have release " + value(design.release) +
           "; streams release by events, persistent workers by counters or dispatcher");
  }
  const bool frozen = is_static(design.placement);
  if (frozen != (design.ready_queue == ReadyQueue::kPerWorker)) {
    refuse("placement " + value(design.placement) + " cannot have ready_queue " + value(design.ready_queue) +
           "; a frozen placement fills per_worker queues, any_idle takes from a shared one");
  }
  if (streams && design.placement != Placement::kRoundRobin) refuse("driver 'streams' places round_robin, not " + value(design.placement));
  if (frozen && design.release == Release::kDispatcher) refuse("a dispatcher places any_idle, not " + value(design.placement));
  if (frozen && design.order != TaskOrder::kFifo) refuse("order must be 'fifo' where the placement is frozen, not " + value(design.order));
  if (design.mailbox_depth < 1 || design.mailbox_depth > kMaxMailboxDepth) {
    refuse("mailbox_depth is " + std::to_string(design.mailbox_depth) + "; it must be 1 to " + std::to_string(kMaxMailboxDepth));
  }
  if (design.streams < 1 || design.streams > kMaxStreams) {
    refuse("streams is " + std::to_string(design.streams) + "; it must be 1 to " + std::to_string(kMaxStreams));
  }
  if (design.dispatchers < 0) refuse("dispatchers is negative; it must be 0 (all control cores) or more");
  if (design.release == Release::kDispatcher) {
    if (machine.control_cores.count == 0) refuse("machine '" + machine.name + "' has no control cores for a dispatcher");
    if (design.dispatchers > machine.control_cores.count) {
      refuse("dispatchers is " + std::to_string(design.dispatchers) + ", but machine '" + machine.name + "' has " +
             std::to_string(machine.control_cores.count) + " control cores");
    }
  }
  if (worker_cores(design, machine).empty()) refuse("machine '" + machine.name + "' leaves no compute core for tasks");
}

}  // namespace tasktwin
