#!/bin/sh
# nightly.sh BUILD_FOLDER: what takes too long for every change. Each fuzzer for five minutes; 500 kills at random moments of commands that
# write; the same bytes from 200 pairs of scenario and design. Ends with the line "N passed, N failed".
set -u
cd "$(dirname "$0")/.." || exit 1
build=$1
passed=0 failed=0
verdict() {
  if [ "$1" -eq 0 ]; then passed=$((passed + 1)); else failed=$((failed + 1)); fi
}

cmake --build "$build" --target tasktwin tasktwin_command_line_tests || { echo "0 passed, 1 failed"; exit 1; }
sh scripts/fuzz.sh 300
verdict $?
TASKTWIN_KILLS=500 "$build/tasktwin_command_line_tests" --gtest_brief=1 --gtest_filter='Writers.AreOldOrNewAndWholeWhenKilled'
verdict $?
sh scripts/determinism.sh "$build/tasktwin"
verdict $?
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
