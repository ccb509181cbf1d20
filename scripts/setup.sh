#!/bin/sh
# Installs what is missing of the package lists in $TASKTWIN_PACKAGES (packages.txt where it is not set), and says in a line each whether
# there is CUDA and a GPU.
set -eu
cd "$(dirname "$0")/.."

# shellcheck disable=SC2086  # one word a list
wanted=$(sed 's/#.*//' ${TASKTWIN_PACKAGES:-packages.txt} | xargs)

# Debian's npm does not go with a nodejs from elsewhere, so commands that are there already count as installed.
has_command() {
  case $1 in
    nodejs) command -v node || command -v nodejs ;;
    npm | chromium) command -v "$1" ;;
    *) false ;;
  esac >/dev/null
}

if command -v dpkg-query >/dev/null && command -v apt-get >/dev/null; then
  installed=$(dpkg-query -W -f '${db:Status-Status} ${Package}\n' | sed -n 's/^installed //p')
  missing=
  for package in $wanted; do
    printf '%s\n' "$installed" | grep -qxF -e "$package" || has_command "$package" || missing="$missing $package"
  done
  if [ -n "$missing" ]; then
    as_root=
    if [ "$(id -u)" -ne 0 ]; then
      if ! command -v sudo >/dev/null; then
        echo "setup: these packages are missing, and installing them needs root or sudo:$missing" >&2
        exit 1
      fi
      as_root=sudo
    fi
    echo "setup: installing with apt-get:$missing"
    $as_root apt-get update -qq
    # shellcheck disable=SC2086  # one word a package
    $as_root env DEBIAN_FRONTEND=noninteractive apt-get install -qq -y --no-install-recommends $missing >/dev/null
  fi
else
  echo "setup: no apt-get here, so nothing is installed; the build needs what packages.txt lists"
fi

if [ -n "${CUDACXX:-}" ] && command -v "$CUDACXX" >/dev/null; then
  echo "setup: CUDA compiler $CUDACXX; the GPU executors are built"
elif [ -n "${CUDACXX:-}" ]; then
  echo "setup: the CUDA compiler $CUDACXX, which CUDACXX names, is not there; set CUDACXX to an nvcc, or to nothing to build without" >&2
else
  echo "setup: no CUDA compiler (nvcc); the GPU executors are left out"
fi
if [ -e /dev/nvidia0 ]; then
  echo "setup: a GPU is here"
else
  echo "setup: no GPU here; predictions are held against recorded measurements"
fi
