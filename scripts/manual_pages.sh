#!/bin/sh
# manual_pages.sh PROGRAM FOLDER: a manual page, by help2man, for PROGRAM and for each of its commands, from what --help prints.
set -eu
program=$1
folder=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
rm -rf "$folder"
mkdir -p "$folder"
version=$("$program" --version | sed 's/^tasktwin //')

# Help as help2man reads it: headings between asterisks, the usage in one line, the description as text.
as_help2man_reads() {
  awk '/^[A-Z ]+$/ { heading = $0; if ($0 !~ /^(NAME|USAGE|DESCRIPTION)$/) print "*" $0 "*"; next }
    heading == "NAME" { next }
    heading == "USAGE" { sub(/^ +/, "Usage: ") }
    heading == "DESCRIPTION" { sub(/^  /, "") }
    { print }'
}

# page WORD…: of the command of these words, and of those below it.
page() (
  name=$(echo tasktwin "$@" | tr ' ' -)
  "$program" "$@" --help >"$work/help"
  as_help2man_reads <"$work/help" >"$work/$name.help"
  printf '#!/bin/sh\n[ "$1" = --version ] && echo "%s %s" || cat "%s"\n' "$name" "$version" "$work/$name.help" >"$work/$name"
  chmod +x "$work/$name"
  summary=$(sed -n '2s/.* – //p' "$work/help")
  help2man --locale=C.UTF-8 --no-info --name="$summary" --output="$folder/$name.1" "$work/$name"
  for command in $(sed -n '/^COMMANDS$/,/^$/s/^  \([a-z][a-z-]*\) .*/\1/p' "$work/help"); do page "$@" "$command"; done
)
page
