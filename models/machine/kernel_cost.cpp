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
      KernelField{"step_ns",
                  "likewise by each step of a warp: up to 4 KiB of a row, or of the state that a norm reads; rows go round eight warps",
                  &K::step},
      KernelField{"pass", "query heads of attention, or components of a merge's heads, that one pass takes; 0 for all at once", nullptr,
                  &K::pass},
      KernelField{"paged_gb_per_s",
                  "bandwidth by which it reads full pages, kernel down also for others whose rows are not 4 KiB; without it "
                  "page_loads.read_bandwidth_gb_per_s",
                  nullptr, &K::paged},
      KernelField{"spread_ns", "standard deviation of its bodies' overhead", &K::spread},
      KernelField{"varies", "standard deviation of all else that its bodies take, as a share of it", nullptr, &K::varies, 0, 0, 1},
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
      KernelField{"grid_ns", "added to each of its bodies in a launched kernel of several blocks, which ask for its code at once",
                  &K::grid},
      KernelField{"grid_end_ns",
                  "end of the last body of such a kernel to its end for what waits for it, in a run that finds the cache empty",
                  &K::grid_end},
      KernelField{"uncached_ns", "added to its bodies in a run that finds the cache empty", &K::uncached},
  };
  return fields;
}

}  // namespace tasktwin
