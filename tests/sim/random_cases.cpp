#include "tests/sim/random_cases.hpp"

#include <set>
#include <sstream>
#include <string_view>

#include "models/base/random.hpp"
#include "tests/sim/random_constant.hpp"
#include "tests/sim/random_streams.hpp"
#include "tests/sim/random_workers.hpp"
#include "tests/support/counting_axes.hpp"
#include "tests/support/free_machine.hpp"

namespace tasktwin::sim {

namespace {

bool chance(Random& random, double probability) { return random.uniform() < probability; }

Machine random_machine(Random& random) {
  Machine machine = free_machine();
  machine.name = "random";
  machine.compute_cores = {{CoreType::kAic, static_cast<int>(random.between(2, 6))}};
  if (chance(random, 0.5)) machine.compute_cores.push_back({CoreType::kAiv, static_cast<int>(random.between(1, 4))});
  machine.control_cores.count = static_cast<int>(random.between(1, 4));
  machine.control_cores.lanes = chance(random, 0.5) ? 1 : static_cast<int>(random.between(2, 4));
  machine.control_cores.occupied_cores = chance(random, 0.3) ? 1 : 0;
  const bool all_zero = chance(random, 0.05);
  // What the references do not have takes no time.
  const std::set<std::string_view> not_there{"collectives", "distances", "group_queue", "host_build", "network", "page_loads", "peers"};
  for (const ConstantField& field : constant_fields()) {
    if (field.unit == Unit::kNanoseconds && !not_there.contains(field.section))
      field.set(machine, all_zero ? 0 : random_constant(random).count());
  }
  machine.device_mailboxes->hop_sigma = Nanoseconds{0};  // drawn hops are no matter of this reference
  machine.resident_cores->counter_hop_spread = Nanoseconds{0};
  machine.streams->waiting_queue = Nanoseconds{0};  // references see each event at once
  machine.streams->queue_turns = machine.streams->loaded_queue = Nanoseconds{0};
  for (const ConstantField& field : constant_fields()) {  // nor is what only the begin of a run has
    const bool of_begin =
        field.section == "first_looks" || (field.name.find("first_") != std::string::npos && field.unit == Unit::kNanoseconds);
    if (of_begin) field.set(machine, 0);
  }
  machine.memory->core_bandwidth = static_cast<double>(random.between(1, 40)) / 4;
  machine.memory->bandwidth = static_cast<double>(random.between(1, 80)) / 4;
  machine.kernels[static_cast<std::size_t>(Kernel::kSpin)].overhead = random_constant(random);
  machine.kernels[static_cast<std::size_t>(Kernel::kSpin)].launched = random_constant(random);
  return machine;
}

TaskGraph random_graph(Random& random, bool two_types) {
  const auto tasks = static_cast<std::uint32_t>(random.between(0, 40));
  const double density = random.uniform() * 0.3;
  const double with_bytes = chance(random, 0.5) ? 0 : random.uniform();
  TaskGraphBuilder builder;
  for (std::uint32_t i = 0; i < tasks; ++i) {
    Task task;
    task.cost.time = Duration{chance(random, 0.15) ? 0 : random.between(1, 200)};
    if (chance(random, 0.2)) task.cost.sigma_ns = 20;
    if (chance(random, with_bytes)) task.cost.bytes = {random.between(1, 1000)};
    task.core_type = two_types && chance(random, 0.5) ? CoreType::kAiv : CoreType::kAic;
    task.priority = static_cast<std::int32_t>(random.between(-3, 3));
    builder.add_task("t" + std::to_string(i), task);
  }
  for (std::uint32_t to = 1; to < tasks; ++to) {
    for (std::uint32_t from = to > 8 ? to - 8 : 0; from < to; ++from) {
      if (chance(random, density)) builder.add_edge(TaskId{from}, TaskId{to});
    }
  }
  return std::move(builder).build();
}

/// The axes of designs whose kernels launch others; such a graph has one core type.
void draw_launches(Random& random, Design& design) {
  if (design.driver == Driver::kDynamicParallelism) {
    design.pending_launches = chance(random, 0.3) ? 0 : static_cast<int>(random.between(1, 5));
    return;
  }
  const auto& modes = Words<LaunchMode>::entries;
  const auto& claims = Words<Claim>::entries;
  design.launch_mode = modes[static_cast<std::size_t>(random.between(0, static_cast<std::int64_t>(modes.size()) - 1))].first;
  design.claim = claims[static_cast<std::size_t>(random.between(0, static_cast<std::int64_t>(claims.size()) - 1))].first;
  design.claim_size = design.claim == Claim::kAll ? 1 : static_cast<int>(random.between(1, 4));
}

}  // namespace

RandomCase random_case(const Design& family, std::uint64_t number) {
  Random random(number);
  RandomCase drawn;
  drawn.seed = number;
  drawn.machine = random_machine(random);
  if (launches_on_device(family.driver)) drawn.machine.compute_cores.resize(1);
  drawn.graph = random_graph(random, drawn.machine.compute_cores.size() > 1);
  drawn.design = family;
  if (launches_on_device(family.driver)) {
    draw_launches(random, drawn.design);
    return drawn;
  }
  if (family.driver == Driver::kCudaGraph) {
    draw_cuda_graph(drawn);
    drawn.design = with_counting_axes(drawn.design);
    return drawn;
  }
  drawn.design.mailbox_depth = static_cast<int>(random.between(1, 4));
  drawn.design.streams = static_cast<int>(random.between(1, 6));
  drawn.design.fill = chance(random, 0.5) ? Fill::kAlways : Fill::kWhenNoCoreIdle;
  if (family.release == Release::kDispatcher)
    drawn.design.dispatchers = static_cast<int>(random.between(0, drawn.machine.control_cores.count));
  drawn.machine.control_cores.count += orchestrator_count(family);
  if (family.ready_queue == ReadyQueue::kShared && chance(random, 0.6)) {
    const auto& orders = Words<TaskOrder>::entries;
    drawn.design.order = orders[static_cast<std::size_t>(random.between(0, static_cast<std::int64_t>(orders.size()) - 1))].first;
  }
  if (family.driver == Driver::kPersistent && is_static(family.placement) && chance(random, 0.5))
    drawn.design.placement = Placement::kRoundRobin;
  if (family.driver == Driver::kStreams && number % 4 > 0) draw_streams(drawn);
  const bool workers_resolve = family.release == Release::kCounters || family.release == Release::kBarrier;
  if (workers_resolve && number % 4 > 0) draw_workers(drawn);
  drawn.design = with_counting_axes(drawn.design);
  return drawn;
}

std::string RandomCase::describe() const {
  std::ostringstream text;
  text << "case " << seed << ": " << design.name << " depth " << design.mailbox_depth << " order " << to_word(design.order) << " fill "
       << to_word(design.fill) << " dispatchers " << dispatcher_count(design, machine) << " lanes " << machine.control_cores.lanes
       << " streams " << design.streams << " placement " << to_word(design.placement) << " ready_queue " << to_word(design.ready_queue)
       << " shards " << design.shards << " claim " << to_word(design.claim) << " " << design.claim_size << " notification "
       << to_word(design.notification) << " own list " << to_word(design.own_list) << " workers " << design.workers_per_core << ", "
       << graph.size() << " tasks, " << graph.edge_count() << " edges";
  for (const CoreGroup& group : machine.compute_cores) text << ", " << group.count << " " << to_word(group.type);
  for (const ConstantField& field : constant_fields()) text << "\n  " << field.key << " " << field.get(machine);
  return text.str();
}

}  // namespace tasktwin::sim
