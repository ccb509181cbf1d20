#pragma once

#include <cstdint>
#include <vector>

#include "models/graph/task_graph.hpp"
#include "models/machine/machine.hpp"

namespace tasktwin {

/// A body on a given machine: it ends `overhead` after both its fixed part and its bytes are through.
struct BodyCost {
  Duration overhead{};  ///< of the kernel, whatever its size, and of the task's prologue
  Duration fixed{};     ///< fixed time plus arithmetic, in parallel with the bytes
  Bytes bytes{};        ///< drawn from the shared memory; KernelCost::traffic counted in
  double rate = 0;      ///< bytes/ns drawn alone; 0 for mechanism::Memory::core_bandwidth

  double alone_rate(const mechanism::Memory& memory) const { return rate > 0 ? rate : memory.core_bandwidth; }
  /// The duration on an otherwise idle machine.
  Duration alone(const Machine& machine) const;
};

/// The share of a core's issue slots that a block of the task's kernel takes alone.
double issue_share(const KernelCost& kernel, int threads);

/// A body in blocks of the footprint that its task states: few warps do its arithmetic more slowly, and a block of kernel `stream` draws
/// what it has in flight (rules::stream_under_way). Contract: it states one, and `cost` is its body's on a core of its own.
BodyCost in_stated_block(const Machine& machine, const TaskGraph& graph, TaskId id, BodyCost cost);

/// A body of kernel `stream` with that many threads, on a core with other blocks, and that much shared memory in its block.
BodyCost limited_by_ring(const Machine& machine, int threads, std::int64_t shared_memory, BodyCost cost);

/// Whether a block of the task may share a core with others and slow them down, or takes another time than on a core of its own.
bool block_differs(const Machine& machine, const TaskGraph& graph, TaskId id);
/// Of any task.
bool blocks_differ(const Machine& machine, const TaskGraph& graph);

/// Where the time of a body's arithmetic is stated: with its kernel, or for bodies that are only simulated (TaskTraits::kind) with kernel
/// `fma`.
const KernelCost& arithmetic_cost(const Machine& machine, Kernel kernel);

/// The rows of the matrices that its body reads; 0 for kernels that read none.
std::int64_t matrix_rows(const Task& task);

/// Steps in which its body reads rows of matrices, or a norm the state (rules::row_steps); 0 for kernels that read none.
std::int64_t reading_steps(const Task& task, const Problem& problem);

/// FLOPs of one pass of its body over its data (KernelCost::pass): all, where it takes but one.
double flops_of_pass(const KernelCost& kernel, const Task& task, const Problem& problem);

/// What a run that finds the cache empty adds to a body of that size.
Nanoseconds uncached_time(const KernelCost& kernel, double flops);

/// The cost of a task on a core of type `on`, its time drawn: one of its samples, or from N(time, sigma) cut off at 0. The
/// draw depends on `seed` and TaskGraph::draw alone, so every design meets the same durations. Contract: the task can run on `on`.
BodyCost body_cost(const Machine& machine, const TaskGraph& graph, TaskId id, CoreType on, std::uint64_t seed);

/// The same with the mean of the samples, or of the normal distribution: what a scheduler may know beforehand.
BodyCost expected_cost(const Machine& machine, const TaskGraph& graph, TaskId id, CoreType on);

/// Bytes/ns of a transfer that has its links to itself; 0 where the machine states no bandwidth.
double transfer_rate(const Machine& machine, Operation operation, bool pageable);

/// What of that is left to a copy between the host's pinned memory and the device while another moves the other way: at most 1; 1 where the
/// machine does not say.
double share_beside_other_way(const Machine& machine, Operation operation);

/// alone() of every task's expected cost on its own core type, by TaskId.
std::vector<Duration> expected_durations(const TaskGraph& graph, const Machine& machine);

/// The same as a scheduler knows them: what the task estimates (TaskTraits::estimate), where it says so.
std::vector<Duration> planned_durations(const TaskGraph& graph, const Machine& machine);

/// Bytes that all blocks of a kernel draw from the shared memory.
double drawn_bytes(const Machine& machine, const TaskGraph& graph, TaskId id);

/// How many cores a task occupies: its blocks, or for `mix` the cores of one cluster.
int width(const TaskGraph& graph, const Machine& machine, TaskId id);

}  // namespace tasktwin
