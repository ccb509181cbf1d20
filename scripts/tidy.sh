#!/bin/sh
# tidy.sh BUILD_FOLDER FILE…: clang-tidy of these sources as the build compiles them. Fails where one has a warning.
set -eu
build=$1
shift
command -v clang-tidy-16 >/dev/null || { echo "clang-tidy-16 is missing: apt-get install clang-tidy-16" >&2; exit 1; }
# clang reads no headers that GCC has precompiled.
commands=$(mktemp -d)
trap 'rm -rf "$commands"' EXIT
sed 's/-Winvalid-pch//g; s/-include [^ ]*cmake_pch\.hxx//g' "$build/compile_commands.json" >"$commands/compile_commands.json"
printf '%s\n' "$@" |
  xargs -n 1 -P "$(nproc)" clang-tidy-16 --quiet --warnings-as-errors='*' --extra-arg=-Wno-unknown-warning-option -p "$commands"
