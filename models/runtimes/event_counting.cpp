#include "models/runtimes/event_counting.hpp"

#include <algorithm>

#include "models/runtimes/runtimes.hpp"

namespace tasktwin {

bool counts_events(const Design& design) {
  const Runtime& runtime = runtime_of(design);
  if (!runtime.resident() || runtime.barrier() || runtime.id == RuntimeId::kGroupQueue) return false;
  return std::ranges::none_of(design.parts, [](const DesignPart& part) { return part.release == Release::kBarrier; });
}

bool watches_events(const Design& design) { return runtime_of(design).id == RuntimeId::kStaticQueues; }

}  // namespace tasktwin
