#!/bin/sh
# without_cuda.sh NM GPU_LIBRARY "HOST_SOURCES" ABSENT_OBJECT -- CALLERS…: fails with the names of tasktwin::gpu that CALLERS lack and that neither
# ABSENT_OBJECT nor those members of GPU_LIBRARY have that need no CUDA.
set -eu
nm=$1 library=$2 sources=$3 absent=$4
shift 5
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
of_gpu() { grep -o '_ZNK\{0,1\}8tasktwin3gpu[^ ]*$' | sort -u; }
"$nm" -A -g --undefined-only "$@" | of_gpu >"$work/called"
{
  "$nm" -A -g --defined-only "$absent" "$@"
  for source in $sources; do "$nm" -A -g --defined-only "$library" | grep -F ":$source.o:" || :; done
} | of_gpu >"$work/there"
missing=$(comm -23 "$work/called" "$work/there" | c++filt)
[ -z "$missing" ] || { echo "missing without CUDA: $missing" >&2; exit 1; }
grep -q why_no_gpu "$work/called"
