#!/bin/sh
# sanitize_modules.sh [SECONDS] [SEED]: what others' programs load, with the address and undefined-behaviour sanitizers of GCC: the Python
# module, called by tests/python/api_fuzzer.py for so many seconds (60 by default), and a policy that the command line takes. Ends with the
# line "N passed, N failed".
set -u
cd "$(dirname "$0")/.." || exit 1
seconds=${1:-60}
seed=${2:-1}
build=build/asan
passed=0 failed=0
verdict() {
  if [ "$1" -eq 0 ]; then passed=$((passed + 1)); else failed=$((failed + 1)); fi
}

cmake --preset asan -DTASKTWIN_REPORT=OFF -DTASKTWIN_PYTHON=ON >/dev/null &&
  cmake --build $build --target tasktwin tasktwin_python urgent_first || { echo "0 passed, 1 failed"; exit 1; }

# Python has no sanitizers, and frees little at its end. What throws must be there before the sanitizer looks for it.
python=$(sed -n 's/^_*Python3_EXECUTABLE:[A-Z]*=//p' $build/CMakeCache.txt | head -n 1)
preload="$(g++ -print-file-name=libasan.so) $(g++ -print-file-name=libstdc++.so)"
export ASAN_OPTIONS=detect_leaks=0:malloc_context_size=4
LD_PRELOAD=$preload PYTHONPATH=$build/python "$python" tests/python/api_fuzzer.py "$seconds" "$seed"
verdict $?
for designs in shared-queue central-dispatcher work-stealing; do
  LD_PRELOAD=$preload $build/tasktwin simulate cholesky --designs $designs --policy "$(find $PWD/$build -name liburgent_first.so)" >/dev/null
  verdict $?
done
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
