#include "gpu/bodies/paged_bodies.cuh"
#include "gpu/persistent/launch/launch.cuh"
#include "gpu/persistent/static_queues/message_link.cuh"
#include "gpu/persistent/static_queues/page_loader.cuh"
#include "gpu/persistent/static_queues/static_queue_links.cuh"
#include "gpu/persistent/static_queues/static_queues_kernel.hpp"
#include "models/rules/pages.hpp"
#include "models/rules/worker_block.hpp"

namespace tasktwin::gpu {

namespace {

/// A serial worker with one warp more, the loader.
constexpr int kLoaderWarp = kLeadingWarp + 1;
constexpr int kThreads = kSerialThreads + 32;
static_assert(sizeof(TaskStream::Room) + 2 * rules::kMostPages * sizeof(Mbarrier) + 2 * sizeof(std::uint32_t) + 128 <=
                  rules::kWorkerBlockBytes,
              "aligned, with what is called and where the worker is");

/// A link that says which task the worker has come to.
template <class Link>
class AnnouncingLink : public Link {
 public:
  __device__ AnnouncingLink(const Link& link, volatile std::uint32_t& at) : Link(link), at_(at) {}
  __device__ void come_to(std::uint32_t n) {
    if constexpr (requires(Link & link) { link.come_to(n); }) Link::come_to(n);
    if (lane_id() == 0) at_ = n;
  }

 private:
  volatile std::uint32_t& at_;
};

template <class Link, bool kWatched>
__global__ void __launch_bounds__(kThreads, 1)
    static_queues_with_pages(const __grid_constant__ PersistentRun run, const __grid_constant__ StaticQueues queues,
                             const __grid_constant__ PagePlan plan) {
  extern __shared__ __align__(128) std::byte scratch[];
  __shared__ TaskStream::Room room;
  __shared__ Mbarrier full[rules::kMostPages];
  __shared__ Mbarrier empty[rules::kMostPages];
  __shared__ std::uint32_t called;
  __shared__ volatile std::uint32_t at;
  const std::uint32_t worker = block_number();
  if (worker >= run.blocks) return;
  const PersistentRun known = as_watched<kWatched>(run);
  const SharedPages ring{scratch + plan.scratch_bytes, full, empty, plan.page_bytes, plan.pages};
  ring.init();
  if (threadIdx.x == 0) at = 0;
  pass_gate(known);
  const int warp = static_cast<int>(threadIdx.x) / 32;
  if (warp == kLoaderWarp) return load_pages(plan, worker, ring, at);
  if (warp == kLeadingWarp) {
    AnnouncingLink<Link> link(Link(known, queues, worker, room), at);
    lead_bodies(known, link, worker, called);
    link.come_to(kListOver);
    return;
  }
  PageCursor pages(ring);
  follow_bodies(known, called, [&](const TaskDescriptor& task) { run_paged_body(task, known.bodies, scratch, pages); });
}

template <class Link>
void launch(const PersistentRun& run, const StaticQueues& queues, const PagePlan& plan, cudaStream_t stream) {
  launch_resident(watched(run) ? static_queues_with_pages<Link, true> : static_queues_with_pages<Link, false>,
                  {run.workers, kThreads, plan.scratch_bytes + std::size_t{plan.pages} * plan.page_bytes}, stream, run, queues, plan);
}

}  // namespace

void launch_static_queues(const PersistentRun& run, const StaticQueues& queues, const PagePlan& plan, cudaStream_t stream) {
  if (queues.awaited == nullptr) {
    launch<CounterLink>(run, queues, plan, stream);
  } else if (queues.pieces != nullptr) {
    launch<MessageLink>(run, queues, plan, stream);
  } else {
    launch<FlagLink>(run, queues, plan, stream);
  }
}

}  // namespace tasktwin::gpu
