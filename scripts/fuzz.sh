#!/bin/sh
# fuzz.sh [SECONDS] [NAME…]: builds the fuzzers (needs clang++-16, the first that reads the compiler's ranges, with libFuzzer) and runs each for so many seconds, 30 by default, from its
# corpus, under the address and undefined-behaviour sanitizers. What a finding is made of is kept in build/fuzz/findings. Then each build
# with a planted bug must find it within a minute, from the inputs in tests/fuzz/corpora alone. Ends with the line "N passed, N failed[, N skipped]".
set -u
cd "$(dirname "$0")/.." || exit 1
seconds=${1:-30}
[ $# -eq 0 ] || shift
build=build/fuzz

if ! command -v clang++-16 >/dev/null || ! echo 'extern "C" int LLVMFuzzerTestOneInput(const unsigned char*, unsigned long) { return 0; }' |
  clang++-16 -x c++ - -fsanitize=fuzzer -o /dev/null 2>/dev/null; then
  echo "fuzz: clang++-16 with libFuzzer is not here (apt-get install clang-16 libclang-rt-16-dev); nothing is fuzzed"
  echo "0 passed, 0 failed, 1 skipped"
  exit 0
fi
cmake --preset fuzz >/dev/null && cmake --build $build --target fuzzers || { echo "0 passed, 1 failed"; exit 1; }

export TASKTWIN_DATA=$PWD/tests/fuzz/data
# Short stacks of allocations, and no frames kept after their end: both cost time at each call.
export ASAN_OPTIONS=detect_leaks=0:allocator_may_return_null=1:detect_stack_use_after_return=0:malloc_context_size=4:quarantine_size_mb=16
findings=$PWD/$build/findings
mkdir -p "$findings"
passed=0 failed=0
verdict() {
  if [ "$1" -eq 0 ]; then passed=$((passed + 1)); else failed=$((failed + 1)); fi
}

for name in ${*:-$(ls tests/fuzz/corpora)}; do
  run() {
    program=$1 work=$build/$2/$name
    shift 2
    mkdir -p "$work"
    "$build/$program" "$@" -rss_limit_mb=4096 -timeout=20 -len_control=0 -reload=0 -print_final_stats=1 -max_len=8192 "$work" "tests/fuzz/corpora/$name" 2>&1
  }
  log=$build/$name.log
  run "fuzz_$name" corpora -artifact_prefix="$findings/$name-" -max_total_time="$seconds" >"$log"
  status=$?
  executions=$(sed -n 's/^stat::number_of_executed_units: *//p' "$log" | tail -n 1)
  echo "fuzz: $name: ${executions:-no} executions in $seconds s$([ "$status" -eq 0 ] || echo ", and a finding, $findings/$name-*:")"
  [ "$status" -eq 0 ] || tail -n 40 "$log"
  verdict "$status"
  rm -rf "$build/planted/$name"
  if run "fuzz_${name}_planted" planted -artifact_prefix="$build/" -max_total_time=60 >"$log.planted"; then
    echo "fuzz: $name: the planted bug was not found in 60 s"
    verdict 1
  else
    verdict 0
  fi
done
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
