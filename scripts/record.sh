#!/bin/sh
# record.sh BUNDLE FOLDER [SECONDS [MACHINE]]: on a machine with a GPU, calibrates it and then records the suite with the new machine file:
# FOLDER/MACHINE.yaml with its samples, and FOLDER/recorded/. Machine file and recordings are to be copied to scenarios/machines/ and
# verify/recorded/. MACHINE: what the file is called; by default as 'calibrate' calls the GPU. Scenarios, which name the machine nvidia-h200,
# are run on the new one. Those of scenarios/suite/ are recorded under all of their designs, others under the designs that they have been
# recorded under; none with its timeline, of which the shipped machine has those that demo, pages and tests show. In the end cases are
# recorded again during which 'run' found the host disturbed, and the recording counts whose host was quicker. Goes on where it stopped
# before, and begins nothing new after SECONDS.
set -eu
bundle=$1
mkdir -p "$2"
folder=$(cd "$2" && pwd)
seconds=${3:-86400}
machine=${4:-}
shipped=nvidia-h200
begin=$(date +%s)
cd "$bundle"
tasktwin() { LD_LIBRARY_PATH=$PWD/lib timeout "$limit" bin/tasktwin "$@"; }
in_time() { [ $(($(date +%s) - begin)) -lt "$seconds" ] || { echo "record: stopped before $1"; exit 0; }; }
# Of a case: how its line of cases.jsonl begins, and what a call of the host took, by the file given.
key() { printf '{"scenario":"%s","design":"%s",' "$(basename "$1")" "$2"; }
pace() { grep -F "$(key "$scenario" "$design")" "$1" | sed -n 's/.*"host_call_ns":\([0-9.]*\).*/\1/p'; }

if [ ! -f "$folder/machine" ]; then
  echo "record: calibrating"
  limit=600
  tasktwin calibrate --quiet --output "$folder/new.yaml"
  [ -n "$machine" ] || machine=$(sed -n 's/^machine: //p' "$folder/new.yaml")
  sed "s/^machine: .*/machine: $machine/" "$folder/new.yaml" >"$folder/$machine.yaml"
  mv "$folder/new.samples.csv" "$folder/$machine.samples.csv"
  rm "$folder/new.yaml"
  echo "$machine" >"$folder/machine"
fi
machine=$(cat "$folder/machine")
limit=120  # a scenario takes 70 s at most
cp "$folder/$machine.yaml" "scenarios/machines/$shipped.yaml"

touch "$folder/done" "$folder/disturbed"
for file in scenarios/*.yaml scenarios/suite/*.yaml; do
  scenario=${file#scenarios/}
  scenario=${scenario%.yaml}
  name=$(basename "$scenario")
  case $scenario in
    suite/*) designs= ;;
    *)
      designs=$(sed -n "s/^{\"scenario\":\"$name\",\"design\":\"\([^\"]*\)\",.*/\1/p" "verify/recorded/$shipped/cases.jsonl" | paste -sd , -)
      [ -n "$designs" ] || continue
      ;;
  esac
  grep -qx "$scenario" "$folder/done" && continue
  in_time "$scenario"
  if tasktwin run "$scenario" ${designs:+--designs "$designs"} --record "$folder/recorded" --without-timelines >"$folder/log" 2>&1; then
    echo "$scenario" >>"$folder/done"
    echo "record: $scenario"
  else
    echo "record: $scenario failed: $(tail -n 3 "$folder/log")"
  fi
  sed -n "s|^note: $name under \([^:]*\): the host's calls took .*|$scenario \1|p" "$folder/log" >>"$folder/disturbed"
done

while read -r scenario design; do
  in_time "$scenario under $design once more"
  again=$folder/again/$machine/cases.jsonl
  first=$folder/recorded/$machine/cases.jsonl
  tasktwin run "$scenario" --designs "$design" --record "$folder/again" --without-timelines --quiet >"$folder/log" 2>&1 </dev/null || continue
  before=$(pace "$first") now=$(pace "$again")
  echo "record: $scenario under $design once more: $before ns a call, then $now"
  if awk "BEGIN { exit !($now < $before) }"; then
    # Its line takes the place of the one before.
    awk -v key="$(key "$scenario" "$design")" 'index($0, key) == 1 { if (NR == FNR) line = $0; else $0 = line } NR != FNR' \
      "$again" "$first" >"$folder/cases"
    mv "$folder/cases" "$first"
  fi
done <"$folder/disturbed"
: >"$folder/disturbed"
sed -i "s|--record $folder/[a-z]*|--record recorded|" "$folder/recorded/$machine/cases.jsonl"  # no folder of this machine
echo "record: done"
