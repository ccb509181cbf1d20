#include "tests/sim/effect_worlds.hpp"

#include <algorithm>
#include <array>

#include "models/base/random.hpp"
#include "scenarios/load/scenario.hpp"

namespace tasktwin::sim {

namespace {

constexpr std::uint32_t kLayers = 6;
constexpr std::uint32_t kWidth = 12;
constexpr std::uint32_t kSteps = 7;  ///< of a program's chains

/// Few cores and many control cores, so that tasks wait and every number of control cores can be had.
Machine small_machine(const char* name, std::vector<CoreGroup> cores) {
  Machine machine = scenarios::load_machine(name);
  machine.compute_cores = std::move(cores);
  machine.control_cores.count = 5;
  machine.control_cores.lanes = 2;
  return machine;
}

/// Every task behind two of the layer before, and some behind one of the layer before that.
void join_layers(EffectWorld& world) {
  Random random(17);
  for (std::uint32_t to = kWidth; to < kLayers * kWidth; ++to) {
    const std::uint32_t layer = to / kWidth * kWidth;
    const auto before = [&](std::uint32_t layers) {
      return layer - layers * kWidth + static_cast<std::uint32_t>(random.between(0, kWidth - 1));
    };
    std::vector<std::uint32_t> from{before(1), before(1)};
    if (to % 4 == 0 && layer > kWidth) from.push_back(before(2));
    std::ranges::sort(from);
    const auto [first, last] = std::ranges::unique(from);
    from.erase(first, last);
    for (const std::uint32_t predecessor : from) world.edges.push_back({predecessor, to});
  }
}

/// In two groups within which clusters of blocks start.
Machine with_sms(int count) {
  CoreGroup sms{.type = CoreType::kSm, .count = count};
  for (int i = 0; i < count; ++i) sms.cluster_groups.push_back(i % 2);
  return small_machine("nvidia-h200", {std::move(sms)});
}

/// Bodies `scale` times as long as a launch from the host, about.
EffectWorld kernels_on_sms(const char* name, std::int64_t scale) {
  EffectWorld world{.name = name, .machine = with_sms(7)};
  Random random(23);
  for (std::uint32_t i = 0; i < kLayers * kWidth; ++i) {
    Task task;
    if (i % 5 == 1) {
      task.kernel = Kernel::kFma;
      task.cost.flops = {scale * random.between(1, 8) * 1'000'000};
    } else if (i % 5 == 3) {
      task.kernel = Kernel::kStream;
      task.cost.bytes = {scale * random.between(1, 8) * 100'000};
    } else {
      task.cost.time = Duration{scale * random.between(1, 90) * 100};
    }
    world.tasks.push_back(task);
  }
  world.traits.resize(world.tasks.size());
  join_layers(world);
  return world;
}

EffectWorld tasks_on_clusters() {
  EffectWorld world{.name = "clusters",
                    .machine = small_machine("ascend-a2a3", {{.type = CoreType::kAic, .count = 3, .per_cluster = 1},
                                                             {.type = CoreType::kAiv, .count = 6, .per_cluster = 2}})};
  Random random(29);
  for (std::uint32_t i = 0; i < kLayers * kWidth; ++i) {
    world.tasks.push_back(
        {.cost = {.time = Duration{random.between(1, 90) * 5000}}, .core_type = i % 3 == 0 ? CoreType::kAic : CoreType::kAiv});
  }
  world.traits.resize(world.tasks.size());
  join_layers(world);
  return world;
}

/// Chains of allocate, copy in, set, compute, call the host, copy out and free, each behind an earlier chain's copy.
EffectWorld programs_in_streams() {
  EffectWorld world{.name = "programs", .machine = with_sms(7)};
  const auto add = [&world](Operation operation, std::int64_t bytes, std::int64_t time_ns, std::int32_t buffer) {
    Task task{.cost = {.time = Duration{time_ns}, .bytes = {bytes}}, .args = {buffer}, .operation = operation};
    if (operation != Operation::kKernel) task.kernel = Kernel::kEmpty;
    world.tasks.push_back(task);
    return static_cast<std::uint32_t>(world.tasks.size() - 1);
  };
  for (std::uint32_t chain = 0; chain < 9; ++chain) {
    const auto buffer = static_cast<std::int32_t>(chain + 1);
    const std::int64_t bytes = (1 + chain % 4) * (std::int64_t{20} << 20);
    const std::uint32_t first = add(Operation::kAlloc, bytes, 0, buffer);
    add(Operation::kCopyH2d, 100'000, 0, 0);
    add(Operation::kMemset, 500'000, 0, 0);
    add(Operation::kKernel, 0, 5'000, 0);
    add(Operation::kHost, 0, 2'000, 0);
    add(Operation::kCopyD2h, 50'000, 0, 0);
    const std::uint32_t last = add(Operation::kFree, 0, 0, buffer);
    for (std::uint32_t task = first; task < last; ++task) world.edges.push_back({task, task + 1});
    if (chain >= 4) world.edges.push_back({first - 4 * kSteps + 5, first});
  }
  world.traits.resize(world.tasks.size());
  return world;
}

/// Each behind the one before, or none.
EffectWorld many_tasks(const char* name, int sms, std::size_t count, std::int64_t scale, bool chained) {
  EffectWorld world{.name = name, .machine = with_sms(sms)};
  Random random(31);
  for (std::size_t i = 0; i < count; ++i) {
    world.tasks.push_back({.cost = {.time = Duration{scale * random.between(20, 90) * 100}}});
    const auto to = static_cast<std::uint32_t>(i);
    if (chained && i > 0) world.edges.push_back({to - 1, to});
  }
  world.traits.resize(count);
  return world;
}

/// Changes some of the tasks for which it is so; false where there are none.
template <class Is, class Change>
bool change_some(EffectWorld& world, Is is, Change change) {
  std::uint32_t changed = 0;
  for (std::uint32_t i = 0; i < world.tasks.size(); ++i) {
    if (!is(world.tasks[i], world.traits[i]) || i % 4 == 2) continue;
    change(world.tasks[i], world.traits[i], i);
    ++changed;
  }
  return changed > 0;
}

bool is_kernel(const Task& task, const TaskTraits&) { return task.operation == Operation::kKernel; }
bool is_any(const Task&, const TaskTraits&) { return true; }
bool spins(const Task& task, const TaskTraits&) { return task.operation == Operation::kKernel && task.kernel == Kernel::kSpin; }

bool state_blocks(EffectWorld& world) {
  return change_some(world, is_kernel, [](Task&, TaskTraits& traits, std::uint32_t i) { traits.blocks = 1 + static_cast<int>(i % 6); });
}

bool state_threads(EffectWorld& world) {
  return change_some(world, is_kernel, [](Task&, TaskTraits& traits, std::uint32_t i) { traits.threads = i % 3 == 0 ? 1024 : 256; });
}

/// One core of a cluster for each vector task.
template <int TaskTraits::*Count>
bool state_shape(EffectWorld& world) {
  return change_some(
      world, [](const Task& task, const TaskTraits&) { return task.core_type == CoreType::kAiv; },
      [](Task& task, TaskTraits& traits, std::uint32_t) {
        task.core_type = CoreType::kMix;
        traits.*Count = 1;
      });
}

/// The first kernel becomes a rank of a collective.
template <Operation Kind>
bool state_collective(EffectWorld& world) {
  const auto kernel = std::ranges::find(world.tasks, Operation::kKernel, &Task::operation);
  if (kernel == world.tasks.end()) return false;
  *kernel = {.cost = {.bytes = {8}}, .args = {0, 1}, .kernel = Kernel::kEmpty, .operation = Kind, .device = 0};
  return true;
}

constexpr StatedField kFields[] = {
    {"device",
     [](EffectWorld& world) { return change_some(world, is_any, [](Task& task, TaskTraits&, std::uint32_t) { task.device = 1; }); }},
    {"shard",
     [](EffectWorld& world) {
       return change_some(world, is_any, [](Task&, TaskTraits& traits, std::uint32_t i) { traits.shard = static_cast<int>(i % 2); });
     }},
    {"group", state_collective<Operation::kAllReduce>},
    {"root", state_collective<Operation::kBroadcast>},
    {"to_device",
     [](EffectWorld& world) {
       return change_some(
           world, [](const Task& task, const TaskTraits&) { return task.operation == Operation::kCopyH2d; },
           [](Task& task, TaskTraits&, std::uint32_t) {
             task.operation = Operation::kCopyP2p;
             task.args[2] = 1;
           });
     }},
    {"operation",
     [](EffectWorld& world) {
       return change_some(
           world, [](const Task& task, const TaskTraits&) { return task.operation == Operation::kCopyH2d; },
           [](Task& task, TaskTraits&, std::uint32_t) { task.operation = Operation::kMemset; });
     }},
    {"host_memory",
     [](EffectWorld& world) {
       return change_some(
           world, [](const Task& task, const TaskTraits&) { return touches_host_memory(task.operation); },
           [](Task&, TaskTraits& traits, std::uint32_t) { traits.pageable = true; });
     }},
    {"stream",
     [](EffectWorld& world) {
       const std::uint32_t chain = std::ranges::all_of(world.tasks, [](const Task& task) { return is_kernel(task, {}); }) ? 1 : kSteps;
       return change_some(world, is_any,
                          [chain](Task&, TaskTraits& traits, std::uint32_t i) { traits.stream = static_cast<int>(i / chain % 16); });
     }},
    {"kernel",
     [](EffectWorld& world) {
       return change_some(world, spins, [](Task& task, TaskTraits&, std::uint32_t) {
         task.kernel = Kernel::kEmpty;
         task.cost = {};
       });
     }},
    {"core_type",
     [](EffectWorld& world) {
       return change_some(
           world, [](const Task& task, const TaskTraits&) { return task.core_type == CoreType::kAiv; },
           [](Task& task, TaskTraits&, std::uint32_t) { task.core_type = CoreType::kAic; });
     }},
    {"aic", state_shape<&TaskTraits::aic>},
    {"aiv", state_shape<&TaskTraits::aiv>},
    {"time_ns",
     [](EffectWorld& world) {
       return change_some(world, spins, [](Task& task, TaskTraits&, std::uint32_t) { task.cost.time += Duration{1234}; });
     }},
    {"sigma_ns",
     [](EffectWorld& world) {
       return change_some(world, spins, [](Task& task, TaskTraits&, std::uint32_t) { task.cost.sigma_ns = 300; });
     }},
    {"estimate_ns",
     [](EffectWorld& world) {
       return change_some(world, is_kernel,
                          [](Task&, TaskTraits& traits, std::uint32_t i) { traits.estimate = Duration{1 + i * 977 % 5000}; });
     }},
    {"prologue_ns",
     [](EffectWorld& world) {
       return change_some(
           world, [](const Task& task, const TaskTraits& traits) { return is_kernel(task, traits) && task.core_type != CoreType::kMix; },
           [](Task&, TaskTraits& traits, std::uint32_t) { traits.prologue = Duration{700}; });
     }},
    {"prologue_bytes",
     [](EffectWorld& world) {
       return change_some(
           world, [](const Task& task, const TaskTraits& traits) { return is_kernel(task, traits) && task.core_type != CoreType::kMix; },
           [](Task&, TaskTraits& traits, std::uint32_t) { traits.prologue_bytes = 60'000; });
     }},
    {"samples_ns",
     [](EffectWorld& world) {
       return change_some(world, spins, [](Task& task, TaskTraits& traits, std::uint32_t) {
         task.cost.time = {};
         traits.samples = {Duration{1000}, Duration{2000}, Duration{7000}};
       });
     }},
    {"flops",
     [](EffectWorld& world) {
       return change_some(
           world, [](const Task& task, const TaskTraits&) { return task.kernel == Kernel::kFma; },
           [](Task& task, TaskTraits&, std::uint32_t) { task.cost.flops.count *= 3; });
     }},
    {"bytes",
     [](EffectWorld& world) {
       return change_some(
           world, [](const Task& task, const TaskTraits&) { return task.cost.bytes.count > 0; },
           [](Task& task, TaskTraits&, std::uint32_t) { task.cost.bytes.count *= 3; });
     }},
    {"blocks", state_blocks},
    {"threads", state_threads},
    {"registers",
     [](EffectWorld& world) {
       return state_threads(world) &&
              change_some(world, is_kernel, [](Task&, TaskTraits& traits, std::uint32_t) { traits.registers = 60; });
     }},
    {"shared_memory_bytes",
     [](EffectWorld& world) {
       return change_some(world, is_kernel, [](Task&, TaskTraits& traits, std::uint32_t) { traits.shared_memory = 100'000; });
     }},
    {"carveout",
     [](EffectWorld& world) {
       return state_threads(world) && change_some(world, is_kernel, [](Task&, TaskTraits& traits, std::uint32_t i) {
                traits.shared_memory = 30'000;
                traits.carveout = i % 2 == 0 ? 20 : 100;
              });
     }},
    {"cluster",
     [](EffectWorld& world) {
       return change_some(
           world, [](const Task&, const TaskTraits& traits) { return traits.blocks > 1 && traits.blocks <= 3; },
           [](Task&, TaskTraits& traits, std::uint32_t) { traits.cluster = traits.blocks; });
     }},
    {"probability",
     [](EffectWorld& world) {
       return change_some(world, is_kernel, [](Task&, TaskTraits& traits, std::uint32_t) { traits.probability = 0.5; });
     }},
    {"other",
     [](EffectWorld& world) {
       return change_some(
           world, [](const Task& task, const TaskTraits& traits) { return task.core_type == CoreType::kAiv && traits.blocks == 1; },
           [](Task&, TaskTraits& traits, std::uint32_t) {
             traits.other_type = CoreType::kAic;
             traits.other_time = Duration{700};
           });
     }},
    {"workers",
     [](EffectWorld& world) {
       return change_some(world, is_kernel, [](Task&, TaskTraits& traits, std::uint32_t) { traits.workers = {0, 0}; });
     }},
    {"priority",
     [](EffectWorld& world) {
       return change_some(world, is_any, [](Task& task, TaskTraits&, std::uint32_t i) { task.priority = static_cast<int>(i * 5 % 7) - 3; });
     }},
    {"layer",
     [](EffectWorld& world) {
       // Of its own, and therefore behind those of all predecessors.
       for (std::size_t i = 0; i < world.tasks.size(); ++i) world.tasks[i].layer = 2 * static_cast<int>(i);
       return true;
     }},
    {"output_bytes",
     [](EffectWorld& world) {
       return change_some(world, is_kernel, [](Task&, TaskTraits& traits, std::uint32_t) { traits.output = 1024; });
     }},
    {"scope",
     [](EffectWorld& world) {
       return change_some(world, is_kernel, [](Task&, TaskTraits& traits, std::uint32_t i) { traits.scope = 1 + static_cast<int>(i / 5); });
     }},
    {"meets",
     [](EffectWorld& world) {
       const auto joined = [](const EffectWorld::Edge& edge) { return edge.from == 0 && edge.to == 1; };
       if (!is_kernel(world.tasks[0], {}) || std::ranges::any_of(world.edges, joined)) return false;
       world.traits[0].co_resident = world.traits[1].co_resident = 1;
       return true;
     }},
    {"part_times_ns",
     [](EffectWorld& world) {
       return change_some(
           world, [](const Task& task, const TaskTraits&) { return task.core_type == CoreType::kAiv && task.cost.time.count() > 1; },
           [](Task& task, TaskTraits& traits, std::uint32_t) {
             task.core_type = CoreType::kMix;
             traits.aic = traits.aiv = 1;
             traits.parts = {task.cost.time, task.cost.time / 2};
           });
     }},
    {"cooperative",
     [](EffectWorld& world) {
       return change_some(
           world, [](const Task& task, const TaskTraits& traits) { return is_kernel(task, {}) && traits.blocks > 1; },
           [](Task&, TaskTraits& traits, std::uint32_t) { traits.cooperative = true; });
     }},
    {"spawn_count",
     [](EffectWorld& world) {
       for (std::uint32_t child = kWidth + 3; child < world.tasks.size(); child += 5) {
         if (!is_kernel(world.tasks[child], {})) continue;
         world.spawners[child] = child - kWidth - 3;
         world.traits[child - kWidth - 3].spawn_count = {0, 1};
       }
       return true;
     }},
    {"spawned_by",
     [](EffectWorld& world) {
       for (std::uint32_t child = kWidth + 3; child < world.tasks.size(); child += 5) {
         if (is_kernel(world.tasks[child], {})) world.spawners[child] = child - kWidth - 3;
       }
       return true;
     }},
    {"after",
     [](EffectWorld& world) {
       for (EffectWorld::Edge& edge : world.edges) {
         if (is_kernel(world.tasks[edge.to], {})) edge.bytes = (edge.from * 7 + edge.to) % 5 * 1'000'000;
       }
       return true;
     }},
};

}  // namespace

TaskGraph EffectWorld::graph() const {
  TaskGraphBuilder builder;
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    Task task = tasks[i];
    task.traits = builder.add_traits(traits[i]);
    builder.add_task("t" + std::to_string(i), task);
  }
  for (const Edge& edge : edges) builder.add_edge(TaskId{edge.from}, TaskId{edge.to}, {edge.bytes});
  for (const auto& [child, parent] : spawners) builder.set_spawner(TaskId{child}, TaskId{parent});
  return std::move(builder).build();
}

std::vector<EffectWorld> plain_worlds() {
  EffectWorld grids = kernels_on_sms("grids", 20);
  state_blocks(grids);
  return {kernels_on_sms("sms", 1),
          kernels_on_sms("long bodies", 20),
          std::move(grids),
          tasks_on_clusters(),
          programs_in_streams(),
          many_tasks("more tasks than launches may wait", 7, 400, 1, false),
          many_tasks("two kernels a stream", 40, 64, 100, false),
          many_tasks("more tasks in a chain than graphs launch graphs", 7, 150, 1, true)};
}

std::span<const StatedField> stated_fields() { return kFields; }

std::vector<EffectWorld> rich_worlds() {
  constexpr std::array<std::string_view, 3> kHints{"priority", "layer", "stream"};
  const auto is_hint = [&](const StatedField& field) { return std::ranges::find(kHints, field.name) != kHints.end(); };
  std::vector<EffectWorld> worlds;
  for (const EffectWorld& plain : plain_worlds()) {
    worlds.push_back(plain);
    EffectWorld hinted = plain;
    hinted.name += " with hints";
    for (const StatedField& field : kFields) {
      if (is_hint(field)) field.state(hinted);
    }
    worlds.push_back(hinted);
    for (const StatedField& field : kFields) {
      EffectWorld world = hinted;
      if (is_hint(field) || !field.state(world)) continue;
      world.name += " with " + std::string(field.name);
      worlds.push_back(std::move(world));
    }
  }
  return worlds;
}

}  // namespace tasktwin::sim
