#!/bin/sh
# tidy.sh BUILD_FOLDER FILE…: clang-tidy of these sources as the build compiles them; of the lines alone that differ from the commit
# $TIDY_BASE, where that is set. Fails where there is a warning.
set -eu
build=$1
shift
command -v clang-tidy-16 >/dev/null || { echo "clang-tidy-16 is missing: apt-get install clang-tidy-16" >&2; exit 1; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# clang reads no headers that GCC has precompiled.
sed 's/-Winvalid-pch//g; s/-include [^ ]*cmake_pch\.hxx//g' "$build/compile_commands.json" >"$work/compile_commands.json"
if [ -n "${TIDY_BASE:-}" ]; then
  git diff -U0 "$TIDY_BASE" -- "$@" |
    clang-tidy-diff-16.py -clang-tidy-binary clang-tidy-16 -p1 -path "$work" -j "$(nproc)" -quiet -extra-arg=-Wno-unknown-warning-option 2>&1 | tee "$work/out"
  if grep -qE ' (warning|error): ' "$work/out"; then exit 1; fi
else
  printf '%s\n' "$@" |
    xargs -n 1 -P "$(nproc)" clang-tidy-16 --quiet --warnings-as-errors='*' --extra-arg=-Wno-unknown-warning-option -p "$work"
fi
