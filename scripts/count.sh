#!/bin/sh
# Lines and files that git tracks, of a commit (HEAD): what CONTRIBUTING's table of sizes says.
set -eu
commit=${1:-HEAD}
lines() { git grep -I -c -e '' "$commit" -- "$@" | awk -F: '{n += $NF; ++f} END {printf "%7d lines %5d files\n", n, f}'; }
tests=':!tests :!python/tests :!*/tests/* :!*_test.* :!*.test.ts'
row() { printf '%-34s' "$1"; shift; lines "$@"; }
# shellcheck disable=SC2086  # several words
{
  row 'product, C++' '*.cpp' '*.hpp' '*.h' $tests
  row 'product, CUDA' '*.cu' '*.cuh' $tests
  row 'product, TypeScript' '*.ts' $tests
  row 'product, Python' '*.py' '*.pyi' $tests
  row 'product, all' '*.cpp' '*.hpp' '*.h' '*.cu' '*.cuh' '*.ts' '*.py' '*.pyi' $tests
  for hall in models scenarios sim gpu verify python examples scripts; do
    row "  of that $hall/" "$hall/*.cpp" "$hall/*.hpp" "$hall/*.h" "$hall/*.cu" "$hall/*.cuh" "$hall/*.ts" "$hall/*.py" "$hall/*.pyi" $tests
  done
  row 'tests, code' 'tests/*.cpp' 'tests/*.hpp' 'tests/*.cu' 'tests/*.cuh' 'tests/*.ts' 'tests/*.py'
  row 'pages' '*.md'
  row 'data (JSON, CSV, YAML, SVG, DOT)' '*.json' '*.jsonl' '*.csv' '*.yaml' '*.svg' '*.dot'
}
printf '%-34s%7s       %5d files\n' 'tracked' '' "$(git ls-tree -r --name-only "$commit" | wc -l)"
