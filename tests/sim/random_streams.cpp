#include "tests/sim/random_streams.hpp"

#include "models/base/random.hpp"
#include "models/cost/footprint.hpp"
#include "models/design/core_shares.hpp"
#include "models/machine/clusters.hpp"

namespace tasktwin::sim {

namespace {

class Draw {
 public:
  explicit Draw(std::uint64_t seed) : random_(mix(seed)) {}

  bool chance(double probability) { return random_.uniform() < probability; }
  int between(int least, int most) { return static_cast<int>(random_.between(least, most)); }
  /// 0 half the time, which stands for no limit.
  int limit(int least, int most) { return chance(0.5) ? 0 : between(least, most); }
  template <class E>
  E word() {
    const auto& entries = Words<E>::entries;
    return entries[static_cast<std::size_t>(between(0, static_cast<int>(entries.size()) - 1))].first;
  }

  void machine(Machine& machine) {
    machine.core_limits = {
        .blocks = limit(1, 4), .threads = 32 * limit(1, 8), .registers = 256 * limit(1, 24), .shared_memory = limit(1, 1000)};
    machine.launch_limits = {
        .hardware_queues = limit(1, 4), .resident_kernels = limit(1, 5), .priorities = between(2, 4), .partition_granularity = limit(1, 3)};
    if (chance(0.4)) {
      CoreLimits& limits = machine.core_limits;
      limits.carveouts = {0, 1, 2, 4, 6, 8};
      limits.shared_memory = 8 * 1024;
      limits.reserved = between(0, 200);
    }
    for (KernelCost& kernel : machine.kernels) {
      if (!chance(0.3)) continue;
      kernel.issue = between(1, 20) / 20.0;
      kernel.warp_issue = chance(0.5) ? between(1, 10) / 20.0 : 0;
    }
    if (chance(0.4)) {
      machine.memory->port_bandwidth = machine.memory->bandwidth * between(2, 12) / 16;
      for (CoreGroup& group : machine.compute_cores) {
        for (int i = chance(0.2) ? group.count : 0; i < group.count; ++i) group.memory_ports.push_back(between(3, 5));
      }
    }
    if (machine.compute_cores.size() < 2 || chance(0.5)) return;
    machine.compute_cores[0].per_cluster = 1;
    machine.compute_cores[1].per_cluster = between(1, 2);
  }

  /// Of most cases that can be divided; with more cores where the first share would leave none.
  void partition(RandomCase& drawn) {
    if (drawn.design.stream_granularity != StreamGranularity::kPerTaskType || drawn.design.default_stream != DefaultStream::kNone) return;
    if (drawn.machine.has_clusters() || chance(0.3)) return;
    drawn.design.partition = between(1, 75);
    for (CoreGroup& group : drawn.machine.compute_cores) {
      while (first_share(group.count, drawn.design, drawn.machine) >= group.count) ++group.count;
    }
  }

  TaskTraits traits(const Machine& machine, const Design& design, Task& task) {
    TaskTraits traits;
    const bool clusters_there = !clusters(machine.compute_cores, worker_cores(design, machine)).empty();
    if (clusters_there && chance(0.2)) {
      task.core_type = CoreType::kMix;
    } else if (chance(0.3)) {
      traits.blocks = between(2, 5);
    }
    if (traits.blocks == 1 && task.core_type != CoreType::kMix && machine.compute_cores.size() > 1 && chance(0.2)) {
      traits.other_type = machine.compute_cores[static_cast<std::size_t>(between(0, 1))].type;
      traits.other_time = Duration{between(1, 200)};
    }
    const CoreLimits& limits = machine.core_limits;
    if (chance(0.6)) traits.threads = between(1, limits.threads > 0 ? limits.threads : 256);
    if (traits.threads > 0 && chance(0.6)) {
      const int most = limits.registers > 0 ? limits.registers / 256 * 8 / ((traits.threads + 31) / 32) / 8 * 8 : 64;
      if (most > 0) traits.registers = between(1, most);
    }
    const int most = limits.shared_memory > 0 ? static_cast<int>(limits.shared_memory - limits.reserved) : 1000;
    if (chance(0.4)) traits.shared_memory = between(1, most);
    const bool has_few_threads = limits.threads > 0 && limits.threads < kWholeCoreThreads;
    if (traits.shared_memory > 0 && traits.threads == 0 && has_few_threads) traits.threads = between(1, limits.threads);
    if (states_footprint(traits) && chance(0.3)) traits.carveout = between(0, 100);
    if (task.core_type != CoreType::kMix && chance(0.3)) traits.prologue = Duration{between(1, 150)};
    return traits;
  }

  TaskGraph graph(const TaskGraph& plain, const Machine& machine, const Design& design) {
    TaskGraphBuilder builder;
    const bool edge_bytes = chance(0.3);
    for (std::size_t i = 0; i < plain.size(); ++i) {
      Task task = plain[task_id(i)];
      task.kernel = word<Kernel>();
      task.layer = between(-3, 9);
      if (chance(0.8)) task.traits = builder.add_traits(traits(machine, design, task));
      builder.add_task(std::string(plain.name(task_id(i))), task);
    }
    for (std::size_t i = 0; i < plain.size(); ++i) {
      for (const TaskId successor : plain.successors(task_id(i))) {
        builder.add_edge(task_id(i), successor, {edge_bytes && chance(0.5) ? between(1, 500) : 0});
      }
    }
    return std::move(builder).build();
  }

 private:
  Random random_;
};

}  // namespace

void draw_streams(RandomCase& drawn) {
  Draw draw(drawn.seed);
  drawn.design.stream_granularity = draw.word<StreamGranularity>();
  drawn.design.hardware_queues = draw.limit(1, 6);
  if (draw.chance(0.6)) drawn.design.stream_wait = draw.word<StreamWait>();
  if (drawn.design.stream_wait == StreamWait::kProgram) drawn.design.stream_wait = StreamWait::kEvents;  // drawn graphs have no program
  if (draw.chance(0.4)) drawn.design.default_stream = draw.word<DefaultStream>();
  if (drawn.design.default_stream != DefaultStream::kLegacy) drawn.design.programmatic_launch = draw.word<ProgrammaticLaunch>();
  if (drawn.design.programmatic_launch == ProgrammaticLaunch::kOn) drawn.design.programmatic_trigger = draw.word<ProgrammaticTrigger>();
  if (draw.chance(0.2)) drawn.design.replays = draw.between(2, 3);
  if (draw.chance(0.4)) drawn.design.stream_priorities = draw.word<StreamPriorities>();
  draw.machine(drawn.machine);
  draw.partition(drawn);
  drawn.graph = draw.graph(drawn.graph, drawn.machine, drawn.design);
}

void draw_cuda_graph(RandomCase& drawn) {
  Draw draw(drawn.seed);
  drawn.design.programmatic_launch = draw.word<ProgrammaticLaunch>();
  if (drawn.design.programmatic_launch == ProgrammaticLaunch::kOn) drawn.design.programmatic_trigger = draw.word<ProgrammaticTrigger>();
  drawn.design.graph_source = draw.word<GraphSource>();
  if (drawn.design.graph_source == GraphSource::kCapture) {
    drawn.design.streams = draw.between(1, 6);
    drawn.design.stream_granularity = draw.word<StreamGranularity>();
  }
  drawn.design.replays = draw.between(1, 3);
  if (drawn.design.replays > 1) drawn.design.graph_update = draw.word<GraphUpdate>();
  draw.machine(drawn.machine);
  drawn.graph = draw.graph(drawn.graph, drawn.machine, drawn.design);
}

}  // namespace tasktwin::sim
