#include "models/cost/body_cost.hpp"

#include <algorithm>
#include <cmath>

#include "models/base/random.hpp"
#include "models/cost/collective_flows.hpp"
#include "models/cost/footprint.hpp"
#include "models/cost/occupancy.hpp"
#include "models/cost/prologue.hpp"
#include "models/machine/memory_share.hpp"
#include "models/rules/row_steps.hpp"
#include "models/rules/stream_ring.hpp"

namespace tasktwin {

namespace {

Nanoseconds at_size(const KernelCost& kernel, double flops, double KernelCost::Point::*value) {
  if (kernel.arithmetic.empty() || flops <= 0) return Nanoseconds{0};
  KernelCost::Point before{};
  KernelCost::Point after = kernel.arithmetic.front();
  for (std::size_t i = 1; i < kernel.arithmetic.size() && flops > after.flops; ++i) {
    before = after;
    after = kernel.arithmetic[i];
  }
  const double slope = (after.*value - before.*value) / (after.flops - before.flops);
  return Nanoseconds{before.*value + slope * (flops - before.flops)};
}

Nanoseconds arithmetic_time(const KernelCost& kernel, double flops) { return at_size(kernel, flops, &KernelCost::Point::ns); }

}  // namespace

Nanoseconds uncached_time(const KernelCost& kernel, double flops) {
  return std::max(Nanoseconds{0}, kernel.uncached + at_size(kernel, flops, &KernelCost::Point::uncached_ns));
}

double drawn_bytes(const Machine& machine, const TaskGraph& graph, TaskId id) {
  const Task& task = graph[id];
  const double blocks = task.core_type == CoreType::kMix ? 1 : graph.traits(id).blocks;
  return blocks * machine.kernel_cost(task.kernel).traffic * static_cast<double>(task.cost.bytes.count);
}

double issue_share(const KernelCost& kernel, int threads) {
  if (kernel.warp_issue <= 0) return kernel.issue;
  const auto warps = static_cast<int>((threads + kWarp - 1) / kWarp);
  return std::min(kernel.issue, warps * kernel.warp_issue);
}

BodyCost in_stated_block(const Machine& machine, const TaskGraph& graph, TaskId id, BodyCost cost) {
  const Task& task = graph[id];
  const KernelCost& kernel = machine.kernel_cost(task.kernel);
  const Footprint block = footprint(graph.traits(id));
  if (const double share = issue_share(kernel, block.threads); share > 0 && task.cost.flops.count > 0) {
    const Nanoseconds arithmetic = arithmetic_time(kernel, static_cast<double>(task.cost.flops.count));
    cost.fixed += round_ns(arithmetic * (issue_share(kernel, kWholeCoreThreads) / share - 1));
  }
  return task.kernel == Kernel::kStream ? limited_by_ring(machine, block.threads, block.shared_memory, cost) : cost;
}

BodyCost limited_by_ring(const Machine& machine, int threads, std::int64_t shared_memory, BodyCost cost) {
  const Nanoseconds latency = machine.launched_kernels->stream_latency;
  if (latency <= Nanoseconds{0}) return cost;
  const auto under_way = static_cast<double>(rules::stream_under_way(threads, shared_memory));
  cost.rate = std::min(cost.alone_rate(*machine.memory), under_way / latency.count());
  return cost;
}

bool block_differs(const Machine& machine, const TaskGraph& graph, TaskId id) {
  const Task& task = graph[id];
  if (task.operation != Operation::kKernel || !states_footprint(graph.traits(id))) return false;
  return machine.kernel_cost(task.kernel).issue > 0 || task.cost.bytes.count > 0 || !graph.input_bytes(id).empty();
}

bool blocks_differ(const Machine& machine, const TaskGraph& graph) {
  for (std::size_t i = 0; i < graph.size(); ++i) {
    if (block_differs(machine, graph, task_id(i))) return true;
  }
  return false;
}

const KernelCost& arithmetic_cost(const Machine& machine, Kernel kernel) {
  return machine.kernel_cost(kernel == Kernel::kSpin ? Kernel::kFma : kernel);
}

std::int64_t matrix_rows(const Task& task) {
  if (!reads_rows(task.kernel)) return 0;
  return std::int64_t{task.args[2]} * (task.kernel == Kernel::kGateUp ? 2 : 1);
}

std::int64_t reading_steps(const Task& task, const Problem& problem) {
  if (const auto* const decode = std::get_if<DecodeProblem>(&problem); decode != nullptr && task.kernel == Kernel::kRmsNorm)
    return rules::row_steps(1, std::int64_t{4} * decode->hidden, 1);
  const std::int64_t rows = matrix_rows(task);
  return rows > 0 ? rules::row_steps(rows, task.cost.bytes.count / rows, task.kernel == Kernel::kGateUp ? 2 : 1) : 0;
}

namespace {

/// How often a body goes over its data, and the FLOPs of each time.
struct Passes {
  double count = 1;
  double flops = 0;
};

/// One pass of attention takes some heads, one of a merge some components of them; a pass takes as long with fewer.
Passes passes(const KernelCost& kernel, const Task& task, const Problem& problem) {
  const auto flops = static_cast<double>(task.cost.flops.count);
  const auto* const decode = std::get_if<DecodeProblem>(&problem);
  if (kernel.pass <= 0 || decode == nullptr || decode->kv_heads <= 0 || decode->heads < decode->kv_heads) return {1, flops};
  const int heads = decode->heads / decode->kv_heads;
  const double all = task.kernel == Kernel::kAttentionMerge ? heads * decode->head_dim() : heads;
  return {std::ceil(all / kernel.pass), flops * kernel.pass / all};
}

}  // namespace

double flops_of_pass(const KernelCost& kernel, const Task& task, const Problem& problem) { return passes(kernel, task, problem).flops; }

Duration BodyCost::alone(const Machine& machine) const {
  if (bytes.count <= 0) return std::max(fixed, Duration{0}) + overhead;
  const mechanism::Memory& memory = *machine.memory;
  const bool moves = memory.core_bandwidth > 0 && memory.bandwidth > 0;
  const double drawn = moves ? alone_rate(memory) * memory_share(alone_rate(memory) / memory.bandwidth, memory.contention) : 0;
  const Duration transfer = drawn > 0 ? round_ns(Nanoseconds{static_cast<double>(bytes.count) / drawn}) : Duration{0};
  return std::max(fixed, transfer) + overhead;
}

namespace {

Nanoseconds mean(const std::vector<Duration>& samples) {
  double sum = 0;
  for (const Duration sample : samples) sum += static_cast<double>(sample.count());
  return Nanoseconds{sum / static_cast<double>(samples.size())};
}

/// What moves bytes takes its link alone, or the time that is given; what allocates takes the host's time and none of the device's.
BodyCost operation_cost(const Machine& machine, const Task& task, bool pageable, Nanoseconds time) {
  if (!is_transfer(task.operation) || time > Nanoseconds{0}) return {.overhead = {}, .fixed = round_ns(time), .bytes = {}};
  const double rate = transfer_rate(machine, task.operation, pageable);
  const bool to_peer = task.operation == Operation::kCopyP2p && machine.devices.count() > 1 && machine.peers;
  const Nanoseconds setup = to_peer                                ? machine.peers->copy_setup
                            : task.operation == Operation::kMemset ? Nanoseconds{0}
                                                                   : machine.copies->setup;
  const Nanoseconds moving{rate > 0 ? static_cast<double>(task.cost.bytes.count) / rate : 0.0};
  return {.overhead = round_ns(setup), .fixed = Duration{static_cast<std::int64_t>(moving.count())}, .bytes = {}};
}

/// Bytes/ns on average, with what its rows add; 0 for Memory::core_bandwidth.
double drawn_alone(const Machine& machine, const TaskGraph& graph, const Task& task) {
  const KernelCost& kernel = machine.kernel_cost(task.kernel);
  const auto bytes = static_cast<double>(task.cost.bytes.count);
  Nanoseconds rows = static_cast<double>(matrix_rows(task)) * kernel.row;
  if (kernel.step > Nanoseconds{0}) rows += static_cast<double>(reading_steps(task, graph.problem())) * kernel.step;
  if (rows <= Nanoseconds{0} || bytes <= 0) return kernel.bandwidth;
  const double rate = kernel.bandwidth > 0 ? kernel.bandwidth : machine.memory->core_bandwidth;
  return rate > 0 ? bytes / (bytes / rate + rows.count()) : 0;
}

/// `time` is of the task on its own core type.
BodyCost cost_of(const Machine& machine, const TaskGraph& graph, TaskId id, CoreType on, Nanoseconds time) {
  const Task& task = graph[id];
  const TaskTraits& traits = graph.traits(id);
  if (task.operation != Operation::kKernel) return operation_cost(machine, task, graph.traits(id).pageable, time);
  const KernelCost& kernel = machine.kernel_cost(task.kernel);
  const bool elsewhere = on != task.core_type && traits.other_type == on;
  if (!elsewhere && task.cost.flops.count <= 0 && task.cost.bytes.count == 0) {  // most tasks: no work but what takes a stated time
    const bool norm = task.kernel == Kernel::kRmsNorm && kernel.step > Nanoseconds{0};
    const Nanoseconds steps = norm ? static_cast<double>(reading_steps(task, graph.problem())) * kernel.step : Nanoseconds{0};
    return {round_ns(kernel.overhead + steps), round_ns(time), {}, kernel.traffic * kernel.bandwidth};
  }
  const Passes work = passes(kernel, task, graph.problem());
  const Nanoseconds further = (work.count - 1) * kernel.overhead;
  const Nanoseconds fixed = elsewhere ? Nanoseconds{traits.other_time}
                                      : time + work.count * arithmetic_time(arithmetic_cost(machine, task.kernel), work.flops) + further;
  const Bytes traffic =
      kernel.traffic == 1 ? task.cost.bytes : Bytes{std::llround(kernel.traffic * static_cast<double>(task.cost.bytes.count))};
  return {round_ns(kernel.overhead), round_ns(fixed), traffic, kernel.traffic * drawn_alone(machine, graph, task)};
}

/// Behind its prologue.
BodyCost with_prologue(const Machine& machine, const TaskTraits& traits, BodyCost cost) {
  cost.overhead += prologue_alone(machine, traits);
  return cost;
}

}  // namespace

BodyCost body_cost(const Machine& machine, const TaskGraph& graph, TaskId id, CoreType on, std::uint64_t seed) {
  const Cost& cost = graph[id].cost;
  const std::vector<Duration>& samples = graph.traits(id).samples;
  Nanoseconds time = cost.time;
  if (!samples.empty() || cost.sigma_ns > 0) {
    Random random(mix(seed) ^ graph.draw(id));
    time = samples.empty()
               ? std::max(Nanoseconds{0}, time + Nanoseconds{cost.sigma_ns * random.normal()})
               : Nanoseconds{samples[static_cast<std::size_t>(random.between(0, static_cast<std::int64_t>(samples.size()) - 1))]};
  }
  return with_prologue(machine, graph.traits(id), cost_of(machine, graph, id, on, time));
}

BodyCost expected_cost(const Machine& machine, const TaskGraph& graph, TaskId id, CoreType on) {
  const std::vector<Duration>& samples = graph.traits(id).samples;
  const Nanoseconds time = samples.empty() ? Nanoseconds{graph[id].cost.time} : mean(samples);
  return with_prologue(machine, graph.traits(id), cost_of(machine, graph, id, on, time));
}

double transfer_rate(const Machine& machine, Operation operation, bool pageable) {
  if (operation == Operation::kMemset) return machine.copies ? machine.copies->memset_bandwidth : 0;
  if (operation == Operation::kCopyP2p && machine.devices.count() > 1) return machine.peers ? machine.peers->link_bandwidth : 0;
  if (!machine.links) return 0;
  const mechanism::Links& links = *machine.links;
  const double link = operation == Operation::kCopyH2d   ? links.h2d_bandwidth
                      : operation == Operation::kCopyD2h ? links.d2h_bandwidth
                                                         : links.p2p_bandwidth;
  const double whole = touches_host_memory(operation) && links.duplex_bandwidth > 0 ? std::min(link, links.duplex_bandwidth) : link;
  return pageable ? std::min(whole, links.staging_bandwidth) : whole;
}

double share_beside_other_way(const Machine& machine, Operation operation) {
  if (!machine.links || machine.links->duplex_bandwidth <= 0) return 1;
  const double own = transfer_rate(machine, operation, false);
  const double other = transfer_rate(machine, operation == Operation::kCopyH2d ? Operation::kCopyD2h : Operation::kCopyH2d, false);
  const double duplex = machine.links->duplex_bandwidth;
  return own > 0 ? std::min(own, std::max(duplex / 2, duplex - other)) / own : 1;  // max-min shares
}

std::vector<Duration> expected_durations(const TaskGraph& graph, const Machine& machine) {
  std::vector<Duration> durations;
  durations.reserve(graph.size());
  for (std::size_t i = 0; i < graph.size(); ++i) {
    durations.push_back(expected_cost(machine, graph, task_id(i), graph[task_id(i)].core_type).alone(machine));
  }
  if (!graph.has_collectives() || !machine.collectives || !machine.peers) return durations;
  for (const std::vector<TaskId>& ranks : collectives_of(graph)) {
    if (ranks.size() < 2) continue;
    const Duration alone = round_ns(collective_alone(machine, collective_of(graph, ranks, CollectiveAlgorithm::kAutomatic), false));
    for (const TaskId rank : ranks) durations[index(rank)] = std::max(durations[index(rank)], alone);
  }
  return durations;
}

std::vector<Duration> planned_durations(const TaskGraph& graph, const Machine& machine) {
  std::vector<Duration> durations = expected_durations(graph, machine);
  for (std::size_t i = 0; i < graph.size(); ++i) {
    if (const Duration estimate = graph.traits(task_id(i)).estimate; estimate >= Duration{0}) durations[i] = estimate;
  }
  return durations;
}

int width(const TaskGraph& graph, const Machine& machine, TaskId id) {
  const TaskTraits& traits = graph.traits(id);
  if (graph[id].core_type != CoreType::kMix) return traits.blocks;
  int cores = traits.aic + traits.aiv;
  if (cores > 0) return cores;
  for (const CoreGroup& group : machine.compute_cores) cores += group.count > 0 ? group.per_cluster : 0;
  return cores;
}

}  // namespace tasktwin
