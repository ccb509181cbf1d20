#!/bin/sh
# gpu_faults.sh TASKTWIN: what goes wrong on a GPU, on a GPU. A body that faults, that never ends, that writes outside its buffer; more
# memory than there is; a second process on the GPU; a run that is killed. Each must end within 5 s of what a sound run takes, say why, leave
# nothing half recorded, and leave the device as it was: the sound run is made again after each. What the driver takes over such a fault, by
# a program of ten lines where nvcc is there to build it, is told apart. Ends with the line "N passed, N failed".
set -u
tasktwin=$(realpath "$1")
"$tasktwin" --version >/dev/null || exit 1  # or every run that leaves nothing behind would count as right
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder" || exit 1
passed=0 failed=0
patience=1500  # ms without progress

cat >fault.cu <<'CUDA'
#include <tasktwin/kernel.hpp>

// What is wrong with a task is one of its arguments, so that all are compiled and linked once.
__device__ void body(const tasktwin::Block& block, int* x, int wrong) {
  volatile int* const word = x + block.thread;
  if (wrong == 1) *reinterpret_cast<volatile int*>(16) = 1;  // no memory there
  if (wrong == 2) asm volatile("trap;");
  while (wrong == 3 && *word != -1) {
  }
  if (wrong == 4) x[1024 + block.thread] = 1;  // behind the last element
  if (wrong == 5) x[1ll << 33] = 1;            // far behind it
  *word = wrong;
}
CUDA

# Milliseconds of driver_ms NUMBER DESIGN: what a fault adds to a program that does nothing else; 0 without nvcc. Under designs that keep
# kernels on the device, with a block on each multiprocessor that waits meanwhile.
cat >bare.cu <<'CUDA'
#include <cstdlib>

__global__ void faulty(volatile int* x, int wrong, bool resident) {
  if (blockIdx.x > 0) {
    while (*x == 0) {
    }
    return;
  }
  const long long begin = clock64();
  while (resident && clock64() - begin < 20000000) {  // until the others are there
  }
  if (wrong == 1) *reinterpret_cast<volatile int*>(16) = 1;
  if (wrong == 2) asm volatile("trap;");
  if (wrong == 5) x[1ll << 33] = 1;
  *x = 1;
}

int main(int, char** words) {
  int* x = nullptr;
  cudaMalloc(&x, 4096);
  cudaMemset(x, 0, 4096);
  int blocks = 0;
  cudaDeviceGetAttribute(&blocks, cudaDevAttrMultiProcessorCount, 0);
  const bool resident = std::atoi(words[2]) != 0;
  faulty<<<resident ? blocks : 1, 64>>>(x, std::atoi(words[1]), resident);
  cudaDeviceSynchronize();
}
CUDA
nvcc=$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)
"$nvcc" -arch=native -o bare bare.cu 2>bare.log || echo "no nvcc here: the driver's own seconds are not told apart"
bare_ms() {
  begun=$(now_ms)
  timeout -k 1 60 ./bare "$1" "$2"
  echo $(($(now_ms) - begun))
}
driver_ms() {
  [ -x bare ] || { echo 0; return; }
  case $2 in cuda-*) resident=0 ;; *) resident=1 ;; esac
  bare_ms 0 $resident >bare.log
  sound=$(bare_ms 0 $resident) faulty=$(bare_ms "$1" $resident)
  echo $((faulty > sound ? faulty - sound : 0))
}

# scenario NAME WRONG [ELEMENTS]: three tasks in a row, of which the second does it.
scenario() {
  cat >"$1.yaml" <<YAML
scenario: $1
machine: nvidia-h200
buffers:
  - {name: x, type: int32, count: ${3:-1024}}
kernels:
  - name: body
    source: fault.cu
    threads: 64
    parameters:
      - {name: x, type: buffer, value: x}
      - {name: wrong, type: integer, value: 0}
    cost: {bytes: 256}
graph:
  tasks:
    - {name: before, kernel: body}
    - {name: middle, kernel: body, arguments: {wrong: $2}, after: [before]}
    - {name: behind, kernel: body, after: [middle]}
designs: [cuda-streams, cuda-graph, static-queues, shared-queue]
YAML
}

now_ms() { date +%s%3N; }

# run NAME DESIGN [OPTION…]: into the files out and code, and its milliseconds into the variable took.
run() {
  name=$1 design=$2
  shift 2
  begun=$(now_ms)
  timeout -k 1 120 "$tasktwin" run "$name.yaml" --designs "$design" --repeats 3 --watchdog-ms $patience "$@" >out 2>&1
  code=$?
  took=$(($(now_ms) - begun))
}

verdict() {
  if [ "$2" = right ]; then
    passed=$((passed + 1))
    echo "right: $1"
  else
    failed=$((failed + 1))
    echo "WRONG: $1: $2"
    sed 's/^/    /' out | head -n 20
  fi
}

# Nothing but whole recordings: lines of JSON, timelines that are gzip, and each of a case.
whole() {
  for cases in $(find recorded -name 'cases.jsonl' 2>/dev/null); do
    python3 -m json.tool --json-lines "$cases" >/dev/null 2>&1 || return 1
    for timeline in "${cases%/*}"/*.csv.gz; do gzip -t "$timeline" 2>/dev/null || return 1; done
  done
  [ -z "$(find recorded -name '*.csv.gz' -o -name '*.part*' -o -name '.*' 2>/dev/null | while read -r file; do
    case=$(basename "$file" .csv.gz)
    grep -qsF "{\"scenario\":\"${case%%.*}\",\"design\":\"${case#*.}\"," "${file%/*}/cases.jsonl" || echo "$file"
  done)" ]
}

# after WHAT: the device is as it was.
after() {
  run sound "$design"
  if [ $code -ne 0 ]; then verdict "$1: the device is usable afterwards" "exit code $code"
  else verdict "$1: the device is usable afterwards" right; fi
}

# fault WHAT NAME WORDS DRIVER_MS: ends soon, with code 1 and one of the words (a pattern), and records nothing.
fault() {
  what="$design: $1" name=$2 words=$3 driver=$4
  shift 4
  rm -rf recorded
  run "$name" "$design" --record recorded "$@"
  if [ $code -ne 1 ]; then verdict "$what" "exit code $code, not 1"
  elif ! grep '^error' out | grep -qiE "$words"; then verdict "$what" "does not say: $words"
  elif [ "$took" -gt $((limit + driver + 5000)) ]; then
    verdict "$what" "took $took ms, a sound run $limit ms, the driver's own part $driver ms"
  elif [ -n "$(find recorded -type f 2>/dev/null)" ]; then verdict "$what" "leaves $(find recorded -type f | tr '\n' ' ')"
  else verdict "$what ($took ms, the driver's own part $driver ms: $(grep "^error" out | grep -m 1 -oiE ".{0,60}($words).{0,60}" ))" right; fi
  after "$what"
}

scenario sound 0
scenario address 1
scenario trap 2
scenario hang 3
scenario outside 4
scenario far-outside 5
scenario memory 0 1000000000000

for design in ${DESIGNS:-cuda-streams cuda-graph static-queues shared-queue}; do
  run sound "$design"  # compiles, links and keeps both
  run sound "$design"
  limit=$took
  address_ms=$(driver_ms 1 "$design") trap_ms=$(driver_ms 2 "$design") far_ms=$(driver_ms 5 "$design")
  if [ $code -ne 0 ]; then
    verdict "$design: a sound run" "exit code $code"
    continue
  fi
  verdict "$design: a sound run ($limit ms)" right
  fault "a body that writes where no memory is" address "illegal address|illegal memory access|invalid address|illegal instruction" "$address_ms"
  fault "a body that traps" trap "illegal instruction|launch failure" "$trap_ms"
  fault "a body that never ends" hang "no progress|does not end|stands still|watchdog|made no" 0
  fault "a body that writes far outside" far-outside "illegal address|illegal memory access|invalid address" "$far_ms"
  fault "more memory than there is" memory "out of memory" 0
done

# What no page boundary stops is found by compute-sanitizer, which takes a while to begin.
design=cuda-streams
timeout -k 1 120 "$tasktwin" run outside.yaml --designs "$design" --sanitize >out 2>&1
code=$?
if [ $code -eq 1 ] && grep -q 'fault.cu' out; then verdict "$design: a body that writes behind its buffer, under --sanitize" right
else verdict "$design: a body that writes behind its buffer, under --sanitize" "exit code $code, or no line of fault.cu"; fi
after "--sanitize"

# Two processes take turns on the GPU.
for design in ${DESIGNS:-cuda-streams static-queues}; do
  timeout -k 1 60 "$tasktwin" run sound.yaml --designs "$design" --repeats 20000 >other 2>&1 &
  other=$!
  sleep 2
  run sound "$design"
  if [ $code -eq 0 ] && [ "$took" -le $((limit + 5000)) ]; then verdict "$design: beside a second process ($took ms)" right
  else verdict "$design: beside a second process" "exit code $code after $took ms"; fi
  kill -9 $other 2>/dev/null
  wait $other 2>/dev/null
  after "$design: the second process was killed"
done

# Killed at any moment: old or whole, nothing half.
for design in ${DESIGNS:-cuda-streams static-queues}; do
  for wait in 0.3 0.9 1.5 2.1; do
    rm -rf recorded
    "$tasktwin" run sound.yaml --designs "$design" --repeats 300 --record recorded >out 2>&1 &
    run_id=$!
    sleep $wait
    kill -9 $run_id 2>/dev/null
    wait $run_id 2>/dev/null
    if whole; then verdict "$design: killed after $wait s leaves nothing half recorded" right
    else verdict "$design: killed after $wait s" "$(find recorded -type f | tr '\n' ' ')"; fi
  done
  run sound "$design" --record recorded
  if [ $code -eq 0 ] && whole && [ -n "$(find recorded -name 'cases.jsonl')" ]; then verdict "$design: records after kills" right
  else verdict "$design: records after kills" "exit code $code"; fi
done

echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
