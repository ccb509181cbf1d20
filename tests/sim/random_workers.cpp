#include "tests/sim/random_workers.hpp"

#include <algorithm>

#include "models/base/random.hpp"

namespace tasktwin::sim {

namespace {

/// The same graph, every edge leading to a higher layer, with gaps between layers.
TaskGraph with_layers(const TaskGraph& plain) {
  std::vector<std::int32_t> layers(plain.size(), -7);
  TaskGraphBuilder builder;
  for (const TaskId task : plain.topological_order()) {
    for (const TaskId successor : plain.successors(task))
      layers[index(successor)] = std::max(layers[index(successor)], layers[index(task)] + 1 + plain[task].priority * plain[task].priority);
  }
  for (std::size_t i = 0; i < plain.size(); ++i) {
    Task task = plain[task_id(i)];
    task.layer = layers[i];
    builder.add_task(std::string(plain.name(task_id(i))), task);
  }
  for (std::size_t i = 0; i < plain.size(); ++i) {
    for (const TaskId successor : plain.successors(task_id(i))) builder.add_edge(task_id(i), successor);
  }
  return std::move(builder).build();
}

void draw_queues(Machine& machine, Random& random) {
  machine.memory->queue_bandwidth = machine.memory->bandwidth * static_cast<double>(random.between(2, 12)) / 16;
  for (CoreGroup& group : machine.compute_cores) {
    for (int i = random.uniform() < 0.2 ? group.count : 0; i < group.count; ++i) {
      group.memory_queues.push_back(static_cast<int>(random.between(3, 5)));
    }
  }
}

/// Of queues of their own: whom, how much of which end, and how many lengths a thief reads at a time (a batch of pushes is four times that:
/// as many successors as a task has).
void draw_stealing(Design& design, Machine& machine, Random& random) {
  if (random.uniform() < 0.5) machine.resident_cores->lanes = static_cast<int>(random.between(2, 4));
  constexpr TaskOrder kOrders[] = {TaskOrder::kFifo, TaskOrder::kLifo, TaskOrder::kPriority, TaskOrder::kShortest};
  constexpr Claim kClaims[] = {Claim::kAll, Claim::kFixed, Claim::kGuided};
  design.order = kOrders[random.between(0, 3)];
  if (design.stealing == Stealing::kOff) return;
  design.victim = static_cast<Victim>(random.between(0, 3));
  if (design.stealing == Stealing::kBatch) design.steal_batch = static_cast<int>(random.between(1, 4));
  if (random.uniform() < 0.7) return;
  design.ready_queue = ReadyQueue::kSharded;
  design.shards = static_cast<int>(random.between(0, 9));
  design.claim = kClaims[random.between(0, 2)];
  if (design.claim != Claim::kAll) design.claim_size = static_cast<int>(random.between(1, 4));
}

}  // namespace

void draw_workers(RandomCase& drawn) {
  Random random(mix(drawn.seed));
  Design& design = drawn.design;
  if (design.release == Release::kBarrier) {
    if (random.uniform() < 0.7) drawn.graph = with_layers(drawn.graph);
  } else if (design.stealing != Stealing::kOff || design.ready_queue == ReadyQueue::kPerWorkerAndShared) {
    design.stealing = static_cast<Stealing>(random.between(0, 3));
    design.backoff_ns = static_cast<int>(random.between(0, 20));
    if (!is_static(design.placement)) draw_stealing(design, drawn.machine, random);
  } else if (design.ready_queue == ReadyQueue::kPerWorker) {
    constexpr Notification kNotifications[] = {Notification::kCounter, Notification::kFlag, Notification::kSemaphore,
                                               Notification::kMessage};
    design.notification = kNotifications[random.between(0, 3)];
    if (design.mailbox_depth == 1 && random.uniform() < 0.5) design.own_list = OwnList::kOrder;
  } else {
    constexpr ReadyQueue kQueues[] = {ReadyQueue::kShared, ReadyQueue::kPerCoreType, ReadyQueue::kSharded};
    constexpr Claim kClaims[] = {Claim::kAll, Claim::kFixed, Claim::kGuided};
    design.ready_queue = kQueues[random.between(0, 2)];
    design.claim = kClaims[random.between(0, 2)];
    if (design.claim != Claim::kAll) design.claim_size = static_cast<int>(random.between(1, 4));
    if (design.ready_queue == ReadyQueue::kSharded) design.shards = static_cast<int>(random.between(0, 9));
    if (random.uniform() < 0.5) drawn.machine.ready_queues->service = Nanoseconds{0};
  }
  if (random.uniform() < 0.4) draw_queues(drawn.machine, random);
  const bool no_shares = std::ranges::all_of(drawn.graph.tasks(), [](const Task& task) { return task.cost.bytes.count == 0; });
  if (no_shares && random.uniform() < 0.5) design.workers_per_core = static_cast<int>(random.between(2, 4));
}

}  // namespace tasktwin::sim
