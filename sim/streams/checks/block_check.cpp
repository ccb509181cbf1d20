#include "sim/streams/checks/block_check.hpp"

#include <algorithm>
#include <map>
#include <string>
#include <string_view>

#include "models/base/error.hpp"
#include "models/cost/block_seats.hpp"

namespace tasktwin::sim {

namespace {

/// Sums up to this over the blocks of a core stay exact.
constexpr std::int64_t kMostThreads = 1 << 20;
constexpr std::int64_t kMostSharedMemory = std::int64_t{1} << 40;
/// In one graph; a run keeps some 60 bytes for each.
constexpr std::int64_t kMostBlocks = std::int64_t{1} << 26;

class Check {
 public:
  Check(std::string_view task, const Machine& machine) : task_(task), machine_(machine) {}

  void figures(const TaskTraits& traits) const {
    range("blocks", traits.blocks, 1, kMostBlocks);
    range("threads a block", traits.threads, 0, kMostThreads);
    range("registers a thread", traits.registers, 0, kMostThreads);
    range("bytes of shared memory a block", traits.shared_memory, 0, kMostSharedMemory);
    range("carveout", traits.carveout, -1, 100);
    range("blocks a cluster", traits.cluster, 1, kMostBlocks);
    if (traits.carveout >= 0 && !states_footprint(traits)) {
      throw InputError(named() + " states a carveout, " + std::to_string(traits.carveout) +
                       ", but neither threads nor shared memory: it has a core to itself; state the threads a block");
    }
    clusters(traits);
    if (traits.registers > 0 && traits.threads == 0) {
      throw InputError(named() + " states registers a thread, " + std::to_string(traits.registers) +
                       ", but no threads; state the threads a block");
    }
  }

  void clusters(const TaskTraits& traits) const {
    if (traits.cluster == 1) return;
    if (traits.blocks % traits.cluster != 0) {
      throw InputError(named() + " has " + std::to_string(traits.blocks) + " blocks in clusters of " + std::to_string(traits.cluster) +
                       "; its blocks must be a multiple");
    }
    const int largest = largest_group();
    if (traits.cluster <= largest) return;
    throw InputError(named() + " has clusters of " + std::to_string(traits.cluster) + " blocks, but " +
                     (largest == 0 ? "machine '" + machine_.name + "' tells no cluster_groups of its cores"
                                   : "a group of cores of machine '" + machine_.name + "' has " + std::to_string(largest) + " at most"));
  }

  void fits(const BlockNeeds& needs) const {
    within("threads", " (in whole warps)", needs.threads, machine_.core_limits.threads);
    within("registers", " (its warps' registers in units of 256)", needs.registers, machine_.core_limits.registers);
    within("bytes of shared memory", machine_.core_limits.reserved > 0 ? " (what the hardware takes besides among them)" : "",
           needs.shared_memory, machine_.core_limits.shared_memory);
  }

 private:
  std::string named() const { return "task '" + std::string(task_) + "'"; }

  void range(std::string_view what, std::int64_t value, std::int64_t least, std::int64_t most) const {
    if (value >= least && value <= most) return;
    throw InputError(named() + ": " + std::string(what) + " is " + std::to_string(value) + "; it must be " + std::to_string(least) +
                     " to " + std::to_string(most));
  }

  int largest_group() const {
    std::map<int, int> sizes;
    int largest = 0;
    for (const CoreGroup& group : machine_.compute_cores) {
      for (const int number : group.cluster_groups) largest = std::max(largest, ++sizes[number]);
    }
    return largest;
  }

  void within(std::string_view what, std::string_view how, std::int64_t value, std::int64_t limit) const {
    if (limit == 0 || value <= limit) return;
    throw InputError(named() + ": one block takes " + std::to_string(value) + " " + std::string(what) + std::string(how) +
                     ", but a core of machine '" + machine_.name + "' has " + std::to_string(limit));
  }

  std::string_view task_;
  const Machine& machine_;
};

}  // namespace

void check_blocks(const TaskGraph& graph, const Machine& machine) {
  std::int64_t blocks = 0;
  for (std::size_t i = 0; i < graph.size(); ++i) {
    const TaskTraits& traits = graph.traits(task_id(i));
    if (graph[task_id(i)].traits > 0) {
      const Check check(graph.name(task_id(i)), machine);
      check.figures(traits);
      check.fits(block_needs(traits, machine.core_limits));
    }
    blocks += traits.blocks;
  }
  if (blocks > kMostBlocks) {
    throw InputError("the tasks have " + std::to_string(blocks) + " blocks together; driver 'streams' takes up to " +
                     std::to_string(kMostBlocks));
  }
}

}  // namespace tasktwin::sim
