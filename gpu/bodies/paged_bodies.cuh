#pragma once

#include "gpu/bodies/built_in_bodies.cuh"
#include "gpu/bodies/paged_attention.cuh"
#include "gpu/bodies/paged_norm.cuh"
#include "gpu/bodies/paged_rows.cuh"
#include "gpu/bodies/pages.cuh"
#include "gpu/bodies/spin.cuh"

namespace tasktwin::gpu {

/// The bytes of kernel `stream`.
struct PagedStreamBody {
  __device__ static bool is_of(Kernel kernel) { return kernel == Kernel::kStream; }
  __device__ __forceinline__ static void run(const BodyCall& call, PageCursor& pages) {
    const std::uint64_t bytes = (call.task.bytes + sizeof(uint4) - 1) / sizeof(uint4) * sizeof(uint4);
    unsigned folded = 0;
#pragma unroll 1
    for (std::uint64_t at = 0; at < bytes; at += pages.page_bytes()) {
      pages.read_next([&](const std::byte* page) {
        const auto vectors = static_cast<int>(min(bytes - at, static_cast<std::uint64_t>(pages.page_bytes())) / sizeof(uint4));
#pragma unroll 4
        for (int i = body_thread(); i < vectors; i += kBodyThreads) folded ^= fold(reinterpret_cast<const uint4*>(page)[i]);
      });
    }
    keep(folded);
  }
};

/// Runs the one of Bodies that is of `kernel`; false if none is. Such a body is a class with
///   bool is_of(Kernel)
///   void run(const BodyCall&, PageCursor&)   reads the task's constant inputs from pages, all of them, as add_page_copies() orders them
template <class... Bodies>
__device__ __forceinline__ bool run_one_of_paged(Kernel kernel, const BodyCall& call, PageCursor& pages) {
  return ((Bodies::is_of(kernel) && (Bodies::run(call, pages), true)) || ...);
}

/// run_body() where a loader brings constant inputs: bodies that have some read them from pages.
__device__ __forceinline__ void run_paged_body(const TaskDescriptor& task, const BodyContext& context, std::byte* scratch,
                                               PageCursor& pages) {
  const auto kernel = static_cast<Kernel>(task.kernel);
  if (kernel == Kernel::kEmpty) return;
  if (kernel == Kernel::kSpin) return spin(task.spin_ns, context.scaled_cycles_per_ns);
  const BodyCall call(task, context, scratch, BodyBlock{});
  if (run_one_of_paged<PagedRowsBody, PagedNormBody, PagedAttentionBody, PagedStreamBody>(kernel, call, pages)) return;
  run_one_of<FmaBody, PotrfBody, TrsmBody, UpdateTileBody, AttentionMergeBody>(kernel, call);
}

}  // namespace tasktwin::gpu
