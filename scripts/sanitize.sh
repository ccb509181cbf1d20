#!/bin/sh
# sanitize.sh [asan|tsan]: builds the unit tests of models, scenarios and sim with the address and undefined-behaviour sanitizers, or with
# that of threads, and runs them. Ends with the line "N passed, N failed".
set -u
preset=${1:-asan}
build=build/$preset
fail() { echo "0 passed, 1 failed"; exit 1; }

cmake --preset $preset -DTASKTWIN_REPORT=OFF ${CI:+-DTASKTWIN_PRECOMPILED_HEADERS=ON -DTASKTWIN_UNITY=ON} >/dev/null || fail
cmake --build $build --target tests_sanitized || fail
logs=$build/sanitized
rm -rf "$logs"
mkdir -p "$logs"
export ASAN_OPTIONS=malloc_context_size=4  # short stacks of allocations: most of the time would go into them
# Several processes share the tests of each executable.
shards=$(nproc)
while read -r test; do
  shard=0
  while [ "$shard" -lt "$shards" ]; do
    echo "$test $shard"
    shard=$((shard + 1))
  done
done <$build/sanitized-tests | xargs -n 2 -P "$shards" sh -c \
  'GTEST_TOTAL_SHARDS='"$shards"' GTEST_SHARD_INDEX=$1 '$build'/$0 --gtest_brief=1 >'"$logs"'/$0.$1.log 2>&1 || echo "$0 $1" >>'"$logs"'/failed'
if [ -e "$logs/failed" ]; then
  while read -r test shard; do tail -n 60 "$logs/$test.$shard.log"; done <"$logs/failed"
fi
passed=$(cat "$logs"/*.log | sed -n 's/^\[  PASSED  \] \([0-9]*\) tests*\.$/\1/p' | awk '{ sum += $1 } END { print sum + 0 }')
failed=$(cat "$logs"/*.log | grep -c '^\[  FAILED  \] [A-Za-z].*\.[A-Za-z].* (')
# A crash, or a sanitizer, ends an executable without a count.
[ ! -e "$logs/failed" ] || [ "$failed" -gt 0 ] || failed=$(wc -l <"$logs/failed")
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
