#include "models/runtimes/prologues_ahead.hpp"

#include <string>

#include "models/base/error.hpp"
#include "models/runtimes/runtimes.hpp"

namespace tasktwin {

bool prologues_ahead(const Design& design) {
  return runtime_of(design).of_host() ? design.programmatic_launch == ProgrammaticLaunch::kOn : design.prologues == Prologues::kAhead;
}

void check_prologues(const TaskGraph& graph, const Design& design) {
  if (!graph.has_prologues() || runtime_of(design).of_host()) return;
  for (std::size_t i = 0; i < graph.size(); ++i) {
    if (graph.traits(task_id(i)).prologue_bytes == 0) continue;
    throw InputError("design '" + design.name + "': task '" + std::string(graph.name(task_id(i))) +
                     "' has prologue_bytes, which only kernels in streams and graphs read before their bodies (driver 'streams' or "
                     "'cuda_graph'); state the time of its prologue, prologue_ns");
  }
}

}  // namespace tasktwin
