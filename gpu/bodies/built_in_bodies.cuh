#pragma once

#include "gpu/bodies/attention.cuh"
#include "gpu/bodies/fma.cuh"
#include "gpu/bodies/potrf.cuh"
#include "gpu/bodies/projections.cuh"
#include "gpu/bodies/rms_norm.cuh"
#include "gpu/bodies/stream.cuh"
#include "gpu/bodies/tile_update.cuh"
#include "gpu/bodies/trsm.cuh"

namespace tasktwin::gpu {

/// The bodies of the project's kernels, but for the shortest (run_body).
__device__ __forceinline__ void run_listed_body(Kernel kernel, const BodyCall& call) {
  run_one_of<FmaBody, StreamBody, PotrfBody, TrsmBody, UpdateTileBody, RmsNormBody, QkvBody, AttentionBody, AttentionMergeBody, ProjectBody,
             GateUpBody, DownBody, HeadBody>(kernel, call);
}

/// Those that run in any block.
__device__ __forceinline__ void run_listed_body_in_block(Kernel kernel, const BodyCall& call) {
  run_one_of<FmaBody, StreamBody>(kernel, call);
}

}  // namespace tasktwin::gpu
