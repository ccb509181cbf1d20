#!/bin/sh
# check_changes.sh [BASE]: clang-format of every file, and clang-tidy of the lines of sources that differ from the commit
# BASE: where none is given, from where this branch left main, or from the commit before. Stops beginning new files after $TIDY_SECONDS
# (180) and says which are left. Ends with the line "N passed, N failed".
set -u
base=${1:-$(git merge-base HEAD origin/main 2>/dev/null || git merge-base HEAD main 2>/dev/null)}
[ -n "$base" ] && [ "$base" != "$(git rev-parse HEAD)" ] || base=HEAD~1
passed=0 failed=0
count() { if [ "$1" -eq 0 ]; then passed=$((passed + 1)); else failed=$((failed + 1)); fi; }

find models scenarios sim gpu verify tests examples \( -name '*.hpp' -o -name '*.cpp' -o -name '*.cu' -o -name '*.cuh' \) -print0 |
  xargs -0 clang-format --dry-run -Werror
count $?

changed=$(git diff --name-only --diff-filter=d "$base" -- 'models/*.cpp' 'scenarios/*.cpp' 'sim/*.cpp' 'gpu/*.cpp' 'verify/*.cpp' 'tests/*.cpp' 'examples/*.cpp') || exit 1
begin=$(date +%s)
status=0
while [ -n "$changed" ]; do
  if [ $(($(date +%s) - begin)) -ge "${TIDY_SECONDS:-180}" ]; then
    printf 'check: no time left for clang-tidy of these; make lint reads them:\n%s\n' "$changed"
    break
  fi
  # shellcheck disable=SC2046  # one word a file
  TIDY_BASE=$base sh scripts/tidy.sh $(printf '%s\n' "$changed" | head -n 8) || status=1
  changed=$(printf '%s\n' "$changed" | tail -n +9)
done
count $status
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
