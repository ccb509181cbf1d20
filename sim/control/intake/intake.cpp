#include "sim/control/intake/intake.hpp"

#include <utility>

namespace tasktwin::sim {

Intake::Intake(const Parts& parts, std::unique_ptr<Polling> polling, std::unique_ptr<Passing> passing, Lanes lanes, Nanoseconds complete,
               Nanoseconds first_complete)
    : parts_(parts),
      polling_(std::move(polling)),
      passing_(std::move(passing)),
      lanes_(lanes),
      complete_(complete),
      first_complete_(first_complete) {}

void Intake::take_in(std::uint32_t id, Iteration& iteration) {
  CoreShare& share = parts_.shares.of_dispatcher(id);
  polling_->sweep(id, share, iteration);
  see(iteration);
  iteration.serving = passing_->serve_waiting(iteration, share.owned);
  parts_.work.tell(id, iteration.completed, iteration.resolution);
  const Nanoseconds passing_on = passing_->pass_on(iteration, share.owned);
  if (!iteration.seen.empty()) iteration.sweep += first_complete_;
  iteration.taking_in =
      iteration.sweep + iteration.serving + static_cast<double>(lanes_.rounds(iteration.seen.size())) * complete_ + passing_on;
}

/// Each completion is that of the first task in its core's mailbox.
void Intake::see(Iteration& iteration) {
  for (Iteration::Seen& seen : iteration.seen) {
    seen.task = parts_.mailboxes.see(seen.core);
    if (parts_.mailboxes.drained(seen.core)) ++iteration.freed;
    if (parts_.semaphores.block_done(seen.task)) iteration.completed.push_back(seen.task);
  }
}

void Intake::release(std::uint32_t id, const Iteration& iteration, TimePoint now) {
  for (const Iteration::Seen& seen : iteration.seen) parts_.mailboxes.release(seen.core, seen.task);
  parts_.work.released(id, iteration.completed, now);
  for (const TaskId task : iteration.completed) parts_.orchestrators.completed(task, now);
  for (const TaskId event : iteration.resolution.events) parts_.orchestrators.completed(event, now);
}

}  // namespace tasktwin::sim
