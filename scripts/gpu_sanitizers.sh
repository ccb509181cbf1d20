#!/bin/sh
# gpu_sanitizers.sh TASKTWIN [SECONDS]: compute-sanitizer's four tools (memcheck, racecheck, synccheck, initcheck) over every executor, on a
# small graph, on a GPU. Begins nothing new after so many seconds (600 by default) and names what it left out. Reports are kept in
# build/gpu-sanitizers. Ends with the line "N passed, N failed[, N skipped]".
#
# Resident workers hand slots of shared memory from warp to warp by named barriers and mbarriers. racecheck and synccheck (CUDA 13.0) name
# hazards and divergent threads in the smallest program that does so, tests/gpu/hand_over_litmus.cu, which has none: where a tool does, what
# it says of this kind about an executor means nothing, and is left out by name.
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

litmus=$(dirname "$tasktwin")/tasktwin_hand_over_litmus
misled=''
for tool in racecheck synccheck; do
  [ -x "$litmus" ] || continue
  timeout -k 2 60 "$sanitizer" --tool $tool --error-exitcode 86 "$litmus" >"$logs/litmus.$tool.log" 2>&1
  [ $? -ne 86 ] || misled="$misled $tool"
done
echo "misled by the litmus:${misled:- none}"

# said_of_the_litmus TOOL LOG: whether the tool is misled, and names nothing of another kind.
said_of_the_litmus() {
  case "$misled" in *"$1"*) ;; *) return 1 ;; esac
  ! grep -E '^========= (Error|Invalid|Uninitialized|Barrier error)' "$2" | grep -qvE 'Race reported between|Barrier error detected. Divergent thread'
}

for design in cuda-streams cuda-graph layer-barrier static-queues shared-queue work-stealing hybrid central-dispatcher two-dispatchers \
  host-dispatcher device-graph-launch dynamic-parallelism; do
  for tool in ${TOOLS:-memcheck racecheck synccheck initcheck}; do
    if [ $(($(date +%s) - begun)) -ge "$seconds" ]; then
      echo "left out: $tool of $design"
      skipped=$((skipped + 1))
      continue
    fi
    log=$logs/$design.$tool.log
    # Of more barriers than it expects synccheck loses some, and the run of a dispatcher fails; expecting many makes it too slow for others.
    barriers=''
    case "$tool $design" in "synccheck "*dispatcher*) barriers='--num-cuda-barriers 4096' ;; esac
    # shellcheck disable=SC2086  # two words
    timeout -k 2 120 "$sanitizer" --tool "$tool" $barriers --error-exitcode 86 "$tasktwin" run "$logs/small.yaml" --designs "$design" --repeats 1 \
      --watchdog-ms 100000 >"$log" 2>&1
    code=$?
    if [ $code -ne 0 ] && grep -q 'Dynamic Parallelism is not supported' "$log"; then
      echo "left out: $tool of $design, which the tool does not support"
      skipped=$((skipped + 1))
    elif [ $code -eq 86 ] && said_of_the_litmus "$tool" "$log"; then
      echo "left out: $tool of $design, which names nothing but what it names in the litmus"
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
