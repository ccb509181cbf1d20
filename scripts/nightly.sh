#!/bin/sh
# nightly.sh BUILD_FOLDER: what takes too long for every change. Each fuzzer for five minutes, and that of the Python module, where it is
# built; the unit tests under sanitizers, and so the Python module and a policy of one's own; false alarms of the gate over 400 seeds; 500
# kills at random moments of commands that write; the same bytes from 200 pairs of scenario and design, with one process and two, by gcc
# and, where it is there, clang, without sanitizers and with them; ten thousand hostile inputs; ten searches held against trying everything;
# a search of 100 000 points killed five times and under MPI; stack frames of the resident kernels. Ends with the line "N passed, N failed".
set -u
cd "$(dirname "$0")/.." || exit 1
build=$1
passed=0 failed=0
verdict() {
  if [ "$1" -eq 0 ]; then passed=$((passed + 1)); else failed=$((failed + 1)); fi
}

cmake --build "$build" --target tasktwin tasktwin_timelines tasktwin_command_line_tests || { echo "0 passed, 1 failed"; exit 1; }
sh scripts/fuzz.sh 300
verdict $?
# The Python that a build's module is for, which need not be the first in PATH.
python_of() { sed -n 's/^_*Python3_EXECUTABLE:[A-Z]*=//p' "$1/CMakeCache.txt" | head -n 1; }
seed=$(date +%Y%m%d)000000  # the day's, so that each night draws others
if [ -d "$build/python/tasktwin" ]; then
  PYTHONPATH="$build/python" "$(python_of "$build")" tests/python/api_fuzzer.py 300 "$seed"
  verdict $?
fi
sh scripts/sanitize.sh asan
verdict $?
sh scripts/sanitize_modules.sh 60 "$seed"
verdict $?
python3 tests/bench/gate_false_alarms.py "$build/tasktwin"
verdict $?
TASKTWIN_KILLS=500 "$build/tasktwin_command_line_tests" --gtest_brief=1 --gtest_filter='Writers.AreOldOrNewAndWholeWhenKilled'
verdict $?

builds=$build/tasktwin_timelines
for preset in asan $(command -v clang++-16 >/dev/null && echo clang fuzz); do
  if cmake --preset "$preset" -DTASKTWIN_REPORT=OFF >/dev/null && cmake --build "build/$preset" --target tasktwin_timelines; then
    builds="$builds build/$preset/tasktwin_timelines"
  else
    echo "nightly: there is no build of preset $preset to hold timelines against"
    verdict 1
  fi
done
# shellcheck disable=SC2086  # paths without blanks
sh scripts/determinism.sh "$build/tasktwin" $builds
verdict $?
python3 tests/bench/hostile_inputs.py "$build/tasktwin" --seed "$seed" --keep "$build/hostile"
verdict $?
python3 tests/bench/search_quality.py "$build/tasktwin"
verdict $?
python3 tests/bench/search_resume.py "$build/tasktwin"
verdict $?
sh scripts/stack_frames.sh
verdict $?
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
