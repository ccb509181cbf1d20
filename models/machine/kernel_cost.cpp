#include "models/machine/kernel_cost.hpp"

#include <array>

namespace tasktwin {

std::span<const KernelField> kernel_fields() {
  using K = KernelCost;
  static constexpr std::array fields{
      KernelField{"overhead_ns", "paid by every body of any size", &K::overhead},
      KernelField{"traffic", "bandwidth that each of its bytes takes up, in those of long bodies of kernel stream", nullptr, &K::traffic, 1,
                  0.1, 1000},
      KernelField{"bandwidth_gb_per_s", "bandwidth of its bytes that one core draws alone; without it memory.core_bandwidth_gb_per_s",
                  nullptr, &K::bandwidth},
      KernelField{"issue", "share of a core's issue slots that one block takes alone, threads and all", nullptr, &K::issue, 0, 0, 1},
      KernelField{"warp_issue", "share that one warp takes alone, where a block has too few to take more; 0 for no limit", nullptr,
                  &K::warp_issue, 0, 0, 1},
      KernelField{"row_ns", "added to drawing its bytes alone by each row of its matrices", &K::row},
      KernelField{"publish_ns", "added to publish_ns of the mailboxes: the threads meet, and what they wrote reaches memory", &K::publish},
      KernelField{"release_ns", "likewise added to resident_cores.release_ns", &K::release},
      KernelField{"cold_ns", "its first body started to its code being there", &K::cold},
      KernelField{"uncached_cold_ns", "its first body of a run that finds the cache empty started to its code being there",
                  &K::uncached_cold},
      KernelField{"pipelined",
                  "time of a body in a worker without a list, which fetches and publishes meanwhile, over that in a worker with a list",
                  nullptr, &K::pipelined, 1, 1},
      KernelField{"again_ns", "by how much less a body takes right after another of the kernel on the same core", &K::again},
      KernelField{"launched_ns", "added to launched_kernels.body_ns where graphs and kernels launch it, not streams", &K::launched},
      KernelField{"uncached_ns", "added to its bodies in a run that finds the cache empty", &K::uncached},
  };
  return fields;
}

}  // namespace tasktwin
