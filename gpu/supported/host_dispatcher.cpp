#include "gpu/supported/supported.hpp"

#include "gpu/host_dispatcher/host_mailboxes.hpp"

namespace tasktwin::gpu {

namespace {

constexpr AxisSupport kAxes[] = {
    {"ready_queue", {"shared", "per_core_type"}, "the host's threads share one queue"},
    {"placement", {"any_idle", "least_loaded"}, "the host's threads know no other choice of cores"},
    {"order"},
    {"dispatchers"},
    {"resolvers", {"0"}, "the host's threads resolve themselves"},
    {"ownership", {"owned"}, "a mailbox has one writer"},
    {"loop"},
    {"sweep"},
    {"claim"},
    {"claim_size"},
    {"mailbox_depth"},
    {"fill"},
    {"gang"},
    {"backoff_ns"},
    {"termination", {"counter"}, "the host's threads count completions in one word"},
};

std::optional<std::string> refuse(const TaskGraph& graph, const Machine& machine, const Design& design) {
  if (graph.has_wide_tasks() && design.gang == Gang::kTogether)
    return "the graph has tasks of several blocks, which the host's threads do not gather cores for; use gang 'apart'";
  if (dispatcher_count(design, machine) > static_cast<int>(kMostHostThreads))
    return "dispatchers " + std::to_string(dispatcher_count(design, machine)) + ": " + std::to_string(kMostHostThreads) +
           " threads at most";
  if (worker_cores(design, machine).size() > kMostHostWorkers) return "more than " + std::to_string(kMostHostWorkers) + " workers";
  return std::nullopt;
}

}  // namespace

const Supported kHostDispatcherSupported{[](const Design& design) { return design.driver == Driver::kHostDispatcher; },
                                         kAxes,
                                         {.blocks = true, .spawned = true, .own = OwnBodies::kResident},
                                         refuse};

}  // namespace tasktwin::gpu
