#include "sim/control/dispatchers.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "models/runtimes/runtimes.hpp"
#include "sim/control/hand_over/core_choice.hpp"
#include "sim/control/hand_over/givers.hpp"
#include "sim/control/intake/passing.hpp"
#include "sim/control/intake/polling.hpp"
#include "sim/queues/count_down.hpp"
#include "sim/queues/open_roots.hpp"

namespace tasktwin::sim {

namespace {

std::size_t count_of(const WiringInputs& inputs) {
  return static_cast<std::size_t>(dispatcher_count(inputs.design, inputs.machine.constants()));
}

Lanes lanes_of(const WiringInputs& inputs) { return Lanes(inputs.machine.control_cores.lanes); }

bool on_host(const WiringInputs& inputs) { return runtime_of(inputs.design).host_dispatched(); }

/// Threads of the host that take turns at one queue.
bool threads_share_queue(const WiringInputs& inputs, const DispatchQueues& queues) {
  return on_host(inputs) && count_of(inputs) > 1 && queues.single();
}

/// Tasks need not go through the queue where each dispatcher owns cores of one type and none inspects the queue before it
/// takes from it.
bool can_pass_queue(const WiringInputs& inputs, const CoreShares& shares, const DispatchQueues& queues) {
  const Design& design = inputs.design;
  return queues.single() && !locks_queues(design, inputs.graph, shares.dispatchers()) && shares.size() == shares.dispatchers() &&
         design.resolvers == 0 && design.early_dispatch == EarlyDispatch::kOff && design.placement == Placement::kAnyIdle &&
         design.stealing == Stealing::kOff && inputs.machine.compute_cores.size() == 1;
}

std::unique_ptr<SuccessorWork> make_work(const WiringInputs& inputs, EventSemaphores& semaphores, Resolvers& resolvers) {
  if (resolvers.any()) return std::make_unique<ToldByResolvers>(resolvers);
  return make_successor_work(inputs.graph, semaphores, inputs.machine.control, lanes_of(inputs), count_of(inputs),
                             RowHeads::kComeWithCompletions);
}

std::unique_ptr<CoreChoice> make_choice(const WiringInputs& inputs, const ChoiceParts& parts, std::span<const PastRun> past_runs) {
  if (!parts.queues.per_worker() && inputs.design.placement != Placement::kAnyIdle)
    return make_choice_by_policy(parts, make_core_policy(inputs.design, inputs.graph, past_runs));
  if (keeps_line(inputs.design, inputs.graph)) return make_choice_in_order(parts);
  return can_pass_queue(inputs, parts.shares, parts.queues) ? make_choice_in_runs(parts) : make_choice_by_level(parts);
}

}  // namespace

Dispatchers::State::State(const WiringInputs& inputs)
    : shares(inputs.machine.constants(), inputs.design, inputs.cores),
      mailboxes(shares, inputs.durations, inputs.cores.size(), inputs.design.mailbox_depth),
      past_runs(asks_for_past_runs(inputs.design) ? inputs.graph.size() : 0),
      semaphores(inputs.graph, inputs.machine, inputs.design),
      queues(inputs, shares.core_counts(), mailboxes.loads(), past_runs) {
  for (std::size_t d = 0; d < shares.dispatchers(); ++d) inputs.events.add_control_core(ControlRole::kScheduler);
}

Dispatchers::Dispatchers(const WiringInputs& inputs)
    : graph_(inputs.graph),
      events_(inputs.events),
      state_(inputs),
      cores_(inputs, PublishCost::to_dispatcher(inputs.machine), *this),
      fill_(make_fill_rule(inputs.design, state_.shares.all(), state_.blocks, inputs.cores.size())),
      access_(threads_share_queue(inputs, state_.queues) ? make_access_of_threads(inputs.machine.control) : make_plain_access()),
      parking_(inputs.calendar, *this, state_.shares, state_.queues, *fill_, Duration{inputs.design.backoff_ns}, inputs.chance),
      ready_(state_.queues, *access_, parking_, inputs.events, state_.shares.dispatchers() > 1 ? graph_.size() : 0),
      resolvers_(inputs, state_.semaphores, *this),
      orchestrators_(inputs, *this),
      work_(make_work(inputs, state_.semaphores, resolvers_)),
      intake_(make_intake(inputs)),
      early_(inputs.graph, inputs.design, state_.semaphores, state_.mailboxes, state_.shares.dispatchers()),
      deliveries_({.times = inputs.machine.control,
                   .hops = inputs.machine.mailboxes,
                   .queues = state_.queues,
                   .access = *access_,
                   .mailboxes = state_.mailboxes,
                   .blocks = state_.blocks,
                   .early = early_,
                   .cores = cores_,
                   .events = inputs.events},
                  lanes_of(inputs), inputs.chance),
      hand_over_(make_hand_over(inputs)),
      loop_({.calendar = inputs.calendar,
             .handler = *this,
             .shares = state_.shares,
             .fill = *fill_,
             .work = *work_,
             .intake = intake_,
             .ready = ready_,
             .hand_over = hand_over_,
             .parking = parking_,
             .early = early_,
             .deliveries = deliveries_,
             .events = inputs.events},
            threads_share_queue(inputs, state_.queues) ? inputs.machine.control.count : Nanoseconds{0},
            resolvers_.any() || orchestrators_.any()) {}

Intake Dispatchers::make_intake(const WiringInputs& inputs) {
  const mechanism::ControlLoop& times = inputs.machine.control;
  auto polling = make_polling(inputs.design, times, lanes_of(inputs), count_of(inputs), inputs.cores.size());
  auto passing = can_pass_queue(inputs, state_.shares, state_.queues)
                     ? make_passing_past_queue(times, inputs.cores.front(), state_.queues, state_.mailboxes, state_.blocks)
                     : make_passing_through_queue();
  return Intake({.shares = state_.shares,
                 .mailboxes = state_.mailboxes,
                 .semaphores = state_.semaphores,
                 .work = *work_,
                 .orchestrators = orchestrators_},
                std::move(polling), std::move(passing), lanes_of(inputs), times.complete, times.first_complete);
}

HandOver Dispatchers::make_hand_over(const WiringInputs& inputs) {
  const std::span<const CoreType> cores = inputs.cores;
  auto giver = make_giver({.graph = graph_,
                           .cores = cores,
                           .shares = state_.shares,
                           .queues = state_.queues,
                           .mailboxes = state_.mailboxes,
                           .fill = *fill_,
                           .deliveries = deliveries_},
                          inputs.design.gang);
  auto choice = make_choice(inputs,
                            {.cores = cores,
                             .shares = state_.shares,
                             .queues = state_.queues,
                             .mailboxes = state_.mailboxes,
                             .fill = *fill_,
                             .deliveries = deliveries_,
                             .giver = *giver},
                            state_.past_runs);
  return HandOver({.graph = graph_,
                   .design = inputs.design,
                   .cores = cores,
                   .shares = state_.shares,
                   .queues = state_.queues,
                   .access = *access_,
                   .fill = *fill_,
                   .blocks = state_.blocks,
                   .early = early_,
                   .deliveries = deliveries_,
                   .events = inputs.events},
                  std::move(giver), std::move(choice), inputs.machine.control.claim);
}

void Dispatchers::begin(TimePoint opened) {
  for (std::size_t i = 0; i < graph_.size(); ++i) {
    if (graph_[task_id(i)].operation == Operation::kEvent || orchestrators_.any()) continue;
    state_.blocks.known += state_.semaphores.blocks_left(task_id(i));
  }
  for (const TaskId root : open_roots(graph_, state_.semaphores)) ready_.push_root(root);
  loop_.begin(opened);
  orchestrators_.begin();
}

void Dispatchers::will_publish(const Cores::Completion& completion) {
  CoreShare& share = state_.shares[state_.shares.of(index(completion.core))];
  share.add({completion.published, static_cast<std::uint32_t>(index(completion.core))});
  parking_.completion(share, completion.published);
  if (state_.past_runs.empty()) return;
  PastRun& run = state_.past_runs[index(completion.task)];  // of several blocks: the first core, and the last end
  run = {std::min(run.core, completion.core), std::max(run.ended, completion.ended)};
}

void Dispatchers::resolved(const std::vector<TaskId>& ready, const std::vector<TaskId>& events, TimePoint now) {
  ready_.push(std::nullopt, ready, now);
  for (const TaskId event : events) orchestrators_.completed(event, now);
}

/// Of an event whose predecessors have all completed before, the orchestrator finds the counter at zero.
void Dispatchers::submitted(TaskId task, TimePoint now) {
  if (graph_[task].operation != Operation::kEvent) state_.blocks.known += state_.semaphores.blocks_left(task);
  early_.submitted(task);
  std::vector<TaskId> released;
  std::vector<TaskId> passed;  // events
  count_down(
      graph_, task, [this](TaskId one) { return state_.semaphores.signal(one); },
      [&](TaskId one) { (graph_[one].operation == Operation::kEvent ? passed : released).push_back(one); });
  for (const TaskId event : passed) {
    events_.ready(event, now);
    events_.completions_seen(now);
  }
  ready_.push(std::nullopt, released, now);
  for (const TaskId event : passed) orchestrators_.completed(event, now);
  if (early_.on()) parking_.found_early(std::nullopt, early_.take_found(), now);
}

}  // namespace tasktwin::sim
