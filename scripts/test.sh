#!/bin/sh
# test.sh BUILD_FOLDER [LABEL]: runs the tests and ends with the line "N passed, N failed[, N skipped]".
set -u
build=$1
results=$PWD/$build/test-results.xml
rm -f "$results"

ctest --test-dir "$build" --parallel "$(nproc)" --no-tests=error --output-on-failure --output-junit "$results" ${2:+-L "^$2\$"}
status=$?

number() { sed -n "s/.*<testsuite.* *$1=\"\([0-9]*\)\".*/\1/p;s/^[[:space:]]*$1=\"\([0-9]*\)\".*/\1/p" "$results" 2>/dev/null | head -n 1; }
tests=$(number tests)
failed=$(number failures)
skipped=$(number skipped)
disabled=$(number disabled)
tests=${tests:-0} failed=${failed:-0} skipped=$((${skipped:-0} + ${disabled:-0}))
passed=$((tests - failed - skipped))
if [ "$status" -ne 0 ] && [ "$failed" -eq 0 ]; then failed=1; fi  # the tests themselves could not be run

echo "$passed passed, $failed failed$([ "$skipped" -eq 0 ] || echo ", $skipped skipped")"
exit "$status"
