#include "gpu/supported.hpp"

#include "gpu/task_support.hpp"

namespace tasktwin::gpu {

const Supported kLayerBarrierSupported{
    [](const Design& design) { return design.driver == Driver::kPersistent && design.release == Release::kBarrier; },
    [](const TaskGraph& graph, const Machine&, const Design& design) -> std::optional<std::string> {
      if (design.fill != Fill::kAlways)
        return "fill '" + std::string(to_word(design.fill)) + "': a worker fetches whenever its mailbox has room; use 'always'";
      if (design.termination != Termination::kCounter) {
        return "termination '" + std::string(to_word(design.termination)) + "': a worker stops at the end of its list; leave it out";
      }
      return why_no_task(graph, {});
    }};

}  // namespace tasktwin::gpu
