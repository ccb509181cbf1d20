#include "sim/streams/block_check.hpp"

#include <string>
#include <string_view>

#include "models/error.hpp"
#include "sim/streams/block_seats.hpp"

namespace tasktwin::sim {

namespace {

/// Sums of so much over the blocks of a core stay exact.
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
    if (traits.registers > 0 && traits.threads == 0) {
      throw InputError(named() + " states registers a thread, " + std::to_string(traits.registers) +
                       ", but no threads; state the threads a block");
    }
  }

  void fits(const BlockNeeds& needs) const {
    within("threads", " (in whole warps)", needs.threads, machine_.core_limits.threads);
    within("registers", " (its warps' registers in units of 256)", needs.registers, machine_.core_limits.registers);
    within("bytes of shared memory", "", needs.shared_memory, machine_.core_limits.shared_memory);
  }

 private:
  std::string named() const { return "task '" + std::string(task_) + "'"; }

  void range(std::string_view what, std::int64_t value, std::int64_t least, std::int64_t most) const {
    if (value >= least && value <= most) return;
    throw InputError(named() + ": " + std::string(what) + " is " + std::to_string(value) + "; it must be " + std::to_string(least) +
                     " to " + std::to_string(most));
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
      check.fits(block_needs(traits));
    }
    blocks += traits.blocks;
  }
  if (blocks > kMostBlocks) {
    throw InputError("the tasks have " + std::to_string(blocks) + " blocks together; driver 'streams' takes up to " +
                     std::to_string(kMostBlocks));
  }
}

}  // namespace tasktwin::sim
