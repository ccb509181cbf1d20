#!/bin/sh
# tidy.sh FILE…: clang-tidy of these sources; of the lines alone that differ from the commit $TIDY_BASE, where that is set. Fails where there
# is a warning.
set -eu
command -v clang-tidy-16 >/dev/null || { echo "clang-tidy-16 is missing: apt-get install clang-tidy-16" >&2; exit 1; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# Each source by itself, and without headers that GCC has precompiled, which clang does not read.
cmake --preset release -B build/tidy -DTASKTWIN_UNITY=OFF -DTASKTWIN_PRECOMPILED_HEADERS=OFF >/dev/null
if [ -n "${TIDY_BASE:-}" ]; then
  git diff -U0 "$TIDY_BASE" -- "$@" |
    clang-tidy-diff-16.py -clang-tidy-binary clang-tidy-16 -p1 -path build/tidy -j "$(nproc)" -quiet -extra-arg=-Wno-unknown-warning-option 2>&1 | tee "$work/out"
  if grep -qE ' (warning|error): ' "$work/out"; then exit 1; fi
else
  printf '%s\n' "$@" |
    xargs -n 1 -P "$(nproc)" clang-tidy-16 --quiet --warnings-as-errors='*' --extra-arg=-Wno-unknown-warning-option -p build/tidy
fi
