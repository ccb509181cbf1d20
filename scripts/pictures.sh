#!/bin/sh
# pictures.sh TASKTWIN FOLDER: draws the pictures that README.md and docs/ show, with the executable TASKTWIN. A test holds them up to date.
set -eu
tasktwin=$1
folder=$2
mkdir -p "$folder"
"$tasktwin" verify suite/cholesky-33-cores --recorded --designs static-queues --svg "$folder/cholesky-33-cores.svg" --quiet >/dev/null
