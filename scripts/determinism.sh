#!/bin/sh
# determinism.sh EXECUTABLE…: simulates 200 pairs of scenario and design with each of the executables, twice, once alone and once beside
# another process, and compares the bytes of the results: all must be equal, whatever compiler or sanitizer made an executable.
set -u
cd "$(dirname "$0")/.." || exit 1
pairs=200
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

# Small scenarios, each with the designs that it lists, until there are so many pairs.
"$1" scenario list --format json | python3 -c '
import json, subprocess, sys
left = int(sys.argv[2])
for scenario in json.load(sys.stdin):
    shown = subprocess.run([sys.argv[1], "scenario", "show", scenario["name"], "--format", "json"], capture_output=True, text=True)
    if shown.returncode != 0: continue
    shown = json.loads(shown.stdout)
    if shown["tasks"] > 3000: continue
    for design in shown["designs"]:
        name = design["design"] if "design" in design else design["name"]
        if left > 0: print(scenario["name"], name)
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
