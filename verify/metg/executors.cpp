#include "verify/metg/executors.hpp"

#include <algorithm>
#include <limits>

namespace tasktwin::verify {

namespace {

// Tasks that a dispatcher lets a worker hold: enough that bodies of some 100 ns never wait for a task's way from memory.
constexpr int kDeepMailbox = 8;
// Slots of a worker that fetches for itself: as many as it can have.
constexpr int kSlots = 4;
// Tasks a claim of a shared queue: one atomic operation on one word serves as many.
constexpr int kClaim = 16;

void prefetch(Design& design, int, bool) { design.mailbox_depth = kSlots; }

/// Filling mailboxes while others are idle costs nothing where there is always more.
void fill_mailboxes(Design& design, int, bool independent) {
  design.mailbox_depth = kDeepMailbox;
  if (independent) design.fill = Fill::kAlways;
}

/// Column i of a pattern to worker i; one flag a task is raised sooner than three counters are decremented.
void place_columns(Design& design, int, bool) {
  design.placement = Placement::kRoundRobin;
  design.notification = Notification::kFlag;
}

void claim_ahead(Design& design, int, bool independent) {
  design.mailbox_depth = kSlots;
  if (!independent) return;
  design.claim = Claim::kFixed;
  design.claim_size = kClaim;
}

/// A worker that takes ahead from its own queue leaves thieves nothing.
void take_ahead(Design& design, int, bool independent) {
  if (independent) design.mailbox_depth = kSlots;
}

/// Column i to worker i as far as it is frozen; a worker that takes ahead of the rest leaves others idle.
void mix(Design& design, int workers, bool independent) {
  design.placement = Placement::kRoundRobin;
  if (independent) claim_ahead(design, workers, independent);
}

std::string value(const AxisField& field, const Design& design) {
  return field.is_word() ? std::string(field.word(design)) : std::to_string(design.*field.number);
}

}  // namespace

std::span<const BenchExecutor> bench_executors() {
  static const BenchExecutor executors[] = {
      {named_design("cuda-streams"), true, [](Design& design, int workers, bool) { design.streams = workers; }},
      {named_design("cuda-graph"), true},
      {named_design("central-dispatcher"), false, fill_mailboxes},
      {named_design("static-queues"), false, place_columns},
      {named_design("shared-queue"), false, claim_ahead},
      {named_design("work-stealing"), false, take_ahead},
      {named_design("hybrid"), false, mix},
      {named_design("layer-barrier"), false, prefetch},
  };
  return executors;
}

Design bench_design(const BenchExecutor& executor, int workers, bool independent) {
  Design design = executor.base;
  if (executor.tune != nullptr) executor.tune(design, workers, independent);
  return design;
}

std::string tuned_axes(const BenchExecutor& executor, const Design& design) {
  std::string text;
  for (const AxisField& field : axis_fields()) {
    if (value(field, design) == value(field, executor.base)) continue;
    text += (text.empty() ? "" : ", ") + std::string(field.name) + " " + value(field, design);
  }
  return text;
}

int bench_workers(const Machine& machine) {
  auto fewest = std::numeric_limits<std::size_t>::max();
  for (const BenchExecutor& executor : bench_executors()) fewest = std::min(fewest, worker_cores(executor.base, machine).size());
  return static_cast<int>(fewest);
}

Machine machine_with_workers(Machine machine, const Design& design, int workers) {
  const int surplus = static_cast<int>(worker_cores(design, machine).size()) - workers;
  std::ranges::max_element(machine.compute_cores, {}, &CoreGroup::count)->count -= surplus;
  return machine;
}

}  // namespace tasktwin::verify
