#!/bin/sh
# determinism.sh EXECUTABLE…: simulates 200 pairs of scenario and design with each of the executables, twice, once alone and once beside
# another process, and compares the bytes of the results: all must be equal, whatever compiler or sanitizer made an executable.
set -u
cd "$(dirname "$0")/.." || exit 1
pairs=${PAIRS:-200}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

# Small scenarios, each under all named designs that it takes, until there are so many pairs.
"$1" scenario list --format json | python3 -c '
import json, subprocess, sys
def read(*words):
    done = subprocess.run([sys.argv[1], *words, "--format", "json"], capture_output=True, text=True)
    return json.loads(done.stdout) if done.returncode == 0 else None
left = int(sys.argv[2])
designs = [design["design"] for design in read("design", "list")]
for name in (scenario["scenario"] for scenario in json.load(sys.stdin)):
    shown = read("scenario", "show", name)
    if shown is None or shown["tasks"] > 1500: continue
    for design in designs:
        if left > 0 and read("simulate", name, "--designs", design) is not None:
            print(name, design)
            left -= 1
' "$1" "$pairs" >"$folder/pairs"

# results EXECUTABLE FILE: one after the other.
results() {
  while read -r scenario design; do
    "$1" simulate "$scenario" --designs "$design" --format json --runs 3 2>/dev/null
  done <"$folder/pairs" >"$2"
}

results "$1" "$folder/expected"
different=0
for executable; do
  results "$executable" "$folder/one" &
  results "$executable" "$folder/two"
  wait
  for file in one two; do
    cmp "$folder/expected" "$folder/$file" || different=$((different + 1))
  done
done
echo "determinism: $(wc -l <"$folder/pairs") pairs, $# executables, twice each: $different results differ"
[ "$different" -eq 0 ] && [ -s "$folder/expected" ]
