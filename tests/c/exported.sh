#!/bin/sh
# exported.sh NM LIBRARY HEADER: the library exports the functions of the header, at most twelve, and nothing else.
set -eu
exported=$("$1" -D --defined-only "$2" | awk '{ print $3 }' | sort)
declared=$(grep -o '\*\{0,1\} *tasktwin_[a-z_]*(' "$3" | tr -d '* (' | sort -u)
if [ "$exported" != "$declared" ]; then
  printf 'exported:\n%s\ndeclared:\n%s\n' "$exported" "$declared" >&2
  exit 1
fi
test "$(printf '%s\n' "$declared" | wc -l)" -le 12
