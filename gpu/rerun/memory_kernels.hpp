#pragma once

namespace tasktwin::gpu::rerun {

/// Bytes in a block of memory that is compared and put back as one.
inline constexpr unsigned long long kChunkBytes = 4096;
inline constexpr unsigned int kThreadsPerChunk = 256;

/// Two kernels in PTX, so that the library needs neither nvcc nor CUDA's runtime; a block of threads has a chunk each.
/// differing(left, right, bytes, counts): counts[chunk] += how many of its bytes differ.
/// put_back(to, from, bytes, marks): copies the chunks whose mark is not 0.
inline constexpr const char* kMemoryKernels = R"(
.version 7.0
.target sm_75
.address_size 64

.visible .entry differing(.param .u64 p_left, .param .u64 p_right, .param .u64 p_bytes, .param .u64 p_counts)
{
  .reg .pred %p<3>;
  .reg .b16 %h<3>;
  .reg .b32 %r<5>;
  .reg .b64 %d<12>;
  ld.param.u64 %d1, [p_left];
  ld.param.u64 %d2, [p_right];
  ld.param.u64 %d3, [p_bytes];
  ld.param.u64 %d4, [p_counts];
  mov.u32 %r1, %ctaid.x;
  mov.u32 %r2, %tid.x;
  mul.wide.u32 %d5, %r1, 4096;
  add.s64 %d6, %d5, 4096;
  min.u64 %d6, %d6, %d3;
  cvt.u64.u32 %d7, %r2;
  add.s64 %d7, %d7, %d5;
  mov.u32 %r3, 0;
compare:
  setp.ge.u64 %p1, %d7, %d6;
  @%p1 bra compared;
  add.s64 %d8, %d1, %d7;
  add.s64 %d9, %d2, %d7;
  ld.global.u8 %h1, [%d8];
  ld.global.u8 %h2, [%d9];
  setp.ne.s16 %p2, %h1, %h2;
  @%p2 add.u32 %r3, %r3, 1;
  add.s64 %d7, %d7, 256;
  bra compare;
compared:
  setp.eq.u32 %p1, %r3, 0;
  @%p1 bra end;
  mul.wide.u32 %d10, %r1, 4;
  add.s64 %d10, %d10, %d4;
  red.global.add.u32 [%d10], %r3;
end:
  ret;
}

.visible .entry put_back(.param .u64 p_to, .param .u64 p_from, .param .u64 p_bytes, .param .u64 p_marks)
{
  .reg .pred %p<2>;
  .reg .b16 %h<2>;
  .reg .b32 %r<4>;
  .reg .b64 %d<12>;
  ld.param.u64 %d1, [p_to];
  ld.param.u64 %d2, [p_from];
  ld.param.u64 %d3, [p_bytes];
  ld.param.u64 %d4, [p_marks];
  mov.u32 %r1, %ctaid.x;
  mov.u32 %r2, %tid.x;
  mul.wide.u32 %d10, %r1, 4;
  add.s64 %d10, %d10, %d4;
  ld.global.u32 %r3, [%d10];
  setp.eq.u32 %p1, %r3, 0;
  @%p1 bra end;
  mul.wide.u32 %d5, %r1, 4096;
  add.s64 %d6, %d5, 4096;
  min.u64 %d6, %d6, %d3;
  cvt.u64.u32 %d7, %r2;
  add.s64 %d7, %d7, %d5;
copy:
  setp.ge.u64 %p1, %d7, %d6;
  @%p1 bra end;
  add.s64 %d8, %d1, %d7;
  add.s64 %d9, %d2, %d7;
  ld.global.u8 %h1, [%d9];
  st.global.u8 [%d8], %h1;
  add.s64 %d7, %d7, 256;
  bra copy;
end:
  ret;
}
)";

}  // namespace tasktwin::gpu::rerun
