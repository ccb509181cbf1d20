#!/bin/sh
# stack_frames.sh: compiles the resident kernels for sm_90 and fails where one that has a core for itself, or half of one, keeps more than
# 32 bytes on its stack. What a worker knows of the run is to stay in registers: once in local memory, each look at a queue takes longer
# (hybrid lists took 15 % longer with 1088 bytes there).
set -eu
nvcc=${NVCC:-nvcc}
command -v "$nvcc" >/dev/null || nvcc=/usr/local/cuda/bin/nvcc
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
failed=0
for source in gpu/persistent/*/*_kernel.cu; do
  "$nvcc" -I. -O3 -DNDEBUG -gencode arch=compute_90,code=sm_90 -std=c++20 -Xptxas -v -c "$source" -o "$out/kernel.o" 2>"$out/said"
  awk -v source="$source" '
    /Compiling entry function/ { split($0, quoted, "\047"); kernel = quoted[2] }
    / bytes stack frame/ && kernel != "" {
      if (kernel !~ /ELi4E/ && $1 + 0 > 32) { print source ": " kernel ": " $1 " bytes of stack"; bad = 1 }
      kernel = ""; ++seen
    }
    END { if (seen == 0) { print source ": no kernel found"; bad = 1 } exit bad }' "$out/said" || failed=1
done
[ "$failed" = 0 ] && echo "stack_frames: none of the resident kernels has more than 32 bytes of stack"
exit "$failed"
