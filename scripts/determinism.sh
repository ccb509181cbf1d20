#!/bin/sh
# determinism.sh TASKTWIN [TIMELINES…]: 200 pairs of scenario and design (PAIRS of them). TASKTWIN predicts each twice with one process a
# command and twice with two; TIMELINES are builds of the target tasktwin_timelines, by other compilers or with sanitizers, each of which
# prints all phases of all tasks, twice. All that should be the same must be so to the byte. Ends with a line that counts.
set -u
tasktwin=$1
shift
pairs=${PAIRS:-200}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

# Small scenarios, each under all named designs that it takes, until there are so many pairs.
"$tasktwin" scenario list --format json | python3 -c '
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
            print(left, name, design)
            left -= 1
' "$tasktwin" "$pairs" >"$folder/pairs"

# outputs NAME COMMAND: what the command (in which $1 is a scenario and $2 a design) prints for every pair, twice, into the files NAME.1 and
# NAME.2; as many pairs at a time as there are processors.
outputs() {
  for time in 1 2; do
    mkdir "$folder/$1.$time.d"
    xargs -P "$(nproc)" -n 3 sh -c "{ $2; } >'$folder/$1.$time.d/'\$0 2>/dev/null || echo \"failed: \$1 under \$2\" >'$folder/$1.$time.d/'\$0" \
      <"$folder/pairs"
    while read -r number _; do cat "$folder/$1.$time.d/$number"; done <"$folder/pairs" >"$folder/$1.$time"
  done
}

different=0 failed=0
# same NAME…: the outputs of the first and all others.
same() {
  first=$1
  failed=$((failed + $(grep -c '^failed: ' "$folder/$first.1")))
  [ -s "$folder/$first.1" ] || failed=$((failed + 1))
  for name; do
    for time in 1 2; do
      cmp "$folder/$first.1" "$folder/$name.$time" && continue
      different=$((different + 1))
      diff -rq "$folder/$first.1.d" "$folder/$name.$time.d" | head -n 5
    done
  done
}

for jobs in 1 2; do
  outputs jobs$jobs "'$tasktwin' simulate \$1 --designs \$2 --runs 3 --format json && '$tasktwin' compare \$1 --designs \$2 --runs 6 --jobs $jobs --format json"
done
same jobs1 jobs2
build=0
builds=
for executable; do
  build=$((build + 1))
  builds="$builds build$build"
  outputs build$build "'$executable' \$1 \$2"
done
# shellcheck disable=SC2086
[ -z "$builds" ] || same $builds
echo "determinism: $(wc -l <"$folder/pairs") pairs, with one process and with two, and $# builds, each twice: $different outputs differ, $failed failed"
[ "$different" -eq 0 ] && [ "$failed" -eq 0 ]
