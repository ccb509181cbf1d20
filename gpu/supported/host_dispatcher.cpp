#include "gpu/supported/supported.hpp"

#include "gpu/host_dispatcher/host_mailboxes.hpp"

namespace tasktwin::gpu {

namespace {}  // namespace

std::optional<std::string> why_no_host_dispatcher(const TaskGraph& graph, const Machine& machine, const Design& design) {
  if (graph.has_wide_tasks() && design.gang != Gang::kApart)
    return "the graph has tasks of several blocks, which the host's threads do not gather cores for; use gang 'apart'";
  if (dispatcher_count(design, machine) > static_cast<int>(kMostHostThreads))
    return "dispatchers " + std::to_string(dispatcher_count(design, machine)) + ": " + std::to_string(kMostHostThreads) +
           " threads at most";
  if (worker_cores(design, machine).size() > kMostHostWorkers) return "more than " + std::to_string(kMostHostWorkers) + " workers";
  return std::nullopt;
}

}  // namespace tasktwin::gpu
