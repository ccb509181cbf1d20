#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "models/cost/body_cost.hpp"
#include "models/graph/graph_copy.hpp"
#include "models/program/program_edits.hpp"
#include "verify/advise/trials.hpp"
#include "verify/explain/explanation.hpp"
#include "verify/explain/hypothetical.hpp"
#include "verify/explain/what_if.hpp"
#include "verify/output/text/text_table.hpp"

namespace tasktwin::verify {

namespace {

struct Remedy {
  std::string_view part;
  std::string_view how;
};
constexpr std::array kRemedies{
    Remedy{kModuleLoading, "load code before the loop: run the step once, or set CUDA_MODULE_LOADING=EAGER"},
    Remedy{"Malloc", "allocate before the loop, or from a pool: cudaMallocAsync with a release threshold"},
    Remedy{"Free", "keep memory until the loop is over, or cudaFreeAsync: cudaFree waits for the whole device"},
    Remedy{"MemAlloc", "allocate before the loop, or from a pool"},
    Remedy{"Synchronize", "wait later, or for an event of what is needed alone"},
    Remedy{"Launch", "launch fewer and larger pieces of work: a CUDA graph, or fused kernels"},
    Remedy{"Memcpy", "pinned memory and cudaMemcpyAsync"},
};

void try_calls(Trials& trials) {
  const DesignAccount account = account_with_costs(trials.scenario, trials.captured, trials.seed);
  scenarios::Scenario changed = trials.scenario;
  std::size_t allocating = 0;
  for (std::uint32_t name = 0; name < trials.scenario.program->names.size(); ++name) {
    if (!allocates(trials.scenario.program->names[name])) continue;
    for (const PathCause cause : {PathCause::kHostCall, PathCause::kHostSync})
      changed.program = program_without(changed, trials.captured, cause, name);
    ++allocating;
  }
  if (allocating > 0)
    trials.propose(
        {.kind = "allocations",
         .what = fmt::format("no call that allocates or frees: here are {}", trials.allocations),
         .why = {"the same memory each time, taken before", "frees wait for the device: what they waited for, later calls wait for"},
         .how = {"PyTorch: its caching allocator, warmed up; CUDA: cudaMallocAsync from a pool, or buffers allocated once"}},
        changed, trials.captured);
  for (const HostCallCost& call : account.calls) {
    if (allocates(call.name)) continue;
    std::vector<std::string> how;
    const auto remedy = std::ranges::find_if(kRemedies, [&](const Remedy& one) { return call.name.find(one.part) != std::string::npos; });
    if (remedy != kRemedies.end()) how.emplace_back(remedy->how);
    ++trials.advice.tried;
    trials.advice.proposals.push_back({.kind = "host_call",
                                       .what = fmt::format("{} takes no time", call.name),
                                       .where = fmt::format("{} of the run's path", format_us(call.on_path)),
                                       .why = {"an upper bound: what they wait for the device is then waited for elsewhere"},
                                       .how = std::move(how),
                                       .makespan = trials.advice.makespan - call.gain});
  }
  changed.program = program_without(trials.scenario, trials.captured, PathCause::kHostOwn);
  trials.propose({.kind = "host_own",
                  .what = "the host's own time between its calls takes nothing",
                  .why = {"an upper bound of what quicker code of the host would bring"},
                  .how = {"a CUDA graph; torch.compile; launching from another thread"}},
                 changed, trials.captured);
}

/// Copies of pageable memory at the pace of pinned memory; who waits for them stays.
void try_pinned(Trials& trials) {
  std::size_t copies = 0;
  TaskGraphBuilder builder;
  copy_tasks(builder, trials.scenario.graph, [&](TaskId, Task& task, TaskTraits& traits) {
    if (!touches_host_memory(task.operation) || !traits.pageable || task.cost.bytes.count <= 0) return;
    const double rate = transfer_rate(trials.scenario.machine, task.operation, false);
    if (rate <= 0) return;
    const Duration time{static_cast<std::int64_t>(static_cast<double>(task.cost.bytes.count) / rate)};
    if (time >= task.cost.time) return;
    task.cost.time = time;
    ++copies;
  });
  if (copies == 0) return;
  copy_edges(builder, trials.scenario.graph);
  scenarios::Scenario changed = trials.scenario;
  changed.graph = std::move(builder).build();
  trials.propose({.kind = "pinned",
                  .what = fmt::format("pinned memory in place of pageable for {} copies", copies),
                  .why = {fmt::format("each takes its bytes at the machine's {:.1f} GB/s; calls that return when the copy is over still do",
                                      transfer_rate(trials.scenario.machine, Operation::kCopyH2d, false))},
                  .how = {"PyTorch: tensor.pin_memory(), DataLoader(pin_memory=True); CUDA: cudaMallocHost or cudaHostRegister"}},
                 changed, trials.captured);
}

/// No proposal, but a remark: other kernels would be needed.
void tell_small_kernels(Trials& trials) {
  constexpr Duration kSmall{5'000};
  std::size_t kernels = 0;
  std::size_t small = 0;
  Duration together{};
  for (std::size_t i = 0; i < trials.scenario.graph.size(); ++i) {
    const Task& task = trials.scenario.graph[task_id(i)];
    if (task.operation != Operation::kKernel) continue;
    ++kernels;
    if (task.cost.time >= kSmall) continue;
    ++small;
    together += task.cost.time;
  }
  if (kernels == 0 || 2 * small < kernels) return;
  trials.advice.remarks.push_back(
      fmt::format("{} of {} kernels take less than {} each, {} together, about what launching a kernel costs: fused kernels would "
                  "help whatever launches them",
                  small, kernels, format_us(kSmall), format_us(together)));
}

}  // namespace

void try_host(Trials& trials) {
  try_calls(trials);
  try_pinned(trials);
  tell_small_kernels(trials);
}

}  // namespace tasktwin::verify
