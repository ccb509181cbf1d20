#!/bin/sh
# record.sh BUNDLE FOLDER [SECONDS [MACHINE]]: on a machine with a GPU, calibrates it and then records the suite with the new machine file:
# FOLDER/MACHINE.yaml and its samples, and FOLDER/recorded/, to be copied to scenarios/machines/ and verify/recorded/. MACHINE: what the file
# is called; by default as 'calibrate' calls the GPU. Scenarios, which name the machine nvidia-h200, are run on the new one. Those of
# scenarios/suite/ are recorded under all of their designs, without timelines; others, which demo and pages show, with timelines, under
# the designs that they have been recorded under. In the end cases are
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
pace() { sed -n 's/.*"host_call_ns": \([0-9.]*\).*/\1/p' "$1"; }

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
  timelines=
  case $scenario in
    suite/*) designs= timelines=--without-timelines ;;
    *)
      designs=$(cd "verify/recorded/$shipped" && ls "$name".*.json 2>/dev/null | sed "s/^$name\.\(.*\)\.json$/\1/" | paste -sd , -)
      [ -n "$designs" ] || continue
      ;;
  esac
  grep -qx "$scenario" "$folder/done" && continue
  in_time "$scenario"
  if tasktwin run "$scenario" ${designs:+--designs "$designs"} --record "$folder/recorded" $timelines >"$folder/log" 2>&1; then
    echo "$scenario" >>"$folder/done"
    echo "record: $scenario"
  else
    echo "record: $scenario failed: $(tail -n 3 "$folder/log")"
  fi
  sed -n "s|^note: $name under \([^:]*\): the host's calls took .*|$scenario \1 $timelines|p" "$folder/log" >>"$folder/disturbed"
done

while read -r scenario design timelines; do
  in_time "$scenario under $design once more"
  again=$folder/again/$machine/$(basename "$scenario").$design
  first=$folder/recorded/$machine/$(basename "$scenario").$design
  tasktwin run "$scenario" --designs "$design" --record "$folder/again" $timelines --quiet >"$folder/log" 2>&1 </dev/null || continue
  echo "record: $scenario under $design once more: $(pace "$first.json") ns a call, then $(pace "$again.json")"
  if awk "BEGIN { exit !($(pace "$again.json") < $(pace "$first.json")) }"; then
    mv "$again.json" "$first.json"
    [ -n "$timelines" ] || mv "$again.csv.gz" "$first.csv.gz"
  fi
done <"$folder/disturbed"
: >"$folder/disturbed"
sed -i "s|--record $folder/[a-z]*|--record recorded|" "$folder/recorded/$machine"/*.json  # no folder of this machine
echo "record: done"
