#!/bin/sh
# gpu_sanitizers.sh TASKTWIN [SECONDS]: compute-sanitizer's four tools (memcheck, racecheck, synccheck, initcheck) over every executor, on a
# small graph, on a GPU. Begins nothing new after so many seconds (600 by default) and names what it left out. Reports are kept in
# build/gpu-sanitizers. Ends with the line "N passed, N failed[, N skipped]".
set -u
tasktwin=$(realpath "$1")
seconds=${2:-600}
sanitizer=$(command -v compute-sanitizer || echo /usr/local/cuda/bin/compute-sanitizer)
logs=$(pwd)/build/gpu-sanitizers
mkdir -p "$logs"
[ -x "$sanitizer" ] || { echo "gpu-sanitizers: no compute-sanitizer here"; echo "0 passed, 0 failed, 1 skipped"; exit 0; }
passed=0 failed=0 skipped=0
begun=$(date +%s)

# Several layers with joins, so that every dependency protocol has something to do.
cat >"$logs/small.yaml" <<'YAML'
scenario: small
machine: nvidia-h200
graph: {generator: layered_random, tasks: 60, width: 12, predecessors: 3, min_time_ns: 500, max_time_ns: 2000}
designs:
  - cuda-streams
  - cuda-graph
  - device-graph-launch
  - dynamic-parallelism
  - host-dispatcher
  - layer-barrier
  - static-queues
  - shared-queue
  - work-stealing
  - hybrid
  - central-dispatcher
  - {name: two-dispatchers, from: central-dispatcher, dispatchers: 2, mailbox_depth: 2}
YAML

for design in cuda-streams cuda-graph layer-barrier static-queues shared-queue work-stealing hybrid central-dispatcher two-dispatchers \
  host-dispatcher device-graph-launch dynamic-parallelism; do
  for tool in ${TOOLS:-memcheck racecheck synccheck initcheck}; do
    if [ $(($(date +%s) - begun)) -ge "$seconds" ]; then
      echo "left out: $tool of $design"
      skipped=$((skipped + 1))
      continue
    fi
    log=$logs/$design.$tool.log
    timeout -k 2 120 "$sanitizer" --tool "$tool" --error-exitcode 86 "$tasktwin" run "$logs/small.yaml" --designs "$design" --repeats 1 \
      --watchdog-ms 100000 >"$log" 2>&1
    code=$?
    if [ $code -ne 0 ] && grep -q 'Dynamic Parallelism is not supported' "$log"; then
      echo "left out: $tool of $design, which the tool does not support"
      skipped=$((skipped + 1))
    elif [ $code -eq 0 ]; then
      passed=$((passed + 1))
    else
      failed=$((failed + 1))
      echo "WRONG: $tool of $design: exit code $code"
      grep -E '^=========|error' "$log" | head -n 25
    fi
  done
done
echo "$passed passed, $failed failed$([ $skipped -eq 0 ] || echo ", $skipped skipped")"
[ "$failed" -eq 0 ]
