#include "tests/sim/random_designs.hpp"

#include <array>
#include <sstream>
#include <vector>

#include "models/base/error.hpp"
#include "models/base/random.hpp"
#include "models/runtimes/event_counting.hpp"
#include "models/runtimes/runtimes.hpp"
#include "tests/sim/random_constant.hpp"
#include "tests/support/free_machine.hpp"

namespace tasktwin::sim {

namespace {

bool chance(Random& random, double probability) { return random.uniform() < probability; }
int small(Random& random, int low, int high) { return static_cast<int>(random.between(low, high)); }

static_assert(Words<Driver>::entries.back().first == Driver::kCudaGraph);
static_assert(Words<StreamWait>::entries.back().first == StreamWait::kProgram);

void draw_axis(Random& random, Design& design, const AxisField& field) {
  if (field.is_word()) {
    const auto words = simulated_words(field);
    field.set_word(design, words[static_cast<std::size_t>(random.between(0, static_cast<std::int64_t>(words.size()) - 1))]);
  } else {
    const int most = field.name == "backoff_ns" || field.name == "partition" ? 50 : field.min + 6;
    design.*field.number = small(random, field.min, std::min(field.max, most));
  }
  design.replay = design.placement == Placement::kReplay ? "drawn" : "";
}

/// The four axes that decide about the others until they agree, then each of the others, kept where it has an effect.
Design random_design(Random& random, const Machine& machine) {
  Design design;
  if (chance(random, 0.45)) {
    // Too many contradict these to be met by chance.
    constexpr std::array kRare{"cuda-streams",        "cuda-streams",        "cuda-streams",        "cuda-graph",
                               "cuda-graph",          "cuda-graph",          "cuda-graph",          "device-graph-launch",
                               "device-graph-launch", "device-graph-launch", "device-graph-launch", "dynamic-parallelism",
                               "static-queues",       "static-queues",       "ascend-group-queue"};
    design = named_design(kRare[static_cast<std::size_t>(random.between(0, std::ssize(kRare) - 1))]);
    design.dispatchers = 0;
  } else {
    do {
      for (const AxisField& field : axis_fields().first(5)) {
        if (field.name != "order") draw_axis(random, design, field);
      }
    } while (!passes(design, machine));
  }
  design.name = "drawn";
  for (int pass = 0; pass < 2; ++pass) {  // some have an effect only once others are drawn
    for (const AxisField& field : axis_fields()) {
      if (field.name == "driver" || field.name == "release" || field.name == "ready_queue" || field.name == "placement") continue;
      if (chance(random, 0.5)) continue;
      const Design before = design;
      draw_axis(random, design, field);
      if (!passes(design, machine)) design = before;
    }
  }
  return design;
}

/// Layers up to some are listed otherwise, and those behind begin with barriers, or not.
void draw_parts(Random& random, Design& design, const Machine& machine) {
  if (design.ready_queue != ReadyQueue::kPerWorkerAndShared || chance(random, 0.3)) return;
  const Design before = design;
  const int last = small(random, 0, 4);
  DesignPart first{.layers = {{0, last}}};
  if (chance(random, 0.5)) first.ready_queue = chance(random, 0.5) ? ReadyQueue::kShared : ReadyQueue::kPerWorker;
  if (chance(random, 0.5)) first.placement = chance(random, 0.5) ? Placement::kAnyIdle : design.placement;
  if (first.ready_queue || first.placement) design.parts.push_back(first);
  if (chance(random, 0.6)) design.parts.push_back({.layers = {{last, 99}}, .release = Release::kBarrier});
  if (!passes(design, machine)) design = before;
}

Machine random_machine(Random& random) {
  Machine machine = free_machine();
  machine.name = "drawn";
  switch (random.between(0, 2)) {
    case 0:
      machine.compute_cores = {{.type = CoreType::kAic, .count = small(random, 1, 5)}};
      break;
    case 1:
      machine.compute_cores = {{.type = CoreType::kAic, .count = small(random, 2, 4)},
                               {.type = CoreType::kAiv, .count = small(random, 1, 5)}};
      break;
    default: {
      const int clusters = small(random, 1, 4);
      machine.compute_cores = {{.type = CoreType::kAic, .count = clusters, .per_cluster = 1},
                               {.type = CoreType::kAiv, .count = 2 * clusters + small(random, 0, 1), .per_cluster = 2}};
      break;
    }
  }
  machine.control_cores.count = small(random, 1, 5);
  machine.control_cores.lanes = chance(random, 0.6) ? 1 : small(random, 2, 4);
  machine.control_cores.code_scale = chance(random, 0.7) ? 1 : 0.5;
  const bool all_zero = chance(random, 0.1);
  for (const ConstantField& field : constant_fields()) {
    if (field.unit == Unit::kNanoseconds) field.set(machine, all_zero ? 0 : random_constant(random).count());
  }
  if (chance(random, 0.5)) machine.device_mailboxes->hop_sigma = Nanoseconds{0};
  if (chance(random, 0.5)) machine.ready_queues->service = Nanoseconds{0};
  machine.memory->core_bandwidth = static_cast<double>(random.between(1, 40)) / 4;
  machine.memory->bandwidth = static_cast<double>(random.between(1, 80)) / 4;
  machine.launch_limits.hardware_queues = chance(random, 0.5) ? 0 : small(random, 1, 4);
  machine.launch_limits.resident_kernels = chance(random, 0.5) ? 0 : small(random, 1, 5);
  machine.launch_limits.priorities = small(random, 1, 4);
  machine.launch_limits.partition_granularity = machine.compute_cores.front().count % 3;
  if (chance(random, 0.5)) machine.core_limits = {.blocks = 4, .threads = 256, .registers = 8192, .shared_memory = 1000};
  return machine;
}

TaskTraits random_traits(Random& random, CoreType type, bool two_types, double of_each) {
  TaskTraits traits;
  if (chance(random, of_each)) traits.blocks = small(random, 1, 3);
  if (chance(random, of_each)) {
    traits.threads = small(random, 1, 128);
    traits.registers = small(random, 0, 32);
    traits.shared_memory = random.between(0, 900);
  }
  if (chance(random, of_each)) traits.probability = random.uniform();
  if (chance(random, of_each)) traits.samples = {Duration{random.between(1, 50)}, Duration{random.between(50, 100)}, Duration{300}};
  if (two_types && chance(random, of_each)) {
    traits.other_type = type == CoreType::kAic ? CoreType::kAiv : CoreType::kAic;
    traits.other_time = Duration{random.between(0, 200)};
  }
  if (chance(random, of_each)) traits.estimate = Duration{random.between(0, 400)};
  if (chance(random, of_each)) traits.scope = small(random, 1, 3);
  if (chance(random, of_each)) traits.spawn_count = std::array<std::int32_t, 2>{0, small(random, 0, 2)};
  traits.output = random.between(0, 2) * 700;
  return traits;
}

/// Each of some tasks counts down what each of some later ones waits for.
void draw_events(Random& random, TaskGraphBuilder& builder, std::uint32_t tasks) {
  for (int number = small(random, 1, 2); number > 0 && tasks > 2; --number) {
    const TaskId event = builder.add_task("e" + std::to_string(number),
                                          {.kernel = Kernel::kEmpty, .core_type = CoreType::kAic, .operation = Operation::kEvent});
    const auto middle = static_cast<std::uint32_t>(random.between(1, tasks - 1));
    for (std::uint32_t from = middle > 4 ? middle - 4 : 0; from < middle; ++from) builder.add_edge(TaskId{from}, event);
    if (chance(random, 0.2)) continue;  // no task waits for it
    for (std::uint32_t to = middle; to < std::min(tasks, middle + 4); ++to) builder.add_edge(event, TaskId{to});
  }
}

TaskGraph random_graph(Random& random, const Machine& machine, bool events) {
  const bool two_types = machine.compute_cores.size() > 1;
  const auto tasks = static_cast<std::uint32_t>(random.between(0, 40));
  const double density = random.uniform() * 0.3;
  const double with_traits = chance(random, 0.4) ? 0 : 0.2 * random.uniform();
  const double with_bytes = chance(random, 0.5) ? 0 : random.uniform();
  const double with_spawns = chance(random, 0.6) ? 0 : 0.4;
  TaskGraphBuilder builder;
  for (std::uint32_t i = 0; i < tasks; ++i) {
    Task task;
    task.cost.time = Duration{chance(random, 0.15) ? 0 : random.between(1, 200)};
    if (chance(random, 0.2)) task.cost.sigma_ns = 20;
    if (chance(random, with_bytes)) task.cost.bytes = {random.between(1, 1000)};
    task.core_type = two_types && chance(random, 0.5) ? CoreType::kAiv : CoreType::kAic;
    task.priority = small(random, -3, 3);
    task.layer = static_cast<std::int32_t>(i / 6);
    if (i % 3 == 2) task.kernel = Kernel::kFma;  // in the other share of the cores, where they are divided
    if (machine.has_clusters() && chance(random, with_traits)) {
      task.core_type = CoreType::kMix;
    } else {
      task.traits = builder.add_traits(random_traits(random, task.core_type, two_types, with_traits));
    }
    builder.add_task("t" + std::to_string(i), task);
  }
  for (std::uint32_t to = 1; to < tasks; ++to) {
    if (chance(random, with_spawns)) builder.set_spawner(TaskId{to}, TaskId{static_cast<std::uint32_t>(random.between(0, to - 1))});
    for (std::uint32_t from = to > 8 ? to - 8 : 0; from < to; ++from) {
      if (chance(random, density))
        builder.add_edge(TaskId{from}, TaskId{to}, {chance(random, with_bytes / 2) ? random.between(1, 200) : 0});
    }
  }
  if (chance(random, 0.15) && events) draw_events(random, builder, tasks);
  return std::move(builder).build();
}

/// What bounds early tasks counts only where several other axes agree: drawn by itself, so that worlds without stay as they are.
void draw_early_bound(std::uint64_t number, RandomWorld& world) {
  Random random(mix(number) ^ 0xea51b0);
  const Design before = world.design;
  world.design.early_limit = small(random, 1, 6);
  draw_axis(random, world.design, axis_named("early_bound"));
  if (!passes(world.design, world.machine)) world.design = before;
}

/// Some order that a run could have had: by level, each task on a core that can take it.
Timeline random_timeline(Random& random, const RandomWorld& world) {
  Timeline timeline;
  timeline.cores = worker_cores(world.design, world.machine);
  timeline.tasks.resize(world.graph.size());
  std::int64_t now = 0;
  for (const TaskId task : world.graph.topological_order()) {
    std::vector<std::size_t> able;
    for (std::size_t core = 0; core < timeline.cores.size(); ++core) {
      if (timeline.cores[core] == world.graph[task].core_type) able.push_back(core);
    }
    if (able.empty()) continue;
    TaskTimes& times = timeline.tasks[index(task)];
    times.core = core_id(able[static_cast<std::size_t>(random.between(0, static_cast<std::int64_t>(able.size()) - 1))]);
    times.started = at_ns(now);
    times.ended = times.published = at_ns(now += random.between(0, 9));
  }
  return timeline;
}

}  // namespace

bool passes(const Design& design, const Machine& machine) {
  try {
    check_design(design, machine);
    return true;
  } catch (const InputError&) {
    return false;
  }
}

std::span<const std::string_view> simulated_words(const AxisField& field) {
  const bool last_is_left_out = field.name == "driver" || field.name == "stream_wait";
  return last_is_left_out ? field.words.first(field.words.size() - 1) : field.words;
}

RandomWorld random_world(std::uint64_t number) {
  Random random(mix(number) ^ 0xde5190);
  RandomWorld world;
  world.seed = number;
  world.machine = random_machine(random);
  world.design = random_design(random, world.machine);
  draw_parts(random, world.design, world.machine);
  const Random before = random;
  world.graph = random_graph(random, world.machine, true);
  if (world.graph.has_operations() && !counts_events(world.design) && (world.graph.has_predicates() || !world.design.parts.empty())) {
    random = before;  // refused
    world.graph = random_graph(random, world.machine, false);
  }
  if (world.design.early_dispatch != EarlyDispatch::kOff) draw_early_bound(number, world);
  if (world.design.placement == Placement::kReplay) world.replayed = random_timeline(random, world);
  return world;
}

std::string RandomWorld::describe() const {
  std::ostringstream text;
  text << "world " << seed << ":";
  const Design plain;
  for (const AxisField& field : axis_fields()) {
    if (field.is_word() && field.word(design) != field.word(plain)) text << " " << field.name << "=" << field.word(design);
    if (!field.is_word() && design.*field.number != plain.*field.number) text << " " << field.name << "=" << design.*field.number;
  }
  text << "; " << graph.size() << " tasks, " << graph.edge_count() << " edges";
  if (graph.has_wide_tasks()) text << ", wide";
  if (graph.has_predicates()) text << ", predicates";
  if (graph.has_spawns()) text << ", spawns";
  if (graph.has_operations()) text << ", events";
  if (!design.parts.empty()) text << ", " << design.parts.size() << " parts";
  for (const CoreGroup& group : machine.compute_cores)
    text << ", " << group.count << " " << to_word(group.type) << "/" << group.per_cluster;
  text << "; " << machine.control_cores.count << " control cores";
  return text.str();
}

}  // namespace tasktwin::sim
